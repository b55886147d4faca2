"""Correlations over pairs that share things: derivatives against finite differences, errors against a double loop."""

import math

import numpy as np
import pytest
from hypothesis import assume, given
from hypothesis import strategies as st
from scipy.stats import pearsonr, spearmanr

from imprint.evaluation.resampling import midranks, weighted_correlation
from imprint.significance.dyads import FEWEST_PAIRS, Dyads, Influences, pearson, spearman

few = st.integers(0, 4)
rows = st.lists(st.tuples(few, few, few, few), min_size=4, max_size=14)


def columns(drawn):
    x, y, first, second = np.array(drawn).T
    assume(np.ptp(x) and np.ptp(y))
    return x.astype(np.float64), y.astype(np.float64), first, second


def weighted(x, y, counts, *, ranked):
    sides = (midranks(x, counts), midranks(y, counts)) if ranked else (x, y)
    return weighted_correlation(*sides, counts)


@given(rows)
def test_values_are_those_of_scipy(drawn):
    x, y, _, _ = columns(drawn)
    assert spearman(x, y).value == pytest.approx(spearmanr(x, y).statistic, abs=1e-12)
    assert pearson(x, y).value == pytest.approx(pearsonr(x, y).statistic, abs=1e-12)


@pytest.mark.parametrize(("correlation", "ranked"), [(spearman, True), (pearson, False)])
@given(drawn=rows)
def test_influences_are_derivatives_by_the_weight_of_a_pair(correlation, ranked, drawn):
    x, y, _, _ = columns(drawn)
    step = 1e-6
    up, down = (weighted(x, y, 1 + sign * step * np.eye(len(x)), ranked=ranked) for sign in (1, -1))
    found = correlation(x, y).each
    assert found == pytest.approx(len(x) * (up - down) / (2 * step), abs=1e-5)
    assert found.sum() == pytest.approx(0, abs=1e-9)


@given(rows)
def test_the_error_sums_over_all_pairs_that_share_a_thing(drawn):
    x, y, first, second = columns(drawn)
    each = spearman(x, y).each
    sharing = independent = 0.0
    for i in range(len(x)):
        for j in range(len(x)):
            one, other = {first[i], second[i]}, {first[j], second[j]}
            sharing += each[i] * each[j] if one & other else 0
            independent += each[i] * each[j] if one == other else 0
    # Squared: the root of what rounding leaves of a sum that is zero would be a million times as large.
    variance = max(sharing, independent) / len(x) ** 2
    assert Dyads(first, second).standard_error(each) ** 2 == pytest.approx(variance, rel=1e-9, abs=1e-15)


@given(rows, st.permutations(range(5)))
def test_neither_names_nor_sides_matter(drawn, names):
    x, y, first, second = columns(drawn)
    one, names = spearman(x, y), np.array(names)
    expected = Dyads(first, second).interval(one)
    assert Dyads(second, first).interval(one) == pytest.approx(expected, abs=1e-12, nan_ok=True)
    renamed = Dyads(3 * names[first], 3 * names[second]).interval(one)
    assert renamed == pytest.approx(expected, abs=1e-12, nan_ok=True)


def test_pairs_without_a_common_thing_have_the_usual_error():
    rng = np.random.default_rng(0)
    each = rng.normal(size=500)
    usual = math.sqrt(float(np.mean(each**2)) / 500)
    assert Dyads(np.arange(500), np.arange(500, 1000)).standard_error(each) == pytest.approx(usual)


def apart(pairs):
    return Dyads(np.arange(pairs), np.arange(pairs, 2 * pairs))


def test_few_pairs_have_no_interval():
    rng = np.random.default_rng(2)
    for pairs in range(4, FEWEST_PAIRS + 2):
        one, other = (spearman(rng.normal(size=pairs), rng.normal(size=pairs)) for _ in "ab")
        for low, high in (apart(pairs).interval(one), apart(pairs).difference(one, other)):
            assert math.isnan(low) == math.isnan(high) == (pairs < FEWEST_PAIRS)


def test_that_no_pair_matters_is_not_certainty():
    x = np.arange(12.0)
    perfect, reversed_ = spearman(x, x**3), spearman(x, -x)
    vanishing = Influences(0.6, np.zeros(12))  # as in some orders of symmetric ranks
    for ends in (
        apart(12).interval(perfect),
        apart(12).interval(vanishing),
        apart(12).difference(perfect, reversed_),
        apart(12).difference(perfect, vanishing),
    ):
        assert all(map(math.isnan, ends))


def test_a_side_differs_from_itself_by_nothing():
    one = spearman(np.arange(12.0), np.random.default_rng(0).normal(size=12))
    assert apart(12).difference(one, one) == (0, 0)


def test_intervals_hold_the_truth_as_often_as_they_say_where_words_are_drawn_anew():
    words, pairs, repeats = 60, 600, 400
    rng = np.random.default_rng(3)
    first = rng.integers(0, words, pairs)
    second = (first + rng.integers(1, words, pairs)) % words
    dyads, independent = Dyads(first, second), apart(pairs)

    def draw(count, left, right):
        """People's scores and cosines share each word's meaning; cosines also have each word's frequency."""
        meaning, frequency = rng.standard_normal((2, count))
        people = meaning[left] + meaning[right] + rng.standard_normal(len(left))
        return people, people + frequency[left] + frequency[right] + rng.standard_normal(len(left))

    many = np.arange(1_000_000)
    truth = spearmanr(*draw(2_000_000, many, many + 1_000_000)).statistic
    hits = {dyads: 0, independent: 0}
    for _ in range(repeats):
        one = spearman(*draw(words, first, second))
        for which in hits:
            low, high = which.interval(one)
            hits[which] += low <= truth <= high
    # Four standard errors of a share of 0.95 are 0.044. Taken for independent, the same pairs fall far short.
    assert 0.95 - 0.044 <= hits[dyads] / repeats <= 0.95 + 0.044
    assert hits[independent] / repeats < 0.75
