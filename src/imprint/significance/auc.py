"""How well a number tells two groups apart: the area under the ROC curve, an exact p-value and an interval.

The interval is method 5 of Newcombe (2006): the areas whose standard error by Hanley and McNeil (1982) does not rule
out the one observed. Unlike others it has a width where the groups are separated completely.
"""

import math
from dataclasses import dataclass

import numpy as np

from imprint.significance.partitions import permutation_test
from imprint.significance.ranks import NORMAL_95, midranks
from imprint.types import Floats

_STEPS = 60


@dataclass(frozen=True)
class Auc:
    """The chance that a number of the first group exceeds one of the second, ties by halves, with its 95 % interval.

    `explained` is the share of the variance of the ranks that lies between the groups; p is two-sided and exact.
    """

    value: float
    low: float
    high: float
    p_value: float
    explained: float


def area(x: Floats, y: Floats) -> Auc:
    """Compare two groups by ranks; all orders of the numbers count as equally likely."""
    ranks = midranks(np.concatenate([x, y])[None])[0]
    n, m = len(x), len(y)
    value = float((ranks[:n].sum() - n * (n + 1) / 2) / (n * m))
    spread = float(((ranks - ranks.mean()) ** 2).sum())
    between = n * (ranks[:n].mean() - ranks.mean()) ** 2 + m * (ranks[n:].mean() - ranks.mean()) ** 2
    test = permutation_test(2 * ranks[:n], 2 * ranks[n:], alternative="two-sided")
    explained = float(between) / spread if spread > 0 else 0.0
    return Auc(value, _end(value, n, m, -1), _end(value, n, m, 1), test.p_value, explained)


def _end(value: float, n: int, m: int, side: int) -> float:
    """Return the area farthest to that side that the observed one does not rule out."""
    inside, outside = value, float(side > 0)
    for _ in range(_STEPS):
        middle = (inside + outside) / 2
        if abs(middle - value) <= NORMAL_95 * _error(middle, n, m):
            inside = middle
        else:
            outside = middle
    return inside


def _error(area: float, n: int, m: int) -> float:
    mean = (n + m) / 2 - 1
    return math.sqrt(area * (1 - area) * (1 + mean * ((1 - area) / (2 - area) + area / (1 + area))) / (n * m))
