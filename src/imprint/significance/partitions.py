"""The permutation test over all partitions of a pool into two sets: exact, certified, or sampled on request.

Caliskan et al., Methods: Pr_i[s(X_i, Y_i, A, B) > s(X, Y, A, B)] over all partitions of X u Y. Scores are
computed once; only numbers are permuted. `p_value` counts partitions at least as extreme, the observed one
among them, and so is valid; `p_strict` is the papers' printed formula. Random partitions are drawn only on request,
for pools too large to count.

Scores are rounded to whole steps before they are added. Partitions whose sums lie closer to the observed one than
rounding can move them may tie or not: if these are only the observed one and its equals, the count is exact. If there
are others, few partitions are compared without rounding, and many are bounded.
"""

import math
from collections import Counter
from collections.abc import Sequence
from dataclasses import asdict, dataclass
from fractions import Fraction
from functools import lru_cache
from itertools import combinations
from typing import Any, Literal, get_args

import numpy as np
import numpy.typing as npt

from imprint.checks import MOST_DRAWS, Alternative, check_choice, check_whole
from imprint.errors import SettingError
from imprint.significance.tails import SMALL, CertifiedTail, Deficits, ExactTail, rounded_off, to_fixed_point
from imprint.types import Ints, Progress

CountMethod = Literal["exact", "certified", "sampled"]

Efforts = tuple[tuple[float, int], ...]
Tail = ExactTail | CertifiedTail  # counts, or bounds, the subsets whose sum is at least a threshold

MOST_PARTITIONS = 10**300  # counts of subsets must stay within the range of float64
CONFIDENCE = 0.99  # of the interval around a p-value from random partitions

_COUNTS = ("partitions", "extreme", "extreme_low", "extreme_high")
_LISTED = 2**25  # costs listed a side: 25 + 25 words fit anywhere in the distribution, in 0.8 GB
_FEW = 200_000  # partitions compared one by one where rounding leaves open what ties: up to 10 + 10 words
_FIRST_BINS = 8_192
# Relative width to reach with a binned table of so many cells: the first is tens of milliseconds, the second
# a few seconds. A table twice as fine gives an interval half as wide.
_EFFORTS: Efforts = ((0.001, 4_000_000), (0.01, 40_000_000))
_CHUNK = 4_096  # partitions drawn from one seed: the unit of work, so workers cannot change the result


@dataclass(frozen=True)
class PermutationTest:
    """A p-value with everything needed to defend it. Counts are whole numbers of partitions.

    Where the count is only bounded ("certified"), `p_value` is the upper end `p_high`, and `p_strict` an upper end
    too, as it may be where p is 1. Where partitions were drawn ("sampled") both are Monte Carlo's add-one estimates,
    with a 99 % Clopper-Pearson interval for the former.
    """

    p_value: float
    p_strict: float
    p_floor: float
    p_method: CountMethod
    p_low: float
    p_high: float
    log10_p: float
    partitions: int
    alternative: Alternative
    extreme: int | None = None
    extreme_low: int | None = None
    extreme_high: int | None = None

    def details(self) -> dict[str, Any]:
        """Return all that is behind the p-value, for a row: counts, which may have hundreds of digits, as texts."""
        details = {name: value for name, value in asdict(self).items() if name != "p_value"}
        texts = {name: None if details[name] is None else str(details[name]) for name in _COUNTS}
        return details | texts | {"log10_partitions": math.log10(self.partitions)}


def permutation_test(
    x: npt.ArrayLike,
    y: npt.ArrayLike,
    *,
    alternative: Alternative = "greater",
    width: float | None = None,
) -> PermutationTest:
    """Test whether scores x exceed scores y more than a random partition of both would.

    Never samples: counts exactly where the lists fit and bounds the count where they do not, to within `width` of
    it (1 % or less by default).
    """
    pool, n, lost = pool_scores(x, y)
    partitions = math.comb(len(pool), n)
    if not countable(len(pool), n):
        raise SettingError(
            f"{n:,} and {len(pool) - n:,} scores have more than 1e300 partitions, which is too many to count",
            hint="use fewer scores, or ask for a sampled p-value",
        )
    reached, passed = extreme_regions(pool, n, alternative, lost)
    efforts = _EFFORTS if width is None else ((width, _EFFORTS[-1][1]),)
    above = _count_sums(pool, n, (reached.at_least, passed.at_least), efforts)
    below = _count_sums(-pool, n, (-reached.at_most, -passed.at_most), efforts)
    (low, high), (surely_beyond, beyond) = (
        (min(partitions, upper[0] + lower[0]), min(partitions, upper[1] + lower[1]))
        for upper, lower in zip(above, below, strict=True)
    )
    if lost:
        ties = _sure_ties(pool, n, lost, alternative)
        if high - surely_beyond != ties and partitions <= _FEW:
            beyond, high = _compare_each(pool, n, lost, alternative)
            low = high
        else:
            low, beyond = min(high, surely_beyond + ties), high - ties
    if reached.everything:
        low = high = partitions
    exact = low == high
    return PermutationTest(
        p_value=high / partitions,
        p_strict=beyond / partitions,
        p_floor=smallest_p(len(pool), n, alternative),
        p_method="exact" if exact else "certified",
        p_low=low / partitions,
        p_high=high / partitions,
        log10_p=math.log10(high) - math.log10(partitions),
        partitions=partitions,
        extreme=high if exact else None,
        extreme_low=None if exact else low,
        extreme_high=None if exact else high,
        alternative=alternative,
    )


def countable(size: int, n: int) -> bool:
    """Tell whether partitions of so many scores can be counted, or only sampled."""
    return math.comb(size, n) <= MOST_PARTITIONS


def pool_scores(x: npt.ArrayLike, y: npt.ArrayLike) -> tuple[Ints, int, list[Fraction]]:
    """Put two sets of scores into one fixed-point pool, x first; give it, the size of x, and what was rounded off."""
    x_scores, y_scores = (np.asarray(side, dtype=np.float64) for side in (x, y))
    for name, side in (("x", x_scores), ("y", y_scores)):
        if side.ndim != 1 or not len(side):
            raise SettingError(option=name, got=side, expected="a non-empty list of scores")
        if not np.all(np.isfinite(side)):
            raise SettingError(option=name, got=side, expected="finite", hint="check the vectors of its words")
    scores = np.concatenate([x_scores, y_scores])
    return to_fixed_point(scores), len(x_scores), rounded_off(scores)


@lru_cache(maxsize=4)
def all_subsets(size: int, n: int) -> Ints:
    """Return every subset of n numbers below `size`, one per row, the first n first; for few enough of them."""
    subsets = np.array(list(combinations(range(size), n)))
    subsets.setflags(write=False)
    return subsets


def smallest_p(size: int, n: int, alternative: Alternative) -> float:
    """Return the smallest p-value any scores could give: one partition of all, and its mirror image.

    Two-sided with equal sets, exchanging them gives a second partition with the same |difference|.
    """
    mirrored = alternative == "two-sided" and 2 * n == size
    return (2 if mirrored else 1) / math.comb(size, n)


@dataclass(frozen=True)
class Region:
    """Sums of a subset that count: at least the one, or at most the other; or every sum there is."""

    at_least: int
    at_most: int
    everything: bool = False


def extreme_regions(
    pool: Ints, n: int, alternative: Alternative, lost: Sequence[Fraction] = ()
) -> tuple[Region, Region]:
    """Give the sums that may be at least as extreme as the first n scores', and those surely more extreme.

    Where no score was rounded, nothing lies between the two but ties.
    """
    check_choice("alternative", alternative, get_args(Alternative))
    ordered, errors = np.sort(pool).tolist(), sorted(lost)
    size, total, all_lost = len(pool), sum(ordered), sum(lost)
    # Without rounding: the observed sum, and what any subset of n adds to its rounded sum.
    whole_sum = sum(pool[:n].tolist())
    observed = whole_sum + sum(lost[:n])
    least, most = sum(errors[:n]), sum(errors[size - n :])
    lowest, highest = sum(ordered[:n]), sum(ordered[size - n :])
    if alternative == "greater":
        return (
            Region(math.ceil(observed - most), lowest - 1),
            Region(math.floor(observed - least) + 1, lowest - 1),
        )
    if alternative == "less":
        return (
            Region(highest + 1, math.floor(observed - least)),
            Region(highest + 1, math.ceil(observed - most) - 1),
        )
    # The difference of means of a subset of sum t is (size t - n total) / (n (size - n)): its sign and size decide.
    centre = Fraction(n * (total + all_lost), size)
    distance = abs(observed - centre)
    beyond = Region(math.floor(centre + distance - least) + 1, math.ceil(centre - distance - most) - 1)
    if distance == 0:  # every sum counts, and none twice
        return Region(whole_sum, whole_sum - 1, everything=True), beyond
    return Region(math.ceil(centre + distance - most), math.floor(centre - distance - least)), beyond


def sampled_test(
    x: npt.ArrayLike,
    y: npt.ArrayLike,
    *,
    alternative: Alternative = "greater",
    draws: int = 100_000,
    seed: int = 0,
    progress: Progress | None = None,
) -> PermutationTest:
    """Estimate the p-value from random partitions, each drawn without repeats inside it.

    `p_value` is (extreme + 1) / (draws + 1), which is valid; `p_low` and `p_high` are a 99 % Clopper-Pearson interval
    for the exact one. None is below what so many scores can give; `p_floor` is the larger of that and what so many
    draws can.
    """
    check_whole("draws", draws, most=MOST_DRAWS)
    pool, n, lost = pool_scores(x, y)
    # Sums that may reach the observed one count, so that rounding cannot make p too small.
    reached_region, passed_region = extreme_regions(pool, n, alternative, lost)
    reached = passed = 0
    for chunk, chunk_seed in enumerate(np.random.SeedSequence(seed).spawn(-(-draws // _CHUNK))):
        rng = np.random.default_rng(chunk_seed)
        rows = min(_CHUNK, draws - chunk * _CHUNK)
        sums = rng.permuted(np.tile(pool, (rows, 1)), axis=1)[:, :n].sum(axis=1)
        reached += _count_inside(sums, reached_region)
        passed += _count_inside(sums, passed_region)
        if progress is not None:
            progress(chunk * _CHUNK + rows, draws)
    # The partition that was observed is one of all: fewer than it no draw can show.
    smallest = smallest_p(len(pool), n, alternative)
    low, high = (max(end, smallest) for end in binomial_interval(reached, draws, CONFIDENCE))
    p_value = max((reached + 1) / (draws + 1), smallest)
    return PermutationTest(
        p_value=p_value,
        p_strict=(passed + 1) / (draws + 1),
        p_floor=max(1 / (draws + 1), smallest),
        p_method="sampled",
        p_low=low,
        p_high=high,
        log10_p=math.log10(p_value),
        partitions=math.comb(len(pool), n),
        alternative=alternative,
    )


def binomial_interval(successes: int, trials: int, confidence: float) -> tuple[float, float]:
    """Return the interval of Clopper and Pearson for a share."""
    from scipy.special import betaincinv  # scipy.stats takes several times longer to import

    tail = (1 - confidence) / 2
    low = betaincinv(successes, trials - successes + 1, tail) if successes else 0.0
    high = betaincinv(successes + 1, trials - successes, 1 - tail) if successes < trials else 1.0
    return float(low), float(high)


def _sure_ties(pool: Ints, n: int, lost: Sequence[Fraction], alternative: Alternative) -> int:
    """Count the partitions that tie with the observed one because they hold equal scores, or are its mirror image."""
    scores = list(zip(pool.tolist(), lost, strict=True))
    everywhere, inside = Counter(scores), Counter(scores[:n])
    equals = math.prod(math.comb(everywhere[score], inside[score]) for score in inside)
    mirrored = alternative == "two-sided" and 2 * n == len(pool) and inside + inside != everywhere
    return 2 * equals if mirrored else equals


def _compare_each(pool: Ints, n: int, lost: Sequence[Fraction], alternative: Alternative) -> tuple[int, int]:
    """Count the partitions beyond the observed one, and those that reach it, from scores that were not rounded."""
    exact = [whole + rest for whole, rest in zip(pool.tolist(), lost, strict=True)]
    finest = max(score.denominator for score in exact)  # a power of two, as all are
    scores = np.array([int(score * finest) for score in exact], dtype=object)
    sums = scores[all_subsets(len(pool), n)].sum(axis=1)  # the observed one is the first
    if alternative == "less":
        sums = -sums
    elif alternative == "two-sided":
        sums = abs(len(pool) * sums - n * sum(scores))
    return int(np.sum(sums > sums[0])), int(np.sum(sums >= sums[0]))


def _count_sums(pool: Ints, n: int, thresholds: tuple[int, int], efforts: Efforts) -> list[tuple[int, int]]:
    """Bound the subsets of size n with sum >= each threshold (ascending), by way of the smaller tail."""
    pool, thresholds = _smallest_steps(pool, n, thresholds)
    partitions = math.comb(len(pool), n)
    upper = Deficits.of(pool, n)
    if thresholds[0] > upper.top:
        return [(0, 0), (0, 0)]
    lower = Deficits.of(-pool, n)

    def count_upper() -> list[tuple[int, int]]:
        tail = _tail(upper, thresholds[0], efforts)
        return [_clipped(tail, threshold, partitions) for threshold in thresholds]

    def count_lower() -> list[tuple[int, int]]:
        # sum >= t and sum <= t - 1 share out all partitions.
        tail = _tail(lower, 1 - thresholds[1], efforts)
        counts = (_clipped(tail, 1 - threshold, partitions) for threshold in thresholds)
        return [(partitions - high, partitions - low) for low, high in counts]

    # The tail nearer its end is usually the smaller; where it is not, as with a few outliers, the interval would
    # be wide as a share of the p-value, and the other tail is counted too.
    near, far = (count_upper, count_lower), (count_lower, count_upper)
    first, second = near if upper.top - thresholds[0] <= lower.top + thresholds[1] else far
    counts = first()
    if _is_wide(counts[0], partitions, efforts[-1][0]):
        other = second()
        counts = [_intersection(left, right) for left, right in zip(counts, other, strict=True)]
    return counts


def _smallest_steps(pool: Ints, n: int, thresholds: tuple[int, int]) -> tuple[Ints, tuple[int, int]]:
    """Measure scores from the smallest in steps of their greatest common divisor: few values, few bins."""
    least = int(pool.min())
    step = int(np.gcd.reduce(pool - least)) or 1
    first, second = (-(-(threshold - n * least) // step) for threshold in thresholds)
    return (pool - least) // step, (first, second)


def _clipped(tail: Tail, threshold: int, partitions: int) -> tuple[int, int]:
    return max(0, tail.least(threshold)), min(partitions, tail.most(threshold))


def _intersection(one: tuple[int, int], two: tuple[int, int]) -> tuple[int, int]:
    return max(one[0], two[0]), min(one[1], two[1])


def _is_wide(bounds: tuple[int, int], partitions: int, width: float) -> bool:
    """Tell whether an interval is wider than wanted as a share of the smaller tail's count."""
    low, high = bounds
    return high - low > width * min(high, partitions - low)


def _tail(deficits: Deficits, threshold: int, efforts: Efforts) -> Tail:
    """Choose how to count: lists where they fit, else bins fine enough for an interval of 1 %."""
    swaps = deficits.swaps(deficits.top - threshold)
    sides = (len(deficits.removing), len(deficits.adding))
    removing, adding = (sum(math.comb(side, k) for k in range(swaps + 1)) for side in sides)
    if max(removing, adding) > SMALL:
        bounds = CertifiedTail.build(deficits, threshold, _FIRST_BINS)
        if bounds.width == 1:
            return bounds
        removing, adding = (
            min(most, listed) for most, listed in zip((removing, adding), bounds.entries(), strict=True)
        )
        if max(removing, adding) > _LISTED:
            return _refined(bounds, threshold, efforts)
    return ExactTail.build(deficits, threshold, (removing, adding))


def _refined(bounds: CertifiedTail, threshold: int, efforts: Efforts) -> CertifiedTail:
    """Use more bins until the interval is narrow enough for the effort it takes."""
    bins = _FIRST_BINS
    for target, cells in efforts:
        most_bins = cells // len(bounds.removing)
        low, high = bounds.least(threshold), bounds.most(threshold)
        while high - low > target * high and bins < most_bins:
            # The logarithm of high / low falls in proportion to the bins; a tenth more for luck.
            factor = 1.1 * math.log(high / max(low, 1)) / -math.log1p(-target)
            bins = min(most_bins, int(bins * max(2.0, factor)))
            bounds = bounds.build(bounds.deficits, threshold, bins)
            low, high = bounds.least(threshold), bounds.most(threshold)
    return bounds


def _count_inside(sums: Ints, region: Region) -> int:
    return int(np.sum((sums >= region.at_least) | (sums <= region.at_most)))
