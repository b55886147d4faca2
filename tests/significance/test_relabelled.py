"""Values over other labels and over words, against lists of all labels and formulas of variance."""

from itertools import combinations, product

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy.stats import binomtest, rankdata

from imprint.significance.crossed import Factor, crossed_interval
from imprint.significance.partitions import binomial_interval
from imprint.significance.ranks import midranks
from imprint.significance.relabelled import (
    MOST_PAIRS_OF_HALF,
    Chosen,
    exchange_test,
    exchanges,
    jackknife,
    place_among,
    relabellings,
)

SEED = np.random.SeedSequence(0)


@settings(deadline=None)
@given(st.lists(st.integers(-9, 9), min_size=1, max_size=9))
def test_signs_of_pairs_are_all_counted(scores):
    found = exchange_test(np.array(scores, dtype=float))
    sums = [
        abs(sum(s * sign for s, sign in zip(scores, signs, strict=True)))
        for signs in product((1, -1), repeat=len(scores))
    ]
    assert found.p_value == np.mean([one >= abs(sum(scores)) for one in sums])
    assert found.p_floor == np.mean([one >= max(sums) for one in sums])
    assert found.tried == 2 ** len(scores)


def test_many_pairs_are_left_to_draws():
    assert exchange_test(np.ones(2 * MOST_PAIRS_OF_HALF + 1)) is None
    assert exchange_test(np.ones(2 * MOST_PAIRS_OF_HALF)).p_value == 2.0 ** (1 - 2 * MOST_PAIRS_OF_HALF)


@given(st.lists(st.lists(st.integers(0, 4), min_size=6, max_size=6), min_size=1, max_size=4))
def test_equal_numbers_share_their_ranks(table):
    assert np.array_equal(midranks(np.array(table, dtype=float)), rankdata(table, axis=1))


def test_few_labels_are_all_tried_with_the_observed_ones_first():
    labels, exact = relabellings(np.array([0, 0, 1, 1, 1]), SEED)
    assert exact
    assert {tuple(np.flatnonzero(row == 0)) for row in labels} == set(combinations(range(5), 2))
    assert labels[0].tolist() == [0, 0, 1, 1, 1]
    turned, exact = exchanges(3, SEED)
    assert exact
    assert len({tuple(row) for row in turned}) == 8
    assert not turned[0].any()


def test_many_labels_are_drawn_with_the_observed_ones_first():
    numbers = np.repeat([0, 1], [12, 18])
    for drawn, exact in (relabellings(numbers, SEED), exchanges(40, SEED)):
        assert not exact
        assert len(drawn) == 10_000
    labels, _ = relabellings(numbers, SEED)
    assert labels[0].tolist() == numbers.tolist()
    assert set((labels == 0).sum(axis=1)) == {12}


@pytest.mark.parametrize(
    ("tail", "centre", "p", "floor"),
    [
        ("low", None, 2 / 5, 1 / 5),
        ("high", None, 4 / 5, 1 / 5),
        ("both", None, 3 / 5, 1 / 5),
        ("both", 0.0, 4 / 5, 1 / 5),
    ],
)
def test_a_value_is_placed_by_its_tail(tail, centre, p, floor):
    found = place_among(np.array([2.0, 1.0, 3.0, 4.0, 10.0]), exact=True, tail=tail, centre=centre)
    assert (found.p_value, found.p_floor) == (p, floor)
    assert found.expected == (4.0 if centre is None or tail != "both" else centre)


def test_a_value_that_does_not_exist_counts_as_reached():
    found = place_among(np.array([5.0, np.nan, 1.0, 1.0]), exact=True, tail="high")
    assert found.p_value == 2 / 4


def test_drawn_p_values_have_bounds():
    found = place_among(np.arange(1_000.0)[::-1], exact=False, tail="high")
    assert found.p_value == found.p_floor == 1 / 1_000
    assert found.p_low == 0
    assert 0.001 < found.p_high < 0.01


@pytest.mark.parametrize(("successes", "trials"), [(0, 999), (5, 999), (999, 999), (300, 9_999)])
def test_bounds_of_a_share_are_those_of_clopper_and_pearson(successes, trials):
    expected = binomtest(successes, trials).proportion_ci(0.99, method="exact")
    assert binomial_interval(successes, trials, 0.99) == pytest.approx((expected.low, expected.high), abs=1e-12)


def test_the_variance_of_a_difference_of_means_is_the_one_of_the_formula():
    rng = np.random.default_rng(2)
    scores = rng.normal(size=11)
    observed = Chosen.of((5, 6), (0, 0))

    def difference(chosen):
        return (chosen.x * scores).sum(axis=1) / chosen.x.sum(axis=1) - (chosen.y * scores).sum(axis=1) / chosen.y.sum(
            axis=1
        )

    found = jackknife(difference, observed, (range(11), ()))
    x, y = scores[:5].var(ddof=1) / 5, scores[5:].var(ddof=1) / 6
    assert found.error**2 == pytest.approx(x + y)
    assert found.df == pytest.approx((x + y) ** 2 / (x**2 / 4 + y**2 / 5))


def test_the_interval_of_a_difference_of_mean_cosines_is_that_of_crossed_words():
    cosines = np.random.default_rng(6).normal(size=(11, 9)) + np.random.default_rng(7).normal(size=(11, 1))
    observed = Chosen.of((5, 6), (4, 5))

    def weat(chosen):
        x, y, a, b = (side / side.sum(axis=1, keepdims=True) for side in (chosen.x, chosen.y, chosen.a, chosen.b))
        return (((x - y) @ cosines) * (a - b)).sum(axis=1)

    units = ([0, 0, 2, 3, 4, 5, 6, 7, 8, 9, 10], range(9))
    low, high = jackknife(weat, observed, (range(11), range(9)), crossed=True).interval(0.95)
    factors = [Factor.of(*sizes, coefficients=(1.0, -1.0)) for sizes in ((5, 6), (4, 5))]
    expected = crossed_interval(cosines, factors, 0.95)
    assert (low, high) == pytest.approx((expected.low, expected.high))
    assert jackknife(weat, observed, units).error >= jackknife(weat, observed, units, crossed=True).error


def test_words_of_a_pair_are_left_out_together():
    rng = np.random.default_rng(3)
    x, y = rng.normal(size=(2, 6))
    observed = Chosen.of((6, 6), (0, 0))

    def mean_of_pairs(chosen):
        assert np.array_equal(chosen.x[:, :6], chosen.y[:, 6:])
        return (chosen.x[:, :6] * (x - y)).sum(axis=1) / chosen.x.sum(axis=1)

    found = jackknife(mean_of_pairs, observed, ([*range(6), *range(6)], ()), paired=True)
    assert found.error**2 == pytest.approx((x - y).var(ddof=1) / 6)
    assert found.df == pytest.approx(5)


def test_inflections_count_once_and_three_units_are_too_few():
    scores = np.array([1.0, 1.2, 3.0, 5.0, 4.0, 7.0])
    observed = Chosen.of((6, 0), (0, 0))

    def mean(chosen):
        return (chosen.x * scores).sum(axis=1) / chosen.x.sum(axis=1)

    left = [np.delete(scores, gone).mean() for gone in ([0, 1], [2], [3], [4], [5])]
    found = jackknife(mean, observed, ([0, 0, 2, 3, 4, 5], ()))
    assert found.error**2 == pytest.approx(4 / 5 * np.sum((left - np.mean(left)) ** 2))
    assert jackknife(mean, observed, ([0, 0, 2, 2, 4, 4], ())) is None
