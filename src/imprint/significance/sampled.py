"""The permutation p-value from random partitions: only on request, for pools too large to count."""

import math

import numpy as np
import numpy.typing as npt

from imprint.checks import check_whole
from imprint.choices import Alternative
from imprint.significance.partitions import PermutationTest, Region, extreme_regions, pool_scores, smallest_p
from imprint.types import Ints, Progress

CONFIDENCE = 0.99
MOST_DRAWS = 10**9  # hours of work; more is a slip of the finger

_CHUNK = 4_096  # partitions drawn from one seed: the unit of work, so workers cannot change the result


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
        extreme=None,
        extreme_low=None,
        extreme_high=None,
        alternative=alternative,
    )


def _count_inside(sums: Ints, region: Region) -> int:
    return int(np.sum((sums >= region.at_least) | (sums <= region.at_most)))


def binomial_interval(successes: int, trials: int, confidence: float) -> tuple[float, float]:
    """Return the interval of Clopper and Pearson for a share."""
    from scipy.special import betaincinv  # scipy.stats takes several times longer to import

    tail = (1 - confidence) / 2
    low = betaincinv(successes, trials - successes + 1, tail) if successes else 0.0
    high = betaincinv(successes + 1, trials - successes, 1 - tail) if successes < trials else 1.0
    return float(low), float(high)
