"""The four checks of one test: against slow oracles, on planted effects, and where they cannot run."""

from dataclasses import replace
from types import SimpleNamespace

import numpy as np
import pytest

from imprint.association.evidence import SetVectors, against_frequency, along_axes
from imprint.association.weat import contrast_of, look_up, weat
from imprint.embeddings.embedding import Embedding
from imprint.significance.partitions import permutation_test
from imprint.stimuli.catalog import get
from imprint.subjects.opening import load


@pytest.fixture(scope="module")
def default():
    return load("default")


def contrast(default, test):
    return contrast_of(default, look_up(default, get(test)))


def test_u_times_v_is_the_mean_difference(default):
    one = contrast(default, "caliskan-6")
    assert one.u @ one.v == pytest.approx(weat(default, "caliskan-6").mean_difference)


@pytest.mark.parametrize("test", ["caliskan-8", "caliskan-10", "seat-7b"])
def test_frequency_agrees_with_drawing_every_set_anew(default, test):
    one, background = contrast(default, test), default.background
    rng = np.random.default_rng(5)
    draws, n_x, n_a = 4_000, one.n_x, one.n_a
    t, a = (background.rows[background.draw(ranks, draws, rng)] for ranks in (one.target_ranks, one.attribute_ranks))
    u, v = t[:, :n_x].mean(1) - t[:, n_x:].mean(1), a[:, :n_a].mean(1) - a[:, n_a:].mean(1)
    slow = np.mean(np.abs(np.einsum("kd,kd->k", u, v)) >= abs(one.u @ one.v))
    quick = against_frequency(one, background, 0)["p_frequency"]
    assert quick == pytest.approx(slow, abs=4 * np.sqrt(slow * (1 - slow) / draws) + 0.1 * slow)


def test_seeds_change_the_frequency_check_little(default):
    one = contrast(default, "caliskan-4")
    found = [against_frequency(one, default.background, seed)["p_frequency"] for seed in range(4)]
    assert max(found) < 1.4 * min(found)
    assert found[0] == against_frequency(one, default.background, 0)["p_frequency"]


def test_label_is_two_sided(default):
    result = weat(default, "caliskan-7")
    two_sided = permutation_test(result.x_scores, result.y_scores, alternative="two-sided").p_value
    assert result.checks.p_label == two_sided > result.p_value


def test_swapped_names_are_reversed_and_as_sure(default):
    test = get("caliskan-6")
    one, other = weat(default, test), weat(default, replace(test, x=test.y, y=test.x))
    assert (one.direction, other.direction) == ("as predicted", "reversed")
    assert one.evidence == other.evidence == "strong"  # a family of one
    assert one.checks.p_label == other.checks.p_label
    assert one.checks.p_words == pytest.approx(other.checks.p_words)
    assert one.checks.words_low == pytest.approx(-other.checks.words_high)


def test_a_small_vocabulary_leaves_two_checks_out(embedding, targets, attributes):
    result = weat(embedding, targets=targets, attributes=attributes)
    assert result.checks.p_frequency is None
    assert result.checks.p_axes is None
    assert result.checks.p_words is not None
    assert result.evidence == "limited"
    assert result.judged.checks_failed == ("frequency", "axes")


def test_descriptions_are_what_they_say(default):
    one, checks = contrast(default, "caliskan-6"), weat(default, "caliskan-6").checks
    assert checks.rank_x == np.median(one.target_ranks[:8]) + 1
    scores = one.targets @ one.v
    log_rank = np.log(one.target_ranks + 1)
    slope_by_hand = np.linalg.lstsq(np.column_stack([np.ones(16), np.arange(16) < 8, log_rank]), scores, rcond=None)[0]
    assert checks.adjusted_difference == pytest.approx(slope_by_hand[1])
    assert 0 <= checks.specificity <= 0.1  # few attribute pairs separate men's names from women's as well


def test_the_axes_check_sees_an_alignment_on_every_axis():
    rng = np.random.default_rng(0)
    v = rng.normal(size=60)
    space = SimpleNamespace(axes=np.eye(60), misfit=1.0)
    aligned = SetVectors(np.vstack([v, -v]), np.vstack([v, -v]), 1, 1, np.zeros(2, int), np.zeros(2, int))
    other = SetVectors(np.vstack([v, -v]), rng.normal(size=(2, 60)), 1, 1, np.zeros(2, int), np.zeros(2, int))
    assert along_axes(aligned, space) < 1e-4
    assert along_axes(other, space) > 0.01


def test_words_that_all_point_one_way_do_not_crash():
    vectors = np.ones((16, 4), dtype=np.float32)
    words = [f"w{number}" for number in range(16)]
    result = weat(
        Embedding("flat", words, vectors), targets=(words[:4], words[4:8]), attributes=(words[8:12], words[12:])
    )
    assert result.checks.p_words is None
    assert result.direction is None
    assert result.evidence == "none shown"
