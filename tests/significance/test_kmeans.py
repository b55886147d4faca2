"""K-means against scikit-learn's, and against what clusters must be."""

import numpy as np
import pytest
from refusals import refuses
from sklearn.cluster import KMeans

from imprint.errors import SettingError
from imprint.significance import learners
from imprint.significance.learners import _lloyd, _means, k_means
from imprint.threads import single_threaded


def noise(count, dimension, seed=0):
    return np.random.default_rng(seed).normal(size=(count, dimension)).astype(np.float32)


def blobs(count, dimension, clusters, seed):
    """Rows around as many centres as clusters, that overlap; few lie on a border, where rounding decides."""
    rng = np.random.default_rng(seed)
    centres = rng.normal(size=(clusters, dimension))
    return noise(count, dimension, seed) * 0.4 + centres[rng.integers(clusters, size=count)].astype(np.float32)


def spread(rows, labels):
    return sum(((rows[labels == one] - rows[labels == one].mean(axis=0)) ** 2).sum() for one in set(labels.tolist()))


@pytest.mark.parametrize("seed", range(5))
@pytest.mark.parametrize(
    ("count", "dimension", "clusters", "starts"), [(600, 20, 12, 1), (150, 5, 2, 10), (80, 3, 4, 3)]
)
def test_clusters_are_those_of_scikit_learn(count, dimension, clusters, starts, seed):
    rows = blobs(count, dimension, clusters, seed)
    known = KMeans(clusters, n_init=starts, random_state=seed).fit(rows).labels_
    assert np.array_equal(k_means(rows, clusters, seed=seed, starts=starts), known)


@pytest.mark.parametrize("seed", range(3))
def test_weighted_clusters_are_those_of_scikit_learn(seed):
    rows = blobs(400, 10, 9, seed)
    weights = np.random.default_rng(seed).uniform(0.1, 50, size=400).astype(np.float32)
    known = KMeans(9, n_init=1, random_state=seed).fit(rows, sample_weight=weights).labels_
    assert np.array_equal(k_means(rows, 9, seed=seed, weights=weights), known)


@pytest.mark.parametrize("seed", range(3))
def test_clusters_of_noise_are_as_tight_as_those_of_scikit_learn(seed):
    rows = noise(600, 20, seed)
    with single_threaded():  # threads of scikit-learn wait for each other where cores are few
        known = KMeans(12, n_init=10, random_state=seed).fit(rows).labels_
    assert spread(rows, k_means(rows, 12, seed=seed, starts=10)) <= 1.01 * spread(rows, known)


def test_each_row_is_nearest_to_the_mean_of_its_cluster():
    rows = noise(300, 4)
    labels = k_means(rows, 6, seed=1)
    means = np.stack([rows[labels == one].mean(axis=0) for one in range(6)])
    away = ((rows[:, None] - means) ** 2).sum(axis=2)
    assert np.array_equal(away.argmin(axis=1), labels)


def test_more_starts_are_no_looser():
    rows = noise(200, 6)
    one, many = ([spread(rows, k_means(rows, 7, seed=seed, starts=n)) for seed in range(5)] for n in (1, 20))
    assert (np.array(many) <= one).all()
    assert min(many) < max(one)


@pytest.mark.parametrize("starts", [1, 4])
def test_weights_count_in_the_choice_among_starts(starts):
    rows = noise(60, 2)
    weights = np.where(np.arange(60) < 5, 200, 1).astype(np.float32)
    known = KMeans(6, n_init=starts, random_state=3).fit(rows, sample_weight=weights).labels_
    assert np.array_equal(k_means(rows, 6, seed=3, starts=starts, weights=weights), known)


def lloyd_by_hand(rows, centres):
    labels = None
    while True:
        away = ((rows[:, None] - centres) ** 2).sum(axis=2)
        before, labels = labels, away.argmin(axis=1)
        if np.array_equal(before, labels):
            return labels, away.min(axis=1).sum()
        own, empty = labels.copy(), np.setdiff1d(np.arange(len(centres)), labels)
        own[np.argsort(-away.min(axis=1))[: len(empty)]] = empty
        means = [rows[own == one].mean(axis=0) if one in own else np.zeros(2) for one in range(len(centres))]
        centres = np.array(means)


@pytest.mark.parametrize("seed", range(40))
def test_a_cluster_without_rows_gets_the_farthest_one(seed):
    rows = noise(12, 2, seed)
    rows -= rows.mean(axis=0)
    centres = noise(4, 2, seed + 100)
    centres[3] *= 20  # far from all rows
    labels, found = _lloyd(rows, np.ones(12, dtype=np.float32), centres)
    known, least = lloyd_by_hand(rows.astype(np.float64), centres.astype(np.float64))
    assert np.array_equal(labels, known)
    assert len(set(labels.tolist())) == 4
    assert found == pytest.approx(least, rel=1e-4)


def test_the_farthest_row_may_have_been_alone():
    rows = np.array([[0], [1], [10]], dtype=np.float32)
    means = _means(rows, np.ones(3, dtype=np.float32), np.array([0, 0, 1]), np.array([[0.5], [4], [99]], np.float32))
    assert means.tolist() == [[0.5], [0.0], [10.0]]


@pytest.mark.parametrize("spread", [1e-3, 0.05, 1.0])
def test_rows_that_are_not_asked_again_would_not_have_moved(spread, monkeypatch):
    """Groups far from the mean of all, where single precision is coarse."""
    rng = np.random.default_rng(0)
    rows = (np.where(rng.random((400, 1)) < 0.5, 10, -10) + spread * rng.normal(size=(400, 6))).astype(np.float32)
    found = k_means(rows, 8, seed=0)
    monkeypatch.setattr(learners, "_ROUNDING", 1.0)  # all are asked each time
    assert np.array_equal(k_means(rows, 8, seed=0), found)


@pytest.mark.parametrize("wrong", [np.nan, np.inf])
def test_numbers_that_are_not_finite_are_refused(wrong):
    rows = noise(20, 3)
    rows[4, 1] = wrong
    with refuses(SettingError, option="vectors"):
        k_means(rows, 2, seed=0)
