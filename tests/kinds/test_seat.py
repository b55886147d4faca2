"""What SEAT shows of its rows: units side by side, checks, and warnings where a row gives a reason for them."""

from dataclasses import replace

import msgspec
import numpy as np
import pytest

from imprint.association.coherence import CoherenceRow
from imprint.association.rows import outcome_counts
from imprint.association.seat import seat
from imprint.association.seat_battery import run_seat_battery
from imprint.encoders.base import FunctionEncoder
from imprint.kinds.seat import COHERENCE, SEAT
from imprint.kinds.sections import blocks
from imprint.kinds.tests import outcome_text
from imprint.masking import Words
from imprint.render.html import draw_fragment
from imprint.render.numbers import plain
from imprint.stimuli.catalog import get
from imprint.stimuli.templates import Templates
from imprint.view import Cell, Prose, Section, Table, flat

TESTS = (get("caliskan-6"), get("seat-double-bind-likable"))


def speaking(name):
    def speak(texts):
        return [np.random.default_rng([*name.encode(), *text.encode()]).normal(size=6) for text in texts]

    return FunctionEncoder(speak, name=name)


@pytest.fixture(scope="module")
def rows():
    return run_seat_battery([speaking("one")], TESTS).findings()


def of_type(kind, rows):
    tests = [row for row in rows if row.kind != "topic"]
    return [block for block in blocks(tests) if isinstance(block, kind)]


def warned(rows):
    return [plain(one.text, Words()) for one in of_type(Prose, rows) if one.tone == "warning"]


def text(cell):
    return plain(cell.text if isinstance(cell, Cell) else cell, Words())


def columns(table):
    return {
        plain(column.title, Words()): [text(row[at]) for row in table.rows] for at, column in enumerate(table.columns)
    }


def as_published(rows):
    """Return the rows of the paper's contexts; those in frames have sizes."""
    return [row for row in rows if row.kind == "seat" and row.context != "framed"]


def battery(rows):
    """Return the table of tests as the paper has them."""
    return next(table for table in of_type(Table, as_published(rows)))


def test_one_line_has_a_test_and_context_in_both_units(rows):
    shown = columns(battery(rows))
    by_word, by_sentences = ([row for row in as_published(rows) if row.unit == unit] for unit in ("word", "sentence"))
    assert shown["Context"] == [row.context for row in by_word]
    assert shown["d_word"] == [f"{row.effect_size:.2f}{row.stars}" for row in by_word]
    assert shown["d"] == [f"{row.effect_size:.2f}{row.stars}" for row in by_sentences]
    same = [row.context for row, p in zip(by_word, shown["p, by sentences"], strict=True) if p == "the same"]
    assert same == ["word", "word", "unbleached"]  # where every word has one sentence
    assert "Published" not in shown
    assert "Missing" not in shown


def test_sentences_too_many_to_count_have_no_effect_of_their_own(rows):
    first = next(row for row in rows if row.kind == "seat" and row.unit == "sentence")
    shown = columns(battery([row for row in as_published(rows) if row.unit != "sentence" or row is first]))
    assert "too many" in shown["p, by sentences"]


def test_words_in_the_same_sentences_are_shown_with_size_and_outcome(rows):
    framed = [row for row in rows if row.kind == "seat" and row.context == "framed"]
    shown = columns(of_type(Table, framed)[0])
    assert {row.unit for row in framed} == {"word"}
    assert shown["Outcome"] == [outcome_text(row) for row in framed]
    assert len(shown["Size"]) == len(framed)
    assert "p, by sentences" not in columns(battery([row for row in rows if getattr(row, "unit", "") != "sentence"]))


def test_a_single_result_draws_itself_in_either_unit():
    for unit in ("word", "sentence"):
        result = seat(speaking("one"), TESTS[0], unit=unit, context="bleached")
        assert ("d_word" in columns(battery(result.findings()))) == (unit == "word")


def test_each_encoder_has_tables_of_its_own_name():
    rows = run_seat_battery([speaking("one"), speaking("two")], TESTS[:1], context="word").findings()
    captions = [text(table.caption) for table in of_type(Table, rows)]
    assert [name for name in ("one", "two") for caption in captions if f"SEAT on {name} " in caption] == ["one", "two"]


def test_checks_of_single_words_are_shown_once():
    row = CoherenceRow(
        test="caliskan-7 caliskan-8", embedding="one", embedding_sha256="1", check="agree", reason="", context="word",
        unit="word", effect_sizes=(1.0, None), p_values=(0.001, 1.0), holds=False,
    )  # fmt: skip
    (table,) = flat(COHERENCE.blocks([row, replace_row(row, unit="sentence")]))
    assert len(table.rows) == 1
    assert list(COHERENCE.blocks([replace_row(row, unit="sentence")])) == []


def replace_row(row, **changes):
    return msgspec.structs.replace(row, **changes)


def test_warnings_name_the_tests_whose_frames_or_single_words_explain_them(rows):
    quiet = [replace_row(row, flips=(), p_of_frames=None, p_value=0.5) for row in as_published(rows)]
    assert warned(quiet) == []
    for changes in ({"flips": ("without the word 'Amy'",)}, {"p_of_frames": 0.01, "share_of_frames": 0.4}):
        (warning,) = warned([replace_row(quiet[0], **changes), *quiet[1:]])
        assert quiet[0].test in warning


def test_words_without_a_kind_missing_words_and_left_out_sentences_are_told(rows):
    by_word = [row for row in rows if row.kind == "seat" and row.context == "bleached"]
    told = [
        {"n_unknown_kinds": 3},
        {"missing": (by_word[0].sets[0].words[0],)},
        {"left_out": ("These are Amys.",)},
    ]
    quiet = [replace_row(row, flips=(), p_value=0.5) for row in by_word]
    known = len(of_type(Prose, quiet))
    for changes in told:
        assert len(of_type(Prose, [replace_row(row, **changes) for row in quiet[:2]] + quiet[2:])) == known + 1


def test_sentences_count_the_outcomes_of_words_in_the_same_sentences(rows):
    seats = [row for row in rows if row.kind == "seat"]
    framed = [row for row in seats if row.context == "framed"]
    first = plain(next(iter(SEAT.sentences(seats))), Words())
    assert first == f"{len(framed)} test{'s' * (len(framed) != 1)}: {outcome_counts(framed)}."


def test_words_from_files_are_escaped_on_a_page():
    hostile = replace(TESTS[0], id="<b>id</b>", title="<script>alert(1)</script>")
    templates = Templates(
        "en",
        dict.fromkeys(
            ("name", "mass noun", "count noun", "person noun", "plural noun", "plural person noun"),
            ("<i>{word}</i>", "{word}?"),
        ),
    )
    rows = run_seat_battery([speaking("<u>")], [hostile], templates=templates, context="bleached").findings()
    page = draw_fragment([Section("seat", "In sentences", tuple(blocks(rows)))])
    for tag in ("<b>id", "<script>alert", "<u>", "<i>{"):
        assert tag not in page
