import pytest
from hypothesis import given
from hypothesis import strategies as st
from refusals import refuses

from imprint.errors import StimulusError
from imprint.explorer.queries import (
    LONGEST_WORD,
    MOST_WORDS,
    check_pairs,
    check_words,
    sets_of,
    split_pairs,
    split_words,
    weat_test,
    weat_tests,
)
from imprint.stimuli.definition import validate
from imprint.stimuli.files import read_words

WORDS = st.text(st.characters(codec="utf-8", exclude_characters=',;#"\r\n'), min_size=1, max_size=12).filter(
    lambda word: word.isprintable() and word == word.strip()
)


@given(st.lists(WORDS, min_size=1, max_size=6, unique=True), st.sampled_from(["\n", ", ", ";", "\r\n", ",\n\n"]))
def test_a_box_reads_as_a_file_of_words_does(tmp_path_factory, words, separator):
    text = separator.join(words)
    path = tmp_path_factory.getbasetemp() / "words.txt"
    path.write_bytes(text.encode())
    assert split_words(text) == read_words(path) == tuple(words)


def test_pairs_are_one_a_line():
    assert split_pairs("he, she\r\n\n  man ;woman \n") == (("he", "she"), ("man", "woman"))


@pytest.mark.parametrize("line", ["he", "he she", "he,", ", she", "he, she, they"])
def test_a_line_that_is_no_pair_is_named(line):
    with refuses(StimulusError, got=line):
        split_pairs(f"man, woman\n{line}")


def test_as_many_and_as_long_words_as_promised_are_taken_and_no_more():
    check_words("x", [f"{number:0{LONGEST_WORD}}" for number in range(MOST_WORDS)])
    with refuses(StimulusError, where="x", got=MOST_WORDS + 1):
        check_words("x", ["word"] * (MOST_WORDS + 1))
    with refuses(StimulusError, where="x", got=65):
        check_words("x", ["w" * (LONGEST_WORD + 1)])
    with refuses(StimulusError, where="x"):
        check_words("x", [])


@pytest.mark.parametrize("word", ["a,b", "a;b", "a\nb", " a", "", "\ud800", "\x00", "\u202ea"])
def test_what_no_file_of_words_could_hold_is_refused_in_sets_and_pairs(word):
    with refuses(StimulusError, where="x", words=(word,)):
        check_words("x", ["rose", word])
    with refuses(StimulusError, where="second words", words=(word,)):
        check_pairs([("he", "she"), ("man", word)])


def test_every_test_of_the_catalogue_is_known_by_its_words_and_fits_the_limits():
    for test in weat_tests():
        assert weat_test(sets_of(test)) is test
        for name, words in sets_of(test).items():
            check_words(name, [*words, *(f"added{number}" for number in range(50))])


def test_other_words_make_a_test_of_their_own():
    sets = {"x": ("rose", "lily"), "y": ("ant", "flea"), "a": ("love", "joy"), "b": ("filth", "grief")}
    test = weat_test(sets)
    validate(test)
    assert test.id == "explorer"
