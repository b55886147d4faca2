"""Rigorous bounds on the count of partitions in a tail, where listing them would not fit.

Costs are rounded down to whole bins of width h, and subsets are counted by size and by sum of bins. What k
removed and k added scores lost in rounding lies between the k smallest and the k largest remainders of each
side; counting with either extreme gives a count that is surely too low and one that is surely too high.
All counts are sums and products of non-negative float64, so rounding is a bounded relative error.
"""

import math
from dataclasses import dataclass
from fractions import Fraction

import numpy as np

from imprint.significance.deficits import Deficits
from imprint.types import Floats, Ints


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
