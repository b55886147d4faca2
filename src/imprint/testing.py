"""Assertions for tests of your own: a policy is met, or an association is small, only where whole intervals say so.

They work in pytest, in unittest and wherever else AssertionError means that a test failed.
"""

import math
import warnings
from typing import TYPE_CHECKING, cast

from imprint.errors import SettingError

if TYPE_CHECKING:
    from collections.abc import Sequence

    from imprint.association.rows import AssociationRow
    from imprint.evaluation.controls import Controls
    from imprint.files import FilePath
    from imprint.policies.gate import Gate
    from imprint.policies.policy import Policy
    from imprint.rows import Findings, Row
    from imprint.stimuli.definition import WeatTest
    from imprint.subjects.opening import EmbeddingLike


def assert_association_below(
    measured: "EmbeddingLike | AssociationRow",
    test: "WeatTest | str | None" = None,
    *,
    margin: float = 0.10,
    controls: "Controls | None" = None,
) -> None:
    """Raise AssertionError unless an association is surely smaller than the margin, in either direction.

    `measured` is an embedding, on which the WEAT `test` is run, or what `weat` or `seat` returned. A row needs the
    `controls` of its subject, from `imprint.controls(subject)`. A subject that cannot be judged does not pass. The
    margin is one of `size`, a share of the distance between the two kinds of words. All of the interval has to lie
    within the margin; one that reaches outside is undecided and does not pass.
    """
    __tracebackhide__ = True  # pytest then shows the caller's line
    from imprint.policies.conditions import Condition, Known, judge

    if isinstance(margin, bool) or not isinstance(margin, int | float) or not 0 < margin < math.inf:
        raise SettingError(
            option="margin", got=margin, expected="a number above 0, a share of the distance, such as 0.10"
        )
    row, known = _measured(measured, test, controls)
    said = judge(Condition("require", row.kind, None, "size", True, "<", float(margin)), row)
    why = Known.of([row, *(known.findings() if known else ())]).why_not(row) or said.why
    if said.verdict == "passed" and why is None:
        return
    about = f"{row.test} on {row.embedding}"
    if why is not None:
        raise AssertionError(f"cannot tell: {about} cannot be held against a margin of {margin:g}: {why}")
    ends = f"{row.size_low:.4g} to {row.size_high:.4g}"
    size = f"the size is {row.size:.4g}, with an interval over words of {ends}"
    if said.verdict == "failed":
        raise AssertionError(f"above: {about} lies outside the margin of {margin:g}; {size}")
    raise AssertionError(f"cannot tell: {about} reaches outside the margin of {margin:g}; {size}")


def assert_policy(
    measured: "EmbeddingLike | Findings | Sequence[Row]", policy: "Policy | FilePath | None" = None
) -> None:
    """Raise AssertionError unless every requirement of a policy is met, or is one that the policy only warns of.

    `measured` is findings: a list of rows, or any result such as that of `imprint.audit`. Or it is an embedding, of
    which the policy's tests, topics and benchmarks are measured. `policy` is its file; the default is imprint.toml, or
    [tool.imprint] of pyproject.toml, of the current folder. A subject that cannot be judged does not pass, unless the
    policy says `on_cannot_tell = "warn"`: then what findings do not decide is a warning,
    as it is at the gate.
    """
    __tracebackhide__ = True
    from imprint.kinds.audit import judgement
    from imprint.masking import Words
    from imprint.policies.kinds import sentences
    from imprint.policies.policy import policy as read_policy
    from imprint.render.numbers import plain

    required = read_policy(policy)
    gate = _gate(measured, required)
    if gate.verdict == "passed":
        return
    unjudged = [row for row in gate.controls if not row.judged]
    said = [*judgement(unjudged), *sentences([row for row in gate.findings() if row.verdict != "passed"])]
    lines = [f"{gate.verdict}: {gate.about.embedding} and {required.path}", *(plain(text, Words()) for text in said)]
    if gate.exit_code == 0:
        warnings.warn("\n".join(lines), stacklevel=2)
        return
    raise AssertionError("\n".join(lines))


def _gate(measured: "EmbeddingLike | Findings | Sequence[Row]", policy: "Policy") -> "Gate":
    from imprint.audits.run import audit
    from imprint.policies.gate import gate
    from imprint.rows import Findings, Row

    is_rows = isinstance(measured, list | tuple) and all(isinstance(row, Row) for row in measured)
    if is_rows or isinstance(measured, Findings):
        return gate(cast("Sequence[Row]", measured), policy=policy)
    # No number that a policy can require depends on `quick`.
    parts = {condition.part for condition in policy.conditions}
    audited = audit(cast("EmbeddingLike", measured), debias=None, quick=True, parts=parts, policy=policy)
    return cast("Gate", audited.gate)


def _measured(
    measured: "EmbeddingLike | AssociationRow",
    test: "WeatTest | str | None",
    known: "Controls | None",
) -> "tuple[AssociationRow, Controls | None]":
    from imprint.association.rows import AssociationRow
    from imprint.association.weat import weat
    from imprint.evaluation.controls import controls
    from imprint.subjects.opening import load

    if isinstance(measured, AssociationRow):
        if test is not None:
            raise SettingError(
                f"a row of {measured.test} was given, and a test", option="test", hint="give the row alone"
            )
        return measured, known
    if test is None:
        raise SettingError(option="test", got=None, expected="the id of a test, such as 'caliskan-6'")
    opened = load(measured)
    row = weat(opened, test)
    return row, known or controls(opened, languages=[row.language])
