import numpy as np
from refusals import refuses
from threadpoolctl import threadpool_limits

from imprint.enumeration.groups import category_centres, cluster, cluster_means
from imprint.errors import SettingError


def blobs(count=4, each=30, dimension=10, seed=0):
    rng = np.random.default_rng(seed)
    centres = rng.normal(size=(count, dimension)) * 5
    truth = np.repeat(np.arange(count), each)
    return (centres[truth] + rng.normal(size=(len(truth), dimension))).astype(np.float32), truth


def test_separate_clusters_are_found():
    vectors, truth = blobs()
    labels = cluster(vectors, 4, what="names", seed=np.random.SeedSequence(0))
    assert len({(one, other) for one, other in zip(labels.tolist(), truth.tolist(), strict=True)}) == 4
    assert sorted(set(labels.tolist())) == [0, 1, 2, 3]


def test_the_seed_alone_decides_whatever_number_of_threads():
    vectors = np.random.default_rng(1).normal(size=(400, 12)).astype(np.float32)
    labels = []
    for threads, seed in ((1, 0), (3, 0), (1, 1)):
        with threadpool_limits(threads):
            labels.append(cluster(vectors, 9, what="words", seed=np.random.SeedSequence(seed)))
    assert labels[0].tolist() == labels[1].tolist() != labels[2].tolist()


def test_a_heavy_name_draws_the_clusters_to_itself():
    vectors = np.array([[0.0], [1.0], [2.0], [10.0]], dtype=np.float32)
    weights = np.array([1_000.0, 1_000.0, 1.0, 0.001], dtype=np.float32)
    seed = np.random.SeedSequence(0)
    plain = cluster(vectors, 2, what="names", seed=seed)
    heavy = cluster(vectors, 2, what="names", seed=seed, weights=weights)
    assert plain[0] == plain[1] == plain[2] != plain[3]
    assert heavy[0] != heavy[1] == heavy[2] == heavy[3]


def test_fewer_rows_than_clusters_are_refused():
    vectors, _ = blobs(2, 3)
    with refuses(SettingError, "6 names", got=7):
        cluster(vectors, 7, what="names", seed=np.random.SeedSequence(0))


def test_rows_that_are_all_alike_are_refused():
    with refuses(SettingError, "words", "1 different", got=2):
        cluster(np.ones((50, 3), dtype=np.float32), 2, what="words", seed=np.random.SeedSequence(0))


def test_means_are_weighted_where_weights_are_given():
    vectors, truth = blobs(3, 5, 2)
    weights = np.random.default_rng(0).uniform(1, 9, size=15).astype(np.float32)
    plain, weighted = cluster_means(vectors, truth, 3), cluster_means(vectors, truth, 3, weights)
    for label in range(3):
        rows = [k for k in range(15) if truth[k] == label]
        np.testing.assert_allclose(plain[label], sum(vectors[k].astype(float) for k in rows) / 5, rtol=1e-12)
        total = sum(float(weights[k]) * vectors[k].astype(float) for k in rows)
        np.testing.assert_allclose(weighted[label], total / sum(float(weights[k]) for k in rows), rtol=1e-6)


def test_a_category_is_centred_on_itself_or_on_all_words():
    words = np.arange(12, dtype=np.float32).reshape(6, 2)
    offsets = np.array([0, 2, 6])
    np.testing.assert_allclose(category_centres(words, offsets, "category"), [[1, 2], [7, 8]])
    np.testing.assert_allclose(category_centres(words, offsets, "all"), [[5, 6], [5, 6]])
