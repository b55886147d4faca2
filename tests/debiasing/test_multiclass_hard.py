"""Multiclass hard debiasing: a subspace is there before and gone after, and sets are equidistant from other words."""

import numpy as np
import pytest
from refusals import refuses

from imprint.debiasing.hard import HardDebiaser
from imprint.debiasing.multiclass_hard import MulticlassHardDebiaser
from imprint.errors import SettingError, VocabularyError

from .conftest import MEN, SEEDS, WOMEN, row

PAIRS = tuple(zip(MEN, WOMEN, strict=True))
FAITHS = [
    ["christian", "church", "bible", "priest", "christianity"],
    ["muslim", "mosque", "quran", "imam", "islam"],
    ["jewish", "synagogue", "torah", "rabbi", "judaism"],
]
NEUTRAL = ["greedy", "terrorist", "river", "nurse", "violent", "music"]


def subspace(embedding, groups, components):
    """Return the components by a route of its own: eigenvectors of the covariance about the means of sets."""
    total = np.zeros((embedding.dimension, embedding.dimension))
    for words in zip(*groups, strict=True):
        rows = np.array([row(embedding, word) / np.linalg.norm(row(embedding, word)) for word in words])
        total += (rows - rows.mean(axis=0)).T @ (rows - rows.mean(axis=0))
    return np.linalg.eigh(total)[1].T[::-1][:components]


def test_words_lean_to_faiths_before_and_are_orthogonal_to_their_subspace_after(bundled):
    transform = MulticlassHardDebiaser().fit(bundled, groups=FAITHS)
    basis = subspace(bundled, FAITHS, 2)
    np.testing.assert_allclose(transform.basis.T @ transform.basis, basis.T @ basis, atol=1e-9)
    after = transform.apply(bundled)
    assert max(np.linalg.norm(basis @ row(bundled, word)) for word in NEUTRAL) > 0.5
    for word in NEUTRAL:
        assert np.linalg.norm(basis @ row(after, word)) < 1e-5
        expected = row(bundled, word) - basis.T @ (basis @ row(bundled, word))
        np.testing.assert_allclose(row(after, word), expected, atol=1e-5)


def test_sets_are_equally_similar_to_every_other_word_after_and_not_before(bundled):
    transform = MulticlassHardDebiaser().fit(bundled, groups=FAITHS)
    after = transform.apply(bundled)
    assert transform.pairs == tuple(zip(*FAITHS, strict=True))
    for words in transform.pairs:
        before, left = (one.lookup(words).unit @ one.lookup(NEUTRAL).unit.T for one in (bundled, after))
        assert np.ptp(before, axis=0).max() > 0.05
        assert np.ptp(left, axis=0).max() < 1e-5
        lengths = np.linalg.norm([row(after, word) for word in words], axis=1)
        np.testing.assert_allclose(lengths, np.linalg.norm([row(bundled, word) for word in words], axis=1), rtol=1e-5)


def test_two_groups_and_one_component_are_hard_debiasing(planted):
    hard = HardDebiaser().fit(planted, pairs=PAIRS)
    several = MulticlassHardDebiaser().fit(planted, groups=[MEN, WOMEN])
    np.testing.assert_allclose(several.apply(planted).vectors, hard.apply(planted).vectors, atol=1e-6)
    assert (several.kept, several.pairs) == (hard.kept, hard.pairs)


def test_gender_by_default_is_hard_debiasing_by_default(bundled):
    hard, several = HardDebiaser().fit(bundled), MulticlassHardDebiaser().fit(bundled)
    np.testing.assert_allclose(several.apply(bundled).vectors, hard.apply(bundled).vectors, atol=1e-6)


def test_more_components_take_more_and_no_more_than_there_are(bundled, planted):
    assert MulticlassHardDebiaser(components=4).fit(bundled, groups=FAITHS).basis.shape == (4, 100)
    assert MulticlassHardDebiaser(components=99).fit(planted, pairs=PAIRS[:1]).basis.shape == (1, 12)
    with refuses(SettingError, option="components"):
        MulticlassHardDebiaser(components=0)


def test_words_that_are_kept_stay_and_a_word_of_two_sets_stays_with_the_first(planted):
    groups = [["he", "he", "king"], ["she", "woman", "queen"]]
    transform = MulticlassHardDebiaser().fit(planted, groups=groups, specific=[SEEDS[0]])
    after = transform.apply(planted)
    assert transform.pairs == (("he", "she"), ("king", "queen"))
    for word in (SEEDS[0], "woman"):
        np.testing.assert_array_equal(row(after, word), row(planted, word))


def test_a_set_with_a_missing_word_is_left_out_and_named(planted):
    transform = MulticlassHardDebiaser().fit(planted, groups=[["he", "monk"], ["she", "nun"]])
    assert transform.card.missing == ("monk", "nun")
    with refuses(VocabularyError, words=("monk",)):
        MulticlassHardDebiaser().fit(planted, groups=[["monk"], ["she"]])


def test_lists_of_other_lengths_are_refused(planted):
    with refuses(SettingError, option="groups", got="1 and 2"):
        MulticlassHardDebiaser().fit(planted, groups=[["he"], ["she", "woman"]])
    with refuses(SettingError, option="groups"):
        MulticlassHardDebiaser().fit(planted, groups=[["he"], ["she"]], pairs=PAIRS)


def test_words_of_one_vector_have_no_subspace(planted):
    planted.vectors[planted.index["she"]] = planted.vectors[planted.index["he"]]
    with pytest.raises(VocabularyError):
        MulticlassHardDebiaser().fit(planted, groups=[["he"], ["she"]])
