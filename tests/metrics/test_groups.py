"""Metrics of groups: against their definitions, against all labels, and two groups against a test of X and Y."""

import math
from dataclasses import replace
from itertools import permutations, product

import numpy as np
import pytest
from refusals import refuses
from sklearn.cluster import KMeans

from imprint import group_association, metric, weat
from imprint.errors import SettingError, StimulusError
from imprint.metrics.by_name import make_metric
from imprint.metrics.clustering import Clustering, k_means
from imprint.metrics.group_association import GroupAssociation
from imprint.metrics.metric import MetricWords
from imprint.metrics.neighbours import NeighbourTest
from imprint.metrics.rnd import Rnd
from imprint.metrics.run import measure_metric, measure_metrics
from imprint.metrics.subspace import Subspace
from imprint.significance.crossed import Factor, crossed_interval
from imprint.significance.outcomes import CONFIDENCE
from imprint.significance.relabelled import LEFT_OUT, Chosen, place_among, relabellings
from imprint.stimuli.catalog import get
from imprint.stimuli.definition import GroupsTest, WordSet, validate

GROUPS = {
    "white": ("Brad Emily Greg Matthew Anne Todd", "happy friend love freedom"),
    "black": ("Jamal Darnell Tyrone Keisha Aisha Latoya", "crime murder prison basketball"),
    "hispanic": ("Jose Juan Maria Carlos Luis Rosa", "immigrant maid border soccer"),
}
TESTS = ("caliskan-3", "caliskan-6", "caliskan-7", "caliskan-9")


def groups_test(groups=GROUPS, size=None, *, attributes=True):
    sets = [tuple(WordSet.of(name, words[side].split()[:size]) for name, words in groups.items()) for side in (0, 1)]
    return GroupsTest("races", "Races", "me", "en", sets[0], sets[1] if attributes else ())


@pytest.mark.parametrize("test", TESTS)
def test_g_of_two_groups_is_half_of_weat_with_its_p(bundled, test):
    """Lemmas 1 and 2 of Swinger et al. (2019): g is proportional to WEAT's mean difference."""
    (found,) = metric("group-association", bundled, test).findings()
    other = weat(bundled, test, alternative="two-sided")
    assert 2 * found.value == pytest.approx(other.mean_difference, rel=1e-6)
    assert found.p_value == pytest.approx(other.p_value, rel=0.02)  # certified ones to 1 %
    words = MetricWords.of(bundled, get(test), unit=True)
    sides = zip(words.units(), (words.n_x, words.n_a), strict=True)
    groups = [(np.array(units[:first]), np.array(units[first:])) for units, first in sides]
    interval = crossed_interval(words.cosines, [Factor(group, (1.0, -1.0)) for group in groups], CONFIDENCE)
    # Exactly so where every unit is one word; words with inflections weigh a little differently.
    close = test in ("caliskan-3", "caliskan-6")
    theirs = (interval.low, interval.high)
    assert (2 * found.words_low, 2 * found.words_high) == pytest.approx(theirs, rel=1e-6 if close else 0.2)
    assert (found.directed, found.excess, found.p_method) == (True, found.value, other.p_method)
    asked = get(test)
    sets = [(asked.x.words, asked.a.words), (asked.y.words, asked.b.words)]
    assert found.value == pytest.approx(group_association(bundled, sets), rel=1e-6)


def test_g_of_three_groups_is_the_paper_s(bundled):
    (row,) = measure_metric(bundled, groups_test(), "group-association", GroupAssociation())
    sets = [tuple(words.split() for words in one) for one in GROUPS.values()]
    assert row.value == pytest.approx(group_association(bundled, sets), rel=1e-6)
    assert (row.group_sizes, row.p_method, row.directed) == ((6, 6, 6), "sampled", True)
    assert row.excess == row.value - row.expected > 0
    assert row.words_low < row.value < row.words_high


@pytest.mark.parametrize("name", ["group-association", "clustering", "neighbours", "subspace"])
def test_two_groups_are_x_and_y(bundled, names, name):
    groups = GroupsTest("two", "Two", "me", "en", (names.x, names.y), (names.a, names.b))
    (row,) = measure_metrics(bundled, [groups], {name: make_metric(name)}).findings()
    (other,) = metric(name, bundled, names).findings()
    assert row.value == pytest.approx(other.value, abs=1e-12)
    assert row.p_value == pytest.approx(other.p_value, abs=1e-12)
    assert row.expected == pytest.approx(other.expected, abs=1e-12)
    assert (row.labellings, row.p_method, other.p_method) == ("12870", "exact", "exact")
    assert (row.words_low is None) == (other.words_low is None)


def test_the_subspace_of_two_groups_is_an_axis_and_that_of_three_a_plane(bundled, names):
    words = MetricWords.of(bundled, names, unit=True)
    axis = words.targets[:8].mean(axis=0) - words.targets[8:].mean(axis=0)
    squares = (words.attributes @ axis) ** 2 / (axis @ axis)
    assert Subspace().values(words, words.observed()) == pytest.approx([squares.mean()], abs=1e-12)
    targets, attributes = np.repeat(np.arange(3), [6, 5, 5])[None], np.repeat(np.arange(3), [4, 9, 3])[None]
    means = np.array([words.targets[targets[0] == group].mean(axis=0) for group in range(3)])
    _, lengths, plane = np.linalg.svd(means - means.mean(axis=0), full_matrices=False)
    assert lengths[2] == pytest.approx(0.0, abs=1e-12)
    shares = ((words.attributes @ plane[:2].T) ** 2).sum(axis=1)
    expected = np.mean([shares[attributes[0] == group].mean() for group in range(3)])
    assert Subspace().values(words, Chosen(targets, attributes)) == pytest.approx([expected], abs=1e-12)


def test_all_orders_of_labels_are_tried_once():
    numbers = np.array([0, 0, 1, 1, 2])
    found, exact = relabellings(numbers, np.random.SeedSequence(0))
    assert exact
    assert found[0].tolist() == numbers.tolist()
    assert {tuple(one) for one in found.tolist()} == set(permutations(numbers.tolist()))
    assert len(found) == math.factorial(5) // 4


def test_drawn_labels_keep_the_groups_sizes():
    numbers = np.repeat(np.arange(3), 8)
    found, exact = relabellings(numbers, np.random.SeedSequence(0))
    assert not exact
    assert found[0].tolist() == numbers.tolist()
    assert (np.sort(found, axis=1) == numbers).all()
    assert len(np.unique(found, axis=0)) > 9_000


@pytest.mark.parametrize("test", TESTS)
def test_the_p_of_clusters_counts_all_labels(bundled, test):
    words = MetricWords.of(bundled, get(test), unit=True)
    (found,) = metric("clustering", bundled, test).findings()
    observed = words.observed()
    labels, exact = relabellings(observed.targets[0], np.random.SeedSequence(1))
    tried = Clustering().values(words, replace(observed, targets=labels))
    place = place_among(tried, exact=exact, tail="high")
    assert found.value == pytest.approx(tried[0])
    assert found.expected == pytest.approx(place.expected, abs=1e-9 if exact else 0.002)
    if exact:
        assert found.p_value == pytest.approx(place.p_value, abs=1e-12)
        assert found.p_floor == pytest.approx(place.p_floor, abs=1e-12)
    assert found.labellings == str(math.comb(words.n_x + words.n_y, words.n_x))


def test_clusters_are_as_tight_as_scikit_learn_s(bundled):
    for test, count in product(TESTS, (2, 3)):
        rows = MetricWords.of(bundled, get(test), unit=True).targets
        found = k_means(rows, count)
        spread = sum(((rows[found == one] - rows[found == one].mean(axis=0)) ** 2).sum() for one in range(count))
        assert spread <= 1.01 * KMeans(count, n_init=10, random_state=0).fit(rows).inertia_


def test_clusters_are_named_as_suits_them_best(bundled):
    words = MetricWords.of(bundled, get("caliskan-6"), unit=True)
    targets = np.tile(np.repeat(np.arange(3), [6, 5, 5]), (2, 1))
    targets[1, 3] = LEFT_OUT
    values = Clustering().values(words, Chosen(targets, targets))
    for value, numbers in zip(values, targets, strict=True):
        kept = numbers != LEFT_OUT
        clusters, own = k_means(words.targets[kept], 3), numbers[kept]
        shares = [
            np.mean([(clusters[own == group] == named[group]).mean() for group in range(3)])
            for named in permutations(range(3))
        ]
        assert value == pytest.approx(max(shares))


@pytest.mark.parametrize("count", [1, 5, 100])
def test_neighbours_are_counted_word_by_word(bundled, count):
    words = MetricWords.of(bundled, get("caliskan-7"), unit=True)
    rows, used = words.targets, min(count, len(words.targets) - 2)
    shares = []
    for place, row in enumerate(rows):
        others = sorted(
            (other for other in range(len(rows)) if other != place), key=lambda other: -(row @ rows[other])
        )
        shares.append(np.mean([(other < words.n_x) == (place < words.n_x) for other in others[:used]]))
    (found,) = metric("neighbours", bundled, "caliskan-7", count=count).findings()
    assert found.value == pytest.approx(np.mean(shares))


def test_no_difference_is_found_between_random_groups(bundled):
    rng = np.random.default_rng(0)
    words = MetricWords.of(bundled, get("caliskan-6"), unit=True)
    labels, exact = relabellings(np.repeat(np.arange(3), 3), np.random.SeedSequence(0))
    assert (len(labels), exact) == (1_680, True)
    for one in (Clustering(), NeighbourTest(count=2)):
        p_values = []
        for _ in range(40):
            drawn = rng.choice(np.arange(1_000, 9_000), 9, replace=False)
            values = one.values(replace(words, targets=bundled.unit[drawn]), Chosen(labels, labels))
            p_values.append(place_among(values, exact=True, tail=one.tail).p_value)
        assert np.mean(np.array(p_values) <= 0.1) <= 0.25  # 0.1 and three errors
        assert min(p_values) < 0.3


def test_groups_are_checked(bundled):
    alone = GroupsTest("one", "One", "me", "en", groups_test().groups[:1])
    with refuses(StimulusError):
        validate(alone)
    same = GroupsTest("same", "Same", "me", "en", groups_test().groups[:1] * 2)
    with refuses(StimulusError, "Brad"):
        validate(same)
    with refuses(SettingError, option="metric", got="rnd"):
        measure_metric(bundled, groups_test(), "rnd", Rnd())
    with refuses(StimulusError, where="races"):
        measure_metric(bundled, groups_test(attributes=False), "group-association", GroupAssociation())
