import numpy as np
import pytest
from refusals import refuses
from sklearn.linear_model import LogisticRegression

from imprint.debiasing.leace import LeaceDebiaser
from imprint.embeddings.embedding import Embedding
from imprint.errors import SettingError, VocabularyError

DIMENSION, EACH = 8, 150
FIRST = tuple(f"m{number}" for number in range(EACH))
SECOND = tuple(f"f{number}" for number in range(EACH // 2))
LABELS = np.repeat([1.0, 0.0], [len(FIRST), len(SECOND)])


@pytest.fixture
def labelled():
    generator = np.random.default_rng(2)
    rows = generator.normal(size=(len(LABELS), DIMENSION)) @ generator.normal(size=(DIMENSION, DIMENSION)) + 2.0
    rows += np.outer(LABELS, generator.normal(size=DIMENSION))
    return Embedding("labelled", [*FIRST, *SECOND], rows.astype(np.float32))


def fit(embedding):
    return LeaceDebiaser().fit(embedding, groups=[FIRST, SECOND])


def covariance(rows):
    return (rows - rows.mean(axis=0)).T @ (LABELS - LABELS.mean()) / len(rows)


def test_labels_covary_with_rows_before_and_not_after(labelled):
    after = fit(labelled).apply(labelled)
    assert np.abs(covariance(labelled.vectors.astype(float))).max() > 0.1
    assert np.abs(covariance(after.vectors.astype(float))).max() < 1e-5


def test_a_linear_classifier_finds_the_labels_before_and_only_the_majority_after(labelled):
    def accuracy(rows):
        return LogisticRegression(max_iter=5000).fit(rows, LABELS).score(rows, LABELS)

    assert accuracy(labelled.vectors) > 0.8
    assert accuracy(fit(labelled).apply(labelled).vectors) == pytest.approx(2 / 3, abs=1e-9)


@pytest.mark.slow
def test_no_other_affine_map_that_erases_changes_the_rows_less(labelled):
    rows = labelled.vectors.astype(float)
    ours = ((fit(labelled).move(rows) - rows) ** 2).sum()
    cross = covariance(rows)
    generator = np.random.default_rng(5)
    centred = rows - rows.mean(axis=0)
    erasers = [np.eye(DIMENSION) - np.outer(cross, cross) / (cross @ cross)]  # the orthogonal projection
    for size in (1e-3, 0.1, 1.0):
        for _ in range(100):
            # Every M with M cross = 0 erases; perturb the optimum inside that set.
            noise = size * generator.normal(size=(DIMENSION, DIMENSION))
            erasers.append(fit(labelled).matrix + noise - np.outer(noise @ cross, cross) / (cross @ cross))
    for eraser in erasers:
        assert np.abs(covariance(centred @ eraser.T)).max() < 1e-6
        assert ((centred @ eraser.T - centred) ** 2).sum() >= ours * (1 - 1e-9)
    assert ((centred @ erasers[0].T - centred) ** 2).sum() > ours * 1.01


def test_the_mean_of_labelled_words_stays_and_erasing_twice_changes_nothing(labelled):
    transform = fit(labelled)
    rows = labelled.vectors.astype(float)
    once = transform.move(rows)
    np.testing.assert_allclose(once.mean(axis=0), rows.mean(axis=0), atol=1e-8)
    np.testing.assert_allclose(transform.move(once), once, atol=1e-8)


def test_swapping_the_sides_or_the_order_changes_nothing(labelled):
    swapped = LeaceDebiaser().fit(labelled, groups=[SECOND[::-1], FIRST[::-1]])
    np.testing.assert_allclose(swapped.matrix, fit(labelled).matrix, atol=1e-9)


def test_with_fewer_words_than_dimensions_the_labels_are_still_erased_and_the_rest_left():
    generator = np.random.default_rng(0)
    few = Embedding("few", list("abcd"), generator.normal(size=(4, 30)).astype(np.float32))
    transform = LeaceDebiaser().fit(few, groups=[["a", "b"], ["c", "d"]])
    moved = transform.move(few.vectors.astype(float))
    np.testing.assert_allclose(moved[:2].mean(axis=0), moved[2:].mean(axis=0), atol=1e-6)
    centred = few.vectors.astype(float) - few.vectors.mean(axis=0)
    outside = generator.normal(size=30)
    outside -= np.linalg.pinv(centred) @ (centred @ outside)
    np.testing.assert_allclose(transform.matrix @ outside, outside, atol=1e-8)


def test_the_defaults_are_gendered_words_and_names(bundled):
    transform = LeaceDebiaser().fit(bundled)
    assert {"he", "father", "James"} <= set(transform.card.positive)
    assert {"she", "mother", "Mary"} <= set(transform.card.negative)
    before, after = (
        embedding.lookup(transform.card.positive).vectors.mean(axis=0)
        - embedding.lookup(transform.card.negative).vectors.mean(axis=0)
        for embedding in (bundled, transform.apply(bundled))
    )
    assert np.linalg.norm(before) > 1.0
    assert np.linalg.norm(after) < 1e-4


def test_lists_that_cannot_be_used_are_refused(labelled):
    with refuses(SettingError, option="groups"):
        LeaceDebiaser().fit(labelled, groups=[FIRST])
    with refuses(SettingError, option="groups"):
        LeaceDebiaser().fit(labelled, groups=[FIRST, SECOND], pairs=[("m1", "f1")])
    with refuses(SettingError, words=("m1",)):
        LeaceDebiaser().fit(labelled, groups=[FIRST, ["m1", "f1"]])
    with refuses(VocabularyError, "group 2", where="labelled", words=("nobody",)):
        LeaceDebiaser().fit(labelled, groups=[FIRST, ["f1", "nobody"]])
