"""Altered copies: what flipping signs keeps and breaks, and counts of false discoveries against whole runs."""

from concurrent.futures import ThreadPoolExecutor
from itertools import pairwise

import numpy as np
import pytest

from imprint.enumeration import null
from imprint.enumeration.enumerate import enumerate_biases
from imprint.enumeration.null import (
    adjust,
    count_discoveries,
    flipped_directions,
    principal_axes,
    reached_by_each,
    rotation_p_values,
    score_copies,
)
from imprint.enumeration.problem import build_problem
from imprint.enumeration.settings import Settings
from imprint.enumeration.solution import problem_seeds
from imprint.significance.rotations import Cells, null_scores, observed_scores

SEED = np.random.SeedSequence


@pytest.fixture(scope="module")
def cells():
    rng = np.random.default_rng(0)
    rows = rng.normal(size=(300, 10)) * np.geomspace(3, 0.3, 10) @ np.linalg.qr(rng.normal(size=(10, 10)))[0]
    words = (rows / np.linalg.norm(rows, axis=1, keepdims=True)).astype(np.float32)
    offsets = np.array([0, 100, 180, 300])
    centres = np.array([words[start:end].mean(axis=0) for start, end in pairwise(offsets)])
    means = rng.normal(size=(4, 10))
    return Cells(words, offsets, means - means.mean(axis=0), centres, 2)


def test_axes_are_those_of_the_largest_variance_first(cells):
    axes = principal_axes(cells.words)
    np.testing.assert_allclose(axes.T @ axes, np.eye(10), atol=1e-10)
    covariance = np.cov(axes.T @ cells.words.T)
    np.testing.assert_allclose(covariance, np.diag(np.diag(covariance)), atol=1e-7)
    assert np.all(np.diff(np.diag(covariance)) <= 0)


def test_a_flip_keeps_products_of_names_and_their_share_of_each_axis_and_moves_them(cells):
    flipped = flipped_directions(cells, 50, SEED(1)).astype(np.float64)
    axes = principal_axes(cells.words)
    own = axes.T @ cells.directions.T
    for turned in flipped:
        np.testing.assert_allclose(turned.T @ turned, cells.directions @ cells.directions.T, atol=1e-5)
        np.testing.assert_allclose(np.abs(axes.T @ turned), np.abs(own), atol=1e-5)
    signs = np.sign((axes.T @ flipped)[:, :, 0] * own[:, 0])
    assert set(np.unique(signs)) == {-1.0, 1.0}
    assert np.abs(signs.mean(axis=0)).max() < 0.6  # each axis either way
    assert np.all(signs == np.sign((axes.T @ flipped)[:, :, 1] * own[:, 1]))  # one sign for all names


def test_scores_of_copies_are_those_of_cells_with_their_directions(cells, monkeypatch):
    monkeypatch.setattr(null, "COPIES", 5)
    scores = score_copies(cells, SEED(2))
    _, flipping = SEED(2).spawn(2)
    for table, turned in zip(scores[5:], flipped_directions(cells, 5, flipping), strict=True):
        moved = Cells(cells.words, cells.offsets, turned.T.astype(np.float64), cells.centres, 2)
        np.testing.assert_allclose(table, observed_scores(moved)[0], atol=1e-5)


def test_many_tables_are_counted_as_one_by_one(cells):
    rng = np.random.default_rng(3)
    with ThreadPoolExecutor(1) as pool:
        (chunk,) = null_scores(cells, 80, seed=SEED(4), executor=pool)
    tables = rng.normal(scale=chunk[np.isfinite(chunk)].std() * 2, size=(7, *cells.shape))
    tables[0] = chunk[3]  # reached by itself
    tables[1, 0, 0] = -np.inf
    tables[2, 0, 0] = np.nan
    expected = [np.sum(chunk >= table, axis=0) for table in tables]
    np.testing.assert_array_equal(reached_by_each(chunk, tables), expected)


def test_a_copy_made_of_vectors_and_run_anew_has_the_discoveries_counted(planted, small):
    """The oracle: flip the name vectors themselves, pose and test the copy from the start."""
    settings = Settings(**small | {"cleaning": "none", "fdr": 0.5, "rotations": 199})
    names = [name for group in planted.names for name in group]
    problem = build_problem(planted.embedding, names, settings, problem_seeds(settings))
    axes = principal_axes(problem.cells.words)
    rng = np.random.default_rng(6)
    shared = []
    with ThreadPoolExecutor(1) as pool:
        for _ in range(5):
            turn = axes @ np.diag(rng.choice([-1.0, 1.0], size=len(axes))) @ axes.T
            turned = (problem.name_vectors @ turn).astype(np.float32)
            means = np.array([turned[problem.labels == k].astype(float).mean(axis=0) for k in range(4)])
            moved = Cells(
                problem.cells.words, problem.cells.offsets, means - means.mean(axis=0), problem.cells.centres, 3
            )
            scores, _ = observed_scores(moved)
            own, lent = (
                adjust(rotation_p_values(one, scores, 999, seed=SEED(7), executor=pool), settings) <= settings.fdr
                for one in (moved, problem.cells)
            )
            shared.append((own.sum(), lent.sum()))
    for own, lent in shared:
        assert abs(int(own) - int(lent)) <= 1  # other rotations of one law


def test_discoveries_are_counted_by_kind(monkeypatch):
    monkeypatch.setattr(null, "COPIES", 2)
    nothing, all_found = np.ones((3, 2)), np.full((3, 2), 0.001)
    rotated, flipped = count_discoveries(np.array([nothing, nothing, nothing, all_found]), Settings())
    assert (rotated.copies, rotated.share_with_any, rotated.mean) == (2, 0.0, 0.0)
    assert (flipped.copies, flipped.share_with_any, flipped.mean) == (2, 0.5, 3.0)
    assert (rotated.mean_below_limit, flipped.mean_below_limit) == (None, None)


def test_copies_are_held_against_the_limit_of_the_embedding(monkeypatch):
    """Each copy has p-values as small as those found; corrected by itself it has too few of them."""
    monkeypatch.setattr(null, "COPIES", 2)
    p_values = np.ones((4, 10, 10))
    p_values[:, 0, :4] = 0.01
    p_values[2, 1, :2] = 0.02
    p_values[3, 1, :2] = 0.03
    rotated, flipped = count_discoveries(p_values, Settings(), 0.02)
    assert (rotated.mean, flipped.mean) == (0.0, 0.0)
    assert (rotated.mean_below_limit, rotated.low_below_limit, rotated.high_below_limit) == (4.0, 4.0, 4.0)
    assert (flipped.mean_below_limit, flipped.low_below_limit, flipped.high_below_limit) == (5.0, 4.1, 5.9)


def test_a_run_reports_both_kinds_and_a_family_wise_one_neither(planted, small):
    found = enumerate_biases(planted.embedding, **small)
    assert found.rotated_copies.copies == found.flipped_copies.copies == 200
    assert found.rotated_copies.share_with_any <= 0.1
    assert 0 <= found.rotated_copies.mean_below_limit < len(found.significant)
    largest = enumerate_biases(planted.embedding, **small | {"correction": "max"})
    assert (largest.rotated_copies, largest.flipped_copies) == (None, None)
