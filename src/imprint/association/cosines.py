"""Cosines that every machine agrees on to the last bit.

The product of two float32 numbers is exact in float64 and `math.fsum` rounds a sum once, so neither the order
of summation nor the linear algebra library enters. Counting ties among partitions needs no less.
"""

import math

import numpy as np
import numpy.typing as npt

Floats = npt.NDArray[np.float64]


def cosines(rows: npt.NDArray[np.float32], columns: npt.NDArray[np.float32]) -> Floats:
    """Return the cosine of every row with every column vector: (len(rows), len(columns))."""
    left, right = (np.asarray(side, dtype=np.float64) for side in (rows, columns))
    left_norms, right_norms = ([_norm(vector) for vector in side] for side in (left, right))
    table = np.empty((len(left), len(right)))
    for i, vector in enumerate(left):
        for j, products in enumerate((vector * right).tolist()):
            table[i, j] = math.fsum(products) / (left_norms[i] * right_norms[j])
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


def _norm(vector: Floats) -> float:
    return math.sqrt(math.fsum((vector * vector).tolist()))
