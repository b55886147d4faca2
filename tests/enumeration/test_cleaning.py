import numpy as np
import pytest

from imprint.enumeration.enumerate import enumerate_biases
from imprint.enumeration.targets import fit_name_classifier, largest_share, name_likeness

SEED = np.random.SeedSequence(0)


def unit(rows):
    return (rows / np.linalg.norm(rows, axis=1, keepdims=True)).astype(np.float32)


@pytest.fixture
def vectors():
    """Forty names, ten more whose vectors are those of words (the last ten), and two hundred words."""
    rng = np.random.default_rng(2)
    name, word = rng.normal(size=(2, 20))
    names = np.concatenate([rng.normal(size=(40, 20)) + 1.5 * name, rng.normal(size=(10, 20)) + 1.5 * word])
    return unit(names), unit(rng.normal(size=(200, 20)) + 1.5 * word)


@pytest.mark.parametrize("cleaning", ["margin", "centroid"])
def test_names_that_are_mostly_words_are_the_fifth_that_goes(vectors, cleaning):
    likeness = name_likeness(*vectors, cleaning=cleaning, seed=SEED)
    assert largest_share(likeness).tolist() == list(range(40))


def test_the_centroid_rule_drops_those_least_similar_to_the_others(vectors):
    names, words = vectors
    similar = [np.mean([name @ other for k, other in enumerate(names) if k != i]) for i, name in enumerate(names)]
    kept = largest_share(name_likeness(names, words, cleaning="centroid", seed=SEED))
    assert kept.tolist() == sorted(np.argsort(similar)[10:].tolist())


def test_the_margin_is_the_distance_from_the_plane_between_names_and_words(vectors):
    names, words = vectors
    plane = fit_name_classifier(names, words, seed=np.random.SeedSequence(3))
    margin = name_likeness(names, words, cleaning="margin", seed=np.random.SeedSequence(3))
    np.testing.assert_allclose(margin, names @ plane[:-1] + plane[-1], rtol=1e-5)
    assert (margin[:40] > 0).mean() > 0.9
    assert (words @ plane[:-1] + plane[-1] < 0).mean() > 0.7


def test_as_many_words_as_names_are_taken_at_random(vectors):
    names, words = vectors
    first, again, other = (fit_name_classifier(names, words, seed=np.random.SeedSequence(seed)) for seed in (1, 1, 2))
    assert first.tobytes() == again.tobytes() != other.tobytes()
    few = fit_name_classifier(names, words[:5], seed=SEED)
    assert few.shape == (21,)


@pytest.mark.parametrize(("count", "kept"), [(4, 4), (5, 4), (9, 8), (10, 8), (100, 80)])
def test_a_fifth_rounded_down_is_dropped_and_the_rest_keep_their_order(count, kept):
    likeness = np.random.default_rng(count).permutation(count).astype(np.float32)
    rows = largest_share(likeness)
    assert rows.tolist() == [row for row in range(count) if likeness[row] >= count - kept]


def test_of_equal_names_those_that_stand_first_are_kept():
    assert largest_share(np.array([1.0, 0, 1, 1, 0])).tolist() == [0, 1, 2, 3]
    assert largest_share(np.zeros(10)).tolist() == list(range(8))


def test_dropped_names_are_reported_and_in_no_group(planted, small):
    cleaned, whole = (
        enumerate_biases(planted.embedding, cleaning=cleaning, **small) for cleaning in ("margin", "none")
    )
    assert whole.names_dropped == ()
    kept, everyone = ({name for names in found.names.values() for name in names} for found in (cleaned, whole))
    assert kept | set(cleaned.names_dropped) == everyone
    assert not kept & set(cleaned.names_dropped)
    assert cleaned.overview.names_found == whole.overview.names_found == len(everyone)
