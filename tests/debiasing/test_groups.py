"""Debiasing of several groups: what is labelled, what is removed, and what cannot take them."""

import numpy as np
import pytest
from refusals import refuses
from sklearn.linear_model import LogisticRegression

from imprint.debiasing import METHODS
from imprint.debiasing.debiaser import debiaser, find_debiaser
from imprint.debiasing.saved import load_transform
from imprint.directions.axis import group_axes, orthonormal
from imprint.embeddings.embedding import Embedding
from imprint.errors import SettingError, VocabularyError
from imprint.stimuli.definition import WordSet

DIMENSION, EACH, FAITHS = 16, 60, ("a", "b", "c")
GROUPS = [[f"{faith}{number}" for number in range(EACH)] for faith in FAITHS]
OTHERS = [f"thing{number}" for number in range(300)]
TAKING = tuple(method for method in METHODS if find_debiaser(method).takes_groups)


@pytest.fixture(scope="module")
def faiths():
    """Three groups whose words pair up by number, far apart in two of sixteen dimensions; other words lean too."""
    generator = np.random.default_rng(11)
    means = np.zeros((3, DIMENSION))
    means[:, :2] = 3.0 * np.array([[1.0, 0.0], [-0.5, 0.9], [-0.5, -0.9]])
    stems = generator.normal(size=(EACH, DIMENSION))
    own = [stems + mean + 0.3 * generator.normal(size=stems.shape) for mean in means]
    things = generator.normal(size=(len(OTHERS), DIMENSION))
    rows = np.concatenate([*own, things]).astype(np.float32)
    return Embedding("faiths", [*(word for group in GROUPS for word in group), *OTHERS], rows)


def accuracy(embedding, words=GROUPS):
    rows, labels = embedding.lookup([word for group in words for word in group]).vectors, np.repeat([0, 1, 2], EACH)
    return LogisticRegression(max_iter=5000).fit(rows, labels).score(rows, labels)


@pytest.mark.parametrize("method", ["leace", "inlp", "projection"])
def test_three_groups_are_told_apart_before_and_not_after(method, faiths):
    transform = debiaser(method).fit(faiths, groups=GROUPS)
    assert accuracy(faiths) > 0.99
    after = transform.apply(faiths)
    means = np.array([after.lookup(group).unit.mean(axis=0) for group in GROUPS])
    assert accuracy(after) < {"leace": 0.34, "inlp": 0.45, "projection": 0.7}[method]
    assert np.linalg.norm(means - means.mean(axis=0), axis=1).max() < 0.1
    assert (transform.card.positive, transform.card.negative, *transform.card.others) == tuple(map(tuple, GROUPS))


@pytest.mark.parametrize("method", TAKING)
def test_groups_are_lists_or_named_sets_and_a_saved_transform_keeps_them(method, faiths, tmp_path):
    fitter = debiaser(method) if method != "linear" else debiaser(method, strength=1e4)
    if method == "linear":
        with refuses(VocabularyError):  # it has no professions
            fitter.fit_groups(faiths, GROUPS)
        return
    one = fitter.fit_groups(faiths, GROUPS)
    other = fitter.fit_groups(faiths, [WordSet.of(name, group) for name, group in zip(FAITHS, GROUPS, strict=True)])
    np.testing.assert_array_equal(one.apply(faiths).vectors, other.apply(faiths).vectors)
    one.save(tmp_path / "kept.safetensors")
    kept = load_transform(tmp_path / "kept.safetensors")
    assert kept.card == one.card
    np.testing.assert_array_equal(kept.apply(faiths).vectors, one.apply(faiths).vectors)


def test_linear_debiasing_takes_the_subspace_from_seeds(faiths):
    axes = group_axes(faiths, GROUPS)
    after = debiaser("linear", strength=1e4, spread=0.0).fit(faiths, axis=axes, seeds=OTHERS[:100]).apply(faiths)
    basis = orthonormal(axes)
    before, left = (one.lookup(OTHERS[:100]).vectors @ basis.T for one in (faiths, after))
    assert (left**2).sum() < 0.01 * (before**2).sum()


def test_hard_debiasing_takes_the_means_subspace_from_all_other_words(faiths):
    after = debiaser("hard").fit_groups(faiths, GROUPS).apply(faiths)
    basis = orthonormal(group_axes(faiths, GROUPS))
    assert np.abs(faiths.lookup(OTHERS).vectors @ basis.T).max() > 1.0
    assert np.abs(after.lookup(OTHERS).vectors @ basis.T).max() < 1e-5
    np.testing.assert_array_equal(after.lookup(GROUPS[0]).vectors, faiths.lookup(GROUPS[0]).vectors)


def test_axes_of_k_groups_span_k_less_one_dimensions_and_hold_every_difference_of_means(faiths):
    basis = orthonormal(group_axes(faiths, GROUPS))
    assert basis.shape == (2, DIMENSION)
    means = [faiths.lookup(group).unit.mean(axis=0) for group in GROUPS]
    for one, other in zip(means, [*means[1:], means[0]], strict=True):
        np.testing.assert_allclose((one - other) @ basis.T @ basis, one - other, atol=1e-9)
    assert len(group_axes(faiths, GROUPS[:2])) == 1


@pytest.mark.parametrize("method", ["sentence-debias", "double-hard"])
def test_a_method_of_two_groups_refuses_more(method, faiths):
    with refuses(SettingError, option="method"):
        debiaser(method).fit_groups(faiths, GROUPS)


def test_every_other_method_refuses_them_and_a_refusal_names_those_that_take_them(faiths):
    assert {"leace", "inlp", "projection", "multiclass-hard"} < set(TAKING)
    for method in set(METHODS) - set(TAKING):
        with pytest.raises(SettingError):
            debiaser(method).fit_groups(faiths, GROUPS)
    with pytest.raises(SettingError) as refused:
        debiaser("double-hard").fit_groups(faiths, GROUPS)
    assert all(method in refused.value.hint for method in TAKING)


def test_groups_that_cannot_be_used_are_refused(faiths):
    leace = debiaser("leace")
    with refuses(SettingError, option="groups", got=1):
        leace.fit(faiths, groups=GROUPS[:1])
    with refuses(SettingError, words=("a0",)):
        leace.fit(faiths, groups=[*GROUPS, ["a0", "d"]])
    with refuses(SettingError, option="groups"):
        leace.fit(faiths, groups=GROUPS, pairs=[("a0", "b0")])
    with refuses(SettingError, option="each group", got="a0"):
        leace.fit(faiths, groups=[*GROUPS, "a0"])
    with refuses(VocabularyError, words=("d", "e")):
        leace.fit(faiths, groups=[*GROUPS, ["d", "e"]])
