"""What a condition says of one row: it passes, it fails, or the row cannot tell."""

import math
from collections.abc import Sequence
from dataclasses import dataclass

from imprint.policy.conditions import Condition, field_names
from imprint.policy.kinds import Outcome, Verdict
from imprint.rows import Row
from imprint.significance.corrections import holm

CONFIDENCE = 0.95  # of the intervals that can clear anything

_CORRECTED = ("p_holm", "p_moderate_holm", "p_strong_holm")
_FLOORS = {"p_value": "p_floor", "p_label": "p_label_floor", **dict.fromkeys(_CORRECTED, "p_label_floor")}


@dataclass(frozen=True)
class Judgement:
    """A finding held against a condition: its number, the ends between which that is known to lie, and the verdict.

    Numbers are sizes where the condition asks for a size. `why` says what is lacking where there are no ends.
    """

    finding: Row
    verdict: Verdict
    value: float | None
    low: float | None
    high: float | None
    why: str | None = None

    def outcome(self) -> Outcome:
        """Return what identifies the row, and the rest."""
        return Outcome(
            test=self.finding.test,
            embedding=self.finding.audited,
            context=self.finding.context,
            value=self.value,
            low=self.low,
            high=self.high,
            verdict=self.verdict,
            why=self.why,
        )


def judge(condition: Condition, finding: Row, family: Sequence[Row] = ()) -> Judgement:
    """Hold a finding against a condition; `family` holds at least the tests its p was corrected with."""
    field = finding.own_field(condition.target[1])
    value = _number(finding, field)
    if value is None:
        return Judgement(finding, "cannot tell", None, None, None, f"it has no {field}")
    shown = abs(value) if condition.absolute else value
    if cannot_reach(condition, finding, family):
        few = "words or draws" if finding.p_method == "sampled" else "words"
        return Judgement(finding, "cannot tell", shown, None, None, f"so few {few} cannot give a p that small")
    try:
        ends = _interval(finding, field) if condition.rule == "require" else _possible(finding, field, value, family)
    except _UnknownError as error:
        return Judgement(finding, "cannot tell", shown, None, None, str(error))
    verdict = _verdict(condition, condition.holds(*ends))
    # An alarm is about the tests that can answer; one that was named has to be the test that its author wrote.
    lost = None if condition.is_alarm else finding.lost_most()
    if lost and (condition.rule, verdict) != ("fail-on", "failed"):
        return Judgement(finding, "cannot tell", shown, None, None, lost)
    return Judgement(finding, verdict, shown, *condition.sizes(*ends))


def cannot_reach(condition: Condition, finding: Row, family: Sequence[Row] = ()) -> bool:
    """Tell whether a test has too few words for the condition ever to hold: that it does not says nothing."""
    field = condition.target[1]
    floor = _number(finding, _FLOORS.get(field, ""))
    if floor is None or not condition.operator.startswith("<"):
        return False
    if field.endswith("_holm"):
        others = [_number(row, row.uncorrected) for row in _corrected_with(finding, family) if row is not finding]
        floor = float(holm([floor, *(p for p in others if p is not None)])[0])
    return condition.holds(floor, floor) is False


class _UnknownError(Exception):
    """The interval of a number is unknown; the message says why."""


def _verdict(condition: Condition, holds: bool | None) -> Verdict:
    if holds is None:
        return "cannot tell"
    return "passed" if holds == (condition.rule == "require") else "failed"


def _interval(finding: Row, field: str) -> tuple[float, float]:
    """Return the confidence interval of a field."""
    over_words = field in ("mean_difference", "size")
    stem = "words" if field == "mean_difference" else field
    low, high = _number(finding, f"{stem}_low"), _number(finding, f"{stem}_high")
    if low is None or high is None or low > high:
        raise _UnknownError(f"it has no interval of {field}")
    confidence = CONFIDENCE if over_words else finding.confidence
    if confidence is None or confidence < CONFIDENCE:
        raise _UnknownError(f"its interval has confidence {confidence}; at least {CONFIDENCE} is needed")
    return low, high


def _possible(finding: Row, field: str, value: float, family: Sequence[Row]) -> tuple[float, float]:
    """Return the ends between which a number lies: the bounds of p, and for all else the number itself."""
    if field in ("p_value", "p_label"):
        return _bounds(finding, field)[1:]
    if field == "p_holm":
        # Holm's p grows with every p of its family, and in proportion to all of them together: it lies within the
        # widest relative bounds that any of them has. And it is never below the test's own p.
        together = _corrected_with(finding, (*family, finding))
        bounds = [bound for bound in (_bounds(row, row.uncorrected) for row in together) if bound[0] > 0]
        low = max(
            _bounds(finding, finding.uncorrected)[1], value * min((low / p for p, low, _ in bounds), default=1.0)
        )
        if not low <= value <= 1:
            raise _UnknownError("its corrected p is below its p, or is not a probability")
        return low, min(1.0, value * max((high / p for p, _, high in bounds), default=1.0))
    return value, value


def _corrected_with(finding: Row, family: Sequence[Row]) -> list[Row]:
    """Return the rows whose p-values were corrected together with the finding's; controls are not of them."""
    return [row for row in family if row.uncorrected and row.family == finding.family]


def _bounds(finding: Row, field: str) -> tuple[float, float, float]:
    """Return p and its bounds, which are p itself where it has none."""
    stem = "p" if field == "p_value" else field
    p, low, high = (_number(finding, name) for name in (field, f"{stem}_low", f"{stem}_high"))
    if p is not None:
        low, high = p if low is None else low, p if high is None else high
        if 0 <= low <= p <= high <= 1:
            return p, low, high
    raise _UnknownError(f"the p of {finding.test} and its bounds are not probabilities, or contradict each other")


def _number(row: Row, field: str) -> float | None:
    """Return a number of the row; None where there is none, or something else in its place."""
    value: object = getattr(row, field_names(type(row)).get(field, ""), None)
    if isinstance(value, str) and value.isdecimal():
        value = int(value)  # a count
    if isinstance(value, bool) or not isinstance(value, int | float):
        return None
    return value if isinstance(value, int) or math.isfinite(value) else None
