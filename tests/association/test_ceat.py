"""CEAT: draws of one sentence per word against a literal loop, and words in sentences of a text from end to end."""

from itertools import product

import numpy as np
import pytest
from refusals import refuses

from imprint.association import sizes
from imprint.association.ceat import combined_fields, draw_effects
from imprint.association.cosines import Effect
from imprint.association.rows import SeatRow
from imprint.association.seat import seat
from imprint.association.seat_battery import run_seat_battery
from imprint.encoders.base import FunctionEncoder
from imprint.encoders.wrapping import without_marks
from imprint.errors import CorpusError, SettingError, StimulusError, VocabularyError
from imprint.stimuli.catalog import catalogue
from imprint.stimuli.definition import WeatTest, WordSet, words_of


def contexts_of(rng, *counts):
    rows = [rng.normal(size=(count, 6)) for count in counts]
    return [each / np.linalg.norm(each, axis=1, keepdims=True) for each in rows]


def literal(x, y, a, b):
    """Return the paper's effect size, and its V, of one vector per word."""
    scores = [np.mean([word @ other for other in a]) - np.mean([word @ other for other in b]) for word in (*x, *y)]
    deviation = np.std(scores, ddof=1)
    return (np.mean(scores[: len(x)]) - np.mean(scores[len(x) :])) / deviation, deviation**2


def test_a_draw_of_words_with_one_sentence_is_the_papers_effect():
    rng = np.random.default_rng(1)
    targets, attributes = contexts_of(rng, *[1] * 7), contexts_of(rng, *[1] * 5)
    effects, variances = draw_effects(targets, attributes, 3, 2, draws=300, seed=0)
    words = [np.concatenate(side) for side in (targets, attributes)]
    expected = literal(words[0][:3], words[0][3:], words[1][:2], words[1][2:])
    np.testing.assert_allclose(effects, expected[0], rtol=1e-5)
    np.testing.assert_allclose(variances, expected[1], rtol=1e-5)


def test_draws_are_all_choices_of_a_sentence_per_word_alike():
    """Every choice can be written down, 24 in all; draws have the effects of these, equally often."""
    rng = np.random.default_rng(2)
    targets, attributes = contexts_of(rng, 2, 1, 3, 2), contexts_of(rng, 1, 2, 1)
    every = [literal(choice[:2], choice[2:4], choice[4:5], choice[5:])[0] for choice in product(*targets, *attributes)]
    effects, _ = draw_effects(targets, attributes, 2, 1, draws=24_000, seed=0)
    nearest = np.abs(effects[:, None] - np.array(every)).argmin(axis=1)
    np.testing.assert_allclose(effects, np.array(every)[nearest], atol=1e-4)
    counts = np.bincount(nearest, minlength=24)
    assert ((counts - 1000) ** 2 / 1000).sum() < 60  # chi-squared, 23 degrees: p = .00004


def test_the_published_p_shrinks_as_draws_grow():
    """No word leans anywhere; with draws enough, the published test says that they do."""
    rng = np.random.default_rng(3)
    targets, attributes = contexts_of(rng, *[10] * 8), contexts_of(rng, *[10] * 8)
    few, many = (combined_fields(targets, attributes, 4, 4, draws=draws, seed=0) for draws in (10, 20_000))
    assert many["p_ceat"] < 1e-6 < few["p_ceat"]
    assert many["d_ceat_low"] < 0 < many["d_ceat_high"]


def test_words_without_a_difference_have_no_combined_effect():
    same = [np.tile([[1.0, 0.0]], (5, 1))] * 6
    assert combined_fields(same, same, 3, 3, draws=50, seed=0) == {"draws": 50}


ALPHABET = "abcdefghij"
TEST = WeatTest(
    "made",
    "made",
    "made here",
    "en",
    *(
        WordSet.of(role.upper(), [f"{role}{first}{second}" for first in "bcdfg" for second in ALPHABET[:4]])
        for role in "xyab"
    ),
)


def written(words, sentences=8):
    return "\n\n".join(f"Sentence number {n} has the word {word} in it." for word in words for n in range(sentences))


def leaning(strength):
    """Return an encoder that gives a sentence its word's vector and some of its own; X leans to A by the strength."""
    way = np.eye(12)[0]
    signs = {"x": strength, "a": 1.0, "y": -strength, "b": -1.0}

    def speak(texts):
        rows = []
        for text in texts:
            word = next(
                (
                    each
                    for each in without_marks(text).split()
                    if each[0] in signs and each[1:].isalpha() and len(each) == 3
                ),
                "other",
            )
            own, of_text = (np.random.default_rng([*part.encode()]).normal(size=12) for part in (word, text))
            rows.append(0.3 * own + 0.3 * of_text + signs.get(word[0], 0.0) * way)
        return rows

    return FunctionEncoder(speak, name=f"leaning {strength}")


@pytest.fixture
def text(tmp_path):
    words = [word for side in (TEST.x, TEST.y, TEST.a, TEST.b) for word in side.words]
    path = tmp_path / "text.txt"
    path.write_text(written(words))
    return str(path)


@pytest.mark.parametrize(("strength", "low", "high"), [(0.5, 0.3, 0.8), (0.0, -0.1, 0.1), (-0.5, -0.8, -0.3)])
def test_a_planted_association_is_found_in_sentences_of_a_text(text, strength, low, high):
    row = seat(leaning(strength), TEST, contexts=(text,), draws=500)
    assert (row.context, row.vectors, row.text, row.draws) == ("corpus", "sentence", "text.txt", 500)
    assert low < row.size < high
    assert row.size_low < row.size < row.size_high
    assert (row.size_low > 0 or row.size_high < 0) == (strength != 0)
    assert {(each.found, each.used) for each in row.contexts} == {(8, 8)}
    assert len(row.contexts) == 80
    assert row.texts == 640
    assert row.d_ceat_low < row.d_ceat < row.d_ceat_high


def test_a_words_vector_is_the_mean_of_its_unit_vectors_in_its_sentences(text):
    encoder = leaning(0.5)
    row = seat(encoder, TEST, contexts=(text,), draws=10)
    rows = {}
    for side in (TEST.x, TEST.y, TEST.a, TEST.b):
        for word in side.words:
            vectors = encoder.encode([f"Sentence number {n} has the word {word} in it." for n in range(8)]).astype(
                float
            )
            rows[word] = (vectors / np.linalg.norm(vectors, axis=1, keepdims=True)).mean(axis=0)
    x, y, a, b = (np.array([rows[word] for word in side.words]) for side in (TEST.x, TEST.y, TEST.a, TEST.b))
    scores = [side @ (a.mean(axis=0) - b.mean(axis=0)) for side in (x, y)]
    assert row.effect_size == pytest.approx(Effect.of(*scores).effect_size, rel=1e-6)
    distance = ((a.mean(0) - b.mean(0)) ** 2).sum() - sum(
        side.var(axis=0, ddof=1).sum() / len(side) for side in (a, b)
    )
    assert row.size == pytest.approx((scores[0].mean() - scores[1].mean()) / distance, rel=1e-6)


def test_words_with_too_few_sentences_are_missing_and_counted(tmp_path):
    path = tmp_path / "text.txt"
    rare, absent = TEST.x.words[:2]
    others = [word for side in (TEST.x, TEST.y, TEST.a, TEST.b) for word in side.words if word not in (rare, absent)]
    path.write_text(written(others) + "\n\n" + written([rare], 4))
    row = seat(leaning(0.5), TEST, contexts=(str(path),), draws=10)
    assert row.missing == (rare, absent)
    counted = {each.word: (each.found, each.used) for each in row.contexts}
    assert (counted[rare], counted[absent], counted[others[0]]) == ((4, 4), (0, 0), (8, 8))
    assert row.n_x == 18


def test_a_battery_says_the_same_as_one_test_and_whoever_works(text):
    encoder = leaning(0.5)
    one = seat(encoder, TEST, contexts=(text,), draws=100)
    for workers in (None, 2):
        (row,) = run_seat_battery([encoder], [TEST], contexts=(text,), draws=100, workers=workers).of(SeatRow)
        assert row == one


@pytest.mark.parametrize(
    ("options", "option"),
    [
        ({"context": "corpus"}, "context"),
        ({"context": "framed", "contexts": ("text.txt",)}, "context"),
        ({"contexts": ("text.txt",), "per_word": 4}, "per_word"),
        ({"contexts": ("text.txt",), "draws": 1}, "draws"),
        ({"context": "spoken"}, "context"),
    ],
)
def test_settings_that_mean_nothing_are_refused(options, option):
    with refuses(SettingError, option=option):
        seat(leaning(0.5), TEST, **options)


def test_sentences_are_not_permuted_in_a_text(text):
    with refuses(SettingError, option="unit"):
        seat(leaning(0.5), TEST, contexts=(text,), unit="sentence")


def test_a_text_with_too_few_sentences_is_refused(tmp_path):
    path = tmp_path / "text.txt"
    path.write_text(written(TEST.x.words) + written(TEST.y.words[:1], 4))
    with refuses(
        StimulusError, "text.txt has 5 sentences each for 0 of these 20 words", where="Y", expected="at least 10"
    ):
        seat(leaning(0.5), TEST, contexts=(str(path),))
    with refuses(VocabularyError, "text.txt"):
        run_seat_battery([leaning(0.5)], [TEST], contexts=(str(path),))
    path.write_text("")
    with refuses(CorpusError):
        seat(leaning(0.5), TEST, contexts=(str(path),))
    with refuses(CorpusError):
        seat(leaning(0.5), TEST, contexts=(str(tmp_path / "absent"),))


def test_a_test_that_needs_a_check_of_grammar_is_refused(tmp_path):
    test = next(one for one in catalogue() if isinstance(one, WeatTest) and sizes.test_of_things(one) is not None)
    path = tmp_path / "text.txt"
    path.write_text(written(words_of([test])))
    with refuses(StimulusError, where=f"test {test.id!r}"):
        seat(leaning(0.5), test, contexts=(str(path),))
