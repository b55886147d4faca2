import unicodedata

import pytest
from hypothesis import given
from hypothesis import strategies as st

from imprint.masking import one_line, printable

ANYTHING = st.text(st.characters(exclude_categories=()))


@pytest.mark.parametrize(
    ("text", "shown"),
    [
        ("evil\x1b[2J\x1b]0;title\x07", "evil\ufffd[2J\ufffd]0;title\ufffd"),
        ("a\x9b31mb\x7f\x00", "a\ufffd31mb\ufffd\ufffd"),
        ("over\rwritten\ttab\x85\u2028", "over written tab  "),
        ("turned\u202eround\u2066", "turned\ufffdround\ufffd"),
        ("caf\udce9", "caf\ufffd"),
        ("two\nlines", "two\nlines"),
    ],
)
def test_what_would_steer_a_terminal_is_replaced(text, shown):
    assert printable(text) == shown


@pytest.mark.parametrize(
    "text",
    [
        "می\u200cخواهم",  # Persian, with a non-joiner
        "क्\u200dष",  # Devanagari, with a joiner
        "שלום \u200e(A)",
        "👩\u200d🚀",
        "naïve\u00a0café 東京\u3000",
        "\U0001fae8\ue000",  # newer than this Python, and private
        "[bold]:cat: {x}",
    ],
)
def test_every_script_stays_readable(text):
    assert printable(text) == text


@given(ANYTHING)
def test_length_and_printable_letters_stay_and_nothing_steers(text):
    shown = printable(text)
    assert len(shown) == len(text)
    assert all(after == before for before, after in zip(text, shown, strict=True) if before.isprintable())
    assert not any(unicodedata.category(letter) in ("Cc", "Cs", "Zl", "Zp") for letter in shown if letter != "\n")
    assert printable(shown) == shown


def test_one_line_has_neither_breaks_nor_marks_of_direction():
    assert one_line(" two\nlines\u2028three\r\n\u202efour ") == "two lines three \ufffdfour"
