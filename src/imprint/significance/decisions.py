"""What many repetitions of a question say at once: their outcomes, without an interval for each.

An interval lies beyond a margin where the margin is rejected on that side. So tests at zero and at both margins decide
as `outcome` does.
"""

from dataclasses import dataclass

import numpy as np

from imprint.significance.crossed import Spread
from imprint.significance.outcomes import CONFIDENCE, MARGIN
from imprint.significance.shares import ShareOfDistance
from imprint.types import Flags, Floats


@dataclass(frozen=True, eq=False)
class Decisions:
    """One entry per repetition: whether A and B are distinguished, and what the interval of the size says.

    `differs`: the mean difference excludes zero, whether or not A and B are distinguished.
    """

    distinguished: Flags
    substantial: Flags
    small: Flags
    excludes_zero: Flags
    differs: Flags

    @property
    def shows_difference(self) -> Flags:
        """Whether the outcome is substantial or present."""
        return np.asarray(self.substantial | (self.excludes_zero & ~self.small))

    @classmethod
    def of(cls, share: ShareOfDistance) -> "Decisions":
        """Decide every repetition of a size."""
        level = 1 - CONFIDENCE
        distinguished = (share.distance > 0) & (p_values(share.distance, share.distance_spread()) < level)
        sides = {}
        for margin in (-MARGIN, 0.0, MARGIN):
            contrast, spread = share.contrast(margin)
            sides[margin] = np.where(p_values(contrast, spread) < level, np.sign(contrast), 0)
        return cls(
            distinguished=distinguished,
            substantial=distinguished & ((sides[MARGIN] > 0) | (sides[-MARGIN] < 0)),
            small=distinguished & (sides[-MARGIN] > 0) & (sides[MARGIN] < 0),
            excludes_zero=distinguished & (sides[0.0] != 0),
            differs=sides[0.0] != 0,
        )


def p_values(contrast: Floats, spread: Spread) -> Floats:
    """Return two-sided p-values, 1 where nothing varies."""
    from scipy.special import stdtr

    with np.errstate(divide="ignore", invalid="ignore"):
        tails = 2 * stdtr(spread.df, -np.abs(contrast) / np.sqrt(spread.variance))
    return np.asarray(np.where(spread.variance > 0, tails, 1.0))
