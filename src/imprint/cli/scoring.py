"""`imprint swap`, `retrieval` and `translate-probe`: what a system gives when only who a text is about changes."""

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

import imprint
from imprint.cli import console
from imprint.cli.encoders import ENCODER_HELP, EncoderSettings
from imprint.cli.gate import print_sentences
from imprint.cli.options import JsonOption, PageOption, is_embedding, is_encoder, is_file
from imprint.policies.settings import FailOnOption, RequireOption
from imprint.scoring.settings import RetrievalOptions, SwapOptions
from imprint.settings import option

if TYPE_CHECKING:
    from imprint.policies.conditions import Condition
    from imprint.rows import Row
    from imprint.scoring.rows import ScoredRows

SCORER_HELP = (
    "What gives a text a number: 'module:function', 'command:PROGRAM ARGUMENTS' (reads lines, writes numbers), or the "
    "URL of an endpoint. Also 'encoder:ENCODER' with --query, or 'valence:EMBEDDING' (sum of pleasantness)."
)
MODEL_HELP = (
    f"An encoder: {ENCODER_HELP} Or what scores pairs of a query and a document: 'module:function', 'command:PROGRAM "
    "ARGUMENTS' (reads JSON lines, writes numbers), or 'scorer:URL'."
)


def is_scorer(given: Any) -> Any:
    """Refuse what names no scorer while options are read; nothing is imported or run."""
    from imprint.scoring.settings import find_scorer

    find_scorer(given)
    return given


def is_model(given: Any) -> Any:
    """Refuse what names neither an encoder nor a scorer while options are read."""
    from imprint.scoring.settings import is_pair_scorer

    return (is_scorer(given.removeprefix("scorer:")) and given) if is_pair_scorer(given) else is_encoder(given)


@dataclass(frozen=True, kw_only=True)
class ConditionOptions:
    """What rows of scores are held against."""

    fail_on: FailOnOption = ()
    require: RequireOption = ()

    def parsed(self) -> "tuple[Condition, ...]":
        """Return the conditions; refuse one that means nothing, before any work is done."""
        from imprint.policies.gate import parse_conditions

        return parse_conditions(self.fail_on, self.require)


def swap_command(
    scorer: Annotated[str, typer.Argument(callback=is_scorer, metavar="SCORER", help=SCORER_HELP)],
    *,
    settings: SwapOptions,
    held: ConditionOptions,
    about: EncoderSettings,
    json: JsonOption = False,
) -> None:
    """Ask whether a score changes when only the name changes.

    The same texts are scored with names of two groups. Nothing runs but the scorer that you name. Scores are kept on
    disk: if the scorer fails halfway, the same command goes on from there.
    """
    conditions = held.parsed()
    with about.kept() as cache, console.phases() as report:
        rows = imprint.swap(scorer, **vars(settings), **about.given, cache=cache, report=report)
    _show_scored(rows, "texts", conditions, json=json)


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
    conditions = held.parsed()
    with about.kept() as cache, console.phases() as report:
        rows = imprint.retrieval(ranker, **vars(settings), **about.given, cache=cache, report=report)
    _show_scored(rows, "pairs", conditions, json=json)


def _show_scored(rows: "ScoredRows[Row]", what: str, conditions: "Sequence[Condition]", *, json: bool) -> None:
    """Print rows, how many texts or pairs were scored, and what conditions say; end with their exit code."""
    from imprint.policies.gate import check

    console.show_findings(rows.findings(), json=json)
    if not json:
        scored = f"{rows.scored:,} {what} scored." if rows.scored else "every score was known from an earlier run."
        console.print_note(scored)
    if conditions:
        gate = check(rows.findings(), conditions)
        print_sentences(gate.findings(), console.print_note)
        raise typer.Exit(gate.exit_code)


def translate_probe_command(
    translator: Annotated[
        str,
        typer.Argument(
            metavar="TRANSLATOR",
            help="'command:PROGRAM ARGUMENTS' (reads and writes lines; {source} and {target} are codes), or the URL "
            "of a service such as LibreTranslate.",
        ),
    ],
    language: Annotated[
        Sequence[str] | None, option("tr, eu, hu, fi, et, id, fa or sw. [default: all]", metavar="CODE")
    ] = None,
    target: Annotated[str, option("Language to translate into: en, de or fr.", metavar="CODE")] = "en",
    embedding: Annotated[str, option("Whose associations predict the pronoun.", callback=is_embedding)] = "default",
    sentences: Annotated[Path | None, option("A TOML file of your own sentences and words.", callback=is_file)] = None,
    batch: Annotated[
        int | None, option("Sentences at once. [default: 25 for a service, all for a command]", min=1)
    ] = None,
    timeout: Annotated[
        float | None, option("Seconds for each batch. [default: 60 for a service, 600 for a command]")
    ] = None,
    page: PageOption = None,
    json: JsonOption = False,
) -> None:
    """Count the pronouns that a translator chooses.

    Sentences in eight languages that leave the gender open are translated to English, German or French. The report
    counts he, she, neither and untranslated, and says what predicts them.
    """
    from imprint.translation.probe import translate_probe

    console.check_target(page)
    with console.progress_bar("translating") as report:
        rows = translate_probe(
            translator,
            language or (),
            target=target,
            embedding=embedding,
            sentences=sentences,
            batch=batch,
            timeout=timeout,
            progress=report,
        ).findings()
    console.show_findings(rows, json=json)
    console.write_report(page, rows, json=json)
