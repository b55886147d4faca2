"""The interval of a mean difference that inverts the permutation test.

Taking a shift off x makes the one-sided p-value rise with the shift: a partition that swaps k scores counts
exactly when the shift reaches the mean difference of what it swapped. The interval holds every shift that
neither one-sided test rejects at half of 1 - confidence, so it agrees with the test itself.
"""

import math
from dataclasses import dataclass
from fractions import Fraction
from functools import partial

import numpy as np
import numpy.typing as npt

from imprint.checks import check_between
from imprint.significance.deficits import Swaps, fixed_point_exponent
from imprint.significance.partitions import countable, most_reaching, pool_scores
from imprint.types import Ints

# Where counting exactly a hundred times over would take long, bounds decide: the interval can then be wider
# than the exact one, never narrower, by about the relative width of the bounds.
_CELLS = 400_000


@dataclass(frozen=True)
class Interval:
    """Both ends, in the scores' own unit; infinite where so few partitions can reject nothing.

    Neither end is a number where there are too many partitions to count.
    """

    low: float
    high: float
    confidence: float


def shift_interval(x: npt.ArrayLike, y: npt.ArrayLike, *, confidence: float = 0.95) -> Interval:
    """Return the shifts of x against y that the permutation test does not reject."""
    check_between("confidence", confidence)
    pool, n, _ = pool_scores(x, y)
    if not countable(len(pool), n):
        return Interval(math.nan, math.nan, confidence)
    # As written, 0.9 leaves exactly one twentieth on either side; as a float it would leave a little less.
    alpha = (1 - Fraction(str(confidence))) / 2
    if Fraction(1, math.comb(len(pool), n)) > alpha:
        return Interval(-math.inf, math.inf, confidence)
    exponent = fixed_point_exponent(np.concatenate([x, y]))
    low = _lowest_accepted(pool, n, alpha)
    high = -_lowest_accepted(-pool, n, alpha)
    return Interval(math.ldexp(low, exponent), math.ldexp(high, exponent), confidence)


def _lowest_accepted(pool: Ints, n: int, alpha: Fraction) -> int:
    """Find the smallest whole shift of the first n scores at which the one-sided p-value exceeds alpha."""
    x: list[int] = pool[:n].tolist()
    y: list[int] = pool[n:].tolist()
    most = math.floor(alpha * math.comb(len(pool), n))  # partitions that may count before p exceeds alpha
    counted = Swaps.of(pool, n) or partial(_bounded, pool, n)
    # Below every single difference nothing but the observed partition counts; at the mean difference, about half.
    rejected, accepted = min(x) - max(y) - 1, -(-(sum(x) * len(y) - sum(y) * n) // (n * len(y)))
    if counted(rejected) > most:
        return rejected
    while counted(accepted) <= most:
        accepted = max(accepted + 1, max(x) - min(y))
    while accepted - rejected > 1:
        middle = (accepted + rejected) // 2
        if counted(middle) > most:
            accepted = middle
        else:
            rejected = middle
    return accepted


def _bounded(pool: Ints, n: int, shift: int) -> int:
    """Return how many partitions may count at a shift, at the most."""
    shifted = pool.copy()
    shifted[:n] -= shift
    return most_reaching(shifted, n, max(64, _CELLS // max(1, min(n, len(pool) - n))))
