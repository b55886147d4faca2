"""K-means against scikit-learn's, and against what clusters must be."""

import numpy as np
import pytest
from sklearn.cluster import KMeans

from imprint.learning.kmeans import k_means


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


@pytest.mark.parametrize("seed", range(20))
def test_no_cluster_stays_empty_where_rows_are_repeated(seed):
    rows = np.repeat(noise(5, 3, seed), [1, 40, 1, 40, 1], axis=0)
    assert len(set(k_means(rows, 5, seed=seed).tolist())) == 5
