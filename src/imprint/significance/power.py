"""What a test could have seen: the smallest shift it would find four times in five.

A result that is not significant says nothing until one knows what the test could have found. The residuals
of both sets around their means are dealt out again at random and x is shifted. A partition that keeps all
but k of x then counts against the observed one only while the shift is at most its lead divided by k, so each
deal is found from the (1 - alpha) quantile of those critical shifts on, and the wanted share of deals from
the quantile of that. No p-value is computed on the way.
"""

import math
from itertools import combinations

import numpy as np
import numpy.typing as npt

from imprint.errors import SettingError
from imprint.significance.partitions import Alternative, smallest_p

Floats = npt.NDArray[np.float64]

_ALL_PARTITIONS = 20_000  # up to 8 + 8 words, every partition is used; beyond, a random choice of them
_MOST_PARTITIONS = 100_000
_HITS = 50  # partitions wanted beyond the quantile
_DEALS_AT_ONCE = 100


def smallest_detectable_shift(
    x: npt.ArrayLike,
    y: npt.ArrayLike,
    *,
    alpha: float,
    power: float = 0.8,
    alternative: Alternative = "greater",
    deals: int = 1_000,
    seed: int = 0,
) -> float | None:
    """Return the size of the shift of x found with the given power, or None where p cannot reach alpha.

    Estimated from random deals, so good to a few percent. A two-sided test is taken as a one-sided one at half
    of alpha, which is exact for sets of equal size.
    """
    if not 0 < power < 1 or not 0 < alpha < 1:
        raise SettingError(f"alpha is {alpha} and power {power}; numbers between 0 and 1 are wanted")
    x_scores, y_scores = (np.asarray(side, dtype=np.float64) for side in (x, y))
    n, size = len(x_scores), len(x_scores) + len(y_scores)
    if smallest_p(size, n, alternative) > alpha:
        return None
    one_sided = alpha / 2 if alternative == "two-sided" else alpha
    residuals = np.concatenate([x_scores - x_scores.mean(), y_scores - y_scores.mean()])
    if alternative == "less":
        residuals = -residuals
    deal_seed, partition_seed = np.random.SeedSequence(seed).spawn(2)
    rng = np.random.default_rng(deal_seed)
    dealt = np.stack([rng.permutation(residuals) for _ in range(deals)], axis=1)
    members = _partitions(size, n, one_sided, partition_seed)
    # A few deals at a time: the table of critical shifts has a row a partition.
    found_from = np.concatenate(
        [
            _critical_shifts(members, dealt[:, at : at + _DEALS_AT_ONCE], n, one_sided)
            for at in range(0, deals, _DEALS_AT_ONCE)
        ]
    )
    return max(0.0, float(np.quantile(found_from, power)))


def _critical_shifts(members: Floats, dealt: Floats, n: int, alpha: float) -> Floats:
    """Return, for each deal (column), the shift of its first n from which on p <= alpha."""
    swapped = n - members[:, :n].sum(axis=1)
    leads = (members @ dealt - dealt[:n].sum(axis=0)) / swapped[:, None]
    # p = (1 + critical shifts not below this one) / (partitions + 1): how many may count.
    allowed = math.floor(alpha * (len(members) + 1)) - 1
    if allowed < 0:
        return np.full(dealt.shape[1], math.inf)
    return np.asarray(-np.partition(-leads, allowed, axis=0)[allowed])


def _partitions(size: int, n: int, alpha: float, seed: np.random.SeedSequence) -> Floats:
    """Give rows of ones and zeros, n ones each: all subsets but the first n, or a random choice of them."""
    if math.comb(size, n) <= _ALL_PARTITIONS:
        chosen = np.array(list(combinations(range(size), n))[1:])
    else:
        rng = np.random.default_rng(seed)
        count = min(_MOST_PARTITIONS, max(_ALL_PARTITIONS, math.ceil(_HITS / alpha)))
        chosen = rng.permuted(np.tile(np.arange(size, dtype=np.int16), (count, 1)), axis=1)[:, :n]
    members = np.zeros((len(chosen), size))
    np.put_along_axis(members, chosen.astype(np.int64), 1.0, axis=1)
    return np.asarray(members[members[:, :n].sum(axis=1) < n])
