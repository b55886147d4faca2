"""`imprint gate`: findings held against conditions, for a pipeline; the exit code says how it went."""

from collections.abc import Callable, Sequence
from typing import Annotated

import typer

import imprint
from imprint.cli.options import FindingsArgument, JsonOption
from imprint.cli.policy import PolicyOption
from imprint.errors import SettingError

FailOnOption = Annotated[
    list[str] | None,
    typer.Option(
        "--fail-on",
        metavar="CONDITION",
        help="Exit with 2 where this holds, such as 'weat:p<0.01': KIND[:TEST]:FIELD OP NUMBER; may repeat.",
    ),
]
RequireOption = Annotated[
    list[str] | None,
    typer.Option(
        "--require",
        metavar="CONDITION",
        help="Exit with 0 only where this holds throughout the interval, such as "
        "'weat:caliskan-6:|mean_difference|<0.05'; may repeat.",
    ),
]


def gate_command(
    findings: FindingsArgument,
    policy: PolicyOption = None,
    fail_on: FailOnOption = None,
    require: RequireOption = None,
    json: JsonOption = False,
) -> None:
    """Hold findings against a policy or conditions: exit code 0 passed, 2 failed, 3 cannot tell, 1 an error.

    Nothing is computed. A condition that no finding answers is inconclusive, never passed.
    """
    from imprint.cli.console import print_findings, say, tell
    from imprint.policy.gate import check, parse_conditions
    from imprint.policy.policy import read_policy

    conditions = parse_conditions(fail_on or (), require or ())
    opened = None if policy is None else read_policy(policy)
    if not conditions and opened is None:
        raise SettingError(
            "a gate needs a policy or a condition",
            option="--policy",
            hint="`imprint policy init` writes a policy; or give --fail-on 'weat:p<0.01'",
        )
    gate = check(imprint.read_findings(findings), conditions, opened)
    if gate.changed:
        say("note: the findings were made under another policy than this one")
    if json:
        print_findings(gate.findings())
    else:
        say_sentences(gate.findings(), tell)
    raise typer.Exit(gate.exit_code)


def say_sentences(rows: "Sequence[imprint.Row]", say: "Callable[[str], None]", *, whole: bool = True) -> None:
    """Print what rows mean, in sentences: each a `whole` line, as pipelines read them, or broken for people."""
    from imprint.kinds.sections import sentences
    from imprint.masking import Words
    from imprint.render.numbers import plain
    from imprint.render.terminal import draw_text

    for sentence in sentences(rows):
        say(plain(sentence, Words()) if whole else draw_text(sentence))
