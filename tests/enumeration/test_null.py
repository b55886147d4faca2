from concurrent.futures import ThreadPoolExecutor

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from statsmodels.stats.multitest import multipletests

from imprint.enumeration.null import Tally, adjust, rotation_p_values
from imprint.enumeration.settings import Settings
from imprint.significance.rotations import Cells, chunks, observed_scores, rotated_scores

SHAPE = (3, 4)


def tally_of(scores, chunks, *, keep=False):
    tally = Tally(scores, np.zeros(scores.shape, dtype=np.int64), kept=[] if keep else None)
    for chunk in chunks:
        tally.add(chunk)
    return tally


def random_null(seed, rotations=60, shape=SHAPE):
    """Scores of rotations on scales of their own, some cells too short, and observed scores, one cell too short."""
    rng = np.random.default_rng(seed)
    scale = rng.uniform(0.5, 20, size=shape)
    null = (rng.normal(size=(rotations, *shape)) * scale).astype(np.float32)
    null[rng.uniform(size=null.shape) < 0.1] = -np.inf
    scores = rng.normal(size=shape) * scale * 2
    scores[0, 1] = -np.inf
    return scores, null


@given(st.integers(0, 5_000))
def test_p_values_count_rotations_that_reach_and_the_observation_itself(seed):
    scores, null = random_null(seed)
    p_values = tally_of(scores, [null[:40], null[40:]]).p_values()
    for j, i in np.ndindex(*SHAPE):
        if scores[j, i] == -np.inf:
            assert p_values[j, i] == 1.0
        else:
            reached = sum(1 for score in null[:, j, i] if score >= scores[j, i])
            assert p_values[j, i] == (reached + 1) / 61


def test_a_rotation_that_reaches_exactly_counts_and_a_short_cell_under_it_does_not():
    null = np.array([[[0.5]], [[-np.inf]], [[0.25]]], dtype=np.float32)
    assert tally_of(np.array([[0.5]]), [null]).p_values() == [[2 / 4]]


@settings(deadline=None, max_examples=30)
@given(st.integers(0, 5_000))
def test_family_wise_p_values_are_those_of_a_plain_loop(seed):
    scores, null = random_null(seed)
    p_values = tally_of(scores, [null[:25], null[25:]], keep=True).p_values()
    rows = [*null.astype(np.float64), scores]
    z = np.full((len(rows), *SHAPE), -np.inf)
    for j, i in np.ndindex(*SHAPE):
        there = [row[j, i] for row in rows if np.isfinite(row[j, i])]
        for r, row in enumerate(rows):
            if np.isfinite(row[j, i]):
                z[r, j, i] = (row[j, i] - np.mean(there)) / np.std(there)
    largest = [z[r].max() for r in range(len(null))]
    exact = 0
    for j, i in np.ndindex(*SHAPE):
        if np.isfinite(scores[j, i]):
            # Null scores are kept in single precision: what is as good as equal may count or not.
            fewest, most = (sum(1 for top in largest if top >= z[-1, j, i] + tie) for tie in (1e-5, -1e-5))
            assert (fewest + 1) / 61 <= p_values[j, i] <= (most + 1) / 61
            exact += fewest == most
        else:
            assert p_values[j, i] == 1.0
    assert exact >= 10


def test_a_family_wise_p_value_is_never_below_the_cells_own():
    for seed in range(20):
        scores, null = random_null(seed)
        assert (tally_of(scores, [null], keep=True).p_values() >= tally_of(scores, [null]).p_values()).all()


def test_a_cell_that_hardly_ever_has_enough_words_is_no_discovery_of_the_whole_family():
    rng = np.random.default_rng(0)
    null = rng.normal(size=(999, 1, 2)).astype(np.float32)
    null[2:, 0, 1] = -np.inf
    null[:2, 0, 1] = [0.500, 0.501]
    # Far above its two null scores on their own scale, and yet nothing that could be told from chance.
    assert tally_of(np.array([[0.0, 0.6]]), [null], keep=True).p_values()[0, 1] > 0.05
    never = null.copy()
    never[:, 0, 1] = -np.inf
    assert tally_of(np.array([[0.0, 0.6]]), [never], keep=True).p_values()[0, 1] > 0.05


def test_family_wise_errors_are_as_rare_as_promised():
    """Exchangeable observations, among them cells that are seldom there: at most 5 % of runs find anything."""
    rng = np.random.default_rng(1)
    runs, rotations = 400, 99
    errors = 0
    for _ in range(runs):
        null = rng.normal(size=(rotations + 1, 2, 20)).astype(np.float32)
        null[:, 1][rng.uniform(size=(rotations + 1, 20)) < 0.97] = -np.inf
        errors += (tally_of(null[-1].astype(np.float64), [null[:-1]], keep=True).p_values() <= 0.05).any()
    # 0.05 and four binomial standard deviations
    assert errors / runs < 0.05 + 4 * np.sqrt(0.05 * 0.95 / runs)
    assert errors > 0


@pytest.mark.parametrize(("correction", "method"), [("bh", "fdr_bh"), ("by", "fdr_by")])
def test_all_cells_are_the_family_those_with_too_few_words_included(correction, method):
    p_values = np.array([[0.001, 0.02, 1.0], [0.012, 1.0, 1.0]])
    adjusted = adjust(p_values, Settings(method="paper", correction=correction))
    np.testing.assert_allclose(adjusted, multipletests(p_values.ravel(), method=method)[1].reshape(2, 3))
    only_real = multipletests(p_values[p_values < 1], method=method)[1]
    assert adjusted[0, 0] == pytest.approx(2 * only_real[0] if correction == "bh" else 0.001 * 6 * 2.45)


def test_a_family_wise_p_value_is_not_corrected_again():
    p_values = np.array([[0.04, 0.2]])
    assert adjust(p_values, Settings(method="paper", correction="max")) is p_values


@pytest.fixture
def cells():
    rng = np.random.default_rng(2)
    words = rng.normal(size=(40, 5))
    words = (words / np.linalg.norm(words, axis=1, keepdims=True)).astype(np.float32)
    means = rng.normal(size=(3, 5))
    centres = np.array([words[:20].mean(axis=0), words[20:].mean(axis=0)])
    return Cells(words, np.array([0, 20, 40]), means - means.mean(axis=0), centres, 2)


@pytest.mark.parametrize("keep", [False, True])
def test_rotating_gives_the_p_values_of_all_null_scores(cells, keep):
    scores, _ = observed_scores(cells)
    reports = []
    with ThreadPoolExecutor(2) as pool:
        seed = np.random.SeedSequence(4)
        p_values = rotation_p_values(cells, scores, 300, seed=seed, executor=pool, keep=keep, report=reports.append)
    null = np.concatenate([rotated_scores(cells, *task) for task in chunks(300, np.random.SeedSequence(4))])
    np.testing.assert_array_equal(p_values, tally_of(scores, [null], keep=keep).p_values())
    assert sum(reports) == 300
    assert (p_values >= 1 / 301).all()
