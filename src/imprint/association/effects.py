"""The difference between two sets of scores, in the units the papers and statisticians use.

Caliskan, Bryson and Narayanan (2016), Methods; May et al. (2019), section 2.
"""

import math
from dataclasses import dataclass

import numpy as np

from imprint.association.cosines import mean, sample_sd
from imprint.types import Floats


@dataclass(frozen=True)
class Effect:
    """How far the scores of X lie above those of Y.

    `effect_size` divides by the standard deviation (n - 1) of all scores, as the papers' figures do; that spread
    contains the difference itself, so it cannot pass sqrt(N (N-1) / (n_x n_y)), about 2 for equal sets, and is
    not Cohen's d, which is `d_within`. Undefined effects are NaN. `statistic` is the papers' difference of sums.
    """

    effect_size: float
    d_within: float
    statistic: float
    mean_difference: float

    @classmethod
    def of(cls, x: Floats, y: Floats) -> "Effect":
        """Compare the scores of two sets, each of at least two."""
        difference = mean(x) - mean(y)
        return cls(
            effect_size=_ratio(difference, sample_sd(np.concatenate([x, y]))),
            d_within=_ratio(difference, _spread_within(x, y)),
            statistic=math.fsum(x.tolist()) - math.fsum(y.tolist()),
            mean_difference=difference,
        )


def _spread_within(x: Floats, y: Floats) -> float:
    """Return the standard deviation around each set's own mean, pooled."""
    squares = [sample_sd(side) ** 2 * (len(side) - 1) for side in (x, y)]
    return math.sqrt(math.fsum(squares) / (len(x) + len(y) - 2))


def _ratio(difference: float, spread: float) -> float:
    return difference / spread if spread > 0 else math.nan
