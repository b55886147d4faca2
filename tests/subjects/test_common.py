"""Bundled words in a test's own sentences: which words, which sentences, and what a sentence adds taken off."""

import numpy as np
import pytest
from imprint.association.evidence import SetVectors, against_frequency

from imprint.association.seat import in_sentences, seat
from imprint.association.sentences import Framing, table_of
from imprint.embeddings.embedding import unit_rows
from imprint.embeddings.vocabulary import frequent_words
from imprint.stimuli.catalog import get
from imprint.stimuli.definition import word_sets
from imprint.stimuli.seeds import gender_specific
from imprint.subjects.common import GROUP, FramedWords, ranked_words, ranks_of
from imprint.subjects.encodings import encode_texts
from imprint.subjects.opening import load, open_encoder


def letters(texts):
    """Count letters: an encoder that knows every word."""
    return np.array([[1 + text.lower().count(letter) for letter in "abcdefghijklmnopqrstuvwxyz"] for text in texts])


def framed_of(test, context):
    question = in_sentences(get(test), context)
    return question, FramedWords.of(list(question.sides.values()))


def test_words_alone_are_a_thousand():
    _, framed = framed_of("caliskan-6", "word")
    assert framed.patterns == (("",),)
    assert len(framed.common.words) == len(framed.texts()) == 1_000
    assert np.all(np.diff(framed.common.ranks) >= 0)


def test_words_in_sentences_stand_in_the_sentences_of_the_tests_words():
    question, framed = framed_of("caliskan-6", "bleached")
    used = {sentence.template for side in question.sides.values() for sentence in side}
    assert {pattern for patterns in framed.patterns for pattern in patterns} == used
    assert len(framed.texts()) == 500 * len(framed.patterns)
    # Every pattern has its turn, so that its part can be taken off.
    first = framed.patterns[0]
    assert framed.texts()[0] != framed.texts()[1]
    assert len(
        {text.replace(word, "") for word, text in zip(framed.common.words, framed.texts(), strict=False)}
    ) >= len(first)


def test_ranks_are_those_of_the_bundled_table():
    default = load("default")
    ranks, share = ranks_of(["Nurse", "doctor", "African American", "qwxzy"])
    assert ranks[:2].tolist() == default.ranks_of(["nurse", "doctor"]).tolist()
    assert ranks[2] == max(default.ranks_of(["african", "american"]))
    assert ranks[3] > default.ranks.max()
    assert share == 0.75


@pytest.fixture(scope="module")
def framing():
    encoder = open_encoder("cbow")
    question, framed = framed_of("caliskan-6", "bleached")
    encodings = encode_texts(encoder, question.texts + framed.texts())
    table = table_of(question.test, question.sides, encodings.rows, encoder=encoder.name)
    return Framing.of(framed, encodings), table


def test_u_times_v_is_the_mean_difference_by_words(framing):
    encoded, table = framing
    contrast = encoded.contrast(table)
    result = seat("cbow", "caliskan-6")
    assert contrast.u @ contrast.v == pytest.approx(result.mean_difference, rel=1e-5)
    assert contrast.n_x == contrast.n_a == 8


def test_no_template_stands_out_of_the_background(framing):
    encoded, _ = framing
    framed, rows, size = encoded.framed, encoded.background.rows, len(encoded.framed.common.words)
    for place, patterns in enumerate(framed.patterns):
        own = rows[place * size : (place + 1) * size]
        for turn in range(len(patterns)):
            assert np.allclose(own[turn :: len(patterns)].mean(axis=0), own.mean(axis=0), atol=1e-5)


def test_checks_of_an_encoder_run(framing):
    encoded, table = framing
    found = against_frequency(encoded.contrast(table), encoded.background, 0)
    assert 0 < found["p_frequency"] < 0.05  # the mean of GloVe's vectors keeps GloVe's association
    result = seat("cbow", "caliskan-6")
    assert result.checks.p_frequency == found["p_frequency"]
    assert result.checks.p_axes is not None
    assert result.ranked == 1.0


def test_sentences_are_not_judged():
    result = seat("cbow", "caliskan-6", unit="sentence")
    assert result.checks.asked == ()
    assert result.finding().p_label is None


def test_an_encoder_without_common_words_is_not_compared_with_zeros():
    found = seat("glove-840b-stimuli", "caliskan-6")
    assert (found.checks.p_frequency, found.checks.p_axes) == (None, None)
    assert found.evidence == "limited"


def test_tests_in_other_languages_have_no_english_background():
    found = seat(letters, "talk-de-career", context="word")
    assert (found.checks.p_frequency, found.checks.p_axes) == (None, None)


def test_the_share_of_known_frequencies_is_one_of_words():
    found = seat(letters, "talk-transgender")
    words = [word for words in word_sets(found.test).values() for word in words.words]
    assert found.ranked == pytest.approx(ranks_of(words)[1])
    assert found.ranked < 0.8
    assert found.checks.p_frequency is None
    assert found.checks.p_axes is not None


def test_common_words_are_even_in_the_logarithm_of_their_rank():
    words = ranked_words()
    assert len(words.words) == len(set(words.words)) == 1_000
    ratios = words.ranks[GROUP - 1 :: GROUP] / words.ranks[::GROUP][: len(words.ranks[GROUP - 1 :: GROUP])]
    assert ratios.max() < 1.35
    assert words.ranks[0] == 200


def test_random_targets_are_never_among_random_attributes():
    words = ranked_words().every(2)
    rows = np.random.default_rng(0).normal(size=(len(words.words), 5)).astype(np.float32)
    background = words.background([rows])
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
def test_random_words_of_unequal_frequency_are_found_at_the_nominal_rate(x, y):
    """X and A of one frequency, Y and B of another: frequency alone must not be found."""
    bundled = load("default")
    rows = frequent_words(bundled, len(bundled), leaving_out=set(gender_specific()))
    ranks, own = bundled.frequency_ranks[rows], set(ranked_words().words)
    rng = np.random.default_rng(2)
    common = ranked_words().every(2)
    background = common.background([unit_rows(bundled.lookup(common.words).vectors)])
    free = {band: [row for row, rank in zip(rows, ranks, strict=True) if band[0] <= rank < band[1]] for band in {x, y}}
    free = {band: [row for row in found if bundled.words[row] not in own] for band, found in free.items()}
    found = []
    for trial in range(300):
        x_a, y_b = (rng.choice(free[band], 16, replace=False) for band in (x, y))
        chosen = np.concatenate([x_a[:8], y_b[:8], x_a[8:], y_b[8:]])
        if len(set(chosen.tolist())) < 32:
            continue  # bands that are one band may share words
        vectors, of = unit_rows(bundled.vectors[chosen]), bundled.frequency_ranks[chosen]
        contrast = SetVectors(vectors[:16], vectors[16:], 8, 8, of[:16], of[16:])
        found.append(against_frequency(contrast, background, trial)["p_frequency"] <= 0.05)
    assert 0.01 <= np.mean(found) <= 0.09
