"""How many partitions lie in a tail: counted exactly where lists of costs fit, and bounded where they do not.

Sort a pool of N scores; its top n is the largest subset of size n. Any other subset of size n removes k of
the top and adds k of the bottom. With a cut c between the two, removing score s costs s - c >= 0 and adding
it costs c - s >= 0, so the subset's sum is at least T exactly when its costs are at most top - T. A small p
means a small allowance, so the tail is the cheap part to count: exactly, from sorted lists of costs, where these fit.

Where they do not, costs are rounded down to whole bins of width h, and subsets are counted by size and by sum of bins.
What k removed and k added scores lost in rounding lies between the k smallest and the k largest remainders of each
side; counting with either extreme gives a count that is surely too low and one that is surely too high.
All counts are sums and products of non-negative float64, so rounding is a bounded relative error.
"""

import math
from dataclasses import dataclass
from fractions import Fraction
from functools import cached_property

import numpy as np
import numpy.typing as npt

from imprint.types import Floats, Ints

SMALL = 2**16  # lists this short are built without first estimating their length

_SHORT = 1_024  # entries of lists that numpy makes in less time than compiled loops take to load
_SUM_BITS = 60  # room for the sum of all scores, with two bits to spare for shifting and for differences


def fixed_point_exponent(scores: npt.ArrayLike) -> int:
    """Return the power of two that is the step between fixed-point numbers: the finest at which any sum fits 64 bits.

    For a few dozen cosine scores that is about -56, as fine as most of the scores themselves.
    """
    values = np.abs(np.asarray(scores, dtype=np.float64))
    largest = float(np.max(values, initial=0.0))
    return math.frexp(largest)[1] + len(values).bit_length() - _SUM_BITS


def to_fixed_point(scores: npt.ArrayLike) -> Ints:
    """Round scores to whole steps.

    Sums of whole numbers have no rounding: two partitions tie or they do not, on every machine.
    """
    values = np.asarray(scores, dtype=np.float64)
    return np.rint(np.ldexp(values, -fixed_point_exponent(values))).astype(np.int64)


def rounded_off(scores: npt.ArrayLike) -> list[Fraction]:
    """Return what rounding to fixed point takes off each score, in steps; nothing where no score is rounded."""
    values = np.asarray(scores, dtype=np.float64)
    exponent, whole = fixed_point_exponent(values), to_fixed_point(values)
    if np.array_equal(np.ldexp(whole.astype(np.float64), exponent), values):
        return []
    steps = Fraction(2) ** -exponent
    return [Fraction(score) * steps - kept for score, kept in zip(values.tolist(), whole.tolist(), strict=True)]


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


@dataclass(frozen=True)
class ExactTail:
    """All cost lists up to an allowance: counts the subsets with sum >= any threshold that far out."""

    deficits: Deficits
    removing: tuple[Ints, Ints]
    adding: tuple[Ints, Ints]

    @classmethod
    def build(cls, deficits: Deficits, threshold: int, capacities: tuple[int, int]) -> "ExactTail":
        """List the costs allowed by the threshold; `capacities` bound how many there are on either side."""
        allowance = deficits.top - threshold
        swaps = deficits.swaps(allowance)
        cheapest_removing, cheapest_adding = deficits.cheapest
        caps_removing = np.array([allowance - cheapest_adding[k] for k in range(swaps + 1)], dtype=np.int64)
        caps_adding = np.array([allowance - cheapest_removing[k] for k in range(swaps + 1)], dtype=np.int64)
        return cls(
            deficits,
            _subset_sums(deficits.removing[::-1].copy(), caps_removing, capacities[0]),
            _subset_sums(deficits.adding[::-1].copy(), caps_adding, capacities[1]),
        )

    def least(self, threshold: int) -> int:
        """Count the subsets whose sum is at least the threshold."""
        allowance = self.deficits.top - threshold
        if allowance < 0:
            return 0
        return sum(
            # One count is below 2^63 because each list was allowed at most 2^26 entries; their sum need not be.
            _count_pairs(first, second, allowance)
            for first, second in zip(_by_size(*self.removing), _by_size(*self.adding), strict=True)
        )

    most = least


@dataclass(frozen=True)
class CertifiedTail:
    """Binned counts up to an allowance: bounds the subsets with sum >= any threshold that far out."""

    deficits: Deficits
    width: int
    removing: Floats  # by k and by bin: subsets of k that cost this bin
    adding_up_to: Floats  # by k and by bin: subsets of k that cost at most this bin
    remainders: tuple[list[int], list[int]]  # smallest and largest loss of k removed and k added

    @classmethod
    def build(cls, deficits: Deficits, threshold: int, bins: int) -> "CertifiedTail":
        """Count by bins, about `bins` of them up to the allowance of the threshold."""
        from imprint.significance.kernels import add_along_rows, binned_subset_counts

        allowance = deficits.top - threshold
        width = max(1, -(-allowance // bins))
        swaps = deficits.swaps(allowance)
        in_bins = [side // width for side in (deficits.removing, deficits.adding)]
        lowest = [np.concatenate([[0], np.cumsum(side[:swaps])]) for side in in_bins]
        last_bin = allowance // width
        # A row of k removed need not go beyond what the cheapest k additions leave of the allowance.
        tables = [
            binned_subset_counts(side, (last_bin - other).astype(np.int64))
            for side, other in zip(in_bins, reversed(lowest), strict=True)
        ]
        add_along_rows(tables[1])
        return cls(deficits, width, tables[0], tables[1], _remainders(deficits, width, swaps))

    def least(self, threshold: int) -> int:
        """Bound the number of subsets whose sum is at least the threshold from below."""
        # Counts are whole numbers, so a bound moves inwards to the next one.
        return math.ceil(self._count(threshold, self.remainders[1]) * (1 - self._relative_error))

    def most(self, threshold: int) -> int:
        """Bound the same number from above."""
        return math.floor(self._count(threshold, self.remainders[0]) * (1 + self._relative_error))

    def _count(self, threshold: int, lost: list[int]) -> Fraction:
        """Count as if k removed and k added scores had lost so much in rounding."""
        from imprint.significance.kernels import sum_pairs

        allowance = self.deficits.top - threshold
        if allowance < 0:
            return Fraction(0)
        tables = zip(self.removing, self.adding_up_to, lost, strict=True)
        return sum(
            (Fraction(sum_pairs(row, running, (allowance - rest) // self.width)) for row, running, rest in tables),
            Fraction(0),
        )

    def entries(self) -> tuple[int, int]:
        """Bound from above how many costs the lists of `ExactTail` would hold on either side."""
        error = 1 + self._relative_error
        removing, adding = (
            Fraction(float(self.removing.sum())),
            Fraction(float(self.adding_up_to[:, -1].sum())),
        )
        return math.ceil(removing * error), math.ceil(adding * error)

    @property
    def _largest_count(self) -> int:
        size = len(self.deficits.removing) + len(self.deficits.adding)
        return math.comb(size, len(self.deficits.removing))

    @property
    def _relative_error(self) -> Fraction:
        if self.width == 1 and self._largest_count < 2**53:
            return Fraction(0)  # whole numbers that float64 holds exactly
        # Items added one by one, running sums along a row, one product, one sum along a row; each step errs by
        # at most 2^-53, and 2^-52 a step more than covers that their factors compound.
        steps = len(self.deficits.removing) + len(self.deficits.adding) + 3 * self.removing.shape[1] + 16
        return Fraction(steps, 2**52)


def _by_size(sums: Ints, offsets: Ints) -> list[Ints]:
    return np.split(sums, offsets[1:-1])


def _subset_sums(costs: Ints, caps: Ints, capacity: int) -> tuple[Ints, Ints]:
    """Return what the compiled kernel of this name does; short lists are not worth the time to load it."""
    if capacity > _SHORT:
        from imprint.significance.kernels import subset_sums

        listed: tuple[Ints, Ints] = subset_sums(costs, caps, capacity)
        return listed
    sums, sizes = np.zeros(1, dtype=np.int64), np.zeros(1, dtype=np.int64)
    for cost in costs.tolist():
        small = sizes < len(caps) - 1
        with_item, larger = sums[small] + cost, sizes[small] + 1
        is_within = with_item <= caps[larger]
        sums, sizes = np.concatenate([sums, with_item[is_within]]), np.concatenate([sizes, larger[is_within]])
    order = np.lexsort((sums, sizes))
    return sums[order], np.searchsorted(sizes[order], np.arange(len(caps) + 1))


def _count_pairs(first: Ints, second: Ints, limit: int) -> int:
    """Count the pairs, one of each sorted list, whose sum is at most `limit`."""
    if len(first) + len(second) <= 2 * _SHORT:
        return int(np.searchsorted(second, limit - first, side="right").sum())
    from imprint.significance.kernels import count_pairs

    return int(count_pairs(first, second, limit))


def _running(costs: Ints) -> list[int]:
    total, sums = 0, [0]
    for cost in costs.tolist():
        total += cost
        sums.append(total)
    return sums


def _remainders(deficits: Deficits, width: int, swaps: int) -> tuple[list[int], list[int]]:
    least, most = [0] * (swaps + 1), [0] * (swaps + 1)
    for side in (deficits.removing, deficits.adding):
        ascending: Ints = np.sort(side % width)
        for bounds, ordered in ((least, ascending), (most, ascending[::-1])):
            running = 0
            for k, remainder in enumerate(ordered[:swaps].tolist(), start=1):
                running += remainder
                bounds[k] += running
    return least, most
