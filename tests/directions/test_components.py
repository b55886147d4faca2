import numpy as np
import pytest
from refusals import refuses
from sklearn.decomposition import PCA

from imprint.directions.axis import pair_components
from imprint.embeddings.embedding import Embedding
from imprint.errors import VocabularyError
from imprint.stimuli.seeds import definitional_pairs
from imprint.subjects.opening import load

PAIRS = [("he", "she"), ("man", "woman"), ("king", "queen")]
WORDS = [word for pair in PAIRS for word in pair]


def random_embedding(seed, dimension=7):
    vectors = np.random.default_rng(seed).standard_normal((len(WORDS), dimension)).astype(np.float32)
    return Embedding("random", WORDS, vectors)


def places(row):
    return {point.word: (point.x, point.y) for point in row.points}


@pytest.mark.parametrize("seed", range(5))
def test_points_are_those_of_a_general_principal_component_analysis(seed):
    embedding = random_embedding(seed)
    found = pair_components(embedding, PAIRS)
    expected = PCA(2).fit(np.asarray(embedding.unit, dtype=np.float64))
    points = np.array([places(found)[word] for word in WORDS])
    theirs = expected.transform(np.asarray(embedding.unit, dtype=np.float64))
    signs = np.sign((points * theirs).sum(axis=0))
    np.testing.assert_allclose(points, theirs * signs, atol=1e-6)
    np.testing.assert_allclose(found.explained_shares, expected.explained_variance_ratio_, atol=1e-6)


@pytest.mark.parametrize("seed", range(5))
def test_a_common_rotation_and_the_lengths_of_rows_change_nothing(seed):
    embedding = random_embedding(seed)
    rng = np.random.default_rng(seed + 1)
    rotation = np.linalg.qr(rng.standard_normal((7, 7)))[0]
    turned = Embedding(
        "random", WORDS, (embedding.vectors @ rotation * rng.uniform(0.5, 2, (6, 1))).astype(np.float32)
    )
    one, other = (pair_components(each, PAIRS) for each in (embedding, turned))
    np.testing.assert_allclose(list(places(one).values()), list(places(other).values()), atol=1e-4)
    assert one.agreement == pytest.approx(other.agreement, abs=1e-5)


@pytest.mark.parametrize("seed", range(5))
def test_both_components_point_from_second_words_to_first(seed):
    found = pair_components(random_embedding(seed), PAIRS)
    steps = [np.subtract(places(found)[first], places(found)[second]) for first, second in PAIRS]
    assert (np.mean(steps, axis=0) >= -1e-6).all()


def test_gender_pairs_of_the_bundled_embedding_agree():
    found = pair_components(load("default"), definitional_pairs())
    assert found.agreement > 0.2
    assert set(places(found)) == {word for pair in found.pairs for word in (pair.first, pair.second)}
    assert found.kind == "pairs"
    assert found.statistic == found.agreement


def test_pairs_without_a_word_are_left_out_and_named():
    found = pair_components(random_embedding(0), [*PAIRS, ("waiter", "waitress"), ("he", "xe")])
    assert [(pair.first, pair.second) for pair in found.pairs] == PAIRS
    assert found.missing == ("waiter", "waitress", "xe")


def test_one_pair_or_one_dimension_is_refused():
    with refuses(VocabularyError, where="random"):
        pair_components(random_embedding(0), PAIRS[:1])
    flat = Embedding("flat", WORDS, np.array([[1.0], [-1.0]] * 3, dtype=np.float32))
    with refuses(VocabularyError, where="flat"):
        pair_components(flat, PAIRS)
