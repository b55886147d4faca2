"""`imprint gate`: findings held against conditions, for a pipeline; the exit code says how it went."""

from collections.abc import Callable, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, NoReturn

import typer

import imprint
from imprint.checks import did_you_mean
from imprint.cli.options import FindingsArgument, JsonOption
from imprint.cli.policy import PolicyOption
from imprint.errors import SettingError

if TYPE_CHECKING:
    from imprint.policies.conditions import Condition
    from imprint.policies.gate import Gate
    from imprint.stimuli.definition import Test

FailOnOption = Annotated[
    list[str] | None,
    typer.Option(
        "--fail-on",
        metavar="CONDITION",
        help="Exit with 2 if this holds, such as 'weat:p<0.01': KIND[:TEST]:FIELD OP NUMBER; may repeat.",
    ),
]
RequireOption = Annotated[
    list[str] | None,
    typer.Option(
        "--require",
        metavar="CONDITION",
        help="Exit with 0 only if this holds for the whole interval, such as "
        "'weat:gender-career:|size|<0.1'; may repeat.",
    ),
]
JunitOption = Annotated[
    Path | None, typer.Option("--junit", metavar="FILE", help="Write the verdicts as JUnit XML, for a list of tests.")
]
SummaryOption = Annotated[
    Path | None,
    typer.Option(
        "--summary", metavar="FILE", help="Add the verdicts to this file as Markdown, such as $GITHUB_STEP_SUMMARY."
    ),
]


def gate_command(
    findings: FindingsArgument,
    policy: PolicyOption = None,
    fail_on: FailOnOption = None,
    require: RequireOption = None,
    junit: JunitOption = None,
    summary: SummaryOption = None,
    json: JsonOption = False,
) -> None:
    """Check findings against a policy or conditions.

    The exit code is 0 passed, 2 failed, 3 cannot tell, 1 an error. Nothing is computed. A condition without a
    matching finding is undecided, and never passes.
    """
    from imprint.cli.console import check_targets, print_answer, print_findings, print_note

    if not (policy or fail_on or require):
        raise SettingError(
            "a gate needs a policy or a condition",
            option="--policy",
            hint="`imprint policy init` writes a policy; or give --fail-on 'weat:p<0.01'",
        )
    from imprint.policies.gate import check, parse_conditions
    from imprint.policies.policy import read_policy

    conditions = parse_conditions(fail_on or (), require or ())
    opened = None if policy is None else read_policy(policy)
    read = [str(source) for source in (findings, policy) if source is not None]
    check_targets({"--junit": junit, "--summary": summary}, reading=read)
    rows = imprint.read_findings(findings)
    # A misspelt name would be undecided for ever; a test that these findings lack may come with others.
    refuse_unknown(conditions, findings=rows)
    gate = check(rows, conditions, opened)
    if gate.changed:
        print_note("note: the findings were made under another policy than this one")
    if json:
        print_findings(gate.findings())
    else:
        print_sentences(gate.findings(), print_answer)
    exit_with_verdict(gate, junit, summary)


def refuse_unknown(
    conditions: "Sequence[Condition]",
    tests: "Sequence[Test]" = (),
    findings: "Sequence[imprint.Row] | None" = None,
) -> None:
    """Refuse a condition on a name that does not exist, with the catalogue or these tests.

    With findings, tests may have been added, so that only names that no file adds to are refused.
    """
    from imprint.policies.conditions import known_kind
    from imprint.stimuli.catalog import catalogue

    for condition in conditions:
        find = known_kind(condition.kind).names
        if condition.pattern is None or find is None:
            continue
        what, names, fixed = find((*catalogue(), *tests), findings or ())
        if (fixed or findings is None) and not any(map(condition.names, names)):
            listed = "`imprint stimuli` lists them" if what == "test" else f"there are {', '.join(names)}"
            raise SettingError(
                f"there is no {what} {condition.pattern!r}",
                option=f"--{condition.rule}",
                got=str(condition),
                hint=did_you_mean(condition.pattern, names) or listed,
            )


def exit_with_verdict(gate: "Gate", junit: Path | None, summary: Path | None) -> NoReturn:
    """Write the verdicts where they were asked for, and exit with the code that says how it went."""
    from imprint.policies.exports import append_summary, write_junit

    if junit is not None:
        write_junit(junit, gate)
    if summary is not None:
        append_summary(summary, gate)
    raise typer.Exit(gate.exit_code)


def print_sentences(rows: "Sequence[imprint.Row]", write: "Callable[[str], None]") -> None:
    """Print what rows mean, each sentence on one line, as pipelines read them."""
    from imprint.kinds.sections import sentences
    from imprint.masking import Words
    from imprint.render.numbers import plain

    for sentence in sentences(rows):
        write(plain(sentence, Words()))
