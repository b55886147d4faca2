"""Spearman's correlation with a two-sided p-value: exact over all orders of few numbers, else by Student's t."""

from itertools import permutations

import numpy as np
import numpy.typing as npt

Floats = npt.NDArray[np.float64]

EXACT_ORDERS = 8  # numbers up to which all orders are tried


def spearman(x: Floats, y: Floats) -> tuple[float, float]:
    """Return the correlation and its p-value; neither side may be constant.

    Exact, p is the share of orders whose correlation is at least as far from zero as the one observed. Ties make the
    two tails differ, so twice the smaller one would be another number.
    """
    from scipy.stats import rankdata, spearmanr

    result = spearmanr(x, y)
    if len(x) > EXACT_ORDERS:
        return float(result.statistic), float(result.pvalue)
    # Midranks are whole or half: doubled and centred, they are integers, and equal sums are equal.
    first, second = ((2 * rankdata(side)).astype(np.int64) - (len(side) + 1) for side in (x, y))
    sums = np.array(list(permutations(second.tolist()))) @ first
    return float(result.statistic), float(np.mean(np.abs(sums) >= abs(second @ first)))
