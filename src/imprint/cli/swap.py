"""`imprint swap`: does a score change when only the name changes?"""

from dataclasses import dataclass
from typing import TYPE_CHECKING, Annotated, Any

import typer

import imprint
from imprint.cli.encoders import EncoderSettings
from imprint.cli.gate import print_sentences
from imprint.cli.options import JsonOption, with_settings
from imprint.policies.settings import FailOnOption, RequireOption
from imprint.scoring.settings import SwapOptions

if TYPE_CHECKING:
    from collections.abc import Sequence

    from imprint.policies.conditions import Condition
    from imprint.rows import Row
    from imprint.scoring.rows import ScoredRows

SCORER_HELP = (
    "What gives a text a number: 'module:function', 'command:PROGRAM ARGUMENTS' (reads lines, writes numbers), or the "
    "URL of an endpoint. Also 'encoder:ENCODER' with --query, or 'valence:EMBEDDING' (sum of pleasantness)."
)


def is_scorer(given: Any) -> Any:
    """Refuse what names no scorer while options are read; nothing is imported or run."""
    from imprint.scoring.settings import find_scorer

    find_scorer(given)
    return given


@dataclass(frozen=True, kw_only=True)
class ConditionOptions:
    """What rows of scores are held against."""

    fail_on: FailOnOption = ()
    require: RequireOption = ()

    def parsed(self) -> "tuple[Condition, ...]":
        """Return the conditions; refuse one that means nothing, before any work is done."""
        from imprint.policies.gate import parse_conditions

        return parse_conditions(self.fail_on, self.require)


@with_settings
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
    from imprint.cli.console import phases

    conditions = held.parsed()
    with about.kept() as cache, phases() as report:
        rows = imprint.swap(scorer, **vars(settings), **about.given, cache=cache, report=report)
    show_scored(rows, "texts", conditions, json=json)


def show_scored(rows: "ScoredRows[Row]", what: str, conditions: "Sequence[Condition]", *, json: bool) -> None:
    """Print rows, how many texts or pairs were scored, and what conditions say; end with their exit code."""
    from imprint.cli.console import print_note, show_findings
    from imprint.policies.gate import check

    show_findings(rows.findings(), json=json)
    if not json:
        print_note(f"{rows.scored:,} {what} scored." if rows.scored else "every score was known from an earlier run.")
    if conditions:
        gate = check(rows.findings(), conditions)
        print_sentences(gate.findings(), print_note)
        raise typer.Exit(gate.exit_code)
