"""Correlations and the area under the ROC curve, each with a two-sided p-value and an interval.

Spearman's correlation is exact over all orders of few numbers, and else by Student's t. A p-value by Student's t is
never 0: where it is too small for a number, or the correlation is rounded to 1, the result is a bound from above.

The p-value of an area is exact. Its interval is method 5 of Newcombe (2006): the areas whose standard error by Hanley
and McNeil (1982) does not rule out the one observed. Unlike others it has a width where the groups are separated
completely.
"""

import math
from dataclasses import dataclass
from statistics import NormalDist

import numpy as np

from imprint.checks import SMALLEST_P
from imprint.significance.partitions import permutation_test
from imprint.types import Floats, Ints

EXACT_ORDERS = 13  # numbers up to which all orders are counted, in a fraction of a second

_HALVINGS = 60  # of the space in which an end of an area's interval lies


def pearson(x: Floats, y: Floats) -> tuple[float, float]:
    """Return Pearson's correlation and its p-value; neither side may be constant."""
    from scipy.special import betainc

    free = (len(x) - 2) / 2
    r = _correlation(x, y)
    # The p-value of the largest correlation below 1: one that is rounded to 1 may be no larger.
    largest = float(betainc(free, 0.5, 2.0**-52))
    return r, max(2 * float(betainc(free, free, (1 - abs(r)) / 2)), largest, SMALLEST_P)


def spearman(x: Floats, y: Floats) -> tuple[float, float]:
    """Return the correlation and its p-value; neither side may be constant.

    Exact, p is the share of orders whose correlation is at least as far from zero as the one observed. Ties make the
    two tails differ, so twice the smaller one would be another number. Student's t is too small far out, and 0
    for equal orders: no p is below two orders of all.
    """
    first, second = midranks(np.stack([x, y]))
    r = _correlation(first, second)
    if len(x) > EXACT_ORDERS:
        fewest = 2 * math.exp(-math.lgamma(len(x) + 1))
        return r, max(pearson(first, second)[1], fewest)
    # Midranks are whole or half: doubled and centred, they are integers, and equal sums are equal.
    whole = [(2 * side).astype(np.int64) - (len(side) + 1) for side in (first, second)]
    return r, _share_as_far(*whole)


def midranks(table: Floats) -> Floats:
    """Return the rank of each number in its row of a table; equal ones share the mean of their ranks."""
    order = np.argsort(table, axis=1, kind="stable")
    ordered = np.take_along_axis(table, order, axis=1)
    places = np.broadcast_to(np.arange(table.shape[1]), table.shape)
    new = np.ones(table.shape, dtype=bool)
    new[:, 1:] = ordered[:, 1:] != ordered[:, :-1]
    last = np.roll(new, -1, axis=1)
    first = np.maximum.accumulate(np.where(new, places, 0), axis=1)
    final = np.minimum.accumulate(np.where(last, places, places[:, -1:])[:, ::-1], axis=1)[:, ::-1]
    ranks = np.empty(table.shape)
    np.put_along_axis(ranks, order, (first + final) / 2 + 1, axis=1)
    return ranks


@dataclass(frozen=True)
class Auc:
    """The chance that a number of the first group exceeds one of the second, ties by halves, with its interval.

    `explained` is the share of the variance of the ranks that lies between the groups; p is two-sided and exact.
    """

    value: float
    low: float
    high: float
    p_value: float
    explained: float


def area(x: Floats, y: Floats, *, confidence: float) -> Auc:
    """Compare two groups by ranks; all orders of the numbers count as equally likely."""
    ranks = midranks(np.concatenate([x, y])[None])[0]
    n, m = len(x), len(y)
    value = float((ranks[:n].sum() - n * (n + 1) / 2) / (n * m))
    spread = float(((ranks - ranks.mean()) ** 2).sum())
    between = n * (ranks[:n].mean() - ranks.mean()) ** 2 + m * (ranks[n:].mean() - ranks.mean()) ** 2
    test = permutation_test(2 * ranks[:n], 2 * ranks[n:], alternative="two-sided")
    explained = float(between) / spread if spread > 0 else 0.0
    errors = NormalDist().inv_cdf((1 + confidence) / 2)
    low, high = (_end(value, n, m, errors, end) for end in (0.0, 1.0))
    return Auc(value, low, high, test.p_value, explained)


def _correlation(x: Floats, y: Floats) -> float:
    first, second = (side - side.mean() for side in (x, y))
    first, second = (side / np.abs(side).max() for side in (first, second))  # so that no square is too large or small
    return float(np.clip((first / np.linalg.norm(first)) @ (second / np.linalg.norm(second)), -1, 1))


def _share_as_far(first: Ints, second: Ints) -> float:
    """Return the share of orders of `second` whose sum of products with `first` is as far from zero as the given one.

    Orders are counted by the set of numbers that the first places have taken: 2^n sets in place of n! orders.
    """
    widest = int(np.sort(np.abs(first)) @ np.sort(np.abs(second)))
    counts = {0: np.zeros(2 * widest + 1, dtype=np.int64)}
    counts[0][widest] = 1  # a sum of zero
    for value in first.tolist():
        longer: dict[int, Ints] = {}
        for taken, sums in counts.items():
            for index, number in enumerate(second.tolist()):
                if not taken >> index & 1:
                    now, by = taken | 1 << index, value * number
                    if now not in longer:
                        longer[now] = np.zeros_like(sums)
                    longer[now][max(by, 0) : len(sums) + min(by, 0)] += sums[max(-by, 0) : len(sums) - max(by, 0)]
        counts = longer
    (sums,) = counts.values()
    far = np.abs(np.arange(-widest, widest + 1)) >= abs(int(first @ second))
    return float(sums[far].sum() / sums.sum())


def _end(value: float, n: int, m: int, errors: float, outside: float) -> float:
    """Return the area farthest towards one end that the observed one does not rule out by so many standard errors."""
    inside = value
    for _ in range(_HALVINGS):
        middle = (inside + outside) / 2
        if abs(middle - value) <= errors * _error(middle, n, m):
            inside = middle
        else:
            outside = middle
    return inside


def _error(area: float, n: int, m: int) -> float:
    mean = (n + m) / 2 - 1
    return math.sqrt(area * (1 - area) * (1 + mean * ((1 - area) / (2 - area) + area / (1 + area))) / (n * m))
