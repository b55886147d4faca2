from dataclasses import replace
from itertools import pairwise

import numpy as np
import pytest

from imprint.enumeration.conclusion import NULL_DIRECTIONS, STRONGEST, find_crossings
from imprint.significance.rotations import Cells, observed_scores, random_directions


@pytest.fixture
def cells():
    rng = np.random.default_rng(0)
    sizes = (40, 40, 40, 9)
    words = rng.normal(size=(sum(sizes), 8))
    words = (words / np.linalg.norm(words, axis=1, keepdims=True)).astype(np.float32)
    offsets = np.concatenate([[0], np.cumsum(sizes)])
    centres = np.array([words[a:b].mean(axis=0) for a, b in pairwise(offsets)])
    means = rng.normal(size=(4, 8))
    return Cells(words, offsets, means - means.mean(axis=0), centres, 2)


@pytest.fixture
def directions(cells):
    return random_directions(cells, NULL_DIRECTIONS, np.random.SeedSequence(1))


@pytest.fixture
def stands_out(cells):
    """Some cells, one of them in the small category where rotations often leave too few words."""
    scores, _ = observed_scores(cells)
    chosen = np.isfinite(scores)
    chosen[0, 3] = chosen[1, 0] = False
    assert chosen[3].sum() >= 2
    return chosen


def naive(cells, rows, stands_out):
    """Eq. (1) for every i < i', j < j' with all four cells standing out, by four loops."""
    products = {}
    categories, groups = stands_out.shape

    def mean(j, i):
        if (rows[j, i] < 0).any():
            return None
        return sum(cells.words[row].astype(float) for row in rows[j, i]) / len(rows[j, i])

    for i in range(groups):
        for other in range(i + 1, groups):
            for j in range(categories):
                for k in range(j + 1, categories):
                    four = [(j, i), (j, other), (k, i), (k, other)]
                    if all(stands_out[cell] for cell in four):
                        a, b, c, d = (mean(*cell) for cell in four)
                        there = all(vector is not None for vector in (a, b, c, d))
                        products[i, other, j, k] = (a - b) @ (c - d) if there else None
    return products


def test_shares_products_and_distances_are_those_of_plain_loops(cells, stands_out, directions):
    _, rows = observed_scores(cells)
    found = find_crossings(cells, stands_out, rows, directions)
    observed = naive(cells, rows, stands_out)
    null = []
    for drawn in directions:
        turned = replace(cells, directions=drawn.T.astype(np.float64))
        null.append(naive(cells, observed_scores(turned)[1], stands_out))
    assert found.tuples == len(observed) > STRONGEST
    assert found.share == pytest.approx(np.mean([product > 0 for product in observed.values()]))
    known = [product for turn in null for product in turn.values() if product is not None]
    assert len(known) < NULL_DIRECTIONS * len(observed)
    assert found.null_share == pytest.approx(np.mean([product > 0 for product in known]))
    distances = {}
    for four, product in observed.items():
        mine = [turn[four] for turn in null if turn[four] is not None]
        distances[four] = (product - np.mean(mine)) / np.std(mine)
    strongest = sorted(distances, key=distances.get, reverse=True)[:STRONGEST]
    assert [four for four, _, _ in found.strongest] == strongest
    for four, product, distance in found.strongest:
        assert product == pytest.approx(observed[four], abs=1e-9)
        assert distance == pytest.approx(distances[four], abs=1e-6)


def test_random_directions_satisfy_the_condition_nearly_always_by_construction(cells, stands_out, directions):
    found = find_crossings(cells, stands_out, observed_scores(cells)[1], directions)
    assert found.null_share > 0.9


def test_without_four_cells_that_stand_out_there_is_nothing_to_say(cells, stands_out, directions):
    rows = observed_scores(cells)[1]
    none = np.zeros_like(stands_out)
    three = none.copy()
    three[0, 0] = three[0, 1] = three[1, 1] = True
    diagonal = np.eye(4, dtype=np.bool_)
    for chosen in (none, three, diagonal):
        assert find_crossings(cells, chosen, rows, directions) is None
