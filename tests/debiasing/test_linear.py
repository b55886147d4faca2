import math

import numpy as np
import pytest
from refusals import refuses

from imprint.debiasing.frontier import stereotype_variances
from imprint.debiasing.linear import LinearDebiaser, prepare
from imprint.directions.axis import pair_axis
from imprint.embeddings.embedding import Embedding
from imprint.errors import EmbeddingFileError, SettingError, VocabularyError

from .conftest import FITTED, HELD_OUT, OTHERS

HE_SHE = [("he", "she")]


def fit(embedding, strength=10.0, **options):
    return LinearDebiaser(strength).fit(embedding, axis=pair_axis(embedding, HE_SHE), seeds=FITTED, **options)


def measured(before, after):
    axis = pair_axis(before, HE_SHE)
    return stereotype_variances(before, after, axis, held_out=HELD_OUT, background=OTHERS)


def test_held_out_words_lean_before_and_hardly_after_while_others_keep_their_place(planted):
    before = measured(planted, planted)
    after = measured(planted, fit(planted, 100.0).apply(planted))
    assert before.reduction == 1.0
    assert before.held_out_before > 3 * before.background_before
    assert after.reduction > 8
    assert 0.3 < after.background_ratio < 1.5


def test_on_the_bundled_embedding_the_default_takes_five_sixths_from_words_it_never_saw(bundled):
    transform = LinearDebiaser().fit(bundled)
    axis = pair_axis(bundled, HE_SHE)
    result = stereotype_variances(bundled, transform.apply(bundled), axis)
    assert result.held_out_before == pytest.approx(0.0140, abs=5e-4)
    assert result.reduction > 6.0
    assert result.background_ratio > 0.4
    assert transform.card.measured["gap"] <= 1e-9
    assert "cab_driver" in transform.card.missing


def test_nothing_with_as_little_stereotype_keeps_inner_products_better(planted):
    transform = LinearDebiaser(10.0, spread=0.0).fit(planted, axis=pair_axis(planted, HE_SHE), seeds=FITTED)
    problem = prepare(planted, axis=pair_axis(planted, HE_SHE), seeds=FITTED)
    direction = problem.axes[0].direction
    ours = transform.matrix @ transform.matrix

    def terms(x):
        lost = np.linalg.cholesky(problem.gram).T @ (x - np.eye(12)) @ np.linalg.cholesky(problem.gram)
        return float((lost**2).sum()), float(direction @ x @ problem.seed_gram @ x @ direction)

    data, stereotype = terms(ours)
    removed = np.eye(12) - np.outer(direction, direction)
    generator = np.random.default_rng(0)
    rivals = [np.eye(12) - share * (np.eye(12) - removed) for share in np.linspace(0, 1, 21)]
    rivals += [ours + size * noise @ noise.T for size in (1e-3, 0.1) for noise in generator.normal(size=(40, 12, 2))]
    assert not [rival for rival in rivals if terms(rival)[0] < data and terms(rival)[1] < stereotype]
    assert transform.card.measured["stereotype_left"] == pytest.approx(stereotype / terms(np.eye(12))[1])
    assert transform.card.measured["geometry_lost"] == pytest.approx(data**0.5 / np.linalg.norm(problem.gram))


def test_the_background_is_every_word_that_is_neither_seed_nor_end_of_the_axis(planted):
    problem = prepare(planted, axis=pair_axis(planted, HE_SHE), seeds=FITTED)
    rows = [row for word, row in planted.index.items() if word not in {*FITTED, "he", "she"}]
    expected = planted.vectors[rows].astype(float)
    np.testing.assert_allclose(problem.gram, expected.T @ expected)
    assert problem.background == len(rows)


def test_the_transform_is_the_symmetric_root(planted):
    matrix = fit(planted).matrix
    np.testing.assert_allclose(matrix, matrix.T, atol=1e-12)
    assert np.linalg.eigvalsh(matrix)[0] >= -1e-12


def test_strength_zero_moves_nothing(planted):
    np.testing.assert_allclose(fit(planted, 0.0).apply(planted).vectors, planted.vectors, rtol=1e-6)


def test_more_strength_leaves_less(planted):
    left = [fit(planted, strength).card.measured["stereotype_left"] for strength in (0.0, 0.5, 2.0, 8.0, 100.0)]
    assert left[0] == 1.0
    assert left == sorted(left, reverse=True)


def test_the_order_of_the_vocabulary_does_not_matter(planted, shuffled):
    np.testing.assert_allclose(fit(shuffled).matrix, fit(planted).matrix, atol=1e-10)


def test_a_common_rotation_changes_no_inner_product(planted):
    rotation = np.linalg.qr(np.random.default_rng(3).normal(size=(12, 12)))[0]
    turned = Embedding("turned", planted.words, (planted.vectors @ rotation).astype(np.float32))
    one, other = (fit(embedding).apply(embedding).vectors for embedding in (planted, turned))
    np.testing.assert_allclose(other @ other.T, one @ one.T, atol=1e-3)


def test_several_axes_are_taken_away_at_once(planted):
    planted.vectors[:40, 1] += 1.0  # jobs lean along a second axis too
    axes = [pair_axis(planted, HE_SHE), pair_axis(planted, [("thing0", "thing1")])]
    both = LinearDebiaser(300.0).fit(planted, axis=axes, seeds=FITTED)
    x = both.matrix @ both.matrix
    jobs = planted.lookup(FITTED).vectors.astype(float)
    for axis in axes:
        before, after = jobs @ axis.direction, jobs @ x @ axis.direction
        assert (after**2).sum() < 0.02 * (before**2).sum()
    assert both.card.positive == ("he", "thing0")


@pytest.mark.parametrize("strength", [-1.0, math.nan, math.inf, "3", True])
def test_a_strength_that_is_no_number_from_zero_up_is_refused(strength):
    with refuses(SettingError, str(strength), option="strength"):
        LinearDebiaser(strength)


@pytest.mark.parametrize("spread", [-0.1, 1.0, math.nan])
def test_a_spread_that_is_no_share_is_refused(spread):
    with refuses(SettingError, str(spread), option="spread"):
        LinearDebiaser(spread=spread)


def test_missing_seeds_are_named_and_two_suffice(planted):
    transform = LinearDebiaser().fit(planted, axis=pair_axis(planted, HE_SHE), seeds=["job1", "nobody", "job2"])
    assert transform.card.seeds == ("job1", "job2")
    assert transform.card.missing == ("nobody",)


@pytest.mark.parametrize("seeds", [["job1", "nobody"], ["nobody"], []])
def test_fewer_than_two_seeds_are_refused(planted, seeds):
    with refuses(VocabularyError, where="planted", words=tuple(seed for seed in seeds if seed == "nobody")):
        LinearDebiaser().fit(planted, axis=pair_axis(planted, HE_SHE), seeds=seeds)


def test_an_identical_pair_and_an_axis_without_length_are_refused(planted):
    with refuses(SettingError, words=("he",)):
        pair_axis(planted, [("he", "he")])
    planted.vectors[planted.index["he"]] = planted.vectors[planted.index["she"]]
    with refuses(VocabularyError, words=("he", "she")):
        LinearDebiaser().fit(planted, seeds=FITTED)


def test_axes_of_another_embedding_are_refused(planted, bundled):
    with refuses(SettingError, "100", "12", option="axis", got="he - she"):
        LinearDebiaser().fit(planted, axis=pair_axis(bundled, HE_SHE), seeds=FITTED)
    with refuses(SettingError, option="axis", got=[]):
        LinearDebiaser().fit(planted, axis=[], seeds=FITTED)


def test_an_embedding_of_nothing_but_seeds_is_refused(planted):
    few = Embedding("few", ["he", "she", "job1", "job2"], planted.vectors[:4])
    with refuses(VocabularyError, where="few"):
        LinearDebiaser().fit(few, seeds=["job1", "job2"])


def test_rows_that_are_not_numbers_are_refused(planted):
    planted.vectors[100, 0] = np.inf
    with refuses(EmbeddingFileError, words=(planted.words[100],)):
        fit(planted)
