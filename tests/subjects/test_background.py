"""Bundled words in the frames of questions: which words, which sentences, and what they are compared with."""

import numpy as np
import pytest

from imprint.association.seat import seat
from imprint.association.sizes import replacement_p
from imprint.association.vectors import SetVectors
from imprint.embeddings.embedding import unit_rows
from imprint.embeddings.vocabulary import frequent_words
from imprint.stimuli.catalog import languages
from imprint.stimuli.seeds import gender_specific
from imprint.stimuli.templates import fill
from imprint.subjects.background import GROUP, FramedWords, ranked_words, ranks_of
from imprint.subjects.encodings import encode_texts
from imprint.subjects.opening import load, open_encoder


def letters(texts):
    """Count letters: an encoder that knows every word."""
    return np.array([[1 + text.lower().count(letter) for letter in "abcdefghijklmnopqrstuvwxyz"] for text in texts])


def test_words_are_put_into_the_frames_of_questions():
    framed = FramedWords()
    assert len(framed.common.words) == 500
    assert np.all(np.diff(framed.common.ranks) >= 0)
    assert framed.texts()[:2] == [fill(frame, framed.common.words[0]) for frame in languages()["en"].frames]
    assert len(framed.texts()) == 500 * len(languages()["en"].frames)


def test_ranks_are_those_of_the_bundled_table():
    default = load("default")
    ranks, share = ranks_of(["Nurse", "doctor", "African American", "qwxzy"])
    assert ranks[:2].tolist() == default.ranks_of(["nurse", "doctor"]).tolist()
    assert ranks[2] == max(default.ranks_of(["african", "american"]))
    assert ranks[3] > default.ranks.max()
    assert share == 0.75


@pytest.fixture(scope="module")
def encoded():
    return encode_texts(open_encoder(letters), FramedWords().texts())


def test_a_word_in_frames_is_the_mean_of_its_unit_vectors(encoded):
    framed = FramedWords()
    background = framed.background(encoded)
    own = letters([fill(frame, framed.common.words[7]) for frame in languages()["en"].frames])
    assert background.rows[7] == pytest.approx(unit_rows(own).mean(axis=0), rel=1e-6)
    assert background.rows.shape == (500, 26)
    assert background.halved


def test_words_that_an_encoder_lacks_are_left_out_and_too_few_are_none(encoded):
    framed = FramedWords()
    words = framed.common.words
    rest = framed.background(encoded, missing=words[:100])
    assert np.array_equal(rest.rows, framed.background(encoded).rows[100:])
    assert framed.background(encoded, missing=words[GROUP:]) is None
    assert framed.background(encoded, missing=words) is None


def test_words_in_frames_are_checked_for_frequency_and_sentences_as_published_are_not():
    framed = seat("cbow", "caliskan-6")
    assert 0 < framed.p_frequency < 0.05
    assert framed.reason == "frequency"  # the names of one side are more than twice as frequent
    assert framed.rank_y > 2 * framed.rank_x
    published = seat("cbow", "caliskan-6", context="bleached")
    assert (published.p_frequency, published.outcome, published.size) == (None, None, None)


@pytest.mark.parametrize("test", ["talk-de-career", "talk-transgender"])
def test_words_without_known_frequencies_are_not_compared(test):
    """German words, and words of which the table has too few."""
    found = seat(letters, test)
    assert (found.p_frequency, found.rank_x, found.outcome) == (None, None, "cannot tell")


def test_common_words_are_even_in_the_logarithm_of_their_rank():
    words = ranked_words()
    assert len(words.words) == len(set(words.words)) == 1_000
    ratios = words.ranks[GROUP - 1 :: GROUP] / words.ranks[::GROUP][: len(words.ranks[GROUP - 1 :: GROUP])]
    assert ratios.max() < 1.35
    assert words.ranks[0] == 200


def test_random_targets_are_never_among_random_attributes():
    words = ranked_words().every(2)
    rows = np.random.default_rng(0).normal(size=(len(words.words), 5)).astype(np.float32)
    background = words.background(rows)
    ranks = np.array([0, 300, 300, 5_000, 10**6])
    drawn = [background.draw(ranks, 2_000, np.random.default_rng(half), half=half) for half in (0, 1)]
    for place, rank in enumerate(ranks):
        first, second = ({*one[:, place].tolist()} for one in drawn)
        assert not first & second
        block = np.searchsorted(background.lowest, max(rank, 200), side="right") - 1
        every = {*range(background.starts[block], background.starts[block + 1])}
        assert first | second <= every
        assert len(first) == len(second) == GROUP // 2 or block == len(background.lowest) - 1


@pytest.mark.slow
@pytest.mark.parametrize(("x", "y"), [((300, 600), (600, 1200)), ((2_500, 4_400), (2_500, 4_400))])
def test_random_words_of_unequal_frequency_are_not_found_more_often_than_chance(x, y):
    """X and A of one frequency, Y and B of another: frequency alone must not be found."""
    bundled = load("default")
    rows = frequent_words(bundled, len(bundled), leaving_out=set(gender_specific()))
    ranks, own = bundled.frequency_ranks[rows], set(ranked_words().words)
    rng = np.random.default_rng(2)
    common = ranked_words().every(2)
    background = common.background(unit_rows(bundled.lookup(common.words).vectors))
    free = {band: [row for row, rank in zip(rows, ranks, strict=True) if band[0] <= rank < band[1]] for band in {x, y}}
    free = {band: [row for row in found if bundled.words[row] not in own] for band, found in free.items()}
    found = []
    for trial in range(100):
        x_a, y_b = (rng.choice(free[band], 16, replace=False) for band in (x, y))
        chosen = np.concatenate([x_a[:8], y_b[:8], x_a[8:], y_b[8:]])
        if len(set(chosen.tolist())) < 32:
            continue  # bands that are one band may share words
        words, vectors = tuple(bundled.words[row] for row in chosen), unit_rows(bundled.vectors[chosen])
        of = bundled.frequency_ranks[chosen]
        sets = SetVectors(words[:16], words[16:], 8, 8, vectors[:16], vectors[16:], of[:16], of[16:])
        found.append(replacement_p(sets, background, trial) <= 0.05)
    assert np.mean(found) <= 0.1
