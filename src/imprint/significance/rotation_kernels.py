"""The compiled loop behind the rotational null; plain arrays in and out. Imported only when first needed."""

import numpy as np
import numpy.typing as npt
from numba import njit

Floats = npt.NDArray[np.float32]

ABSENT = np.float32(-1e30)  # stands where fewer than t words were found; far below any cosine


# Scores are finite, which lets maxima compile to single instructions.
@njit(cache=True, nogil=True, fastmath={"nnan", "ninf", "nsz"})
def keep_largest(scores: Floats, groups: int, overlapping: bool, largest: Floats) -> None:
    """Merge rows of scores into the largest few of each column, in place.

    Columns go group by group and, within a group, rotation by rotation, so that every inner loop runs along
    rotations and vectorises. Unless `overlapping`, a word (row) counts only for the group that scores it highest.
    `largest` has one row a rank, descending, and starts as ABSENT.
    """
    rotations = scores.shape[1] // groups
    best = np.empty(rotations, dtype=np.float32)
    pushed = np.empty(rotations, dtype=np.float32)
    for row in range(scores.shape[0]):
        for r in range(rotations):
            best[r] = scores[row, r] if not overlapping else ABSENT
        if not overlapping:
            for group in range(1, groups):
                start = group * rotations
                for r in range(rotations):
                    best[r] = max(best[r], scores[row, start + r])
        for group in range(groups):
            start = group * rotations
            for r in range(rotations):
                score = scores[row, start + r]
                pushed[r] = score if score >= best[r] else ABSENT
            for rank in range(largest.shape[0]):
                kept = largest[rank, start : start + rotations]
                for r in range(rotations):
                    score = pushed[r]
                    pushed[r] = min(kept[r], score)
                    kept[r] = max(kept[r], score)
