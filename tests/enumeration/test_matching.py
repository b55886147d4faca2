"""Recurrence: associations matched across clusterings by their names and words, against sets counted by hand."""

from concurrent.futures import ProcessPoolExecutor, ThreadPoolExecutor
from dataclasses import replace
from itertools import product

import msgspec
import numpy as np
import pytest

from imprint.embeddings.embedding import Embedding
from imprint.enumeration.enumerate import enumerate_biases
from imprint.enumeration.null import Mirrors, StandingOut, score_copies, smallest_z
from imprint.enumeration.problem import build_problem, cluster_again
from imprint.enumeration.settings import Settings
from imprint.enumeration.solution import problem_seeds, repeat_clustering, same_cells, same_groups
from imprint.significance.rotations import observed_scores


def by_sets(labels, words, stands_out, other_labels, other_words):
    """The definition, word for word, with sets of names and of words."""

    def names(clusters, group):
        return {name for name, label in enumerate(clusters) if label == group}

    for cell, other in product(np.ndindex(stands_out.shape), np.ndindex(other_words.shape[:2])):
        own, others = names(labels, cell[1]), names(other_labels, other[1])
        both = len(own & others)
        mostly = both > len(own) / 2 and both > len(others) / 2
        half = len(set(words[cell]) & set(other_words[other])) >= len(words[cell]) / 2
        if stands_out[cell] and mostly and half:
            yield cell, other


@pytest.mark.parametrize("top", [1, 2, 3, 4])
def test_cells_match_by_the_definition_counted_with_sets(top):
    rng = np.random.default_rng(top)
    found = []
    for _ in range(60):
        groups, names, vocabulary = 4, 30, 9
        labels = rng.integers(groups, size=names)
        others = np.where(rng.random(names) < 0.35, rng.integers(groups, size=names), (labels + 1) % groups)
        words, moved = (
            np.array([[rng.choice(vocabulary, top, replace=False) for _ in range(groups)] for _ in range(count)])
            for count in (3, 5)
        )
        moved[0, 0] = -1
        given = (labels, words, rng.random((3, groups)) < 0.7, others, moved)
        pairs = same_cells(*given)
        assert sorted(pairs) == sorted(by_sets(*given))
        found.append(len(pairs))
    assert min(np.mean(found), 60 * 12 - np.mean(found)) > 0


def test_groups_match_one_to_one_and_only_with_more_than_half_of_either():
    labels = np.array([0, 0, 0, 0, 1, 1, 1, 2, 2])
    # Group 0 is cut into halves, group 1 gets a name more, and group 2 is left with one of two.
    others = np.array([0, 0, 2, 2, 1, 1, 1, 1, 3])
    assert np.argwhere(same_groups(labels, others, 4)).tolist() == [[1, 1]]
    rng = np.random.default_rng(0)
    for _ in range(50):
        one, other = rng.integers(3, size=(2, 12))
        same = same_groups(one, other, 3)
        assert same.sum(axis=0).max() <= 1
        assert same.sum(axis=1).max() <= 1


def test_a_cell_recurs_where_a_cell_that_matches_is_as_strong_among_its_own_copies(planted, small):
    """The oracle: cluster anew, standardise every cell of every category, and look each association up."""
    settings = Settings(**small)
    problem = build_problem(planted.embedding, "first", settings, problem_seeds(settings))
    mirrors = Mirrors.of(problem)
    rows = observed_scores(problem.cells)[1]
    # As if cells of every strength had been found, down to one that stands out by one standard deviation.
    z = np.full(problem.cells.shape, 1.0)
    everything = StandingOut(z, np.zeros_like(z), np.ones(z.shape, dtype=np.bool_), (0.0, 0.0), 1.0)
    seen = set()
    for seed in range(4):
        grouping, categorising, mirroring = np.random.SeedSequence(seed).spawn(3)
        again = cluster_again(problem, settings, grouping, categorising)
        scores, chosen = observed_scores(again.cells)
        others = smallest_z(scores, score_copies(replace(mirrors, cells=again.cells), 100, mirroring))
        expected = np.zeros((1, *z.shape))
        pairs = by_sets(problem.labels, problem.rows[rows], everything.stands_out, again.labels, again.rows[chosen])
        for cell, other in pairs:
            expected[0][cell] = max(expected[0][cell], others[other] > 1.0)
            seen.add(bool(others[other] > 1.0))
        found = repeat_clustering((problem, mirrors), settings, everything, rows, np.random.SeedSequence(seed))
        np.testing.assert_array_equal(found, expected)
    assert seen == {True, False}


def test_planted_associations_recur_in_nearly_all_runs(planted, small):
    plain = enumerate_biases(planted.embedding, **small)
    found = enumerate_biases(planted.embedding, **small | {"repeats": 10})
    assert {cell.recurrence for cell in plain.cells} == {None}
    assert plain.overview.recurrent is None
    shares = [cell.recurrence for cell in found.standing_out]
    assert len(shares) == 7
    assert min(shares) >= 0.8
    assert found.overview.recurrent == 7
    assert all((cell.recurrence is None) != cell.stands_out for cell in found.cells)
    # Nothing of the main run hangs on them.
    bare = tuple(msgspec.structs.replace(cell, recurrence=None, recurrence_runs=0) for cell in found.cells)
    assert bare == plain.cells


def noise(seed):
    """Names and words that have nothing to do with one another, in no clusters."""
    rng = np.random.default_rng(seed)
    words = [f"w{chr(97 + k // 676)}{chr(97 + k // 26 % 26)}{chr(97 + k % 26)}" for k in range(1_000)]
    names = ["N" + word[1:] for word in words[:200]]
    return Embedding("noise", words + names, rng.normal(size=(1_200, 40)).astype(np.float32)), names


def test_what_is_found_in_noise_does_not_recur():
    embedding, names = noise(0)
    options = {"groups": 4, "categories": 8, "copies": 50, "cleaning": "none", "repeats": 10}
    # So lenient that cells are "found" though every finding is false.
    found = enumerate_biases(embedding, names=names, fdr=0.99, **options)
    assert len(found.standing_out) >= 10
    assert found.overview.recurrent == 0
    assert np.mean([cell.recurrence for cell in found.standing_out]) < 0.1


def test_the_seed_alone_decides_recurrence_whoever_does_the_work(planted, small):
    # Hardly separate, so that runs differ.
    rng = np.random.default_rng(2)
    lengths = np.linalg.norm(planted.embedding.vectors, axis=1, keepdims=True)
    blurred = planted.embedding.vectors + 0.16 * lengths * rng.normal(size=planted.embedding.vectors.shape)
    embedding = Embedding("blurred", planted.embedding.words, blurred.astype(np.float32))
    options = small | {"repeats": 6}

    def shares(pool=None, **more):
        return [cell.recurrence for cell in enumerate_biases(embedding, workers=pool, **options | more).cells]

    expected = shares()
    assert len({share for share in expected if share is not None}) > 1
    for make in (ThreadPoolExecutor, ProcessPoolExecutor):
        with make(2) as pool:
            assert shares(pool) == expected
    assert shares(seed=1) != expected


def test_where_nothing_is_found_nothing_is_repeated(small, monkeypatch):
    embedding, names = noise(1)
    monkeypatch.setattr("imprint.enumeration.solution.cluster_again", None)
    found = enumerate_biases(embedding, names=names, **small | {"repeats": 5, "cleaning": "none"})
    assert found.standing_out == ()
    assert found.overview.recurrent == 0
