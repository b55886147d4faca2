"""A gate's answers as a kind: what each condition says, and of which tests."""

from collections import Counter
from collections.abc import Iterator, Sequence
from typing import Literal

import msgspec

from imprint.kinds import Kind, Part
from imprint.rows import Row
from imprint.view import Claim, Given, Number, Phrase, Text, count, join, say, title, words

Verdict = Literal["passed", "failed", "cannot tell"]

_DECISION = Part("gate", "The decision", -1)
_MOST_TESTS = 20  # named under one condition; the findings have them all


class Lacking(msgspec.Struct, frozen=True):
    """A test that lacks words, and how many."""

    test: str
    n_missing: int


class Outcome(msgspec.Struct, frozen=True):
    """What a condition says of one test: its number, the ends between which that lies, and the verdict."""

    test: str
    embedding: str
    context: str | None
    value: float | None
    low: float | None
    high: float | None
    verdict: Verdict
    why: str | None


class GateRow(Row, frozen=True, kw_only=True, tag="gate"):
    """What a condition, named by `test`, says of the findings.

    A requirement of a policy has the policy's hash and owner, and the reason that it gives.
    """

    rule: Literal["fail-on", "require"]
    policy_sha256: str | None = None
    owner: str = ""
    reason: str = ""
    field: str
    operator: str
    limit: float
    verdict: Verdict
    checked: int
    failed: int
    cannot_tell: int
    skipped: tuple[str, ...]
    cannot_reach: tuple[str, ...]
    why: str | None
    lacking: tuple[Lacking, ...]
    outcomes: tuple[Outcome, ...]


def is_probability(field: str) -> bool:
    """Tell whether a field of a row holds p-values."""
    return field.startswith("p_") or field.endswith("p_value")


def sentences(rows: Sequence[GateRow]) -> Iterator[Text]:
    """Say the verdict on each condition, and name each test that failed it or cannot be decided."""
    for row in rows:
        yield _headline(row)
        # What is said of all of them is not said again of each.
        named = [one for one in row.outcomes if one.verdict != "passed" and row.why is None]
        named.sort(key=lambda one: one.verdict != "failed")
        several = len({one.embedding for one in row.outcomes}) > 1
        for one in named[:_MOST_TESTS]:
            yield line(row, one, several=several)
        if len(named) > _MOST_TESTS:
            yield f"{len(named) - _MOST_TESTS:,} more; the findings have them all."


def claims(rows: Sequence[GateRow]) -> Iterator[Claim]:
    """Pair the decision with what it does not show."""
    yield decision(rows), "That a product built on it treats people fairly: the product was not measured."


def decision(rows: Sequence[GateRow]) -> str:
    """Say how many requirements passed, failed, or cannot be decided."""
    counts = Counter(row.verdict for row in rows)
    said = [f"{counts[one]} {one}" for one in ("failed", "cannot tell", "passed") if counts[one]]
    return f"Requirements: {', '.join(said)}."


def condition_of(row: GateRow) -> Text:
    """Return the condition as its author wrote it, with the reason where there is one."""
    condition = title(row.test if row.policy_sha256 else f"--{row.rule} {row.test}")
    return say("{} ({})", condition, title(row.reason)) if row.reason else condition


def _headline(row: GateRow) -> Phrase:
    condition = condition_of(row)
    if not row.checked:
        return say("Cannot tell: no finding matches {}; {}.", condition, title(str(row.why)))
    if row.why is not None:
        return say("{}: {}; {}.", row.verdict.capitalize(), condition, title(row.why))
    said = say("{}: {}, {}", row.verdict.capitalize(), condition, _outcome(row))
    for label, tests in (("not run", row.skipped), ("too few words to meet it", row.cannot_reach)):
        if tests:
            said = say("{}; {}: {}", said, label, words(tests))
    if row.lacking:
        lost = join(say("{} of {}", count(one.n_missing), Given(one.test)) for one in row.lacking[:_MOST_TESTS])
        said = say("{}; words missing: {}", said, lost)
    return say("{}.", said)


def _outcome(row: GateRow) -> Text:
    checked = count(row.checked)
    if row.verdict == "failed":
        return say("by {} of {} findings", count(row.failed), checked)
    if row.verdict == "cannot tell":
        return say("cannot be decided for {} of {} findings", count(row.cannot_tell), checked)
    if row.rule == "require":
        return say("throughout the interval in all of {} findings", checked)
    # A p that is not small is not evidence of absence.
    is_p = row.field == "p" or is_probability(row.field)
    warning = ", which does not show that there is no bias" if is_p else ""
    return say("met by none of {} findings{}", checked, warning)


def name_of(one: Outcome, *, several: bool) -> Text:
    """Name a test, and what it was asked of where there are several."""
    name: Text = Given(one.test)
    if one.context:
        name = say("{} ({})", name, title(one.context))
    return say("{} on {}", name, title(one.embedding)) if several else name


def line(row: GateRow, one: Outcome, *, several: bool) -> Phrase:
    """Say what a condition says of one test."""
    said = say("{}: {}", one.verdict.capitalize(), name_of(one, several=several))
    if one.value is not None:
        said = say("{}, {} = {}", said, row.field, datum(one.value))
    if one.why is not None:
        return say("{}: {}.", said, title(one.why))
    if one.low != one.high:
        said = say("{}, between {} and {}", said, datum(one.low), datum(one.high))
    return say("{}, limit {}.", said, datum(row.limit))


def datum(value: float | None) -> Number:
    """Return a number with digits enough to tell it from its limit."""
    return Number(value, "significant", 4)


GATE = Kind("gate", row=GateRow, part=_DECISION, sentences=sentences, claims=claims, rank=-1)
