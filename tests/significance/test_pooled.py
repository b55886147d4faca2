"""The mean of several tests that share words: the crossed interval of one, and coverage where words are shared."""

from dataclasses import replace

import numpy as np
import pytest

from imprint.association.evidence import CosineTable
from imprint.association.topics import number_units
from imprint.significance.crossed import over_words
from imprint.significance.pooled import Role, UnitTable, pooled
from imprint.significance.student import quantile
from imprint.stimuli.catalog import catalogue
from imprint.stimuli.definition import WeatTest


def made(rng, n_x=6, n_y=7, n_a=5, n_b=8, start=0):
    rows = np.arange(start, start + n_x + n_y)
    columns = np.arange(rows[-1] + 1, rows[-1] + 1 + n_a + n_b)
    cosines = rng.normal(size=(len(rows), len(columns)))
    cosines[:, :n_a] += 2 * rng.normal(size=(len(rows), 1))
    cosines[:n_x] += 2 * rng.normal(size=len(columns))
    return UnitTable(cosines, Role(rows, n_x), Role(columns, n_a))


def test_one_table_has_its_crossed_interval():
    rng = np.random.default_rng(0)
    for units in ((range(13), range(13)), ((0, 0, *range(2, 13)), (*range(11), 10, 10))):
        table = made(rng)
        rows, columns = (np.asarray(own) for own in units)
        same = UnitTable(table.cosines, Role(rows, 6), Role(columns + 13, 5))
        crossed = over_words(table.cosines, 6, 5, units=(rows, columns), confidence=0.9)
        found = pooled([same], confidence=0.9)
        assert (found.low, found.high, found.p_value) == pytest.approx((crossed.low, crossed.high, crossed.p_value))


def test_a_table_asked_twice_says_what_it_says_once():
    table = made(np.random.default_rng(1))
    once, twice = pooled([table], confidence=0.95), pooled([table, table], confidence=0.95)
    assert (twice.low, twice.high) == pytest.approx((once.low, once.high))


def test_tables_without_a_word_in_common_vary_as_the_mean_of_independent_numbers_does():
    rng = np.random.default_rng(2)
    first, second = made(rng), made(rng, start=40)
    variances = [_variance([one]) for one in (first, second)]
    assert _variance([first, second]) == pytest.approx(sum(variances) / 4)


def _variance(tables):
    """Return the variance, read back from the interval."""
    found = pooled(tables, confidence=0.95)
    return ((found.high - found.difference) / quantile(0.05, found.df)) ** 2


def test_the_other_sign_has_the_mirrored_interval():
    rng = np.random.default_rng(3)
    tables = [made(rng), made(rng, start=3)]
    found = pooled(tables, confidence=0.95)
    other = pooled([replace(one, cosines=-one.cosines) for one in tables], confidence=0.95)
    assert (found.low, found.high, found.p_value) == (-other.high, -other.low, other.p_value)


def test_sets_of_three_words_and_words_that_do_not_vary_have_no_interval():
    rng = np.random.default_rng(4)
    assert pooled([made(rng), made(rng, n_b=3)], confidence=0.95) is None
    still = made(rng)
    assert pooled([replace(still, cosines=np.zeros_like(still.cosines))], confidence=0.95) is None


def design(topic):
    """Return a topic's tests as the catalogue has them: which words are in which sets."""
    tables = []
    for one in catalogue():
        if isinstance(one, WeatTest) and one.language == "en" and topic in one.topics:
            shape = np.zeros((len(one.x) + len(one.y), len(one.a) + len(one.b)))
            words = (one.x.words + one.y.words, one.a.words + one.b.words)
            tables.append(CosineTable(*words, len(one.x), len(one.a), shape))
    return number_units(tables)


# How much of a cosine is the target's, the attribute's, both words' place in three dimensions, and the pair's alone.
WORLDS = {"words": (1, 0, 0), "pairs": (0, 0, 1), "places": (0, 1, 0), "mixed": (1, 1, 2)}


def covered(topic, world, trials, draw):
    """Return how often the interval holds the true mean, 0; a pair of words has one cosine in all tests."""
    tables = design(topic)
    number = 1 + max(max(role.units.max() for role in one.roles()) for one in tables)
    of_words, of_places, of_pairs = WORLDS[world]
    held = 0
    for _ in range(trials):
        pairs = draw((number, number))
        places = draw((number, 3))
        every = of_pairs * (np.triu(pairs) + np.triu(pairs, 1).T) + of_places * (places @ places.T) / np.sqrt(3)
        to_a, to_x = of_words * draw((2, number))
        asked = []
        for one in tables:
            cosines = every[np.ix_(one.targets.units, one.attributes.units)]
            cosines[:, : one.attributes.first] += to_a[one.targets.units][:, None]
            cosines[: one.targets.first] += to_x[one.attributes.units]
            asked.append(replace(one, cosines=cosines))
        found = pooled(asked, confidence=0.95)
        held += found.low <= 0 <= found.high
    return held / trials


def test_intervals_of_topics_hold_the_truth_about_as_often_as_they_say():
    rng = np.random.default_rng(5)
    assert 0.89 <= covered("race", "mixed", 150, rng.standard_normal) <= 0.99


@pytest.mark.slow
@pytest.mark.parametrize("world", WORLDS)
@pytest.mark.parametrize("topic", ["race", "gender"])
def test_intervals_of_topics_hold_the_truth_as_often_as_they_say(topic, world):
    rng = np.random.default_rng(6)
    normal, heavy = rng.standard_normal, lambda shape: rng.standard_t(4, shape)
    for draw in (normal, heavy):
        assert 0.93 <= covered(topic, world, 1_000, draw) <= 0.975
