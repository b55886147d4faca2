from itertools import pairwise

import numpy as np
import pytest

from imprint.enumeration.problem import build_problem
from imprint.enumeration.settings import Settings


def posed(planted, small, seed=0, **changes):
    seeds = tuple(np.random.SeedSequence(seed).spawn(4))
    return build_problem(planted.embedding, "first", Settings(**small | {"seed": seed} | changes), seeds)


@pytest.mark.parametrize("seed", range(6))
@pytest.mark.parametrize("weighted", [False, True])
def test_directions_are_the_means_of_the_groups_less_their_common_mean(planted, small, seed, weighted):
    problem = posed(planted, small, seed, weighted=weighted)
    means = []
    for number in range(4):
        total, weight = 0.0, 0.0
        for name, bearers in zip(problem.targets.names, problem.targets.bearers, strict=True):
            if problem.labels[problem.targets.names.index(name)] == number:
                vector = planted.embedding.lookup([name]).vectors[0].astype(np.float64)
                count = float(bearers) if weighted else 1.0
                total, weight = total + count * vector / np.linalg.norm(vector), weight + count
        means.append(total / weight)
    np.testing.assert_allclose(problem.cells.directions, np.array(means) - np.mean(means, axis=0), atol=1e-6)


@pytest.mark.parametrize("seed", range(6))
def test_groups_are_numbered_by_their_share_of_women(planted, small, seed):
    problem = posed(planted, small, seed)
    table = problem.targets.table
    shares = [
        np.mean(
            [table.share_women[table.index[problem.targets.names[k]]] for k in np.flatnonzero(problem.labels == i)]
        )
        for i in range(4)
    ]
    assert shares == sorted(shares, reverse=True)


def test_words_are_unit_rows_sorted_by_category_and_then_by_frequency(planted, small):
    problem = posed(planted, small)
    cells = problem.cells
    for row, vector in zip(problem.rows, cells.words, strict=True):
        stored = planted.embedding.vectors[row].astype(np.float64)
        np.testing.assert_allclose(vector, stored / np.linalg.norm(stored), atol=1e-6)
    for start, end in pairwise(cells.offsets):
        assert (np.diff(problem.rows[start:end]) > 0).all()
    np.testing.assert_allclose(problem.frequency, -np.log(problem.rows + 1.0))


def test_the_same_seeds_pose_the_same_problem(planted, small):
    first, again = posed(planted, small), posed(planted, small)
    assert first.cells.words.tobytes() == again.cells.words.tobytes()
    assert first.cells.directions.tobytes() == again.cells.directions.tobytes()


def test_without_frequency_words_and_names_live_in_one_dimension_less(planted, small):
    problem = posed(planted, small, without_frequency=True)
    less = planted.embedding.dimension - 1
    assert problem.cells.words.shape[1] == problem.name_vectors.shape[1] == problem.cells.directions.shape[1] == less
