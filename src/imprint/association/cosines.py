"""Cosines that every machine agrees on to the last bit.

The product of two float32 numbers is exact in float64 and a sum that is rounded once, as `math.fsum` does,
depends neither on its order nor on the linear algebra library. Counting ties among partitions needs no less.
"""

import math

import numpy as np

from imprint.types import Floats, Floats32


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


def _dots(left: Floats, right: Floats) -> Floats:
    from imprint.association.kernels import rounded_dots

    dots: Floats
    dots, sure = rounded_dots(left, np.ascontiguousarray(right.T))
    for i, j in np.argwhere(~sure).tolist():
        dots[i, j] = math.fsum((left[i] * right[j]).tolist())
    return dots


def _norm(vector: Floats) -> float:
    return math.sqrt(math.fsum((vector * vector).tolist()))
