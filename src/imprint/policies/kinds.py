"""A gate's answers as a kind: what each condition says, and of which tests."""

from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from typing import Annotated, Any, Literal

import msgspec

from imprint.kinds import Kind, Part, by_kind
from imprint.rows import Row, shown
from imprint.view import Claim, Given, Number, Phrase, Text, count, join, say, title, words

Verdict = Literal["passed", "failed", "cannot tell"]
Rule = Literal["fail-on", "require"]
Operator = Literal["<", "<=", ">", ">="]

GRAVEST_FIRST: tuple[Verdict, ...] = ("failed", "cannot tell", "passed")

_DECISION = Part("gate", "The decision", -1)
_MOST_TESTS = 20  # named under one condition; the findings have them all
_MOST_NAMED = 2  # requirements named in the decision; the others are counted
_LIMITS: dict[Operator, str] = {"<": "below", "<=": "at most", ">": "above", ">=": "at least"}


class Lacking(msgspec.Struct, frozen=True):
    """A test that lacks words."""

    test: Annotated[str, shown("Test", shape="word")]
    n_missing: Annotated[int, shown("Missing", "How many of its words have no vector.")]


class Outcome(msgspec.Struct, frozen=True):
    """What a condition says of one test."""

    test: Annotated[str, shown("Test", shape="word")]
    embedding: Annotated[str, shown("Model", "The model that the test was asked of.")]
    context: Annotated[str | None, shown("Context", "What surrounds the words, where a finding says so.")]
    value: Annotated[float | None, shown("Value", "The number that the condition is about.", ends="")]
    low: Annotated[float | None, shown("Low", "The least that the number can be.")]
    high: Annotated[float | None, shown("High", "The most that the number can be.")]
    verdict: Annotated[Verdict, shown("Verdict", "What the condition says of the test.")]
    why: Annotated[str | None, shown("Why", "Why it cannot be decided, where it cannot.")]


class GateRow(Row, frozen=True, kw_only=True, tag="gate"):
    """What a condition, named by `test`, says of the findings."""

    rule: Annotated[Rule, shown("Rule", "Whether the condition must not be met, or must be.")]
    policy_sha256: Annotated[
        str | None,
        shown("Policy", "Hash of the policy that the requirement is from.", shape="word"),
    ] = None
    policy_file: Annotated[str | None, shown("Policy file", "The policy's file, as it was given.")] = None
    owner: Annotated[str, shown("Owner", "Who decides by the policy.")] = ""
    policy_reason: Annotated[str, shown("Reason of the policy", "Why there is such a policy.")] = ""
    reason: Annotated[str, shown("Reason", "Why the policy requires it.")] = ""
    field: Annotated[str, shown("Field", "The field of the findings that the condition is about.", shape="word")]
    operator: Annotated[Operator, shown("Operator", "How the field is compared with the limit.")]
    limit: Annotated[float, shown("Limit", "The number that the field is compared with.")]
    verdict: Annotated[Verdict, shown("Verdict", "Whether the condition holds.")]
    checked: Annotated[int, shown("Checked", "Findings that the condition is about.")]
    failed: Annotated[int, shown("Failed", "Findings that fail it.")]
    cannot_tell: Annotated[int, shown("Cannot tell", "Findings that do not decide it.")]
    skipped: Annotated[tuple[str, ...], shown("Not run", "Tests that did not run.")]
    cannot_reach: Annotated[tuple[str, ...], shown("Too few words", "Tests with too few words to meet it.")]
    why: Annotated[str | None, shown("Why", "Why it cannot be decided, where all findings share a reason.")]
    lacking: Annotated[tuple[Lacking, ...], shown("Words missing", "Tests that lack words.")]
    outcomes: Annotated[tuple[Outcome, ...], shown("Outcomes", "What the condition says of each test.")]


def is_probability(field: str) -> bool:
    """Tell whether a field of a row holds p-values."""
    return field.startswith("p_") or field.endswith("p_value")


def sentences(rows: Sequence[GateRow]) -> Iterator[Text]:
    """Say the verdict on each condition, name each test that failed it or cannot be decided, and say whose policy."""
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
    yield from policies(rows)


def claims(rows: Sequence[GateRow]) -> Iterator[Claim]:
    """Pair the decision with what it does not show."""
    yield decision(rows), "That a product built on it treats people fairly: the product was not measured."


def answers(rows: Iterable[Row]) -> Sequence[GateRow]:
    """Return what a gate answered, of findings."""
    listed: Sequence[Any] = by_kind(rows).get(GATE, ())
    return listed


def gravest(verdicts: Iterable[Verdict]) -> Verdict:
    """Return the gravest verdict: failed, then cannot tell, then passed."""
    return min(verdicts, key=GRAVEST_FIRST.index, default="passed")


def decision(rows: Sequence[GateRow]) -> Text:
    """Say the verdict, which requirements decide it, what was found and the limit; the others are counted."""
    verdict = gravest(row.verdict for row in rows)
    deciding = [row for row in rows if row.verdict == verdict]
    if verdict == "passed":
        return "Passed: the requirement holds." if len(rows) == 1 else f"Passed: all {len(rows)} requirements hold."
    named = [say("{}: {}.", verdict.capitalize(), _required(row)) for row in deciding[:_MOST_NAMED]]
    counts = Counter(row.verdict for row in rows)
    counts[verdict] -= len(named)
    others = [f"{counts[one]} {one}" for one in GRAVEST_FIRST if counts[one]]
    return join([*named, *([f"Other requirements: {', '.join(others)}."] if others else [])], " ")


def policies(rows: Sequence[GateRow]) -> Iterator[Text]:
    """Say who decides by each policy, and why."""
    for owner, reason in dict.fromkeys((row.owner, row.policy_reason) for row in rows):
        if owner or reason:
            yield say("Policy{}{}.", say(" of {}", title(owner)) if owner else "", _because(reason))


def _because(reason: str) -> Text:
    return say(": {}", title(reason.rstrip(". "))) if reason else ""


def _required(row: GateRow) -> Text:
    """Say in words what a condition requires, and what was found where it matters most."""
    if row.why is not None or not row.outcomes:
        return say("{}; {}", condition_of(row), title(str(row.why)))
    own = [one for one in row.outcomes if one.verdict == row.verdict]
    if not own:  # what it needs was not run
        return say("{}; not run: {}", condition_of(row), words(row.skipped))
    worst = max(own, key=lambda one: abs((one.value or 0.0) - row.limit))
    size = " either way" if row.field.startswith("|") else ""
    limit = say("{} {}{}", _LIMITS[row.operator], datum(row.limit), size)
    must = "must be" if row.rule == "require" else "must not be"
    several = len({one.embedding for one in row.outcomes}) > 1
    what = (row.field.strip("|").replace("_", " "), name_of(worst, several=several))
    found = say("it is {}", sized(worst)) if worst.why is None else title(worst.why)
    said = say("the {} of {} {} {}; {}", *what, must, limit, found)
    return said if len(own) == 1 else say("{}, the furthest of {} findings", said, count(len(own)))


def sized(one: Outcome) -> Text:
    """Return what was found of one test, with the ends between which it lies."""
    if one.low == one.high:
        return datum(one.value)
    return say("{} [{} to {}]", datum(one.value), datum(one.low), datum(one.high))


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
    checked = say("{} finding{}", count(row.checked), "" if row.checked == 1 else "s")
    if row.verdict == "failed":
        return say("by {} of {}", count(row.failed), checked)
    if row.verdict == "cannot tell":
        return say("cannot be decided for {} of {}", count(row.cannot_tell), checked)
    if row.rule == "require":
        return say("throughout the interval{}", "" if row.checked == 1 else say(" in all of {}", checked))
    # A p that is not small is not evidence of absence.
    is_p = row.field == "p" or is_probability(row.field)
    warning = ", which does not show that there is no bias" if is_p else ""
    return say("met by none of {}{}", checked, warning)


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


GATE = Kind("gate", row=GateRow, part=_DECISION, sentences=sentences, claims=claims, rank=-1, measured=False)
