"""A partition seen from the most extreme one: what it lost by removing and by adding.

Sort a pool of N scores; its top n is the largest subset of size n. Any other subset of size n removes k of
the top and adds k of the bottom. With a cut c between the two, removing score s costs s - c >= 0 and adding
it costs c - s >= 0, so the subset's sum is at least T exactly when its costs are at most top - T. A small p
means a small allowance, so the tail is the cheap part to count.
"""

import math
from dataclasses import dataclass
from functools import cached_property

import numpy as np
import numpy.typing as npt

from imprint.types import Ints

_SUM_BITS = 60  # room for the sum of all scores, with two bits to spare for shifting and for differences


def fixed_point_unit(scores: npt.ArrayLike) -> float:
    """Return the step between two fixed-point numbers: the finest power of two at which any sum fits 64 bits.

    For a few dozen cosine scores that is about 2^-56, as fine as the scores themselves, so that partitions tie
    where their sums are equal.
    """
    values = np.abs(np.asarray(scores, dtype=np.float64))
    largest = float(np.max(values, initial=0.0))
    exponent = math.frexp(largest)[1] + len(values).bit_length()
    return math.ldexp(1.0, max(exponent - _SUM_BITS, -1_000)) if largest else 1.0


def to_fixed_point(scores: npt.ArrayLike) -> Ints:
    """Round scores to whole multiples of the unit.

    Sums of whole numbers have no rounding: two partitions tie or they do not, on every machine.
    """
    # Dividing by a power of two is exact.
    return np.rint(np.asarray(scores, dtype=np.float64) / fixed_point_unit(scores)).astype(np.int64)


@dataclass(frozen=True)
class Deficits:
    """Costs of leaving the most extreme subset, both sides ascending; `top` is that subset's sum."""

    removing: Ints
    adding: Ints
    top: int

    @classmethod
    def of(cls, pool: Ints, n: int) -> "Deficits":
        """Split a pool of fixed-point scores at its n-th largest."""
        ordered = np.sort(pool)[::-1]
        cut = ordered[n - 1]
        return cls(
            removing=np.sort(ordered[:n] - cut),
            adding=np.sort(cut - ordered[n:]),
            top=sum(ordered[:n].tolist()),
        )

    @cached_property
    def cheapest(self) -> tuple[list[int], list[int]]:
        """Smallest cost of removing, and of adding, k scores, for k = 0, 1, ... (whole Python numbers)."""
        return _running(self.removing), _running(self.adding)

    def swaps(self, allowance: int) -> int:
        """Return the largest k whose cheapest swap of k scores stays within the allowance."""
        removing, adding = self.cheapest
        k = min(len(removing), len(adding)) - 1
        while k > 0 and removing[k] + adding[k] > allowance:
            k -= 1
        return k


def _running(costs: Ints) -> list[int]:
    total, sums = 0, [0]
    for cost in costs.tolist():
        total += cost
        sums.append(total)
    return sums
