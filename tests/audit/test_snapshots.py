"""What people read, kept as snapshots: one per section of the page, the summary and the card.

`pytest tests --snapshot-update` writes them anew after a change of wording; the difference is what a reviewer reads.
"""

import re
from html import unescape

import pytest
from msgspec.structs import replace

import imprint
from imprint.kinds import part_of
from imprint.kinds.audit import AuditRow
from imprint.kinds.sections import sections
from imprint.masking import Words
from imprint.render.html import draw_fragment
from imprint.render.numbers import plain
from imprint.render.terminal import draw_text
from imprint.reports.conclusions import method
from imprint.reports.summary import brief
from imprint.view import Table, flat

SECTIONS = ("weat", "wefat", "directions", "enumeration", "analogies", "debiasing", "benchmarks", "seat", "against")
_WIDEST = 300  # characters of a line
_HASH = re.compile(r"\b[0-9a-f]{64}\b")
_VERSION = re.compile(r"`\d+(\.\d+)+\w*`")


def readable(html):
    """Return the words of a section: no style, no drawing, a line per element or row of a table, long lines cut."""
    text = " ".join(re.sub(r"<(style|svg)\b.*?</\1>", "", html, flags=re.DOTALL).split())
    text = re.sub(r"</t[dh]>(?= ?<t[dh])", " | ", text)
    text = re.sub(r"</(p|li|tr|figcaption|h2|summary|caption)>", "\n", text)
    text = re.sub(r"</?(abbr|b|data)\b[^>]*>", "", text)
    lines = (" ".join(unescape(re.sub("<[^>]*>", " ", line)).split()) for line in text.split("\n"))
    return _HASH.sub("HASH", "\n".join(line[:_WIDEST] for line in lines if line))


@pytest.mark.parametrize("name", SECTIONS)
def test_sections_read_as_before(audit, name, snapshot):
    (section,) = (one for one in sections(audit[0].findings()) if one.name == name)
    lines = readable(draw_fragment([section])).split("\n")
    assert "\n".join(lines[:60]) == snapshot


def in_german(row):
    """Return a row as a German audit has it: its own tests are German."""
    if isinstance(row, AuditRow):
        return replace(row, settings=replace(row.settings, language="de"))
    return replace(row, language="de") if row.language is not None and row.part == row.kind else row


def test_parts_in_english_say_so_in_an_audit_of_another_language(audit, snapshot):
    rows = audit[0].findings()
    usual, german = ({one.name: one.blocks for one in sections(own)} for own in (rows, map(in_german, rows)))
    said = {name: blocks[0] for name, blocks in german.items() if len(blocks) > len(usual[name])}
    assert german.keys() - said.keys() == {"audit", "weat", "calibration", "wefat", "seat"}
    assert {len(blocks) - len(usual[name]) for name, blocks in german.items()} == {0, 1}
    assert "\n".join({plain(one.text, Words()) for one in said.values()}) == snapshot


def test_the_method_reads_as_before(audit, snapshot):
    text = readable(draw_fragment([method(audit[0].findings())]))
    assert re.sub(r"(version|python, version\n)( ?)[\d.]+", r"\1\2N", text) == snapshot


def test_the_summary_reads_as_before(audit, snapshot):
    assert "\n".join(draw_text(one) for one in brief(audit[0].findings())) == snapshot


def test_the_summary_of_one_subject_leaves_a_line_of_ten_for_the_page(audit):
    alone = [row for row in audit[0].findings() if part_of(row) not in ("against", "seat")]
    summary = "\n".join(draw_text(one) for one in brief(alone))
    assert 5 < len(summary.split("\n")) < 10


def test_the_card_reads_as_before(audit, snapshot):
    assert _VERSION.sub("`N`", _HASH.sub("HASH", imprint.card(audit[0].findings()))) == snapshot


def test_a_page_shows_six_columns_at_most_until_more_are_asked_for(audit):
    shown = [block for part in sections(audit[0].findings()) for block in flat(part.blocks)]
    tables = [one for one in shown if isinstance(one, Table) and "page" in one.media]
    visible = {plain(one.caption, Words()): [c for c in one.columns if not (c.extra or c.folded)] for one in tables}
    assert visible
    assert {caption: len(columns) for caption, columns in visible.items() if len(columns) > 6} == {}


def test_every_column_of_numbers_says_what_it_means(audit):
    shown = [block for part in sections(audit[0].findings()) for block in flat(part.blocks)]
    tables = [one for one in shown if isinstance(one, Table) and "page" in one.media]
    numeric = [column for one in tables for column in one.columns if column.numeric]
    assert {"Frames", "Centred", "Size", "Detectable"} <= {plain(one.title, Words()) for one in numeric}
    assert {plain(one.title, Words()) for one in numeric if not one.meaning} == set()
