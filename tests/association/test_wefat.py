import math
from dataclasses import replace

import numpy as np
import pytest
from fields import values
from refusals import refuses
from scipy.stats import linregress, norm, spearmanr

from imprint.association.wefat import wefat
from imprint.embeddings.embedding import Embedding
from imprint.errors import SettingError, StimulusError
from imprint.stimuli.catalog import get

WORDS = tuple(f"job{i}" for i in range(30))
A, B = ("she", "her", "woman", "girl"), ("he", "him", "man", "boy")


@pytest.fixture
def embedding():
    rng = np.random.default_rng(4)
    direction = rng.normal(size=15)
    lean = [*np.linspace(-1, 1, 30), 1, 1, 1, 1, -1, -1, -1, -1]
    vectors = rng.normal(size=(38, 15)) + np.outer(lean, direction)
    return Embedding("jobs", [*WORDS, *A, *B], vectors.astype(np.float32))


@pytest.fixture
def shares():
    return dict(zip(WORDS, np.linspace(5, 95, 30), strict=True))


def naive_score(embedding, word):
    unit = {w: v / np.linalg.norm(v) for w, v in zip(embedding.words, embedding.vectors.astype(float), strict=True)}
    near = [[unit[word] @ unit[other] for other in side] for side in (A, B)]
    return (np.mean(near[0]) - np.mean(near[1])) / np.std(near[0] + near[1], ddof=1)


def test_scores_are_the_papers_formula_and_the_line_predicts_the_property(embedding, shares):
    result = wefat(embedding, targets=WORDS, attributes=(A, B), property=shares)
    scores = [naive_score(embedding, word) for word in WORDS]
    assert list(values(result.scores)) == list(values(result.values)) == list(WORDS)
    assert list(values(result.scores).values()) == pytest.approx(scores)
    assert values(result.values) == shares
    line = linregress(scores, list(shares.values()))
    assert (result.slope, result.intercept, result.r, result.p_value) == pytest.approx(
        (line.slope, line.intercept, line.rvalue, line.pvalue)
    )
    assert result.spearman == pytest.approx(spearmanr(scores, list(shares.values())).statistic)
    assert result.words_low < result.r < result.words_high


def test_a_property_that_is_the_score_itself_has_a_p_value_above_zero(embedding, shares):
    scores = values(wefat(embedding, targets=WORDS, attributes=(A, B), property=shares).scores)
    row = wefat(embedding, targets=WORDS, attributes=(A, B), property=scores)
    assert (row.r, row.spearman) == pytest.approx((1, 1))
    assert 0 < row.p_value < 1e-100
    assert (row.words_low, row.words_high) == (None, None)


def test_three_attributes_have_no_interval(embedding, shares):
    row = wefat(embedding, targets=WORDS, attributes=(A[1:], B), property=shares)
    assert (row.n_a, row.words_low, row.outcome, row.reason) == (3, None, "cannot tell", "few words")


def test_swapping_the_attributes_negates_the_correlation(embedding, shares):
    one = wefat(embedding, targets=WORDS, attributes=(A, B), property=shares)
    other = wefat(embedding, targets=WORDS, attributes=(B, A), property=shares)
    assert (other.r, other.words_low, other.words_high) == pytest.approx((-one.r, -one.words_high, -one.words_low))
    assert other.intercept == pytest.approx(one.intercept)


def test_missing_words_are_left_out_of_the_line_and_reported(embedding, shares):
    result = wefat(embedding, targets=(*WORDS, "astronaut"), attributes=(A, B), property=shares | {"astronaut": 11})
    assert result.missing == ("astronaut",)
    without = wefat(embedding, targets=WORDS, attributes=(A, B), property=shares)
    assert (result.r, result.words_low, result.words_high) == (without.r, without.words_low, without.words_high)


def test_a_property_must_cover_the_words_and_vary(embedding, shares):
    with refuses(StimulusError, "'job0'"):
        wefat(embedding, targets=WORDS, attributes=(A, B), property={w: v for w, v in shares.items() if w != "job0"})
    with refuses(StimulusError, "property", where="custom"):
        wefat(embedding, targets=WORDS, attributes=(A, B), property=dict.fromkeys(WORDS, 50.0))
    with refuses(StimulusError, "3", "4", where="custom"):
        wefat(embedding, targets=WORDS[:3], attributes=(A, B), property=shares)


def test_a_test_without_its_numbers_asks_for_them(embedding):
    with refuses(StimulusError, "--property", where="caliskan-wefat-occupations"):
        wefat(embedding, replace(get("caliskan-wefat-occupations"), property=None))
    with refuses(SettingError, option="test"):
        wefat(embedding, targets=WORDS)


def test_a_word_equally_close_to_every_attribute_has_no_score():
    vectors = np.eye(12, dtype=np.float32)
    embedding = Embedding("flat", [*"abcd", "e", "f", "g", "h", "i", "j", "k", "l"], vectors)
    with refuses(StimulusError, words=("a",)):
        wefat(
            embedding,
            targets=list("abcd"),
            attributes=(list("ef"), list("gh")),
            property={"a": 1, "b": 2, "c": 3, "d": 4},
        )


class TestChecks:
    """r over words and attributes, attributes of the same frequencies, and mirrored copies."""

    def test_r_over_words_and_attributes_is_wider_than_over_words_alone(self):
        row = wefat("glove-840b-stimuli", "caliskan-wefat-occupations")
        half = norm.ppf(0.9975) / math.sqrt(row.n_words - 3)
        over_words = [math.tanh(math.atanh(row.r) + sign * half) for sign in (-1, 1)]
        assert row.words_low < over_words[0] < row.r < over_words[1] < row.words_high
        assert (row.words_low, row.words_high) == pytest.approx((0.689, 0.972), abs=0.002)

    def test_a_small_vocabulary_has_nothing_to_compare_with(self):
        row = wefat("glove-840b-stimuli", "caliskan-wefat-occupations")
        assert (row.p_frequency, row.mirrored) == (None, None)
        assert (row.outcome, row.reason) == ("cannot tell", "frequency")

    def test_a_correlation_that_attributes_of_like_frequency_do_not_have_is_present(self):
        row = wefat("default", "caliskan-wefat-occupations")
        assert row.words_low > 0
        assert row.p_frequency == 4 / 10_001
        assert (row.outcome, row.reason) == ("present", None)

    def test_mirrored_copies_reach_what_a_literal_copy_does(self, bundled):
        row, test = wefat(bundled, "caliskan-wefat-occupations"), get("caliskan-wefat-occupations")
        rng, axes = np.random.default_rng(0), bundled.background.axes
        sides = [
            bundled.vectors[[bundled.index[word] for word in side.words]] for side in (test.words, test.a, test.b)
        ]
        along, a, b = (np.asarray(side, dtype=float) @ axes for side in sides)
        lengths = [np.linalg.norm(np.asarray(side, dtype=float), axis=1, keepdims=True) for side in sides]
        along, a, b = (rows / length for rows, length in zip((along, a, b), lengths, strict=True))
        shares = list(test.property.values())
        reached = []
        for _ in range(400):
            near = (along * rng.choice([-1, 1], axes.shape[1])) @ np.vstack([a, b]).T
            scores = (near[:, : len(a)].mean(axis=1) - near[:, len(a) :].mean(axis=1)) / near.std(axis=1, ddof=1)
            reached.append(abs(np.corrcoef(scores, shares)[0, 1]))
        assert row.mirrored == pytest.approx(np.quantile(reached, 0.95), abs=0.06)

    def test_a_property_without_meaning_shows_nothing(self):
        words = get("caliskan-wefat-occupations").words.words
        numbers = np.random.default_rng(3).normal(size=len(words))
        row = wefat("default", "caliskan-wefat-occupations", property=dict(zip(words, numbers.tolist(), strict=True)))
        assert row.words_low < 0 < row.words_high
        assert (row.outcome, row.reason) == ("cannot tell", None)

    def test_checks_depend_on_the_seed_alone(self):
        rows = [wefat("default", "winobias-wefat-occupations", seed=seed) for seed in (1, 1, 2)]
        one, same, other = ((row.p_frequency, row.mirrored) for row in rows)
        assert one == same != other


@pytest.mark.parametrize(("strength", "fewest", "most"), [(0, 0, 6), (3, 195, 200)])
def test_the_interval_excludes_zero_where_words_go_with_the_number_and_rarely_elsewhere(strength, fewest, most):
    """Without a correlation, 1 of 200 intervals is expected to exclude zero; 6 are reached in one run of 1,000."""
    rng = np.random.default_rng(4)
    words, a, b = ([f"{name}{place}" for place in range(size)] for name, size in (("w", 30), ("a", 8), ("b", 8)))
    shared = rng.normal(size=12)
    excluded = 0
    for _ in range(200):
        vectors, numbers = rng.normal(size=(46, 12)), rng.normal(size=30)
        vectors[:30] += strength * 0.3 * numbers[:, None] * shared
        vectors[30:38] += shared
        subject = Embedding("planted", [*words, *a, *b], vectors.astype(np.float32))
        row = wefat(
            subject, targets=words, attributes=(a, b), property=dict(zip(words, numbers.tolist(), strict=True))
        )
        excluded += not row.words_low <= 0 <= row.words_high
    assert fewest <= excluded <= most
