"""Mirrored copies: what they keep and break, and what stands out among them, against plain loops."""

from dataclasses import replace
from itertools import pairwise

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from imprint.embeddings.embedding import Embedding
from imprint.enumeration.null import (
    KINDS,
    Mirrors,
    StandingOut,
    frequency_directions,
    principal_axes,
    score_copies,
    smallest_z,
    standardise,
)
from imprint.enumeration.problem import build_problem
from imprint.enumeration.settings import Settings
from imprint.enumeration.solution import problem_seeds
from imprint.significance.rotations import Cells, observed_scores

SEED = np.random.SeedSequence
DIMENSION = 10
NO_DIRECTIONS = np.zeros((DIMENSION, 0))


@pytest.fixture(scope="module")
def cells():
    rng = np.random.default_rng(0)
    rows = rng.normal(size=(300, DIMENSION)) * np.geomspace(3, 0.3, DIMENSION)
    rows = rows @ np.linalg.qr(rng.normal(size=(DIMENSION, DIMENSION)))[0]
    words = (rows / np.linalg.norm(rows, axis=1, keepdims=True)).astype(np.float32)
    offsets = np.array([0, 100, 180, 300])
    centres = np.array([words[start:end].mean(axis=0) for start, end in pairwise(offsets)])
    means = rng.normal(size=(4, DIMENSION))
    return Cells(words, offsets, means - means.mean(axis=0), centres, 2)


@pytest.fixture(scope="module")
def mirrors(cells):
    frequency = np.linalg.qr(np.random.default_rng(1).normal(size=(DIMENSION, 2)))[0]
    return Mirrors(
        cells, principal_axes(cells.words, NO_DIRECTIONS), frequency, principal_axes(cells.words, frequency)
    )


@pytest.mark.parametrize("count", [0, 1, 3])
def test_axes_are_those_of_what_words_are_across_the_directions_left_out(cells, count):
    without = np.linalg.qr(np.random.default_rng(2).normal(size=(DIMENSION, count)))[0]
    axes = principal_axes(cells.words, without)
    assert axes.shape == (DIMENSION, DIMENSION - count)
    np.testing.assert_allclose(axes.T @ axes, np.eye(DIMENSION - count), atol=1e-10)
    np.testing.assert_allclose(axes.T @ without, 0, atol=1e-10)
    covariance = np.cov(axes.T @ cells.words.T)
    np.testing.assert_allclose(covariance, np.diag(np.diag(covariance)), atol=1e-7)


def test_fewer_words_than_dimensions_leave_all_axes_across_the_directions():
    words = np.random.default_rng(0).normal(size=(4, DIMENSION)).astype(np.float32)
    without = np.eye(DIMENSION)[:, :1]
    axes = principal_axes(words, without)
    np.testing.assert_allclose(axes.T @ axes, np.eye(DIMENSION - 1), atol=1e-10)
    np.testing.assert_allclose(axes.T @ without, 0, atol=1e-7)


def test_a_mirrored_copy_keeps_products_of_names_and_their_share_of_each_axis_and_moves_them(mirrors):
    plain = mirrors.directions(50, SEED(1))[::KINDS].astype(np.float64)
    names, axes = mirrors.cells.directions.T, mirrors.axes
    own = axes.T @ names
    for turned in plain:
        np.testing.assert_allclose(turned.T @ turned, names.T @ names, atol=1e-5)
        np.testing.assert_allclose(np.abs(axes.T @ turned), np.abs(own), atol=1e-5)
    signs = np.sign((axes.T @ plain) * own)
    assert set(np.unique(signs)) == {-1.0, 1.0}
    assert np.abs(signs[:, :, 0].mean(axis=0)).max() < 0.6  # each axis either way
    assert (signs == signs[:, :, :1]).all()  # one sign for all groups


def test_the_other_kind_keeps_the_directions_of_frequency_and_mirrors_the_rest(mirrors):
    kept = mirrors.directions(50, SEED(1))[1::KINDS].astype(np.float64)
    names = mirrors.cells.directions.T
    for turned in kept:
        np.testing.assert_allclose(mirrors.frequency.T @ turned, mirrors.frequency.T @ names, atol=1e-5)
        np.testing.assert_allclose(turned.T @ turned, names.T @ names, atol=1e-5)
        np.testing.assert_allclose(np.abs(mirrors.across.T @ turned), np.abs(mirrors.across.T @ names), atol=1e-5)
    assert np.linalg.norm(kept - names, axis=(1, 2)).min() > 0.1


def test_scores_of_copies_are_those_of_cells_with_their_directions(mirrors):
    scores = score_copies(mirrors, 5, SEED(2))
    directions = mirrors.directions(5, SEED(2))
    assert len(scores) == len(directions) == KINDS * 5
    for table, turned in zip(scores, directions, strict=True):
        moved = replace(mirrors.cells, directions=turned.T.astype(np.float64))
        np.testing.assert_allclose(table, observed_scores(moved)[0], atol=1e-5)


def test_names_mirrored_in_the_embedding_make_the_same_groups_and_the_copys_cells(planted, small):
    """The oracle: mirror the name vectors themselves, and pose the problem from the start."""
    settings = Settings(**small | {"cleaning": "none"})
    names = [name for group in planted.names for name in group]
    problem = build_problem(planted.embedding, names, settings, problem_seeds(settings))
    axes = Mirrors.of(problem).axes
    turn = axes @ np.diag(np.random.default_rng(6).choice([-1.0, 1.0], size=len(axes))) @ axes.T
    vectors = planted.embedding.vectors.copy()
    rows = [planted.embedding.index[name] for name in names]
    vectors[rows] = vectors[rows] @ turn
    mirrored = Embedding("mirrored", planted.embedding.words, vectors)
    again = build_problem(mirrored, names, settings, problem_seeds(settings))
    assert again.labels.tolist() == problem.labels.tolist()
    assert again.rows.tolist() == problem.rows.tolist()
    np.testing.assert_allclose(again.cells.directions, problem.cells.directions @ turn, atol=1e-5)


@pytest.mark.parametrize("strength", [0.0, 0.5])
def test_frequency_has_a_direction_where_frequent_words_differ_from_rare_ones_by_more_than_chance(strength):
    rng = np.random.default_rng(3)
    logs = -np.log(np.arange(2_000) + 1.0)
    axis = rng.normal(size=DIMENSION)
    axis /= np.linalg.norm(axis)
    rows = rng.normal(size=(2_000, DIMENSION)) + strength * np.outer((logs - logs.mean()) / logs.std(), axis)
    found = frequency_directions(rows.astype(np.float32), logs)
    np.testing.assert_allclose(found.T @ found, np.eye(found.shape[1]), atol=1e-10)
    if strength:
        assert found.shape == (DIMENSION, 1)
        assert abs(float(found[:, 0] @ axis)) > 0.95
    else:
        assert found.shape[1] <= 1  # half of the time the means of blocks differ by a little more than expected


def made_scores(seed, copies=7, shape=(3, 4)):
    """Scores of copies on scales of their own, and of names, some cells without enough words."""
    rng = np.random.default_rng(seed)
    scale = rng.uniform(0.5, 20, size=shape)
    mirrored = (rng.normal(size=(KINDS * copies, *shape)) * scale).astype(np.float32)
    mirrored[rng.uniform(size=mirrored.shape) < 0.1] = -np.inf
    scores = rng.normal(size=shape) * scale * 3
    scores[0, 1] = -np.inf
    return scores, mirrored


def z_by_loops(scores, copies):
    z = np.full((len(copies) + 1, *scores.shape), -np.inf)
    for j, i in np.ndindex(scores.shape):
        values = np.array([*copies[:, j, i].astype(float), scores[j, i]])
        real = values[np.isfinite(values)]
        for row in np.flatnonzero(np.isfinite(values)):
            z[row, j, i] = (values[row] - np.mean(real)) / (np.std(real) or 1.0)
    return z[-1], z[:-1]


@given(st.integers(0, 5_000))
def test_scores_are_in_standard_deviations_of_their_own_cell(seed):
    scores, copies = made_scores(seed)
    expected = z_by_loops(scores, copies)
    for values, wanted in zip(standardise(scores, copies), expected, strict=True):
        np.testing.assert_allclose(values, wanted, atol=1e-6)


@given(st.integers(0, 5_000))
def test_of_the_two_kinds_of_copies_the_smaller_z_counts(seed):
    scores, copies = made_scores(seed)
    kinds = [z_by_loops(scores, copies[kind::KINDS])[0] for kind in range(KINDS)]
    np.testing.assert_allclose(smallest_z(scores, copies), np.minimum(*kinds), atol=1e-6)


@given(st.integers(0, 5_000), st.sampled_from([0.1, 0.3, 0.6]))
def test_cells_stand_out_by_the_estimated_rate_of_false_discoveries(seed, rate):
    """The definition, by loops: mean count of a copy's cells that reach a cell, for each cell that does."""
    scores, copies = made_scores(seed)
    left_out = np.zeros(scores.shape, dtype=np.bool_)
    left_out[:, seed % 4] = True
    found = StandingOut.of(scores, copies, rate, left_out)
    kinds = [standardise(scores, copies[kind::KINDS]) for kind in range(KINDS)]
    z = np.minimum(kinds[0][0], kinds[1][0])
    candidates = z[np.isfinite(z) & ~left_out]
    ratios, by_chance = {}, {}
    for limit in candidates:
        by_chance[limit] = tuple(float(np.mean(np.sum(copy >= limit, axis=(1, 2)))) for _, copy in kinds)
        ratios[limit] = max(by_chance[limit]) / np.sum(candidates >= limit)
    for j, i in np.ndindex(scores.shape):
        possible = [ratio for limit, ratio in ratios.items() if limit <= z[j, i]]
        if left_out[j, i] or not np.isfinite(z[j, i]):
            assert not found.stands_out[j, i]
        else:
            assert found.q[j, i] == pytest.approx(min(1.0, *possible))
            assert found.stands_out[j, i] == (min(possible) <= rate)
    if found.stands_out.any():
        weakest = z[found.stands_out].min()
        assert found.expected == pytest.approx(by_chance[weakest])
        assert max(found.expected) <= rate * found.stands_out.sum() + 1e-9
        assert weakest > found.limit
    else:
        assert found.expected == (0.0, 0.0)
    # The limit is the lowest above which copies have few enough cells.
    allowed = rate * found.stands_out.sum() + 1e-9
    every = [np.mean(np.sum(copies_z > found.limit, axis=(1, 2))) for _, copies_z in kinds]
    assert max(every) <= allowed
    at_limit = [np.mean(np.sum(copies_z >= found.limit, axis=(1, 2))) for _, copies_z in kinds]
    assert max(at_limit) > allowed


def test_where_every_cell_is_left_out_nothing_stands_out():
    scores, copies = made_scores(0)
    found = StandingOut.of(scores + 1_000, copies, 0.1, np.ones(scores.shape, dtype=np.bool_))
    assert not found.stands_out.any()


def test_a_cell_that_seldom_has_enough_words_does_not_stand_out_for_that():
    rng = np.random.default_rng(0)
    copies = rng.normal(size=(KINDS * 100, 1, 20)).astype(np.float32)
    copies[4:, 0, 1] = -np.inf
    scores = np.zeros((1, 20))
    scores[0, 1] = 100.0  # far above its four scores on their own scale
    found = StandingOut.of(scores, copies, 0.1, np.zeros((1, 20), dtype=np.bool_))
    assert found.z[0, 1] < 2
    assert not found.stands_out.any()


def test_copies_of_nothing_but_chance_seldom_have_a_cell_that_stands_out(mirrors):
    """Each of 100 further copies is judged as names are: in at most one of ten is anything found."""
    copies = score_copies(mirrors, 400, SEED(4))
    further = score_copies(mirrors, 50, SEED(5))
    nothing = np.zeros(mirrors.cells.shape, dtype=np.bool_)
    for kind in range(KINDS):
        found = sum(
            bool(StandingOut.of(scores.astype(np.float64), copies, 0.1, nothing).stands_out.any())
            for scores in further[kind::KINDS]
        )
        assert found <= 15  # of 50; more come once in ten thousand at 10 %
    # Nor by never finding anything.
    strong = further[0].astype(np.float64)
    strong[0, 0] += 8 * copies[:, 0, 0][np.isfinite(copies[:, 0, 0])].std()
    assert StandingOut.of(strong, copies, 0.1, nothing).stands_out[0, 0]
