"""Words and numbers on a page: harmless, masked, and findable in the data."""

import math

import pytest
from hypothesis import given
from hypothesis import strategies as st

from imprint.report.marking import NOTHING, Words, corrected_probability, count, end, number, probability, share


@given(st.floats(allow_nan=False, allow_infinity=False))
def test_a_number_keeps_its_whole_value_beside_the_rounded_one(value):
    marked = number(value)
    assert float(marked.split('"')[1]) == value


def test_an_end_of_an_interval_that_is_not_zero_does_not_look_like_it():
    assert [end(value, 3).striptags() for value in (0.0, 0.0004, -0.00002, 0.0834, -math.inf)] == [
        "0.000",
        "0.0004",
        "-2e-05",
        "0.083",
        "-∞",
    ]


def test_a_corrected_p_has_the_sign_of_the_p_behind_it():
    shown = [corrected_probability(p, method).striptags() for p, method in ((0.04, "certified"), (1.0, "certified"))]
    assert shown == ["≤ 0.04", "1"]


@given(st.integers())
def test_a_count_keeps_every_digit(value):
    assert int(count(value).split('"')[1]) == value


@pytest.mark.parametrize("mark", [number, count, share, probability])
def test_what_does_not_exist_is_a_dash(mark):
    assert mark(None) == NOTHING


def test_nan_is_a_dash():
    assert number(math.nan) == NOTHING


def test_a_bound_says_so_before_its_number():
    assert ">≤ 0.012<" in probability(0.012, "≤ ")


@given(st.text())
def test_no_invisible_character_and_no_mark_of_direction_is_left_in_a_word(word):
    shown = Words().plain(word)
    assert not any(
        letter in shown for letter in "\u202a\u202b\u202c\u202d\u202e\u2066\u2067\u2068\u2069\u0000\n\r\u2028\ufeff"
    )


def test_a_persian_word_keeps_its_joiner():
    assert Words().plain("می\u200cخواهم") == "می\u200cخواهم"


def test_a_token_of_ten_thousand_letters_is_cut_and_its_length_said():
    shown = Words().plain("x" * 10_000)
    assert len(shown) < 100
    assert "10,000 characters" in shown


def test_slurs_are_masked_unless_asked_for():
    slur = "".join(map(chr, (119, 104, 111, 114, 101)))
    assert Words().plain(slur) == "w****"
    assert Words(unmask=True).plain(slur) == slur
