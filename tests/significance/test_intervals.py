"""The interval against its definition: quantiles of the mean differences of all swaps."""

import math
from fractions import Fraction
from itertools import combinations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from refusals import refuses

from imprint.errors import SettingError
from imprint.significance.partitions import count_partitions, most_reaching, permutation_test
from imprint.significance.shifts import shift_interval
from imprint.significance.tails import Swaps

scores = st.lists(st.floats(-1, 1).map(lambda score: round(score, 6)), min_size=4, max_size=6)


def lower_end_by_brute_force(x, y, alpha):
    swaps = [-math.inf]
    for k in range(1, min(len(x), len(y)) + 1):
        swaps += [np.mean(out) - np.mean(new) for out in combinations(x, k) for new in combinations(y, k)]
    return sorted(swaps)[math.floor(alpha * len(swaps))]


@given(scores, scores)
@settings(max_examples=60, deadline=None)
def test_the_interval_is_made_of_quantiles_of_swap_differences(x, y):
    interval = shift_interval(x, y)
    assert interval.low == pytest.approx(lower_end_by_brute_force(x, y, 0.025), abs=1e-12)
    mirrored = lower_end_by_brute_force([-s for s in x], [-s for s in y], 0.025)
    assert interval.high == pytest.approx(-mirrored, abs=1e-12)


@given(scores, scores)
@settings(max_examples=60, deadline=None)
def test_zero_lies_outside_exactly_when_a_one_sided_test_rejects(x, y):
    interval = shift_interval(x, y)
    assert (interval.low > 0) == (permutation_test(x, y).p_value <= 0.025)
    assert (interval.high < 0) == (permutation_test(x, y, alternative="less").p_value <= 0.025)


def test_shifting_x_moves_the_interval_along():
    rng = np.random.default_rng(5)
    x, y = rng.normal(0, 0.1, 30), rng.normal(0, 0.1, 34)
    here, there = shift_interval(x, y), shift_interval(x + 0.25, y)
    assert (there.low, there.high) == pytest.approx((here.low + 0.25, here.high + 0.25), abs=2e-4)
    assert here.low < x.mean() - y.mean() < here.high


def test_an_interval_from_bounds_holds_the_exact_one():
    rng = np.random.default_rng(6)
    x, y = rng.normal(0.1, 0.1, 20), rng.normal(0, 0.1, 20)
    wide = shift_interval(x, y)
    for end, alternative in ((wide.low, "greater"), (wide.high, "less")):
        inside = end + (1e-3 if alternative == "greater" else -1e-3)
        assert permutation_test(x - end, y, alternative=alternative).p_value <= 0.026
        assert permutation_test(x - inside, y, alternative=alternative).p_value > 0.025


def test_a_p_value_that_just_rejects_bounds_the_interval():
    # 1 of 20 partitions is exactly the twentieth that 90 % leaves on either side.
    interval = shift_interval([3.0, 4.0, 5.0], [0.0, 1.0, 2.0], confidence=0.9)
    assert (interval.low, interval.high) == (1.0, 5.0)


@given(scores, scores, st.sampled_from([0.5, 0.8, 0.9, 0.99]))
@settings(max_examples=40, deadline=None)
def test_any_confidence_agrees_with_brute_force(x, y, confidence):
    alpha = (1 - Fraction(str(confidence))) / 2
    low = lower_end_by_brute_force(x, y, alpha)
    assert shift_interval(x, y, confidence=confidence).low == pytest.approx(low, abs=1e-12)


def test_few_partitions_bound_nothing():
    assert shift_interval([1.0, 2.0, 3.0], [0.0, 0.5, 0.7]) == shift_interval([1.0, 2.0, 3.0], [9.0, 9.5, 9.7])
    assert math.isinf(shift_interval([1.0, 2.0, 3.0], [0.0, 0.5, 0.7]).high)


def test_a_confidence_out_of_range_is_refused():
    with refuses(SettingError, option="confidence", got=95):
        shift_interval([1.0], [2.0], confidence=95)


@pytest.mark.parametrize(("n", "m"), [(1, 9), (4, 4), (3, 7), (8, 6)])
def test_swaps_counted_at_once_are_those_counted_shift_by_shift(n, m):
    pool = np.random.default_rng([n, m]).integers(-50, 50, n + m)
    swaps = Swaps.of(pool, n)
    for shift in (-120, -3, 0, 1, 7, 120):
        shifted = np.concatenate([pool[:n] - shift, pool[n:]])
        assert swaps(shift) == most_reaching(shifted, n, 100) == count_partitions(shifted, n).extreme


def test_more_swaps_than_fit_are_not_listed():
    assert Swaps.of(np.arange(40), 20) is None
