"""What a condition says of one finding: it passes, it fails, or nobody can tell."""

import difflib
import math
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, Literal

from imprint.finding import Finding
from imprint.gate.conditions import HOMES, Condition

Verdict = Literal["passed", "failed", "inconclusive"]

_EFFECTS = {"similarity": "spearman", "analogy_benchmark": "3cosadd"}  # kinds of benchmarks, and their effect size

CONFIDENCE = 0.95  # of the intervals that can clear anything


@dataclass(frozen=True)
class Judgement:
    """A finding held against a condition: its number, the ends between which that is known to lie, and the verdict.

    Numbers are sizes where the condition asks for a size. `why` says what is lacking where there are no ends.
    """

    finding: Finding
    verdict: Verdict
    value: float | None
    low: float | None
    high: float | None
    why: str | None = None

    def to_dict(self) -> dict[str, Any]:
        """Return what identifies the finding, and the rest."""
        return {
            "test": self.finding.test,
            "embedding": audited(self.finding),
            "context": self.finding.details.get("context"),
            "value": self.value,
            "low": self.low,
            "high": self.high,
            "verdict": self.verdict,
            "why": self.why,
        }


def judge(condition: Condition, finding: Finding, family: Sequence[Finding] = ()) -> Judgement:
    """Hold a finding against a condition; `family` holds at least the tests its p was corrected with."""
    field = _audited(finding, condition.target[1])
    value = _number(finding, field)
    if value is None:
        return Judgement(finding, "inconclusive", None, None, None, f"it has no {field}{_hint(condition, finding)}")
    shown = abs(value) if condition.absolute else value
    if cannot_reach(condition, finding, family):
        few = "words or draws" if finding.details.get("p_method") == "sampled" else "words"
        return Judgement(finding, "inconclusive", shown, None, None, f"so few {few} cannot give a p that small")
    try:
        ends = _interval(finding, field) if condition.rule == "require" else _possible(finding, field, value, family)
    except _UnknownError as error:
        return Judgement(finding, "inconclusive", shown, None, None, str(error))
    verdict = _verdict(condition, condition.holds(*ends))
    # An alarm is about the tests that can answer; one that was named has to be the test that its author wrote.
    lost = None if condition.is_alarm else _mostly_missing(finding)
    if lost and (condition.rule, verdict) != ("fail-on", "failed"):
        return Judgement(finding, "inconclusive", shown, None, None, lost)
    return Judgement(finding, verdict, shown, *condition.sizes(*ends))


def cannot_reach(condition: Condition, finding: Finding, family: Sequence[Finding] = ()) -> bool:
    """Tell whether a test has too few words for the condition ever to hold: that it does not says nothing."""
    floor = _number(finding, "p_floor") if condition.target[1] in ("p_value", "p_holm") else None
    if floor is None or not condition.operator.startswith("<"):
        return False
    if condition.target[1] == "p_holm":
        others = (_number(one, "p_value") for one in family if one is not finding)
        floor = _corrected(floor, [p for p in others if p is not None])
    return condition.holds(floor, floor) is False


def _corrected(p: float, others: Sequence[float]) -> float:
    """Return Holm's p of a test beside others."""
    ordered = sorted((*others, p))
    worse = (one * (len(ordered) - place) for place, one in enumerate(ordered[: ordered.index(p) + 1]))
    return min(1.0, max(worse))


def audited(finding: Finding) -> str:
    """Name the embedding that a finding is about: an audit's benchmarks are of a copy, `against` the one audited."""
    return str(finding.details["against"]) if _is_of_a_copy(finding) else finding.embedding


def _audited(finding: Finding, field: str) -> str:
    """Return the field that has a number of the embedding audited, not of its debiased copy."""
    if not _is_of_a_copy(finding):
        return field
    name = f"against_{_EFFECTS[finding.kind] if field == 'effect_size' else field}"
    return name if name in finding.details else field


def _is_of_a_copy(finding: Finding) -> bool:
    return (
        finding.kind in _EFFECTS
        and finding.details.get("part") == HOMES[finding.kind]
        and bool(finding.details.get("against"))
    )


def _mostly_missing(finding: Finding) -> str | None:
    """Say which set of words lost more than half of them: what is left is not the test that was required."""
    for name, kept, words in finding.words_kept():
        if 2 * kept < words:
            return f"it has {kept} of the {words} words of {name}"
    return None


class _UnknownError(Exception):
    """Nobody can tell between which ends a number lies; the message says why."""


def _verdict(condition: Condition, holds: bool | None) -> Verdict:
    if holds is None:
        return "inconclusive"
    return "passed" if holds == (condition.rule == "require") else "failed"


def _interval(finding: Finding, field: str) -> tuple[float, float]:
    """Return the confidence interval of a field."""
    stem = "interval" if field == "mean_difference" else field
    low, high = _number(finding, f"{stem}_low"), _number(finding, f"{stem}_high")
    if low is None or high is None or low > high:
        raise _UnknownError(f"it has no interval of {field}")
    confidence = _number(finding, "confidence") if "confidence" in finding.details else CONFIDENCE
    if confidence is None or confidence < CONFIDENCE:
        raise _UnknownError(f"its interval has confidence {confidence}; at least {CONFIDENCE} is wanted")
    return low, high


def _possible(finding: Finding, field: str, value: float, family: Sequence[Finding]) -> tuple[float, float]:
    """Return the ends between which a number lies: the bounds of p, and for all else the number itself."""
    if field == "p_value":
        return _bounds(finding)[1:]
    if field == "p_holm":
        # Holm's p grows with every p of its family, and in proportion to all of them together: it lies within the
        # widest relative bounds that any of them has. And it is never below the test's own p.
        bounds = [bound for bound in map(_bounds, (*family, finding)) if bound[0] > 0]
        low = max(_bounds(finding)[1], value * min((low / p for p, low, _ in bounds), default=1.0))
        if not low <= value <= 1:
            raise _UnknownError("its corrected p is below its p, or no probability")
        return low, min(1.0, value * max((high / p for p, _, high in bounds), default=1.0))
    return value, value


def _bounds(finding: Finding) -> tuple[float, float, float]:
    """Return p and its bounds, which are p itself where it has none."""
    p, low, high = (_number(finding, name) for name in ("p_value", "p_low", "p_high"))
    if p is not None:
        low, high = p if low is None else low, p if high is None else high
        if 0 <= low <= p <= high <= 1:
            return p, low, high
    raise _UnknownError(f"the p of {finding.test} and its bounds are no probabilities, or contradict each other")


def _hint(condition: Condition, finding: Finding) -> str:
    """Say what was perhaps meant, or how to get the number that is lacking."""
    if condition.target[1].startswith("change_"):
        return "; a change needs two embeddings: imprint evaluate --against, or an audit that debiases"
    near = difflib.get_close_matches(condition.field, _fields(finding), n=1)
    return f", perhaps {near[0]}" if near else ""


def _fields(finding: Finding) -> list[str]:
    """Return the names of a finding's numbers, as conditions call them."""
    return ["p", "d", *(name for name in finding.to_dict() if _number(finding, name) is not None)]


def _number(finding: Finding, field: str) -> float | None:
    """Return a number of the finding; None where there is none, or something else in its place."""
    common = field in ("effect_size", "statistic", "p_value")
    value: object = getattr(finding, field) if common else finding.details.get(field)
    if isinstance(value, bool) or not isinstance(value, int | float):
        return None
    return value if isinstance(value, int) or math.isfinite(value) else None
