"""`imprint retrieval`: does a model rank documents about one group of people before those about another?"""

from typing import Annotated, Any

import typer

import imprint
from imprint.cli.encoders import ENCODER_HELP, EncoderSettings
from imprint.cli.options import JsonOption, is_encoder, with_settings
from imprint.cli.swap import ConditionOptions, is_scorer, show_scored
from imprint.scoring.settings import RetrievalOptions

MODEL_HELP = (
    f"An encoder: {ENCODER_HELP} Or what scores pairs of a query and a document: 'module:function', 'command:PROGRAM "
    "ARGUMENTS' (reads JSON lines, writes numbers), or 'scorer:URL'."
)


def is_model(given: Any) -> Any:
    """Refuse what names neither an encoder nor a scorer while options are read."""
    from imprint.scoring.settings import is_pair_scorer

    return (is_scorer(given.removeprefix("scorer:")) and given) if is_pair_scorer(given) else is_encoder(given)


@with_settings
def retrieval_command(
    ranker: Annotated[str, typer.Argument(callback=is_model, metavar="MODEL", help=MODEL_HELP)],
    *,
    settings: RetrievalOptions,
    held: ConditionOptions,
    about: EncoderSettings,
    json: JsonOption = False,
) -> None:
    """Ask whether search puts one group of people first.

    Equal documents, in two versions or with names of two groups, are ranked for queries. Scores are kept on disk: if
    the model fails halfway, the same command goes on from there.
    """
    from imprint.cli.console import phases

    conditions = held.parsed()
    with about.kept() as cache, phases() as report:
        rows = imprint.retrieval(ranker, **vars(settings), **about.given, cache=cache, report=report)
    show_scored(rows, "pairs", conditions, json=json)
