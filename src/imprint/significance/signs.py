"""Is a sum of terms larger than random signs make it?

For terms t, P(|sum of +-t| >= |sum of t|) over random signs: exactly, and by the normal distribution, from
z = sum t / sqrt(sum t^2). The larger of the two counts. Few large terms make the normal too small; many make the exact
one far smaller than it deserves, since it takes the terms themselves, which axes of a sample give, for certain.
"""

import math

import numpy as np

from imprint.types import Floats

_CELLS = 16_384  # of the grid, from zero to the largest sum


def sign_test(terms: Floats, misfit: float = 1.0) -> float:
    """Return the two-sided p-value of a sum of terms whose signs might be random.

    Where such sums are known to be larger than random signs make them, z is divided by that `misfit`.
    """
    return max(exact_sign_test(terms), float(normal_sign_test(np.sum(terms), np.sum(terms**2) * misfit**2)))


def exact_sign_test(terms: Floats) -> float:
    """Return the chance over all signs, at most a little too large.

    The sum's distribution is built term by term on a grid; what the grid hides counts as reached.
    """
    sizes = np.abs(np.asarray(terms, dtype=np.float64))
    total = float(sizes.sum())
    if total == 0:
        return 1.0
    steps = np.rint(sizes * (_CELLS / total)).astype(np.int64)
    # The rounding errors of many terms have random signs too, and add up as a random walk does.
    slack = min(len(sizes), 1 + 2 * math.sqrt(len(sizes))) / 2
    reached = abs(int(np.sum(np.sign(terms) * steps))) - 2 * slack
    reach = int(steps.sum())
    chances = np.ones(1)
    for step in steps.tolist():
        half = 0.5 * chances
        chances = np.zeros(len(half) + 2 * step)
        chances[2 * step :] = half
        chances[: len(half)] += half
    distance = np.abs(np.arange(-reach, reach + 1))
    return float(min(1.0, chances[distance >= reached].sum()))


def normal_sign_test(sums: Floats | float, squares: Floats | float) -> Floats:
    """Return the p-values by the normal distribution, from sums of terms and sums of their squares."""
    with np.errstate(divide="ignore", invalid="ignore"):
        z = np.abs(sums) / np.sqrt(squares)
    return np.asarray(np.vectorize(lambda value: math.erfc(value / math.sqrt(2)), otypes=[float])(np.nan_to_num(z)))
