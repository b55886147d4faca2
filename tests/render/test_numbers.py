"""Words and numbers as people read them: rounded in one place, harmless, masked, and findable in the data."""

import math

import pytest
from hypothesis import given
from hypothesis import strategies as st

from imprint.masking import Words
from imprint.render.html import draw_text
from imprint.render.markdown import draw_text as draw_markdown
from imprint.render.numbers import DASH, plain, rounded
from imprint.view import (
    NOTHING,
    Given,
    Number,
    count,
    estimate,
    interval,
    join,
    number,
    percent,
    probability,
    say,
    title,
    words,
)

SHOWN = Words()


@given(st.floats(allow_nan=False, allow_infinity=False))
def test_a_number_keeps_its_whole_value_beside_the_rounded_one(value):
    assert float(draw_text(number(value), SHOWN).split('"')[1]) == value


@given(st.integers())
def test_a_count_keeps_every_digit_also_as_a_text(value):
    for given_as in (value, str(value)):
        assert int(draw_text(count(given_as), SHOWN).split('"')[1]) == value


@pytest.mark.parametrize(
    ("value", "shown"),
    [
        (number(0.125), "0.12"),
        (number(-0.001), "0.00"),
        (number(1.25, 3), "1.250"),
        (count(12870), "12,870"),
        (count(str(10**40)), "1.00e40"),
        (percent(0.956), "96\N{NO-BREAK SPACE}%"),
        (percent(-0.0001), "0\N{NO-BREAK SPACE}%"),
        (count("9" * 700), "10.00e699"),
        (probability(7.77e-05), "7.8e-05"),
        (probability(0.012, "certified"), "≤ 0.012"),
        (probability(1.0, "certified"), "1"),
        (probability(0.3, "sampled"), "≈ 0.3"),
        (probability(1e-300), "< 1e-300"),
        (Number(0.0004, "end", 3), "0.0004"),
        (Number(0.0, "end", 3), "0.000"),
        (Number(-math.inf, "end", 3), "-∞"),
        (Number(0.00123456, "significant", 4), "0.001235"),
    ],
)
def test_numbers_are_rounded_for_reading(value, shown):
    assert rounded(value) == shown


@pytest.mark.parametrize("make", [number, count, percent, probability])
def test_what_does_not_exist_is_a_dash(make):
    assert plain(make(None), SHOWN) == DASH


def test_nan_and_an_interval_without_ends_are_a_dash():
    assert plain(number(math.nan), SHOWN) == DASH
    assert interval(None, None) is NOTHING
    assert plain(interval(None, 0.5), SHOWN) == "-∞ to 0.50"
    assert plain(estimate(0.25, 0.1, 0.5), SHOWN) == "0.25 [0.10 to 0.50]"


def test_a_sentence_takes_as_many_parts_as_it_has_places():
    said = say("{} of {}: {}", count(2), "three", join([Given("a"), say("{}", number(1.0))]))
    assert plain(said, SHOWN) == "2 of three: a, 1.00"
    with pytest.raises(ValueError, match="places"):
        say("{}", "one", "two")


@given(st.text())
def test_no_text_is_ever_markup(text):
    for part in (title(text), Given(text), words([text])):
        drawn = draw_text(part, Words(unmask=True))
        assert "<" not in drawn
        assert '"' not in drawn
        assert "|" not in draw_markdown(part)


@given(st.text())
def test_no_invisible_character_and_no_mark_of_direction_is_left_in_a_word(word):
    shown = SHOWN.plain(word)
    assert not any(
        letter in shown for letter in "\u202a\u202b\u202c\u202d\u202e\u2066\u2067\u2068\u2069\u0000\n\r\u2028\ufeff"
    )


def test_a_persian_word_keeps_its_joiner():
    assert SHOWN.plain("می\u200cخواهم") == "می\u200cخواهم"


def test_a_token_of_ten_thousand_letters_is_cut_and_its_length_said():
    shown = SHOWN.plain("x" * 10_000)
    assert len(shown) < 100
    assert "10,000 characters" in shown


def test_slurs_are_masked_unless_asked_for():
    slur = "".join(map(chr, (119, 104, 111, 114, 101)))
    assert SHOWN.plain(slur) == "w****"
    assert Words(unmask=True).plain(slur) == slur
