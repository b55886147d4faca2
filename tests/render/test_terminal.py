import sys

import pytest
from hypothesis import given
from hypothesis import strategies as st

from imprint.render import terminal
from imprint.view import NOTHING, Column, Table

WORDS = st.text("abcdefgh", min_size=1, max_size=14)
TEXTS = st.lists(WORDS, min_size=1, max_size=8).map(" ".join)


def _drawn(monkeypatch, columns, *tables):
    monkeypatch.setattr(terminal, "width", lambda: columns)
    return terminal.draw_blocks(tables)[0]


@given(st.integers(1, 7).flatmap(lambda wide: st.lists(st.tuples(*[TEXTS] * wide), min_size=1, max_size=4)))
def test_no_word_of_a_table_is_broken_and_no_line_is_too_long(lines):
    titles, *rows = lines
    columns = tuple(Column(one, numeric=place % 2 == 1) for place, one in enumerate(titles))
    with pytest.MonkeyPatch.context() as monkeypatch:
        shown = _drawn(monkeypatch, 80, Table("A table", columns, tuple(rows)))
    assert max(map(len, shown.splitlines())) <= 80
    words = shown.split()
    assert all(words.count(word) >= 1 for row in rows for cell in row for word in cell.split())


def test_numbers_stay_on_one_line_while_texts_are_wrapped(monkeypatch):
    columns = (Column("Test"), Column("A long heading of a number", numeric=True))
    shown = _drawn(monkeypatch, 50, Table("", columns, (("some words " * 8, "0.117 [-0.030 to 0.263]"),)))
    assert "0.117 [-0.030 to 0.263]" in shown
    assert len(shown.splitlines()) > 5


def test_what_does_not_fit_is_listed_without_its_empty_cells(monkeypatch):
    columns = tuple(Column(name) for name in ("Test", "Outcome", "Published", "Missing"))
    shown = _drawn(monkeypatch, 30, Table("", columns, (("one", "present: a few", NOTHING, "0 of 32"),)))
    assert shown.split("\n")[2:4] == ["one", "  Outcome present: a few ·"]
    assert "Published" not in shown
    assert shown.rstrip().endswith("    Missing 0 of 32")


def test_the_width_is_the_terminals_or_that_of_a_page(monkeypatch):
    monkeypatch.setattr(sys.stdout, "isatty", lambda: False, raising=False)
    assert terminal.width() == 140
