"""A gate's answers as a kind: what each condition says, and of which tests."""

from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from typing import Annotated, Any, Literal

import msgspec

from imprint.kinds import Kind, Part, by_kind
from imprint.rows import Row, shown
from imprint.view import Claim, Given, Number, Phrase, Text, count, join, percent, points, say, title, words

Verdict = Literal["passed", "failed", "cannot tell"]
Rule = Literal["fail-on", "require"]
OnCannotTell = Literal["cannot tell", "fail", "warn"]
Operator = Literal["<", "<=", ">", ">="]

GRAVEST_FIRST: tuple[Verdict, ...] = ("failed", "cannot tell", "passed")

_DECISION = Part("gate", "The decision", -1)
_MOST_TESTS = 20  # named under one condition; the findings have them all
_MOST_NAMED = 2  # requirements named in the decision; the others are counted
_NEAR = 0.005  # a share so near to its limit is shown with a digit more
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
    nearer: Annotated[str | None, shown("Nearer", "Which group is nearer to what, of a size either way.")] = None


class GateRow(Row, frozen=True, kw_only=True, tag="gate"):
    """What a condition, named by `test`, says of the findings."""

    rule: Annotated[Rule, shown("Rule", "Whether the condition must not be met, or must be.")]
    policy_sha256: Annotated[
        str | None,
        shown("Policy", "Hash of the policy that the requirement is from.", shape="word"),
    ] = None
    policy_file: Annotated[str | None, shown("Policy file", "The policy's file, as it was given.")] = None
    on_cannot_tell: Annotated[
        OnCannotTell, shown("If it cannot tell", "What counts where the findings do not decide.")
    ] = "cannot tell"
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
    """Count the verdicts, say that on each condition, name the tests that do not pass, and say whose policy it is."""
    if len(rows) > 1:
        counts = Counter(row.verdict for row in rows)
        verdicts = ", ".join(f"{counts[verdict]} {verdict}" for verdict in GRAVEST_FIRST if counts[verdict])
        yield f"{gravest(counts).capitalize()}: of {len(rows)} requirements, {verdicts}."
        undecided = sum(row.verdict == row.on_cannot_tell for row in rows)
        if counts["failed"] and undecided:
            yield f"The {undecided} that cannot tell would give exit code 3 alone."
    for row in rows:
        if row.policy_sha256 and row.checked == 1 and not (row.why or row.skipped or row.cannot_reach or row.lacking):
            yield line(row, row.outcomes[0], several=False)
            continue
        yield _headline(row)
        # What is said of all of them is not said again of each.
        named = [outcome for outcome in row.outcomes if outcome.verdict != "passed" and row.why is None]
        named.sort(key=lambda outcome: outcome.verdict != "failed")
        several = len({outcome.embedding for outcome in row.outcomes}) > 1
        for outcome in named[:_MOST_TESTS]:
            yield line(row, outcome, several=several)
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


def limits(rows: Iterable[Row]) -> dict[str, float]:
    """Return the tightest limit of each test whose size must be below it, either way."""
    required = [row for row in answers(rows) if row.field == "|size|" and row.rule == "require" and row.limit > 0]
    loosest_first = sorted(required, key=lambda row: -row.limit)
    return {outcome.test: row.limit for row in loosest_first for outcome in row.outcomes}


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
    others = [f"{counts[each]} {each}" for each in GRAVEST_FIRST if counts[each]]
    return join([*named, *([f"Other requirements: {', '.join(others)}."] if others else [])], " ")


def policies(rows: Sequence[GateRow]) -> Iterator[Text]:
    """Say who decides by each policy, and why, and what counts where it cannot tell."""
    for owner, reason in dict.fromkeys((row.owner, row.policy_reason) for row in rows if row.policy_sha256):
        if owner or reason:
            yield say("Policy{}{}.", say(" of {}", title(owner)) if owner else "", because(reason))
        if lacking := [key for key, text in (("owner", owner), ("reason", reason)) if not text]:
            yield f"Note: the policy has no {' and no '.join(lacking)}."
    if gravest(row.verdict for row in rows) == "cannot tell":
        said = {"fail": "By the policy, this counts as failed.", "warn": "By the policy, this is a warning only."}
        yield from (said[choice] for choice in dict.fromkeys(row.on_cannot_tell for row in rows) if choice in said)


def because(reason: str) -> Text:
    """Return a reason after a colon."""
    return say(": {}", title(reason.rstrip(". "))) if reason else ""


def _required(row: GateRow) -> Text:
    """Say in words what a condition requires, and what was found where it matters most."""
    if row.why is not None or not row.outcomes:
        return say("{}; {}", condition_of(row), title(str(row.why)))
    own = [outcome for outcome in row.outcomes if outcome.verdict == row.verdict]
    if not own:  # what it needs was not run
        return say("{}; not run: {}", condition_of(row), words(row.skipped))
    worst = max(own, key=lambda outcome: abs((outcome.value or 0.0) - row.limit))
    several = len({outcome.embedding for outcome in row.outcomes}) > 1
    said = _held(row, worst, several=several)
    return said if len(own) == 1 else say("{}, the furthest of {} findings", said, count(len(own)))


def _held(row: GateRow, outcome: Outcome, *, several: bool) -> Text:
    """Say what was found of one test, and what it must be; or why that is not known."""
    name, limit = name_of(outcome, several=several), limit_of(row)
    if outcome.value is None:
        return say("{}, {}: {}", name, limit, title(outcome.why or "no number"))
    what = "" if _is_share(row.field) else f"{row.field.strip('|').replace('_', ' ')} "
    nearer = say(" ({})", title(outcome.nearer)) if outcome.nearer else ""
    said = say("{}: {}{}{}, {}", name, what, sized(row, outcome), nearer, limit)
    if outcome.why is not None:
        return say("{}; {}", said, title(outcome.why))
    if outcome.verdict != "cannot tell":
        return said
    return say("{}; the interval crosses {}", said, datum(row, row.limit))


def limit_of(row: GateRow) -> Text:
    """Say what a number must be, or must not be."""
    must = "must be" if row.rule == "require" else "must not be"
    either = " in either direction" if row.field.startswith("|") else ""
    return say("{} {} {}{}", must, _LIMITS[row.operator], datum(row, row.limit), either)


def sized(row: GateRow, outcome: Outcome) -> Text:
    """Return what was found of one test, with the ends between which it lies."""
    if outcome.low == outcome.high:
        return datum(row, outcome.value)
    ends = (datum(row, end, bare=True) for end in (outcome.low, outcome.high))
    return say("{} [{} to {}]", datum(row, outcome.value), *ends)


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
        lost = join(say("{} of {}", count(each.n_missing), Given(each.test)) for each in row.lacking[:_MOST_TESTS])
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
    if one.context not in (None, "framed"):
        name = say("{} ({})", name, title(one.context))
    return say("{} on {}", name, title(one.embedding)) if several else name


def line(row: GateRow, one: Outcome, *, several: bool) -> Phrase:
    """Say what a condition says of one test."""
    reason = say(" ({})", title(row.reason)) if row.reason else ""
    return say("{}: {}{}.", one.verdict.capitalize(), _held(row, one, several=several), reason)


def datum(row: GateRow, value: float | None, *, bare: bool = False) -> Number:
    """Return a number with digits enough to tell it from its limit; a size in percent, or `bare`, in points."""
    if not _is_share(row.field):
        return Number(value, "significant", 4)
    is_near = value is not None and value != row.limit and abs(abs(value) - row.limit) < _NEAR
    return (points if bare else percent)(value, int(is_near))


def _is_share(field: str) -> bool:
    """Tell whether a field is a size, or an end of its interval."""
    return field.strip("|").startswith("size")


GATE = Kind(row=GateRow, part=_DECISION, sentences=sentences, claims=claims, rank=-1, measured=False)
