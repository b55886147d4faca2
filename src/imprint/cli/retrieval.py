"""`imprint retrieval`: does a model rank documents about one group of people before those about another?"""

from pathlib import Path
from typing import Annotated, Any

import typer

import imprint
from imprint.cli.encoders import ENCODER_HELP, EncoderSettings
from imprint.cli.options import JsonOption, are_words, is_encoder, is_file, with_settings
from imprint.cli.swap import is_scorer, show_scored, two_groups
from imprint.policies.settings import FailOnOption, RequireOption

MODEL_HELP = (
    f"An encoder: {ENCODER_HELP} Or what scores pairs of a query and a document: 'module:function', 'command:PROGRAM "
    "ARGUMENTS' (reads JSON lines, writes numbers), or 'scorer:URL'."
)


def is_model(given: Any) -> Any:
    """Refuse what names neither an encoder nor a scorer while options are read."""
    from imprint.scoring.sources import is_pair_scorer

    return (is_scorer(given.removeprefix("scorer:")) and given) if is_pair_scorer(given) else is_encoder(given)


@with_settings
def retrieval_command(
    ranker: Annotated[str, typer.Argument(callback=is_model, metavar="MODEL", help=MODEL_HELP)],
    sets: Annotated[
        list[str] | None,
        typer.Option("--set", metavar="NAME", help="grep-biasir or cvs; may repeat. [default: both]"),
    ] = None,
    queries: Annotated[
        Path | None,
        typer.Option(
            "--queries", callback=is_file, help="Queries of your own: JSON lines, CSV or Parquet, id and text."
        ),
    ] = None,
    documents: Annotated[
        Path | None,
        typer.Option("--documents", callback=is_file, help="Documents of your own, with {name} or versions."),
    ] = None,
    pairs: Annotated[
        Path | None,
        typer.Option("--pairs", callback=is_file, help="In place of documents, pairs of texts: first, second, unit."),
    ] = None,
    names: Annotated[
        list[str] | None,
        typer.Option("--names", metavar="NAME", help="Names for your documents, as in swap. [default: a 2 x 2]"),
    ] = None,
    group: Annotated[
        list[str] | None,
        typer.Option("--group", callback=are_words, metavar="WORDS", help="Names of your own; give it twice."),
    ] = None,
    top: Annotated[int, typer.Option("--top", min=1, help="Places at the top, at most half of the names.")] = 10,
    no_edits: Annotated[bool, typer.Option("--no-edits", help="Do not score neutral edits for comparison.")] = False,
    query_prompt: Annotated[str | None, typer.Option("--query-prompt", help="A text before each query.")] = None,
    document_prompt: Annotated[str | None, typer.Option("--document-prompt", help="The same for documents.")] = None,
    per_second: Annotated[
        float | None, typer.Option("--per-second", help="Pairs per second that the model may get. [default: any]")
    ] = None,
    fail_on: FailOnOption = (),
    require: RequireOption = (),
    *,
    about: EncoderSettings,
    json: JsonOption = False,
) -> None:
    """Ask whether search puts one group of people first.

    Equal documents, in two versions or with names of two groups, are ranked for queries. Scores are kept on disk: if
    the model fails halfway, the same command goes on from there.
    """
    from imprint.cli.console import phases
    from imprint.policies.gate import parse_conditions
    from imprint.stimuli.retrieval import BUNDLED

    conditions = parse_conditions(fail_on, require)
    groups = two_groups(group, names)
    prompts = {"query_prompt": query_prompt, "document_prompt": document_prompt}
    with about.kept() as cache, phases() as report:
        rows = imprint.retrieval(
            ranker,
            sets or BUNDLED,
            queries=queries,
            documents=documents,
            pairs=pairs,
            names=names or (),
            groups=groups,
            top=top,
            edits=not no_edits,
            per_second=per_second,
            cache=cache,
            report=report,
            **about.given,
            **{name: prompt for name, prompt in prompts.items() if prompt is not None},
        )
    show_scored(rows, "pairs", conditions, json=json)
