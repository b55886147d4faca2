"""`imprint swap`: does a score change when only the name changes?"""

from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

import imprint
from imprint.cli.encoders import EncoderSettings
from imprint.cli.gate import print_sentences
from imprint.cli.options import JsonOption, are_words, is_file, with_settings
from imprint.errors import SettingError
from imprint.policies.settings import FailOnOption, RequireOption

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
    from imprint.scoring.sources import find_scorer

    find_scorer(given)
    return given


def two_groups(group: list[str] | None, names: list[str] | None) -> tuple[str, str] | None:
    """Return the two groups of names that were given; refuse another number, or names besides."""
    if not group:
        return None
    if len(group) != 2:
        raise SettingError(option="--group", got=len(group), expected="given twice, once per group")
    if names:
        raise SettingError("--group and --names cannot be used together", option="--group", hint="give one of them")
    return group[0], group[1]


@with_settings
def swap_command(
    scorer: Annotated[str, typer.Argument(callback=is_scorer, metavar="SCORER", help=SCORER_HELP)],
    names: Annotated[
        list[str] | None,
        typer.Option(
            "--names",
            metavar="NAME",
            help="race, gender, pronouns, or a question or test that compares names, such as black-pleasant; may "
            "repeat. [default: race and gender]",
        ),
    ] = None,
    group: Annotated[
        list[str] | None,
        typer.Option(
            "--group",
            callback=are_words,
            metavar="WORDS",
            help="Names of your own, a file or a list such as Ann,Eve; give it twice.",
        ),
    ] = None,
    templates: Annotated[
        Path | None,
        typer.Option("--templates", callback=is_file, help="Texts of your own, one per line, with {name} in each."),
    ] = None,
    query: Annotated[
        str | None, typer.Option("--query", help="What texts are ranked by, such as 'CVs for a nurse'.")
    ] = None,
    top: Annotated[
        int, typer.Option("--top", min=1, help="Places at the top of a ranking, at most half of the names.")
    ] = 10,
    per_second: Annotated[
        float | None, typer.Option("--per-second", help="Texts per second that the scorer may get. [default: any]")
    ] = None,
    fail_on: FailOnOption = (),
    require: RequireOption = (),
    *,
    about: EncoderSettings,
    json: JsonOption = False,
) -> None:
    """Ask whether a score changes when only the name changes.

    The same texts are scored with names of two groups. Nothing runs but the scorer that you name. Scores are kept on
    disk: if the scorer fails halfway, the same command goes on from there.
    """
    from imprint.cli.console import phases
    from imprint.policies.gate import parse_conditions

    conditions = parse_conditions(fail_on, require)
    groups = two_groups(group, names)
    with about.kept() as cache, phases() as report:
        rows = imprint.swap(
            scorer,
            names or ("race", "gender"),
            groups=groups,
            templates=templates,
            query=query,
            top=top,
            per_second=per_second,
            cache=cache,
            report=report,
            **about.given,
        )
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
