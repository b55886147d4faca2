"""The page as text: what a browser does with it is tested in tests/browser."""

import re
import sys
from dataclasses import replace
from html.parser import HTMLParser

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from made_rows import make_row
from markupsafe import escape
from refusals import refuses

import imprint
from imprint.errors import ImprintError, SettingError, pip_install
from imprint.kinds.sections import draw_rows
from imprint.render.html import draw_fragment
from imprint.render.vega import NOT_INSTALLED, bundle_ahead, why_not_drawn
from imprint.reports.page import Opening, draw_page, render_page
from imprint.rows import RawRow
from imprint.view import Cell, Chart, Column, Listing, Prose, Section, Table

LIMIT = 3_000_000  # bytes
WORDS = Table(
    "Words", (Column("Word"), Column("d", "How far.", True)), (("nurse", "1.00"), ("boss", Cell("2.00", "p")))
)
SPEC = {"data": {"values": [{"x": 1}]}, "mark": "point", "encoding": {}}
DOTS = Chart("dots", "Dots", "Two dots.", lambda words, width: SPEC, WORDS)
OPENING = Opening("What was found.", "About it.")
FUTURE = {"kind": "from the future", "test": "t", "embedding": "e", "embedding_sha256": "0", "shape": [1, {"a": None}]}


def finding(kind="weat", **fields):
    return make_row(kind, effect_size=1.25, statistic=2.0, p_value=0.01, missing=("gladiola",), **fields)


def sections(text, **options):
    table = Table(text, (Column(text, text),), ((Cell(text, text),), (text,)), **options)
    chart = Chart("dots", text, text, lambda words, width: SPEC, table)
    return (Section("one", text, (Prose(text), Listing((text,)), table, chart)),)


class Seen(HTMLParser):
    """Collect elements, attributes' names and text, as a browser would; classes may depend on a text's length."""

    def __init__(self, page):
        super().__init__(convert_charrefs=True)
        self.tags, self.texts, self.values = [], [], []
        self.feed(page)
        self.close()

    def handle_starttag(self, tag, attrs):
        self.tags.append((tag, tuple(name for name, _ in attrs if name != "class")))
        self.values += [value for _, value in attrs]

    def handle_data(self, data):
        self.texts.append(data)


def test_the_same_findings_give_the_same_bytes(tmp_path):
    findings = [finding(), finding("wefat", title="Another", slope=1.0)]
    imprint.report(findings, tmp_path / "one.html")
    imprint.report(iter(findings), tmp_path / "two.html")
    one = (tmp_path / "one.html").read_bytes()
    assert one == (tmp_path / "two.html").read_bytes()
    assert len(one) < LIMIT


def test_arguments_in_the_wrong_order_and_what_holds_no_rows_are_refused_in_a_sentence(tmp_path):
    page, rows = str(tmp_path / "page.html"), [finding()]
    with refuses(SettingError, option="out", hint="findings come first: imprint.report(findings, out)"):
        imprint.report(page, rows)
    for wrong in ([1, 2], ["a row"]):
        with refuses(SettingError, option="findings", got=wrong):
            imprint.report(wrong, page)
    assert list(tmp_path.iterdir()) == []


def test_the_title_names_what_was_audited():
    page = render_page([finding(embedding="the other"), finding("audit", embedding="mine & yours")])
    assert "<title>Bias audit of mine &amp; yours</title>" in page


def test_no_findings_are_refused_in_one_line():
    for draw in (render_page, draw_rows):
        with pytest.raises(ImprintError, match="findings"):
            draw([])


def test_findings_of_an_unknown_kind_do_not_break_the_page():
    future = RawRow(test="t", embedding="e", embedding_sha256="0", fields=FUTURE)
    page = render_page([future])
    assert page.endswith("</html>")
    assert "from the future" in page
    assert "from the future" in draw_rows([future])


def test_a_name_that_is_not_text_is_written(tmp_path):
    imprint.report([finding(embedding="vectors\udcff.txt", test="\udcff")], tmp_path / "page.html")
    assert b"vectors\\udcff.txt" in (tmp_path / "page.html").read_bytes()


@settings(max_examples=25, deadline=None)
@given(st.text(alphabet=st.characters(codec="utf-8", exclude_categories=["Cc"]), min_size=1))
def test_no_text_changes_the_elements_of_a_fragment(text):
    plain, odd = Seen(draw_fragment(sections("plain"))), Seen(draw_fragment(sections(text)))
    assert odd.tags == plain.tags
    assert text in odd.values
    assert any(text in found for found in odd.texts)


@pytest.mark.parametrize(
    "text", ["</script><script>alert(1)</script>", "{{7*7}}{% if %}", '"><img onerror=x>', "<!--"]
)
def test_no_text_changes_the_elements_of_a_page(text):
    plain, odd = (
        Seen(draw_page(name, sections(name), Opening(name, name, [name], [(name, name)], footer=[name])))
        for name in ("plain", text)
    )
    assert odd.tags == plain.tags
    assert text in odd.values


def test_the_summary_precedes_the_note_and_the_note_every_offensive_section():
    page = draw_page(
        "vectors",
        (
            Section("found", "What was found", (Prose("An ugly word."),), offensive=True),
            Section("method", "Method", (Prose("How."),)),
        ),
        Opening("Said plainly.", ""),
    )
    order = [
        "Said plainly.",
        "Contents",
        "Content note",
        '<details class="gate">',
        "An ugly word.",
        "</details>",
        "How.",
    ]
    places = [page.index(text) for text in order]
    assert places == sorted(places)


def test_the_note_stands_only_before_what_may_offend():
    assert "Content note" not in draw_page("vectors", (Section("one", "One", (Prose("Kind words."),)),), OPENING)


def test_unmasked_pages_do_not_claim_that_slurs_are_masked():
    offensive = (Section("one", "One", (Prose("A word."),), offensive=True),)
    for draw in (
        lambda **options: draw_page("vectors", offensive, OPENING, **options),
        lambda **o: draw_fragment(offensive, **o),
    ):
        assert "Slurs are masked" in draw()
        assert "Slurs are masked" not in draw(unmask=True)


def test_the_bundle_is_there_once_and_only_for_charts():
    without = draw_page("vectors", (Section("one", "One", (WORDS,)),), OPENING)
    with_two = draw_page("vectors", (Section("one", "One", (DOTS, DOTS)),), OPENING)
    assert "vegaEmbed=" not in without
    assert with_two.count("window.vegaEmbed=") == 1
    assert len(with_two.encode()) < LIMIT


def test_a_page_reaches_for_nothing():
    page = draw_page("vectors", (Section("one", "One", (WORDS,)),), OPENING)
    policy = re.search(r'http-equiv="Content-Security-Policy" content="([^"]*)"', page)[1]
    assert policy.startswith("default-src 'none'; script-src 'sha256-")
    assert "unsafe-eval" not in policy
    assert not re.search(r"\b(src|srcset|action|data)=|<link|@import|url\(", page)


def test_a_fragment_brings_no_script_and_no_anchor():
    drawn = draw_fragment((Section("one", "One", (DOTS, WORDS)),))
    assert "<script" not in drawn
    assert 'id="one"' not in drawn


def test_charts_of_one_name_in_two_fragments_share_no_id():
    def ids(values):
        spec = {
            "data": {"values": values},
            "mark": {"type": "line", "clip": True},
            "encoding": {"x": {"field": "x", "type": "quantitative"}},
        }
        chart = Chart("dots", "Dots", "Dots.", lambda words, width: spec, WORDS)
        # without the number at the end, which counts the drawings of a process
        return set(re.findall(r'\bid="([^"]*?)\d*"', draw_fragment((Section("one", "One", (chart,)),))))

    one, other = ids([{"x": 1}]), ids([{"x": 2}])
    assert one
    assert not one & other


def test_without_the_extra_for_charts_a_page_has_their_numbers_and_the_command_to_install_it(monkeypatch):
    monkeypatch.setitem(sys.modules, "vl_convert", None)
    parts = (Section("one", "One", (DOTS,)),)
    page = draw_page("e", parts, replace(OPENING, chart=DOTS))
    assert page.count(str(escape(pip_install("report")))) == 2
    assert "nurse" in page
    for drawn in ("<svg", "vegaEmbed =", "<script type"):
        assert drawn not in page
    assert why_not_drawn() == NOT_INSTALLED
    with bundle_ahead():
        assert "nurse" in draw_fragment(parts)
