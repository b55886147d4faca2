"""Word frequency: its direction, what is left without it, and a group of common names beside common words."""

import numpy as np
import pytest
from scipy.stats import spearmanr

from imprint.embeddings.embedding import Embedding
from imprint.enumeration.enumerate import enumerate_biases
from imprint.enumeration.groups import correlation_with_frequency
from imprint.enumeration.null import KINDS, Mirrors, score_copies, standardise
from imprint.enumeration.problem import (
    build_problem,
    drop_direction,
    frequency_direction,
    log_frequency,
    without_direction,
)
from imprint.enumeration.settings import Settings
from imprint.enumeration.solution import problem_seeds
from imprint.significance.rotations import observed_scores

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


@pytest.fixture(scope="module")
def frequent_names():
    """Names of one group lie where frequent words lie; names of another lie near three words of two categories."""
    rng = np.random.default_rng(5)
    size = 60
    axes, spread = (np.linalg.qr(rng.normal(size=(size, size)))[0] for _ in range(2))
    spread *= np.geomspace(0.2, 0.05, size)[:, None]
    often, person, special, other = axes[:4]
    centres = axes[4:8]
    spelt, rows = [], []
    logs = -np.log(np.arange(800) + 1.0)
    standard = (logs - logs.mean()) / logs.std()
    for k in range(800):
        category = k % 4
        row = centres[category] + 0.25 * standard[k] * often + rng.normal(size=size) @ spread
        if category < 2 and 300 <= k < 312:
            row = centres[category] + 0.9 * special + rng.normal(scale=0.03, size=size)
        spelt.append("q" + "".join(chr(97 + k // 26**place % 26) for place in (2, 1, 0)))
        rows.append(row)
    names = []
    for letter, direction in (("O", often), ("S", special), ("X", other)):
        for k in range(30):
            names.append(f"{letter}nam{chr(97 + k // 26)}{chr(97 + k % 26)}")
            rows.append(person + 0.8 * direction + rng.normal(scale=0.05, size=size))
    return Embedding("made", spelt + names, np.array(rows, dtype=np.float32)), names


OPTIONS = {"groups": 3, "categories": 4, "copies": 200, "cleaning": "none", "repeats": 0}


def of_names(result, initial):
    (letter,) = (letter for letter, names in result.names.items() if names[0].startswith(initial))
    return letter, [cell for cell in result.cells if cell.group == letter]


def test_common_names_beside_common_words_are_not_found_and_a_real_association_is(frequent_names):
    result = enumerate_biases(frequent_names[0], names=frequent_names[1], **OPTIONS)
    often, beside_common_words = of_names(result, "O")
    assert {group.group: group.frequency for group in result.groups}[often] > 0.7
    assert not any(cell.stands_out for cell in beside_common_words)
    _, real = of_names(result, "S")
    assert len([cell for cell in real if cell.stands_out]) == len(result.standing_out) == 2


def test_copies_that_keep_frequency_have_what_common_names_and_common_words_share(frequent_names):
    settings = Settings(**OPTIONS)
    problem = build_problem(*frequent_names, settings, problem_seeds(settings))
    mirrors = Mirrors.of(problem)
    assert mirrors.frequency.shape[1] == 1
    copies = score_copies(mirrors, 200, np.random.SeedSequence(0))
    scores, _ = observed_scores(problem.cells)
    plain, kept = (standardise(scores, copies[kind::KINDS])[0] for kind in range(KINDS))
    names = frequent_names[1]
    (often,) = {int(label) for name, label in zip(names, problem.labels, strict=True) if name.startswith("O")}
    assert plain[:, often].mean() > kept[:, often].mean() + 0.5


def test_with_the_direction_removed_first_only_the_real_association_is_left(frequent_names):
    result = enumerate_biases(frequent_names[0], names=frequent_names[1], without_frequency=True, **OPTIONS)
    _, real = of_names(result, "S")
    assert [cell for cell in real if cell.stands_out] == list(result.standing_out)
    assert len(result.standing_out) == 2
    assert max(abs(group.frequency) for group in result.groups) < 0.2
