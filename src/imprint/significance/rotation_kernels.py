"""The compiled loop behind the rotational null; plain arrays in and out. Imported only when first needed."""

import numpy as np

from imprint.compiled import compiled
from imprint.types import Floats32

ABSENT = np.float32(-1e30)  # stands where fewer than t words were found; far below any cosine


# Scores are finite, which lets maxima compile to single instructions.
@compiled(fastmath={"nnan", "ninf", "nsz"})
def keep_largest(scores: Floats32, groups: int, overlapping: bool, largest: Floats32) -> None:
    """Merge rows of scores into the largest few of each column, in place.

    Columns go group by group and, within a group, rotation by rotation, so that every inner loop runs along
    rotations and vectorises. Unless `overlapping`, a word (row) counts only for the group that scores it highest.
    `largest` has one row a rank, descending, and starts as ABSENT.
    """
    rotations = scores.shape[1] // groups
    best = np.full(rotations, ABSENT, dtype=np.float32)
    pushed = np.empty(rotations, dtype=np.float32)
    for row in range(scores.shape[0]):
        if not overlapping:
            best[:] = scores[row, :rotations]
            for group in range(1, groups):
                # A slice, not start + r: that sum might be negative for all the compiler knows, and a negative
                # index counts from the end, so nothing would vectorise.
                here = scores[row, group * rotations : (group + 1) * rotations]
                for r in range(rotations):
                    best[r] = max(best[r], here[r])
        for group in range(groups):
            here = scores[row, group * rotations : (group + 1) * rotations]
            for r in range(rotations):
                pushed[r] = here[r] if here[r] >= best[r] else ABSENT
            for rank in range(largest.shape[0]):
                kept = largest[rank, group * rotations : (group + 1) * rotations]
                for r in range(rotations):
                    score = pushed[r]
                    pushed[r] = min(kept[r], score)
                    kept[r] = max(kept[r], score)
