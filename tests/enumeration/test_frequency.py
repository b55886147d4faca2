from concurrent.futures import ThreadPoolExecutor
from dataclasses import replace

import numpy as np
import pytest
from scipy.stats import spearmanr

from imprint.embeddings.embedding import Embedding
from imprint.enumeration.confounds import (
    cells_without,
    correlation_with_frequency,
    drop_direction,
    frequency_direction,
    log_frequency,
    without_direction,
)
from imprint.enumeration.enumerate import enumerate_biases
from imprint.enumeration.problem import build_problem
from imprint.enumeration.settings import Settings
from imprint.enumeration.solution import _survive, problem_seeds, solve
from imprint.significance.rotations import Cells, null_scores, observed_scores

D = 12


def unit(rows):
    return (rows / np.linalg.norm(rows, axis=1, keepdims=True)).astype(np.float32)


@pytest.fixture
def words_and_frequency():
    """Words longer in some directions than in others, whose frequency shows along a slanting one."""
    rng = np.random.default_rng(0)
    frequency = -np.log(np.arange(2_000) + 1.0)
    standard = (frequency - frequency.mean()) / frequency.std()
    words = rng.normal(size=(2_000, D)) * np.geomspace(3, 0.3, D)
    words += np.outer(standard, rng.normal(size=D))
    return unit(words), frequency


def strongest_correlation(rows, frequency):
    """The largest correlation that any direction has with frequency, found by regression."""
    centred = rows - rows.mean(axis=0)
    slope = np.linalg.lstsq(centred, frequency - frequency.mean(), rcond=None)[0]
    return float(np.corrcoef(centred @ slope, frequency)[0, 1])


def test_removing_the_direction_leaves_no_correlation_with_frequency_in_any_other(words_and_frequency):
    words, frequency = words_and_frequency
    assert strongest_correlation(words, frequency) > 0.8
    direction = frequency_direction(words, frequency)
    assert np.linalg.norm(direction) == pytest.approx(1)
    rest = drop_direction(words, direction)
    assert np.abs(np.corrcoef(rest.T, frequency)[-1, :-1]).max() < 1e-6
    # Scaling rows to unit length again brings a little back.
    assert strongest_correlation(without_direction(words, direction), frequency) < 0.25
    # The slope of the regression would not have done: frequency shows in what is left.
    slope = np.linalg.lstsq(words - words.mean(axis=0), frequency - frequency.mean(), rcond=None)[0]
    assert strongest_correlation(drop_direction(words, slope / np.linalg.norm(slope)), frequency) > 0.5


def test_coordinates_across_a_direction_keep_all_products_but_its_share():
    rng = np.random.default_rng(1)
    rows = rng.normal(size=(20, D))
    for direction in (*np.eye(D)[[0, -1]], -np.eye(D)[-1], rng.normal(size=D)):
        axis = direction / np.linalg.norm(direction)
        rest = drop_direction(rows, axis)
        assert rest.shape == (20, D - 1)
        along = rows @ axis
        np.testing.assert_allclose(rest @ rest.T, rows @ rows.T - np.outer(along, along), atol=1e-12)


def test_rows_have_unit_length_after_the_direction_is_gone(words_and_frequency):
    words, frequency = words_and_frequency
    rest = without_direction(words, frequency_direction(words, frequency))
    np.testing.assert_allclose(np.linalg.norm(rest, axis=1), 1, atol=1e-6)
    assert rest.dtype == np.float32


def test_where_frequency_does_not_vary_nothing_is_removed(words_and_frequency):
    words, _ = words_and_frequency
    direction = frequency_direction(words, np.ones(len(words)))
    assert not direction.any()
    assert without_direction(words, direction) is words


def test_rank_correlations_are_spearmans(words_and_frequency):
    words, frequency = words_and_frequency
    directions = np.random.default_rng(2).normal(size=(3, D))
    expected = [spearmanr(words @ direction, frequency).statistic for direction in directions]
    np.testing.assert_allclose(correlation_with_frequency(words, directions, frequency), expected, atol=1e-9)


def test_frequency_is_minus_the_logarithm_of_the_rank():
    vectors = np.ones((4, 2), dtype=np.float32)
    ranks = np.array([5, 0, 99, 7], dtype=np.int32)
    rows = np.array([2, 1])
    by_place = log_frequency(Embedding("made", list("abcd"), vectors), rows)
    by_rank = log_frequency(Embedding("made", list("abcd"), vectors, ranks=ranks), rows)
    np.testing.assert_allclose(by_place, -np.log([3, 2]))
    np.testing.assert_allclose(by_rank, -np.log([100, 1]))


def test_cells_without_a_direction_live_in_one_dimension_less_and_keep_their_groups(words_and_frequency):
    words, frequency = words_and_frequency
    means = np.random.default_rng(3).normal(size=(3, D))
    offsets = np.array([0, 800, 2_000])
    centres = np.array([words[:800].mean(axis=0), words[800:].mean(axis=0)])
    cells = Cells(words, offsets, means - means.mean(axis=0), centres, 3)
    direction = frequency_direction(words, frequency)
    rest = cells_without(cells, direction, "category")
    assert rest.words.shape == (2_000, D - 1)
    np.testing.assert_allclose(rest.directions.sum(axis=0), 0, atol=1e-12)
    np.testing.assert_allclose(rest.centres[1], rest.words[800:].mean(axis=0), atol=1e-6)
    gram = cells.directions @ cells.directions.T - np.outer(cells.directions @ direction, cells.directions @ direction)
    np.testing.assert_allclose(rest.directions @ rest.directions.T, gram, atol=1e-10)
    along = replace(cells, directions=np.outer([1.0, -0.5, -0.5], direction))
    assert cells_without(along, direction, "category") is None


@pytest.fixture(scope="module")
def frequent_names():
    """Names of one group lie where frequent words lie; names of another lie near three words of two categories."""
    rng = np.random.default_rng(5)
    axes = np.linalg.qr(rng.normal(size=(24, 24)))[0]
    often, person, special, other = axes[:4]
    centres = axes[4:8]
    spelt, rows = [], []
    logs = -np.log(np.arange(800) + 1.0)
    standard = (logs - logs.mean()) / logs.std()
    for k in range(800):
        category = k % 4
        row = centres[category] + 0.25 * standard[k] * often + rng.normal(scale=0.06, size=24)
        if category < 2 and 300 <= k < 312:
            row = centres[category] + 0.6 * special + rng.normal(scale=0.03, size=24)
        spelt.append("q" + "".join(chr(97 + k // 26**place % 26) for place in (2, 1, 0)))
        rows.append(row)
    names = []
    for letter, direction in (("O", often), ("S", special), ("X", other)):
        for k in range(30):
            names.append(f"{letter}nam{chr(97 + k // 26)}{chr(97 + k % 26)}")
            rows.append(person + 0.8 * direction + rng.normal(scale=0.05, size=24))
    return Embedding("made", spelt + names, np.array(rows, dtype=np.float32)), names


OPTIONS = {"groups": 3, "categories": 4, "rotations": 999, "cleaning": "none", "repeats": 0}


def of_names(result, initial):
    (letter,) = (group.letter for group in result.groups if group.names[0].startswith(initial))
    return letter, [cell for cell in result.significant if cell.group == letter]


def test_a_group_whose_hits_are_frequent_words_is_flagged_and_a_real_association_survives(frequent_names):
    embedding, names = frequent_names
    result = enumerate_biases(embedding, names, **OPTIONS)
    often, hits = of_names(result, "O")
    special, real = of_names(result, "S")
    assert len(hits) >= 3
    assert not any(cell.survives for cell in hits)
    assert result.group(often).frequency > 0.8
    assert {cell.survives for cell in real} == {True}
    assert len(real) == 2
    assert result.flagged == (often,)
    assert special not in result.flagged
    explained = {
        finding.group
        for finding in result.findings()
        if finding.kind in ("ube", "ube-group") and finding.explained_by_frequency
    }
    assert explained == {often}


def test_with_the_direction_removed_first_only_the_real_association_is_left(frequent_names):
    embedding, names = frequent_names
    result = enumerate_biases(embedding, names, without_frequency=True, **OPTIONS)
    _, hits = of_names(result, "O")
    _, real = of_names(result, "S")
    assert hits == []
    assert len(real) == 2
    assert result.flagged == ()
    assert max(abs(group.frequency) for group in result.groups) < 0.2


def test_associations_survive_though_few_rotations_cannot_give_as_small_a_p_value(planted, small):
    result = enumerate_biases(planted.embedding, **small | {"rotations": 5_000})
    assert max(cell.p_value for cell in result.significant) < 1 / 1_001
    assert {cell.survives for cell in result.significant} == {True}
    assert result.flagged == ()


def test_the_check_keeps_the_words_and_loses_more_than_directions_of_no_meaning_do(frequent_names):
    embedding, names = frequent_names
    result = enumerate_biases(embedding, names, **OPTIONS)
    _, hits = of_names(result, "O")
    lost = sum(not cell.survives for cell in result.significant)
    assert lost >= len(hits) > result.lost_without_random
    assert result.lost_without_third_axis is not None
    # By hand: the same words' own score in the space across, against rotations that choose words anew.
    settings = Settings(**OPTIONS)
    problem = build_problem(embedding, names, settings, problem_seeds(settings))
    scores, rows = observed_scores(problem.cells)
    rest = cells_without(problem.cells, frequency_direction(problem.cells.words, problem.frequency), "category")
    with ThreadPoolExecutor(1) as pool:
        null = np.concatenate(list(null_scores(rest, 999, seed=np.random.SeedSequence(8), executor=pool)))
    limit = max(cell.p_value for cell in result.significant)
    by_words = {cell.words: cell for cell in result.significant}
    checked = 0
    for j, i in np.ndindex(scores.shape):
        cell = by_words.get(tuple(embedding.words[problem.rows[row]] for row in rows[j, i]))
        if cell is not None:
            score = (rest.words[rows[j, i]].mean(axis=0) - rest.centres[j]) @ rest.directions[i]
            p_value = (1 + np.sum(null[:, j, i] >= score)) / 1_000
            assert cell.survives == (p_value <= limit)
            checked += 1
    assert checked == len(result.significant)


@pytest.mark.parametrize("correction", ["bh", "max"])
def test_asking_only_about_what_was_found_gives_the_same_significant_cells(frequent_names, correction):
    settings = Settings(**OPTIONS | {"correction": correction})
    problem = build_problem(*frequent_names, settings, problem_seeds(settings))
    axis = frequency_direction(problem.cells.words, problem.frequency)
    with ThreadPoolExecutor(1) as pool:
        given = {"executor": pool, "device": "cpu", "report": None}
        table, _ = solve(problem, settings, **given)
        # A category with a cell that survives is left out, unless p-values are family-wise.
        left_out = _survive(problem, settings, table, axis, **given).any(axis=1).argmax()
        significant = table.significant.copy()
        significant[left_out] = False
        table = replace(table, significant=significant)
        every, found = (_survive(problem, settings, table, axis, **given, found=only) for only in (False, True))
    np.testing.assert_array_equal(significant & found, significant & every)
    assert 0 < (significant & every).sum() < significant.sum()
    assert every[left_out].any()
    assert found[left_out].any() == (correction == "max")
