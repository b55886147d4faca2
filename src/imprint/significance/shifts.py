"""Shifts of x against y that the permutation test does not reject, and the smallest that it would detect.

Taking a shift off x makes the one-sided p-value rise with the shift: a partition that swaps k scores counts
exactly when the shift reaches the mean difference of what it swapped. The interval holds every shift that
neither one-sided test rejects at half of 1 - confidence, so it agrees with the test itself.

A result that is not significant says nothing until one knows the smallest effect the test would have detected: the
shift it would find four times in five. So the residuals of both sets around their means are shuffled and x is shifted.
A partition that keeps all but k of x counts against the observed one only while the shift is at most its lead divided
by k. Each shuffle is therefore significant from the (1 - alpha) quantile of those critical shifts on, and the required
share of shuffles from the quantile of that. No p-value is computed on the way.

The residuals only estimate how much scores vary. So each shuffle is scaled by the spread that new scores might
have: the root of a ratio of two chi-squares, as of normal scores.
Without it a shift is found less often than it says (0.77 instead of 0.80 of the time at 4 + 4 scores).
"""

import math
from dataclasses import dataclass
from fractions import Fraction
from functools import partial

import numpy as np
import numpy.typing as npt

from imprint.checks import Alternative, check_between
from imprint.significance.partitions import all_subsets, countable, most_reaching, pool_scores, smallest_p
from imprint.significance.tails import Swaps, fixed_point_exponent
from imprint.types import Floats, Ints

# Where counting exactly a hundred times over would take long, bounds decide: the interval can then be wider
# than the exact one, never narrower, by about the relative width of the bounds.
_CELLS = 400_000
_ALL_PARTITIONS = 20_000  # up to 8 + 8 words, every partition is used; beyond, a random choice of them
_MOST_PARTITIONS = 100_000
_HITS = 50  # partitions wanted beyond the quantile
_SHUFFLES_AT_ONCE = 100


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


def smallest_detectable_shift(
    x: npt.ArrayLike,
    y: npt.ArrayLike,
    *,
    alpha: float,
    power: float = 0.8,
    alternative: Alternative = "greater",
    shuffles: int = 1_000,
    seed: int = 0,
) -> float | None:
    """Return the size of the shift of x that new scores show with the given power, estimated to a few percent.

    None if there are too few scores for p to fall to alpha, or if alpha is under 1e-5: too few partitions are drawn.
    `alpha` is the level p is held against: the corrected one of a family of tests. Two-sided, the shift is upwards.
    """
    from imprint.significance.kernels import critical_shifts

    check_between("alpha", alpha)
    check_between("power", power)
    x_scores, y_scores = (np.asarray(side, dtype=np.float64) for side in (x, y))
    n, size = len(x_scores), len(x_scores) + len(y_scores)
    if smallest_p(size, n, alternative) > alpha:
        return None
    residuals = np.concatenate([x_scores - x_scores.mean(), y_scores - y_scores.mean()])
    residuals *= -1 if alternative == "less" else 1
    shuffle_seed, partition_seed, spread_seed = np.random.SeedSequence(seed).spawn(3)
    rng = np.random.default_rng(shuffle_seed)
    shuffled = np.stack([rng.permutation(residuals) for _ in range(shuffles)], axis=1)
    shuffled *= _spreads(size, shuffles, spread_seed)
    members = _partitions(size, n, alpha, partition_seed)
    # p = (1 + partitions that count) / (1 + partitions): how many may count.
    allowed = math.floor(alpha * (len(members) + 1) + 1e-9) - 1
    if allowed < 0:
        return None
    # A few shuffles at a time: their table of sums has one column per partition.
    kept, two_sided = members[:, :n].sum(axis=1), alternative == "two-sided"
    found_from = np.concatenate(
        [
            critical_shifts(part.T @ members.T, part[:n].sum(axis=0), kept, n, size, allowed, two_sided)
            for part in np.split(shuffled, range(_SHUFFLES_AT_ONCE, shuffles, _SHUFFLES_AT_ONCE), axis=1)
        ]
    )
    return max(0.0, float(np.quantile(found_from, power)))


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


def _spreads(size: int, shuffles: int, seed: np.random.SeedSequence) -> Floats:
    """Draw how much wider than these residuals new scores spread: about one mean, where residuals have two."""
    rng = np.random.default_rng(seed)
    return np.asarray(np.sqrt(rng.chisquare(size - 1, shuffles) / rng.chisquare(max(1, size - 2), shuffles)))


def _partitions(size: int, n: int, alpha: float, seed: np.random.SeedSequence) -> Floats:
    """Give rows of ones and zeros, n ones each: all subsets but the first n, or a random choice of them."""
    if math.comb(size, n) <= _ALL_PARTITIONS:
        chosen = all_subsets(size, n)[1:]
    else:
        rng = np.random.default_rng(seed)
        count = min(_MOST_PARTITIONS, max(_ALL_PARTITIONS, math.ceil(_HITS / alpha)))
        chosen = rng.permuted(np.tile(np.arange(size, dtype=np.int16), (count, 1)), axis=1)[:, :n]
    members = np.zeros((len(chosen), size))
    np.put_along_axis(members, chosen.astype(np.int64), 1.0, axis=1)
    return np.asarray(members[members[:, :n].sum(axis=1) < n])
