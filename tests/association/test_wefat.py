from dataclasses import replace

import numpy as np
import pytest
from refusals import refuses
from scipy.stats import linregress, spearmanr

from imprint.association.wefat import wefat
from imprint.embeddings.embedding import Embedding
from imprint.errors import SettingError, StimulusError
from imprint.stimuli.catalog import get

WORDS = tuple(f"job{i}" for i in range(30))
A, B = ("she", "her", "woman"), ("he", "him", "man", "boy")


@pytest.fixture
def embedding():
    rng = np.random.default_rng(4)
    direction = rng.normal(size=15)
    lean = [*np.linspace(-1, 1, 30), 1, 1, 1, -1, -1, -1, -1]
    vectors = rng.normal(size=(37, 15)) + np.outer(lean, direction)
    return Embedding("jobs", [*WORDS, *A, *B], vectors.astype(np.float32))


@pytest.fixture
def shares():
    return dict(zip(WORDS, np.linspace(5, 95, 30), strict=True))


def naive_score(embedding, word):
    unit = {w: v / np.linalg.norm(v) for w, v in zip(embedding.words, embedding.vectors.astype(float), strict=True)}
    near = [[unit[word] @ unit[other] for other in side] for side in (A, B)]
    return (np.mean(near[0]) - np.mean(near[1])) / np.std(near[0] + near[1], ddof=1)


def test_scores_are_the_papers_formula_and_the_line_predicts_the_property(embedding, shares):
    result = wefat(embedding, words=WORDS, attributes=(A, B), property=shares)
    scores = [naive_score(embedding, word) for word in WORDS]
    assert list(result.scores.values()) == pytest.approx(scores)
    line = linregress(scores, list(shares.values()))
    assert (result.slope, result.intercept, result.pearson.r, result.p_value) == pytest.approx(
        (line.slope, line.intercept, line.rvalue, line.pvalue)
    )
    assert result.t_statistic == pytest.approx(line.slope / line.stderr)
    assert result.spearman.r == pytest.approx(spearmanr(scores, list(shares.values())).statistic)
    assert result.pearson.low < result.pearson.r < result.pearson.high
    assert result.spearman.low < result.spearman.r < result.spearman.high


def test_ranks_of_few_words_are_tested_over_all_orders(embedding):
    scores = wefat(
        embedding, words=WORDS[::6], attributes=(A, B), property=dict(zip(WORDS, range(30), strict=True))
    ).scores
    ordered = {word: float(place) for place, word in enumerate(sorted(scores, key=scores.get))}
    result = wefat(embedding, words=WORDS[::6], attributes=(A, B), property=ordered)
    assert result.spearman.r == pytest.approx(1)
    assert result.spearman.p_value == 2 / 120
    assert np.isnan(result.spearman.low)


def test_a_property_that_is_the_score_itself_has_a_p_value_above_zero(embedding, shares):
    scores = wefat(embedding, words=WORDS, attributes=(A, B), property=shares).scores
    (row,) = wefat(embedding, words=WORDS, attributes=(A, B), property=scores).findings()
    assert row.r == pytest.approx(1)
    assert 0 < row.p_value == row.r_p_value < 1e-100
    assert row.spearman_p_value > 0


def test_swapping_the_attributes_negates_the_correlation(embedding, shares):
    one = wefat(embedding, words=WORDS, attributes=(A, B), property=shares)
    other = wefat(embedding, words=WORDS, attributes=(B, A), property=shares)
    assert other.pearson.r == pytest.approx(-one.pearson.r)
    assert other.intercept == pytest.approx(one.intercept)


def test_missing_words_are_left_out_of_the_line_and_reported(embedding, shares):
    result = wefat(embedding, words=(*WORDS, "astronaut"), attributes=(A, B), property=shares | {"astronaut": 11})
    assert result.missing == ("astronaut",)
    assert result.pearson == wefat(embedding, words=WORDS, attributes=(A, B), property=shares).pearson


def test_the_frame_predicts_each_word(embedding, shares):
    result = wefat(embedding, words=WORDS, attributes=(A, B), property=shares)
    frame = result.to_frame()
    assert list(frame["word"]) == list(WORDS)
    assert frame["predicted"].mean() == pytest.approx(np.mean(list(shares.values())))
    row = result.to_dict()
    assert row["r"] == row["effect_size"] == result.pearson.r
    assert {one["word"] for one in row["scores"]} == set(WORDS)


def test_a_property_must_cover_the_words_and_vary(embedding, shares):
    with refuses(StimulusError, "'job0'"):
        wefat(embedding, words=WORDS, attributes=(A, B), property={w: v for w, v in shares.items() if w != "job0"})
    with refuses(StimulusError, "property", where="custom"):
        wefat(embedding, words=WORDS, attributes=(A, B), property=dict.fromkeys(WORDS, 50.0))
    with refuses(StimulusError, "3", "4", where="custom"):
        wefat(embedding, words=WORDS[:3], attributes=(A, B), property=shares)


def test_a_test_without_its_numbers_asks_for_them(embedding):
    with refuses(StimulusError, "--property", where="caliskan-wefat-occupations"):
        wefat(embedding, replace(get("caliskan-wefat-occupations"), property=None))
    with refuses(SettingError, option="test", got="caliskan-1"):
        wefat(embedding, "caliskan-1")
    with refuses(SettingError, option="test"):
        wefat(embedding, words=WORDS)


def test_a_word_equally_close_to_every_attribute_has_no_score():
    vectors = np.eye(12, dtype=np.float32)
    embedding = Embedding("flat", [*"abcd", "e", "f", "g", "h", "i", "j", "k", "l"], vectors)
    with refuses(StimulusError, words=("a",)):
        wefat(
            embedding,
            words=list("abcd"),
            attributes=(list("ef"), list("gh")),
            property={"a": 1, "b": 2, "c": 3, "d": 4},
        )


class TestChecks:
    """The property permuted, words of the same frequencies, and r over words and attributes."""

    def test_r_over_words_and_attributes_is_wider_than_over_words_alone(self):
        found = wefat("glove-840b-stimuli", "caliskan-wefat-occupations")
        assert (found.pearson.low, found.pearson.high) == pytest.approx((0.83, 0.94), abs=0.005)
        assert (found.checks.words_low, found.checks.words_high) == pytest.approx((0.763, 0.962), abs=0.002)

    def test_a_small_vocabulary_is_limited(self):
        found = wefat("glove-840b-stimuli", "caliskan-wefat-occupations")
        assert found.checks.p_frequency is None
        assert found.evidence == "limited"

    def test_evidence_is_moderate_at_most(self):
        found = wefat("default", "caliskan-wefat-occupations")
        assert found.checks.asked == ("label", "frequency", "words")
        assert found.evidence == "moderate"
        assert found.finding().p_strong_holm is None

    def test_a_property_without_meaning_shows_nothing(self):
        words = get("caliskan-wefat-occupations").words.words
        values = np.random.default_rng(3).normal(size=len(words))
        found = wefat("default", "caliskan-wefat-occupations", property=dict(zip(words, values.tolist(), strict=True)))
        assert found.evidence == "none shown"
        assert found.checks.p_label == pytest.approx(found.p_value, abs=0.02)

    def test_checks_depend_on_the_seed_alone(self):
        one, same, other = (wefat("default", "winobias-wefat-occupations", seed=seed).checks for seed in (1, 1, 2))
        assert one == same != other


def test_the_p_value_over_words_agrees_with_the_interval_and_is_needed_for_moderate_evidence():
    rng = np.random.default_rng(4)
    words, a, b = ([f"{name}{place}" for place in range(size)] for name, size in (("w", 30), ("a", 4), ("b", 4)))
    shared = rng.normal(size=12)
    seen = set()
    for strength in np.linspace(0, 3, 25):
        vectors = rng.normal(size=(38, 12))
        values = rng.normal(size=30)
        vectors[:30] += strength * 0.3 * values[:, None] * shared
        vectors[30:34] += shared
        subject = Embedding("planted", [*words, *a, *b], vectors.astype(np.float32))
        found = wefat(subject, words=words, attributes=(a, b), property=dict(zip(words, values, strict=True)))
        checks = found.checks
        excludes = not checks.words_low <= 0 <= checks.words_high
        assert excludes == (checks.p_words < 0.05)
        assert checks.largest("moderate") >= checks.p_words
        seen.add(excludes)
    assert seen == {True, False}
