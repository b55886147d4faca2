"""Spearman's correlation, its exact p-value counted by brute force."""

import math
from itertools import permutations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy.stats import pearsonr, rankdata, spearmanr

from imprint.checks import SMALLEST_P
from imprint.significance.ranks import EXACT_ORDERS, midranks, pearson, spearman


def varied(values):
    return len(set(values)) > 1


@given(
    st.integers(3, 5).flatmap(
        lambda count: st.tuples(
            *(st.lists(st.integers(0, 3), min_size=count, max_size=count).filter(varied) for _ in "xy")
        )
    )
)
@settings(max_examples=30, deadline=None)
def test_the_p_value_counts_orders_at_least_as_far_from_zero_with_ties_too(sides):
    x, y = (np.array(side, dtype=np.float64) for side in sides)
    r, p = spearman(x, y)
    every = [abs(spearmanr(x, order).statistic) for order in permutations(y)]
    assert r == pytest.approx(spearmanr(x, y).statistic)
    assert p == pytest.approx(np.mean(np.array(every) >= abs(r) - 1e-9))


def test_under_ties_it_is_not_twice_the_smaller_tail():
    x, y = np.array([0.0, 0.0, 0.0, 1.0]), np.array([1.0, 2.0, 3.0, 3.0])
    # Only what the last number of x meets matters: 1 and either 3 are as far from the middle as observed, 2 is not.
    assert spearman(x, y)[1] == pytest.approx(3 / 4)


def test_turning_a_side_round_or_swapping_sides_keeps_the_p_value():
    rng = np.random.default_rng(3)
    x, y = rng.integers(0, 4, size=(2, 7)).astype(np.float64)
    r, p = spearman(x, y)
    assert spearman(-x, y) == pytest.approx((-r, p))
    assert spearman(y, x) == pytest.approx((r, p))


@pytest.mark.parametrize("count", [4, 9, EXACT_ORDERS, EXACT_ORDERS + 1, 60])
def test_no_p_is_below_two_orders_of_all(count):
    x = np.arange(count, dtype=np.float64)
    for y in (x, -x, np.roll(x, 1)):
        assert spearman(x, y)[1] >= 2 / math.factorial(count) * (1 - 1e-9)
    assert spearman(x, x)[1] == pytest.approx(2 / math.factorial(count))


def test_counting_by_sets_is_counting_orders():
    rng = np.random.default_rng(5)
    x, y = rng.integers(0, 6, size=(2, 8)).astype(np.float64)
    ranks = [rankdata(side) for side in (x, y)]
    centred = [side - side.mean() for side in ranks]
    sums = np.array(list(permutations(centred[1]))) @ centred[0]
    expected = np.mean(np.abs(sums) >= abs(centred[0] @ centred[1]) - 1e-9)
    assert spearman(x, y)[1] == pytest.approx(expected, abs=1e-12)


@pytest.mark.parametrize("n", [4, 6, 20, 200, 3_000])
@pytest.mark.parametrize("noise", [0.0, 1e-12, 1e-3])
def test_a_p_value_by_students_t_is_never_zero_nor_too_small(n, noise):
    x = np.arange(n, dtype=np.float64)
    y = 3 * x + noise * np.random.default_rng(0).normal(size=n)
    for correlation in (pearson, spearman):
        r, p = correlation(x, y)
        assert r == pytest.approx(1)
        assert SMALLEST_P <= p < 0.1
    assert pearson(x, y)[1] >= pearsonr(x, y).pvalue * (1 - 1e-5)  # r is rounded, and next to 1 so is p


def test_usual_p_values_are_those_of_scipy():
    x, y = np.random.default_rng(1).normal(size=(2, 30))
    assert pearson(x, y) == pytest.approx((pearsonr(x, y).statistic, pearsonr(x, y).pvalue), rel=1e-12)
    assert spearman(x, y) == pytest.approx((spearmanr(x, y).statistic, spearmanr(x, y).pvalue), rel=1e-12)


@pytest.mark.parametrize("scale", [1e-170, 1e-20, 1e153])
def test_a_correlation_does_not_depend_on_the_scale(scale):
    x, y = np.random.default_rng(1).normal(size=(2, 30))
    assert pearson(x, y * scale) == pytest.approx(pearson(x, y), rel=1e-9)


def test_equal_infinities_share_their_rank():
    table = np.array([[np.inf, 1.0, np.inf, -np.inf]])
    assert midranks(table).tolist() == [rankdata(table[0]).tolist()]
