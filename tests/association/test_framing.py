"""Bundled words in a test's own sentences: which words, which sentences, and what a sentence adds taken off."""

import numpy as np
import pytest

from imprint.association.evidence import against_frequency
from imprint.association.framing import FramedWords, ranks_of
from imprint.association.seat import in_sentences, seat
from imprint.association.sentences import table_of
from imprint.encoders.encodings import encode_texts
from imprint.stimuli.catalog import get
from imprint.subjects.opening import load, open_encoder


def framed_of(test, context):
    question = in_sentences(get(test), context)
    return question, FramedWords.of(list(question.sides.values()))


def test_words_alone_are_a_thousand():
    _, framed = framed_of("caliskan-6", "word")
    assert framed.patterns == (("",),)
    assert len(framed.words) == len(framed.texts()) == 1_000
    assert np.all(np.diff(framed.ranks) >= 0)


def test_words_in_sentences_stand_in_the_sentences_of_the_tests_words():
    question, framed = framed_of("caliskan-6", "bleached")
    used = {sentence.template for side in question.sides.values() for sentence in side}
    assert {pattern for patterns in framed.patterns for pattern in patterns} == used
    assert len(framed.texts()) == 500 * len(framed.patterns)
    # Every pattern has its turn, so that its part can be taken off.
    first = framed.patterns[0]
    assert framed.texts()[0] != framed.texts()[1]
    assert len({text.replace(word, "") for word, text in zip(framed.words, framed.texts(), strict=False)}) >= len(
        first
    )


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
    return framed.encoded(encodings), table


def test_u_times_v_is_the_mean_difference_by_words(framing):
    encoded, table = framing
    contrast = encoded.contrast(table)
    result = seat("cbow", "caliskan-6")
    assert contrast.u @ contrast.v == pytest.approx(result.mean_difference, rel=1e-5)
    assert contrast.n_x == contrast.n_a == 8


def test_no_template_stands_out_of_the_background(framing):
    encoded, _ = framing
    framed, rows, size = encoded.framed, encoded.background.rows, len(encoded.framed.words)
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
