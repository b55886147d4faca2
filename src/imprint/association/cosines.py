"""Cosines, means and effects that every machine agrees on to the last bit.

The product of two float32 numbers is exact in float64 and a sum that is rounded once, as `math.fsum` does,
depends neither on its order nor on the linear algebra library. Counting ties among partitions needs no less.
Effects: Caliskan, Bryson and Narayanan (2016), Methods; May et al. (2019), section 2.
"""

import math
from dataclasses import dataclass

import numpy as np

from imprint.types import Floats, Floats32

ROUNDING = float(np.finfo(np.float32).eps)  # how far cosines of one direction, kept in single precision, lie apart

_FEW = 5_000  # products of two rows that take less time than compiled loops take to load


def cosines(rows: Floats32, columns: Floats32) -> Floats:
    """Return the cosine of every row with every column vector: (len(rows), len(columns))."""
    left, right = (np.ascontiguousarray(side, dtype=np.float64) for side in (rows, columns))
    left_norms, right_norms = (np.array([_norm(vector) for vector in side]) for side in (left, right))
    table: Floats = _dots(left, right) / (left_norms[:, None] * right_norms)
    return table


def mean(values: Floats) -> float:
    """Return the mean with one rounding for the sum and one for the division."""
    return math.fsum(values.tolist()) / len(values)


def sample_sd(values: Floats) -> float:
    """Return the standard deviation with n - 1; exactly 0 for equal values, whose mean may be rounded."""
    if values.max() == values.min():
        return 0.0
    centre = mean(values)
    return math.sqrt(math.fsum(((values - centre) ** 2).tolist()) / (len(values) - 1))


def scores(table: Floats, n_a: int) -> Floats:
    """Return the mean cosine of each row with A, the first columns, less that with B."""
    return np.array([mean(row[:n_a]) - mean(row[n_a:]) for row in table])


@dataclass(frozen=True)
class Effect:
    """How far the scores of X lie above those of Y.

    `effect_size` divides by the standard deviation (n - 1) of all scores, as the papers' figures do. That spread
    contains the difference itself, so `effect_size` is at most sqrt(N (N-1) / (n_x n_y)), about 2 for equal sets. It
    is not Cohen's d; `d_within` is. Undefined effects are NaN. `statistic` is the papers' difference of sums.
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


def _dots(left: Floats, right: Floats) -> Floats:
    dots: Floats
    if len(left) * len(right) <= _FEW:
        sums = [[math.fsum((row * column).tolist()) for column in right] for row in left]
        return np.array(sums).reshape(len(left), len(right))
    from imprint.significance.kernels import rounded_dots

    dots, sure = rounded_dots(left, np.ascontiguousarray(right.T))
    for i, j in np.argwhere(~sure).tolist():
        dots[i, j] = math.fsum((left[i] * right[j]).tolist())
    return dots


def _norm(vector: Floats) -> float:
    return math.sqrt(math.fsum((vector * vector).tolist()))


def _spread_within(x: Floats, y: Floats) -> float:
    """Return the standard deviation around each set's own mean, pooled."""
    squares = [sample_sd(side) ** 2 * (len(side) - 1) for side in (x, y)]
    return math.sqrt(math.fsum(squares) / (len(x) + len(y) - 2))


def _ratio(difference: float, spread: float) -> float:
    return difference / spread if spread > 0 else math.nan
