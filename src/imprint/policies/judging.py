"""What a condition says of one row: it passes, it fails, or the row cannot tell; and which rows count.

Those of subjects that can be judged count, in a language that has controls.
"""

import math
from collections.abc import Iterable
from dataclasses import dataclass

from msgspec.structs import replace

from imprint.descriptions import descriptions
from imprint.evaluation.controls import ControlsRow, controlled_in, controls_among
from imprint.kinds.tests import REASONS
from imprint.policies.conditions import Condition, field_names
from imprint.policies.kinds import Outcome, Verdict
from imprint.rows import Row

UNJUDGED = "the subject cannot be judged"
NO_CONTROLS = (
    "the subject has no controls here; imprint audit, weat and seat write them, and imprint.controls(subject)"
)
NO_LANGUAGE = "there are no controls in its language"


def judge(condition: Condition, finding: Row) -> Outcome:
    """Hold a finding against a condition: its number, the ends between which that is known to lie, and the verdict.

    Numbers are sizes where the condition asks for a size. `why` says what is lacking where there are no ends.
    What keeps the row itself from an outcome keeps it from a verdict, too. Frequency does not keep it from passing,
    since a difference that is within the limit is so whatever its reason.
    """
    field = finding.own_field(condition.target[1])
    value, reason = _number(finding, field), _obstacle(finding, field)
    undecided = Outcome(
        test=finding.test,
        embedding=finding.audited,
        context=finding.context,
        value=None,
        low=None,
        high=None,
        verdict="cannot tell",
        why=None,
    )
    obstacle = None if reason is None else REASONS[reason]
    if value is None:
        return replace(undecided, why=obstacle or f"it has no {field}")
    if condition.absolute:
        undecided = replace(undecided, value=abs(value), nearer=_nearer(finding, field, value))
    else:
        undecided = replace(undecided, value=value)
    if cannot_reach(condition, finding):
        few = "words or draws" if finding.p_method == "sampled" else "words"
        why_none = obstacle or f"so few {few} cannot give a p that small"
        return replace(undecided, why=why_none)
    try:
        ends = _interval(finding, field) if condition.rule == "require" else _possible(finding, field, value)
    except _UnknownError as error:
        return replace(undecided, why=obstacle or str(error))
    verdict = _verdict(condition, condition.holds(*ends))
    # An alarm is about the tests that can answer; one that was named has to be the test that its author wrote.
    why = None if condition.is_alarm or (condition.rule, verdict) == ("fail-on", "failed") else finding.lost_most()
    if obstacle is not None and (verdict == "failed" or reason != "frequency"):
        why = obstacle
    if why is not None:
        return replace(undecided, why=why)
    low, high = ends
    if condition.absolute and value < 0:  # as pages show it: whichever group leads, the size is above zero
        low, high = -high, -low
    return replace(undecided, verdict=verdict, low=low, high=high)


def cannot_reach(condition: Condition, finding: Row) -> bool:
    """Tell whether a test has too few words for the condition ever to hold: that it does not says nothing."""
    field = condition.target[1]
    if _obstacle(finding, field) == "few words":
        return True
    floor = finding.p_floor if field == "p_value" else None
    return floor is not None and condition.operator.startswith("<") and condition.holds(floor, floor) is False


class _UnknownError(Exception):
    """The interval of a number is unknown; the message says why."""


def _nearer(finding: Row, field: str, value: float) -> str | None:
    """Say which group is nearer to the first kind of words, as pages turn sizes; None of other numbers."""
    names = {words.role: words.name for words in finding.sets}
    group = names.get("x" if value > 0 else "y")
    return f"{group} nearer to {names['a']}" if field == "size" and value and group and "a" in names else None


def _verdict(condition: Condition, holds: bool | None) -> Verdict:
    if holds is None:
        return "cannot tell"
    return "passed" if holds == (condition.rule == "require") else "failed"


def _obstacle(finding: Row, field: str) -> str | None:
    """Return what keeps a row from an outcome, if the field is the number that has one, or an end of its interval."""
    name = field_names(type(finding)).get(field)
    fields = descriptions(type(finding)).items()
    judged = {part for own, how in fields if how.low for part in (own, how.low, how.high)}
    return finding.obstacle or finding.reason if name in judged else None


def _interval(finding: Row, field: str) -> tuple[float, float]:
    """Return the interval of a field."""
    described = descriptions(type(finding))[field_names(type(finding))[field]]
    low, high = (getattr(finding, end) if end else None for end in (described.low, described.high))
    if low is None or high is None or low > high:
        raise _UnknownError(f"it has no interval of {field}")
    return low, high


def _possible(finding: Row, field: str, value: float) -> tuple[float, float]:
    """Return the ends between which a number lies: the bounds of p, and for all else the number itself."""
    if field != "p_value":
        return value, value
    low, high = (_number(finding, name) for name in ("p_low", "p_high"))
    low, high = value if low is None else low, value if high is None else high
    if not 0 <= low <= value <= high <= 1:
        raise _UnknownError(f"the p of {finding.test} and its bounds are not probabilities, or contradict each other")
    return low, high


def _number(row: Row, field: str) -> float | None:
    """Return a number of the row; None where there is none, or something else in its place."""
    value: object = getattr(row, field_names(type(row)).get(field, ""), None)
    if isinstance(value, str) and value.isdecimal():
        value = int(value)  # a count
    if isinstance(value, bool) or not isinstance(value, int | float):
        return None
    return value if isinstance(value, int) or math.isfinite(value) else None


@dataclass(frozen=True)
class Known:
    """What findings say of their subjects, by hash: the controls' rows, and the language of each test."""

    controls: tuple[ControlsRow, ...]
    languages: dict[tuple[str, str], str]

    @classmethod
    def of(cls, findings: Iterable[Row]) -> "Known":
        """Gather what findings say."""
        listed = list(findings)
        languages = {(row.audited_sha256, row.test): row.language for row in listed if row.language is not None}
        return cls(tuple(controls_among(listed)), languages)

    def why_not(self, finding: Row, *, controlled: bool = True) -> str | None:
        """Say why a finding neither passes nor fails; one that is not `controlled` counts without any controls."""
        subject = finding.audited_sha256
        judged = {one.language: one.judged for one in self.controls if one.embedding_sha256 == subject}
        spoken = {controlled_in(self.languages.get((subject, test), "en")) for test in finding.tests_asked}
        answers = {judged.get(language) for language in spoken}
        if False in answers:
            return UNJUDGED
        if not controlled:
            return None
        if not judged:
            return NO_CONTROLS
        return NO_LANGUAGE if None in answers else None
