"""Linear projection: the axis is there before and gone after, from every word, and no smaller change does it."""

import numpy as np
import pytest
from refusals import refuses

from imprint.debiasing.projection import ProjectionDebiaser
from imprint.directions.axis import pair_axis
from imprint.errors import SettingError

from .conftest import MEN, OTHERS, SEEDS, WOMEN, row

PAIRS = tuple(zip(MEN, WOMEN, strict=True))


def test_every_word_leans_before_and_none_after(planted):
    transform = ProjectionDebiaser().fit(planted, pairs=PAIRS)
    direction = pair_axis(planted, PAIRS, method="pca").direction
    after = transform.apply(planted)
    assert max(abs(row(planted, word) @ direction) for word in (*SEEDS, *MEN)) > 1.0
    assert max(abs(row(after, word) @ direction) for word in (*SEEDS, *OTHERS, *MEN, *WOMEN)) < 1e-5


def test_the_direction_is_the_one_along_which_differences_of_pairs_vary_most(planted):
    """An oracle: the Rayleigh quotient of the direction that is removed is no smaller than that of any other."""
    matrix = ProjectionDebiaser().fit(planted, pairs=PAIRS).matrix
    (removed,) = (way for value, way in zip(*_eigen(np.eye(12) - matrix), strict=True) if value > 0.5)
    differences = planted.lookup(MEN).unit - planted.lookup(WOMEN).unit
    best = ((differences @ removed) ** 2).sum()
    ways = np.random.default_rng(0).normal(size=(500, 12))
    others = ((differences @ (ways / np.linalg.norm(ways, axis=1, keepdims=True)).T) ** 2).sum(axis=0)
    assert (others <= best + 1e-12).all()
    assert best == pytest.approx(np.linalg.eigvalsh(differences.T @ differences)[-1])


def test_no_other_linear_map_that_removes_the_axis_moves_a_word_less(planted):
    direction = pair_axis(planted, PAIRS, method="pca").direction
    matrix = ProjectionDebiaser().fit(planted, pairs=PAIRS).matrix
    np.testing.assert_allclose(direction @ matrix, 0.0, atol=1e-12)
    generator = np.random.default_rng(3)
    rows = planted.vectors.astype(np.float64)
    least = np.linalg.norm(rows - rows @ matrix.T, axis=1)
    for size in (1e-3, 0.1, 1.0):
        other = matrix + size * matrix @ generator.normal(size=(12, 12))  # its range is orthogonal to the axis too
        np.testing.assert_allclose(direction @ other, 0.0, atol=1e-9)
        assert (np.linalg.norm(rows - rows @ other.T, axis=1) >= least - 1e-9).all()


def test_an_axis_is_removed_as_given(planted):
    axis = pair_axis(planted, [("thing0", "thing1")])
    matrix = ProjectionDebiaser().fit(planted, axis=axis).matrix
    np.testing.assert_allclose(matrix, np.eye(12) - np.outer(axis.direction, axis.direction), atol=1e-12)


def test_only_one_of_axis_pairs_and_groups_is_taken(planted):
    with refuses(SettingError, option="axis"):
        ProjectionDebiaser().fit(planted, pairs=PAIRS, groups=[MEN, WOMEN])


def _eigen(matrix):
    values, ways = np.linalg.eigh(matrix)
    return values, ways.T
