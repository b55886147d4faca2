"""Scores of names in texts: intervals, exact sign flips, adjustment for frequency, pairs and places at the top."""

from itertools import product

import numpy as np
import pytest
import statsmodels.api as sm
from scipy import stats

from imprint.significance.crossed import Factor
from imprint.significance.swapped import (
    at_equal_frequency,
    in_the_top,
    over_names,
    over_texts,
    pair_shares,
    sign_flips,
)


def crossed(rng, names, texts, *, difference=0.0):
    effects = rng.standard_normal((names, 1)), rng.standard_normal(texts), rng.standard_normal((names, texts))
    scores = sum(effects)
    # Texts differ in how much they let the group matter, which makes them random too.
    scores[: names // 2] += difference + rng.standard_normal(texts)
    return scores


def two_groups(size):
    return Factor.of(size, size, coefficients=(1.0, -1.0))


def test_the_interval_over_names_and_texts_covers_the_true_difference():
    rng = np.random.default_rng(0)
    inside = 0
    for _ in range(400):
        found = over_names(crossed(rng, 16, 8, difference=1.0), two_groups(8), 0.95)
        inside += found.low <= 1.0 <= found.high
    assert 0.92 <= inside / 400 <= 0.98


def test_with_three_texts_the_interval_over_names_is_welchs():
    rng = np.random.default_rng(1)
    scores = crossed(rng, 16, 8)
    names = over_names(scores[:, :3], two_groups(8), 0.95)
    welch = stats.ttest_ind(*np.split(scores[:, :3].mean(axis=1), 2), equal_var=False)
    assert names.df == pytest.approx(welch.df)
    assert (names.low, names.high) == pytest.approx(tuple(welch.confidence_interval(0.95)))


def test_three_names_in_a_group_have_no_interval():
    rng = np.random.default_rng(2)
    assert over_names(crossed(rng, 6, 8), two_groups(3), 0.95) is None
    assert over_names(crossed(rng, 6, 2), two_groups(3), 0.95) is None
    assert over_names(np.ones((8, 8)), two_groups(4), 0.95) is None


def test_the_interval_over_texts_is_students():
    differences = np.random.default_rng(3).standard_normal(9)
    found = over_texts(differences, 0.95)
    oracle = stats.ttest_1samp(differences, 0.0)
    assert (found.low, found.high) == pytest.approx(tuple(oracle.confidence_interval()))
    assert over_texts(differences[:3], 0.95) is None


@pytest.mark.parametrize("differences", [[0.5, -0.25, 1.0, 0.25], [1.0, 1.0, 1.0], [0.0, 0.0], [0.1, 0.2, 0.3, 0.6]])
def test_sign_flips_equal_brute_force(differences):
    signed = [
        sum(s * d for s, d in zip(signs, differences, strict=True))
        for signs in product((1, -1), repeat=len(differences))
    ]
    observed = abs(sum(differences))
    assert sign_flips(np.array(differences)) == np.mean([abs(one) >= observed - 1e-9 for one in signed])


def test_many_signs_are_bounded_from_above():
    differences = np.random.default_rng(4).standard_normal(40) + 0.3
    drawn = np.random.default_rng(5).choice([-1.0, 1.0], (100_000, 40)) @ differences
    share = np.mean(np.abs(drawn) >= abs(differences.sum()))
    assert share - 0.005 <= sign_flips(differences) <= 1.2 * share + 0.01


def test_the_difference_at_equal_frequency_is_that_of_a_regression():
    rng = np.random.default_rng(6)
    ranks = rng.standard_normal(20)
    means = rng.standard_normal(20) + 0.8 * ranks + np.r_[np.ones(10), np.zeros(10)]
    model = np.column_stack([np.ones(20), np.r_[np.ones(10), np.zeros(10)], ranks])
    oracle = sm.OLS(means, model).fit()
    assert at_equal_frequency(means, 10, ranks) == pytest.approx((oracle.params[1], oracle.pvalues[1]))


def test_groups_that_frequency_tells_apart_cannot_be_adjusted():
    assert at_equal_frequency(np.arange(6.0), 3, np.array([1.0, 1, 1, 2, 2, 2])) is None
    means, ranks = np.arange(8.0), np.array([1.0, 2, 3, 4, 3.5, 5, 6, 7])
    assert at_equal_frequency(means, 4, ranks) is None  # one in four of each group
    assert at_equal_frequency(means, 4, ranks[[0, 1, 5, 4, 2, 3, 6, 7]]) is not None


def test_a_score_that_the_group_alone_decides_is_not_due_to_frequency():
    ranks = np.array([1.0, 2, 3, 4, 1, 2, 3, 4])
    adjusted, p_value = at_equal_frequency(np.repeat([1.0, 0.0], 4), 4, ranks)
    assert (adjusted, p_value < 1e-6) == (pytest.approx(1.0), True)
    assert at_equal_frequency(np.zeros(8), 4, ranks) == (0.0, 1.0)


def test_pairs_are_counted_within_texts():
    scores = np.array([[3.0, 1.0], [2.0, 1.0], [2.0, 5.0], [0.0, 0.0]])
    every = [np.sign(y[t] - x[t]) for x in scores[:2] for y in scores[2:] for t in (0, 1)]
    assert pair_shares(scores, 2) == (every.count(-1) / 8, every.count(0) / 8)


def test_places_at_the_top_are_shared_by_ties():
    assert in_the_top(np.array([[3.0], [2.0], [1.0], [0.0]]), 2, 2) == 0.0
    assert in_the_top(np.array([[0.0], [2.0], [3.0], [1.0]]), 2, 1) == 1.0
    assert in_the_top(np.ones((4, 3)), 2, 2) == 1.0
