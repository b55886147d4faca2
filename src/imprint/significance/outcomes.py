"""What a size with its interval says: one of four outcomes, the same wherever a size has an interval.

The interval is the 99.5 % one, and no family of tests is corrected for: of so many questions without an association,
.005 each are expected to exclude 0.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, Literal

from imprint.significance.crossed import FEWEST_UNITS

SizeOutcome = Literal["substantial", "small", "present", "cannot tell"]
Reason = Literal[
    "few words",
    "few counts",
    "few documents",
    "few queries",
    "frequency",
    "attributes not distinguished",
    "grammar",
    "controls",
]

OUTCOMES: tuple[SizeOutcome, ...] = ("substantial", "present", "small", "cannot tell")  # the most serious first
FOUND = OUTCOMES[:2]

MARGIN = 0.10  # share of the distance between A and B; sizes below it are small
CONFIDENCE = 0.995
FREQUENCY_LEVEL = 0.005  # what p_frequency of lists that are not matched is held against

_FEWEST_KEPT = 0.5  # share of a set's words


@dataclass(frozen=True)
class Size:
    """A size with its interval, None where there is none.

    `obstacle` is why nothing can be said, whatever the ends; frequency alone allows `small`.
    """

    value: float | None
    low: float | None = None
    high: float | None = None
    obstacle: Reason | None = None

    def fields(self, name: str = "size") -> dict[str, Any]:
        """Return the value and its ends as the fields of a row."""
        return {name: self.value, f"{name}_low": self.low, f"{name}_high": self.high}


@dataclass(frozen=True)
class Decided:
    """An outcome. `cannot tell` without a reason: the interval reaches from 0 or beyond it to more than the margin.

    `excludes_zero` says it of the interval, since a `small` size can be 0 or not. `obstacle` is what was held against
    it, whether or not the outcome would have been another one without it.
    """

    outcome: SizeOutcome
    reason: Reason | None = None
    excludes_zero: bool = False
    obstacle: Reason | None = None

    def fields(self) -> dict[str, Any]:
        """Return the fields of rows that have an outcome."""
        return {"outcome": self.outcome, "reason": self.reason, "obstacle": self.obstacle}


def outcome(
    low: float | None, high: float | None, *, margin: float | None = MARGIN, obstacle: Reason | None = None
) -> Decided:
    """Judge an interval; None, or NaN, for ends that there are not.

    Without a margin, as for a number that is not a share of a distance, it is `present` or `cannot tell`.
    With the obstacle `frequency`, which words of like frequency could be the reason for a difference, an interval
    within the margin is still `small`. Any other obstacle leaves nothing to say.
    """
    if low is None or high is None or not low <= high:
        reason: Reason = obstacle or "few words"
        return Decided("cannot tell", reason, obstacle=reason)
    if obstacle is not None and obstacle != "frequency":
        return Decided("cannot tell", obstacle, obstacle=obstacle)
    excludes_zero = low > 0 or high < 0
    if margin is not None and (low > margin or high < -margin) and obstacle is None:
        return Decided("substantial", None, excludes_zero)
    if margin is not None and low >= -margin and high <= margin:
        return Decided("small", None, excludes_zero, obstacle)
    if excludes_zero and obstacle is None:
        return Decided("present", None, excludes_zero)
    return Decided("cannot tell", obstacle if excludes_zero else None, excludes_zero, obstacle)


def too_few(units: Sequence[int], words: Sequence[int], listed: Sequence[int]) -> bool:
    """Tell whether a set has fewer than four units, or fewer than half of its listed words."""
    halves = (count < _FEWEST_KEPT * of for count, of in zip(words, listed, strict=True))
    return min(units) < FEWEST_UNITS or any(halves)
