"""Exact counts of partitions in a tail, from sorted lists of the costs of leaving the extreme subset."""

from dataclasses import dataclass

import numpy as np

from imprint.significance.deficits import Deficits
from imprint.types import Ints


@dataclass(frozen=True)
class ExactTail:
    """All cost lists up to an allowance: counts the subsets with sum >= any threshold that far out."""

    deficits: Deficits
    removing: tuple[Ints, Ints]
    adding: tuple[Ints, Ints]

    @classmethod
    def build(cls, deficits: Deficits, threshold: int, capacities: tuple[int, int]) -> "ExactTail":
        """List the costs allowed by the threshold; `capacities` bound how many there are on either side."""
        from imprint.significance.kernels import subset_sums

        allowance = deficits.top - threshold
        swaps = deficits.swaps(allowance)
        cheapest_removing, cheapest_adding = deficits.cheapest
        caps_removing = np.array([allowance - cheapest_adding[k] for k in range(swaps + 1)], dtype=np.int64)
        caps_adding = np.array([allowance - cheapest_removing[k] for k in range(swaps + 1)], dtype=np.int64)
        return cls(
            deficits,
            subset_sums(deficits.removing[::-1].copy(), caps_removing, capacities[0]),
            subset_sums(deficits.adding[::-1].copy(), caps_adding, capacities[1]),
        )

    def count(self, threshold: int) -> tuple[int, int]:
        """Count the subsets whose sum is at least the threshold: the same number twice, as a bound."""
        from imprint.significance.kernels import count_pairs

        allowance = self.deficits.top - threshold
        if allowance < 0:
            return 0, 0
        (first, first_at), (second, second_at) = self.removing, self.adding
        total = sum(
            # One count is below 2^63 because each list was allowed at most 2^26 entries; their sum need not be.
            int(count_pairs(first[first_at[k] : first_at[k + 1]], second[second_at[k] : second_at[k + 1]], allowance))
            for k in range(len(first_at) - 1)
        )
        return total, total
