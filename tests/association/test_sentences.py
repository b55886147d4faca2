"""The table of cosines behind a SEAT, against loops over its sentences."""

from dataclasses import replace

import numpy as np
import pytest
from refusals import refuses

from imprint.association.sentences import SentenceTable, table_of
from imprint.errors import VocabularyError
from imprint.stimuli.definition import WeatTest, WordSet
from imprint.stimuli.templates import Sentence, sentences

WORDS = {"x": ("ash", "elm", "fir"), "y": ("cod", "eel"), "a": ("joy", "fun", "zest"), "b": ("woe", "ire")}


def make_test(**changes):
    sets = [WordSet.of(key.upper(), changes.get(key, words)) for key, words in WORDS.items()]
    return WeatTest("made", "made", "made here", "en", *sets)


def random_table(seed):
    """One to four sentences a word, in no order, with cosines that mean nothing."""
    rng = np.random.default_rng(seed)
    sides = {}
    for key, words in WORDS.items():
        side = [Sentence(word, str(n), f"{word} {n}") for word in words for n in range(rng.integers(1, 5))]
        sides[key] = tuple(side[place] for place in rng.permutation(len(side)))
    shape = len(sides["x"] + sides["y"]), len(sides["a"] + sides["b"])
    return SentenceTable(**sides, cosines=rng.uniform(-1, 1, shape))


def rows_of(vectors):
    return lambda texts: np.array([vectors(text) for text in texts], dtype=np.float32)


def speak(text):
    return np.random.default_rng([*text.encode()]).normal(size=6)


@pytest.mark.parametrize("seed", range(5))
def test_sentences_score_by_their_mean_cosine_with_a_less_that_with_b(seed):
    table = random_table(seed)
    texts, scores, n_x = table.scores("sentence")
    assert texts == [sentence.text for sentence in table.x + table.y]
    assert n_x == len(table.x)
    for row, score in zip(table.cosines, scores, strict=True):
        assert score == pytest.approx(np.mean(row[: len(table.a)]) - np.mean(row[len(table.a) :]), abs=1e-15)


@pytest.mark.parametrize("seed", range(5))
def test_words_score_by_means_within_each_pair_of_words(seed):
    table = random_table(seed)
    attributes = table.a + table.b
    words, scores, n_x = table.scores("word")
    assert (set(words[:n_x]), set(words[n_x:])) == (set(WORDS["x"]), set(WORDS["y"]))
    for word, score in zip(words, scores, strict=True):

        def pair(attribute, word=word):
            return np.mean(
                [
                    table.cosines[i, j]
                    for i, target in enumerate(table.x + table.y)
                    for j, other in enumerate(attributes)
                    if (target.word, other.word) == (word, attribute)
                ]
            )

        expected = np.mean([pair(w) for w in WORDS["a"]]) - np.mean([pair(w) for w in WORDS["b"]])
        assert score == pytest.approx(expected, abs=1e-15)


def test_the_two_units_are_one_where_every_word_has_one_sentence():
    test = make_test()
    alone = table_of(test, sentences(test, "word"), rows_of(speak), encoder="spoken")
    assert alone.one_each
    assert alone.scores("word")[1].tolist() == alone.scores("sentence")[1].tolist()
    assert not table_of(test, sentences(test, "bleached"), rows_of(speak), encoder="spoken").one_each


def test_a_sentence_without_a_direction_is_left_out_and_its_word_is_missing_only_with_the_last():
    test = make_test()
    sides = sentences(test, "bleached")
    gone = {sentence.text for sentence in sides["x"] if sentence.word == "ash"} | {sides["a"][0].text}
    table = table_of(test, sides, rows_of(lambda text: np.zeros(6) if text in gone else speak(text)), encoder="spoken")
    assert table.missing == ("ash",)
    assert gone.isdisjoint(sentence.text for side in (table.x, table.y, table.a, table.b) for sentence in side)
    assert table.a == sides["a"][1:]
    assert table.cosines.shape == (len(table.x + table.y), len(table.a + table.b))


def test_words_that_the_encoder_lacks_are_left_out_of_every_set_and_told_once():
    test = make_test(a=("joy", "fun", "elm"))
    sides = sentences(test, "bleached")
    table = table_of(test, sides, rows_of(speak), encoder="spoken", lacking=("elm", "nobody's"))
    assert table.missing == ("elm",)
    assert {sentence.word for sentence in table.x} == {"ash", "fir"}
    assert {sentence.word for sentence in table.a} == {"joy", "fun"}


def test_a_plural_that_the_encoder_lacks_costs_its_sentences_and_not_the_word():
    test = replace(make_test(), x=WordSet.of("X", ("ash", "elm"), "count noun"))
    table = table_of(test, sentences(test, "bleached"), rows_of(speak), encoder="spoken", lacking=("elms",))
    assert table.missing == ()
    assert [s.word for s in table.x].count("ash") > [s.word for s in table.x].count("elm") > 0
    assert not any("elms" in sentence.text.lower() for sentence in table.x)


def test_a_set_that_keeps_fewer_than_two_words_is_refused_by_name():
    test = make_test()
    with refuses(VocabularyError, "spoken", where="Y", words=("eel",)):
        table_of(test, sentences(test, "bleached"), rows_of(speak), encoder="spoken", lacking=("eel",))
    with refuses(VocabularyError, where="A", words=("joy", "fun", "zest")):
        table_of(test, sentences(test, "word"), rows_of(speak), encoder="spoken", lacking=WORDS["a"])


@pytest.mark.parametrize(("first", "second"), [("x", "y"), ("a", "b")])
def test_a_sentence_on_both_sides_is_refused(first, second):
    # Two words may be one text: underscores are blanks.
    test = make_test(**{first: ("New York", "Rome"), second: ("New_York", "Oslo")})
    with refuses(VocabularyError, "'It says New York.'", f"{first} and {second}"):
        table_of(test, sentences(test, "bleached"), rows_of(speak), encoder="spoken")


def test_a_word_may_be_target_and_attribute_at_once():
    test = make_test(a=("joy", "ash"))
    table = table_of(test, sentences(test, "bleached"), rows_of(speak), encoder="spoken")
    places = [row for row, sentence in enumerate(table.x + table.y) if sentence.word == "ash"]
    columns = [column for column, sentence in enumerate(table.a + table.b) if sentence.word == "ash"]
    assert table.cosines[places, columns] == pytest.approx(1)
