"""The counts against brute force over all partitions, ties and unequal sizes included."""

import math
from fractions import Fraction
from itertools import combinations
from unittest.mock import patch

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from refusals import refuses
from scipy.stats import hypergeom

from imprint.errors import SettingError
from imprint.significance import partitions, tails
from imprint.significance.partitions import permutation_test, sampled_test, smallest_p
from imprint.significance.tails import CertifiedTail, Deficits, to_fixed_point

ALTERNATIVES = ("greater", "less", "two-sided")

# Coarse grids make ties; the fine one makes every sum distinct.
tied = st.integers(-4, 4).map(lambda whole: whole / 8)
fine = st.floats(-2, 2, allow_nan=False).map(lambda score: round(score, 12))


def pools(largest: int):
    scores = st.one_of(st.just(tied), st.just(fine), st.just(st.one_of(tied, fine)))
    return scores.flatmap(
        lambda score: st.tuples(
            st.lists(score, min_size=1, max_size=largest), st.lists(score, min_size=1, max_size=largest)
        )
    )


def count_by_brute_force(x, y, alternative):
    """Partitions at least as extreme, and strictly more extreme, in rational arithmetic."""
    exact = [Fraction(score) for score in (*x, *y)]
    finest = max(score.denominator for score in exact)
    pool = np.array([int(score * finest) for score in exact], dtype=object)
    sums = pool[np.array(list(combinations(range(len(pool)), len(x))))].sum(axis=1)
    if alternative == "less":
        sums = -sums
    if alternative == "two-sided":
        sums = abs(len(pool) * sums - len(x) * sum(pool))
    return int(np.sum(sums >= sums[0])), int(np.sum(sums > sums[0]))


@given(pools(7), st.sampled_from(ALTERNATIVES))
@settings(max_examples=300, deadline=None)
def test_counts_equal_brute_force(pool, alternative):
    x, y = pool
    result = permutation_test(x, y, alternative=alternative)
    with patch.object(tails, "_SHORT", 0):  # by compiled loops, as longer lists are
        assert permutation_test(x, y, alternative=alternative) == result
    reached, passed = count_by_brute_force(x, y, alternative)
    assert result.extreme == reached
    assert result.p_strict == passed / result.partitions
    assert result.p_value == result.p_low == result.p_high == reached / math.comb(len(x) + len(y), len(x))


@given(
    st.integers(8, 10).flatmap(lambda n: st.tuples(*[st.lists(st.one_of(tied, fine), min_size=n, max_size=10)] * 2))
)
@settings(max_examples=4, deadline=None)
def test_counts_equal_brute_force_up_to_ten_and_ten(pool):
    x, y = pool
    for alternative in ALTERNATIVES:
        assert permutation_test(x, y, alternative=alternative).extreme == count_by_brute_force(x, y, alternative)[0]


# Scores of any size, denormals included, and pools that mix them: most bits of the smaller ones do not fit 64 bits
# beside the larger. Few digits, so that ties and near ties are common.
exponents = st.integers(-1_074, 950)
wild = st.tuples(exponents, st.lists(st.integers(-60, 60), min_size=1, max_size=3)).flatmap(
    lambda around: st.tuples(
        *[
            st.lists(
                st.tuples(st.integers(-4, 4), st.sampled_from(around[1])).map(
                    lambda one: math.ldexp(one[0], around[0] + one[1])
                ),
                min_size=1,
                max_size=6,
            )
        ]
        * 2
    )
)


@given(wild, st.sampled_from(ALTERNATIVES))
@settings(max_examples=250, deadline=None)
def test_scores_of_any_scale_are_counted_or_bounded_as_rational_arithmetic_counts_them(pool, alternative):
    x, y = pool
    reached, passed = count_by_brute_force(x, y, alternative)
    result = permutation_test(x, y, alternative=alternative)
    assert (result.extreme, result.p_strict) == (reached, passed / result.partitions)
    with patch.object(partitions, "_FEW", 0):  # as larger pools are counted
        bounds = permutation_test(x, y, alternative=alternative)
    assert bounds.p_low <= reached / result.partitions <= bounds.p_high
    assert bounds.extreme in (None, reached)
    assert bounds.p_strict >= result.p_strict
    drawn = sampled_test(x, y, alternative=alternative, draws=400)
    assert drawn.p_value >= result.p_value - 5 * math.sqrt(result.p_value * (1 - result.p_value) / 400)


def test_the_smallest_scores_are_told_apart():
    x, y = [3e-305, 2e-305, 1e-305], [0.0, -1e-305, -2e-305]
    assert permutation_test(x, y).p_value == 1 / 20
    assert permutation_test([15e-324, 10e-324], [5e-324, 0.0]).p_value == 1 / 6


@pytest.mark.parametrize("alternative", ALTERNATIVES)
def test_a_large_pool_is_certified_where_rounding_leaves_open_what_ties(alternative):
    # The tiny scores decide between partitions with as many ones; beside the ones they are rounded to nothing.
    x, y = [1.0] * 7 + [1e-30] * 5, [1.0] * 5 + [-1e-30] * 7
    result = permutation_test(x, y, alternative=alternative)
    assert result.p_method == "certified"
    # By how many ones and how many tiny positive ones a subset of twelve holds.
    counts = {
        (ones, tiny): math.comb(12, ones) * math.comb(5, tiny) * math.comb(7, 12 - ones - tiny)
        for ones in range(13)
        for tiny in range(6)
        if 0 <= 12 - ones - tiny <= 7
    }
    value = {key: Fraction(key[0]) + Fraction(1e-30) * (2 * key[1] - (12 - key[0])) for key in counts}
    middle = (12 + Fraction(1e-30) * -2) / 2
    weight = {"greater": lambda v: v, "less": lambda v: -v, "two-sided": lambda v: abs(v - middle)}[alternative]
    truth = sum(count for key, count in counts.items() if weight(value[key]) >= weight(value[7, 5]))
    assert result.extreme_low <= truth <= result.extreme_high
    assert result.p_value == result.p_high


def count_by_halves(x, y):
    """Split the pool anywhere, list all subset sums of both halves, and search: another exact method."""
    pool = np.random.default_rng(0).permutation(to_fixed_point([*x, *y]))
    n, half = len(x), len(pool) // 2
    sums, sizes = [], []
    for part in (pool[:half], pool[half:]):
        total, size = np.zeros(1, dtype=np.int64), np.zeros(1, dtype=np.int64)
        for score in part:
            total, size = np.concatenate([total, total + score]), np.concatenate([size, size + 1])
        sums.append(total)
        sizes.append(size)
    observed = int(to_fixed_point([*x, *y])[:n].sum())
    count = 0
    for k in range(max(0, n - (len(pool) - half)), min(half, n) + 1):
        first, second = np.sort(sums[0][sizes[0] == k]), np.sort(sums[1][sizes[1] == n - k])
        count += int(np.sum(len(second) - np.searchsorted(second, observed - first)))
    return count


@pytest.mark.parametrize("sizes", [(16, 16), (20, 13), (9, 22)])
@pytest.mark.parametrize("shift", [-0.05, 0.0, 0.1])
def test_counts_beyond_brute_force_equal_another_exact_method(sizes, shift):
    rng = np.random.default_rng(11)
    x, y = (np.round(rng.normal(mean, 0.1, size) * 1_024) / 1_024 for mean, size in ((shift, sizes[0]), (0, sizes[1])))
    assert permutation_test(x, y).extreme == count_by_halves(x, y)


@given(pools(6), st.integers(2, 60))
@settings(max_examples=300, deadline=None)
def test_certified_bounds_hold_the_exact_counts_at_any_resolution(pool, bins):
    x, y = pool
    scores = to_fixed_point([*x, *y])
    observed = int(scores[: len(x)].sum())
    tail = CertifiedTail.build(Deficits.of(scores, len(x)), observed, bins)
    for threshold, exact in zip((observed, observed + 1), count_by_brute_force(x, y, "greater"), strict=True):
        low, high = tail.least(threshold), tail.most(threshold)
        assert low <= exact <= high


@pytest.mark.parametrize("shift", [0.0, 0.04, 0.08])
@pytest.mark.parametrize("alternative", ALTERNATIVES)
def test_certified_and_exact_agree_where_both_can_run(monkeypatch, shift, alternative):
    rng = np.random.default_rng(7)
    x, y = rng.normal(shift, 0.1, 22), rng.normal(0, 0.1, 20)
    exact = permutation_test(x, y, alternative=alternative)
    monkeypatch.setattr(partitions, "_LISTED", 0)
    bounds = permutation_test(x, y, alternative=alternative)
    assert exact.p_method == "exact"
    assert bounds.p_method == "certified"
    assert bounds.extreme is None
    assert bounds.extreme_low <= exact.extreme <= bounds.extreme_high
    assert bounds.p_value == bounds.p_high
    assert (bounds.p_high - bounds.p_low) / exact.p_value < 0.02


def test_a_large_pool_is_bounded_within_one_percent():
    rng = np.random.default_rng(0)
    result = permutation_test(rng.normal(0.03, 0.1, 80), rng.normal(0, 0.1, 90))
    assert result.p_method == "certified"
    assert 0 < result.p_low <= result.p_high <= 1.01 * result.p_low


@given(st.integers(5, 40), st.integers(20, 120), st.data())
@settings(max_examples=40, deadline=None)
def test_scores_of_two_values_have_hypergeometric_tails(n, m, data):
    # Ones and zeros: how many ones fall into x is hypergeometric, whatever the sizes and the skew.
    ones_x, ones_y = data.draw(st.integers(0, n)), data.draw(st.integers(0, m))
    x, y = [0.25] * ones_x + [0.0] * (n - ones_x), [0.25] * ones_y + [0.0] * (m - ones_y)
    result = permutation_test(x, y)
    tail = hypergeom(n + m, ones_x + ones_y, n)
    assert result.p_low * (1 - 1e-9) <= tail.sf(ones_x - 1) <= result.p_high * (1 + 1e-9)
    assert result.p_high - result.p_low <= 1e-9 * result.p_high
    assert result.p_strict == pytest.approx(tail.sf(ones_x), rel=1e-9, abs=1e-300)


@pytest.mark.parametrize(("n", "m", "outliers_x", "outliers_y"), [(20, 80, 9, 11), (40, 460, 18, 22), (80, 20, 70, 4)])
def test_a_few_outliers_do_not_widen_the_interval(n, m, outliers_x, outliers_y):
    rng = np.random.default_rng(3)
    x, y = (
        np.concatenate([rng.normal(1, 0.01, far), rng.normal(0, 0.01, size - far)])
        for size, far in ((n, outliers_x), (m, outliers_y))
    )
    result = permutation_test(x, y)
    assert 0 < result.p_low <= result.p_high <= 1
    assert result.p_high <= 1.011 * result.p_low


@pytest.mark.parametrize("alternative", ALTERNATIVES)
@pytest.mark.parametrize("size", [8, 25, 60])
def test_equal_scores_have_p_one_whatever_the_method(size, alternative):
    result = permutation_test([0.1] * size, [0.1] * (size + 1), alternative=alternative)
    assert (result.p_value, result.p_strict, result.log10_p) == (1, 0, 0)


@pytest.mark.parametrize("size", [8, 20, pytest.param(25, marks=pytest.mark.slow), 60])
def test_a_set_beside_itself_has_p_one(size):
    x = np.random.default_rng(0).normal(size=size)
    assert permutation_test(x, x, alternative="two-sided").p_value == 1


@pytest.mark.parametrize(("x", "y", "extreme"), [([0.1, 0.1], [0.2, 0.0], 4), ([0.1] * 3, [0.2, 0.0, 0.05], 10)])
def test_sums_that_are_equal_as_floats_tie(x, y, extreme):
    exact = [sum(map(Fraction, subset)) >= sum(map(Fraction, x)) for subset in combinations([*x, *y], len(x))]
    assert permutation_test(x, y).extreme == sum(exact) == extreme


@pytest.mark.parametrize("scale", [1e-200, 1e-15, 1.0, 1e12, 1e300])
def test_the_unit_of_the_scores_does_not_matter(scale):
    x, y = np.array([0.31, 0.25, 0.28, 0.19]), np.array([0.05, 0.12, 0.20, 0.02])
    assert permutation_test(scale * x, scale * y).extreme == 2


def test_small_p_values_are_exact_far_beyond_what_sampling_can_see():
    x, y = np.linspace(0.5, 0.6, 32), np.linspace(0.0, 0.4, 32)
    result = permutation_test(x, y)
    assert (result.extreme, result.partitions) == (1, math.comb(64, 32))
    assert result.p_strict == 0
    assert result.log10_p == pytest.approx(-math.log10(math.comb(64, 32)))


@given(pools(6))
@settings(max_examples=100, deadline=None)
def test_swapping_the_sets_exchanges_greater_and_less(pool):
    x, y = pool
    assert permutation_test(x, y).extreme == permutation_test(y, x, alternative="less").extreme
    assert (
        permutation_test(x, y, alternative="two-sided").extreme
        == permutation_test(y, x, alternative="two-sided").extreme
    )


@given(pools(6), st.randoms())
@settings(max_examples=100, deadline=None)
def test_the_order_of_scores_does_not_matter(pool, random):
    x, y = pool
    shuffled = random.sample(x, len(x)), random.sample(y, len(y))
    assert permutation_test(x, y).extreme == permutation_test(*shuffled).extreme


@given(pools(6))
@settings(max_examples=100, deadline=None)
def test_greater_and_less_share_out_all_partitions_with_the_ties_in_both(pool):
    x, y = pool
    greater, less = permutation_test(x, y), permutation_test(x, y, alternative="less")
    ties = greater.extreme - round(greater.p_strict * greater.partitions)
    assert greater.extreme + less.extreme == greater.partitions + ties


@given(pools(6), st.sampled_from(ALTERNATIVES))
@settings(max_examples=100, deadline=None)
def test_p_never_falls_below_its_floor(pool, alternative):
    result = permutation_test(*pool, alternative=alternative)
    assert result.p_floor <= result.p_value <= 1


def test_the_floor_is_reached_by_separated_sets_and_doubles_for_two_sided_equal_ones():
    x, y = [0.5, 0.6, 0.7, 0.8], [0.1, 0.2, 0.3, 0.4]
    assert permutation_test(x, y).p_value == permutation_test(x, y).p_floor == 1 / 70
    assert permutation_test(x, y, alternative="two-sided").p_value == smallest_p(8, 4, "two-sided") == 2 / 70
    assert permutation_test(x, y[:3], alternative="two-sided").p_floor == 1 / 35


def test_scores_beyond_the_range_of_cosines_keep_their_ties():
    assert (
        permutation_test([3e6, 1e6], [2e6, 2e6]).extreme == count_by_brute_force([3e6, 1e6], [2e6, 2e6], "greater")[0]
    )


@given(pools(6), st.sampled_from(ALTERNATIVES), st.integers(0, 2**32))
@settings(max_examples=40, deadline=None)
def test_sampled_p_lies_in_its_interval_around_the_exact_one(pool, alternative, seed):
    exact = permutation_test(*pool, alternative=alternative)
    sampled = sampled_test(*pool, alternative=alternative, draws=2_000, seed=seed)
    # Five standard errors: over all the examples a miss is a matter of one in ten thousand.
    error = 5 * math.sqrt(exact.p_value * (1 - exact.p_value) / 2_000) + 1 / 2_001
    assert abs(sampled.p_value - exact.p_value) <= error
    assert sampled.extreme is None
    assert sampled.p_low <= sampled.p_value <= sampled.p_high + 1 / 2_000


@given(pools(3), st.sampled_from(ALTERNATIVES), st.sampled_from([15, 10_000]))
@settings(max_examples=40, deadline=None)
def test_sampling_promises_no_p_that_neither_words_nor_draws_can_give(pool, alternative, draws):
    exact = permutation_test(*pool, alternative=alternative)
    sampled = sampled_test(*pool, alternative=alternative, draws=draws)
    assert sampled.p_floor == max(exact.p_floor, 1 / (draws + 1))
    assert sampled.p_value >= sampled.p_floor
    assert exact.p_floor <= sampled.p_low <= sampled.p_high


def test_sampling_depends_on_the_seed_alone():
    rng = np.random.default_rng(1)
    x, y = rng.normal(0.05, 0.1, 12), rng.normal(0, 0.1, 12)
    first, again, other = (sampled_test(x, y, draws=10_000, seed=seed) for seed in (3, 3, 4))
    assert first == again
    assert first.p_value != other.p_value


def test_more_partitions_than_can_be_counted_are_refused_and_sampled():
    rng = np.random.default_rng(2)
    x, y = rng.normal(0.1, 0.1, 600), rng.normal(0, 0.1, 600)
    with refuses(SettingError, "600"):
        permutation_test(x, y)
    assert sampled_test(x, y, draws=1_000).p_value == 1 / 1_001


@pytest.mark.parametrize(
    ("x", "y", "option"),
    [
        ([], [1.0], "x"),
        ([1.0], [[1.0]], "y"),
        ([math.nan], [1.0], "x"),
        ([1.0], [math.inf], "y"),
    ],
)
def test_unusable_scores_are_refused(x, y, option):
    with refuses(SettingError, option=option):
        permutation_test(x, y)


def test_an_unknown_alternative_is_refused():
    with refuses(SettingError, option="alternative", got="bigger"):
        permutation_test([1.0], [0.0], alternative="bigger")
    with refuses(SettingError, option="draws", got=0):
        sampled_test([1.0], [0.0], draws=0)
