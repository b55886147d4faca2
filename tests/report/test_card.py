"""The model card's section, read by a Markdown parser as a hub would."""

import itertools
from dataclasses import replace

import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st
from markdown_it import MarkdownIt

from imprint.errors import ImprintError
from imprint.finding import Finding
from imprint.report.card import HEADING, render_card
from imprint.report.escaping import code, escaped

PARSER = MarkdownIt("commonmark").enable(["table", "strikethrough"])
HOSTILE = "a|b `c` <img src=x onerror=alert(1)> [l](http://x) *e* _u_ ~~s~~ &amp; \\| $x$ #1 @me ![i](j)"
SLUR = bytes.fromhex("666167676f74").decode()  # not written out in the source
VISIBLE = st.text(st.characters(codec="utf-8", exclude_categories=["C", "Z"], include_characters=" "), min_size=1)


def finding(kind="weat", test="caliskan-6", embedding="vectors", missing=(), p=0.02, **details):
    known = {
        "title": "Names and careers",
        "mean_difference": 0.2165,
        "interval_low": 0.1528,
        "interval_high": 0.2816,
        "confidence": 0.95,
        "p_method": "exact",
        "p_holm": 0.04,
        "verdict": "significant",
    }
    return Finding(kind, test, embedding, "ab" * 32, 1.718, 2.0, p, 7, missing=missing, details=known | details)


def whole(**settings):
    asked = {"language": "en", "alpha": 0.05, "rotations": 500, "quick": True, "debias": None, "seed": 7} | settings
    details = {"settings": asked, "versions": {"imprint": "0.1.0", "numpy": "2.4.6"}, "words": 10, "dimension": 3}
    return Finding("audit", "audit", "vectors", "ab" * 32, None, None, None, 7, details=details)


def structure(text):
    return [(token.type, token.tag) for token in PARSER.parse(text)]


def texts(markdown, *, inside):
    """What a reader sees in each block of one kind, and what else than text stands in it."""
    tokens, found = PARSER.parse(markdown), []
    for before, token in itertools.pairwise(tokens):
        if token.type == "inline" and before.type == inside:
            found.append(("".join(child.content for child in token.children), {one.type for one in token.children}))
    return found


def test_the_card_has_the_heading_a_table_and_how_to_reproduce_it():
    card = render_card([whole(), finding(missing=("gladiola",)), finding("wefat", "names", r_low=0.5, r_high=0.9)])
    headings = [text for text, _ in texts(card, inside="heading_open")]
    assert card.startswith(f"{HEADING}\n")
    assert f"## {headings[0]}" == HEADING
    assert headings[1:] == [
        "Associations asked for", "The embedding and the world", "What was not shown", "How to reproduce this",
    ]  # fmt: skip
    assert [text for text, _ in texts(card, inside="td_open")] == [
        "Names and careers (caliskan-6)", "1.72", "0.216 (0.153 to 0.282)", "0.02", "0.04", "significant",
        "1: gladiola",
        "Names and careers (names)", "1.72 (0.50 to 0.90)", "0.02", "none",
    ]  # fmt: skip
    assert (
        "$ imprint audit EMBEDDING --quick --debias none --language en --alpha 0.05 --rotations 500 --seed 7\n" in card
    )
    assert f"- vectors, SHA-256 `{'ab' * 32}`\n" in card
    assert "- imprint `0.1.0`, numpy `2.4.6`\n" in card
    assert card.endswith("\n")
    assert not card.endswith("\n\n")
    assert not card.startswith("---")


def test_what_was_not_found_is_told_with_what_could_have_been():
    card = render_card(
        [
            finding(verdict="not significant", detectable_shift=0.0634),
            finding(test="small", verdict="cannot reach", interval_low=None, interval_high=None),
            finding(test="sure", p_method="certified", confidence=0.9),
            finding("skipped", "caliskan-9", title="Diseases", reason="two words are missing"),
        ]
    )
    cells = [text for text, _ in texts(card, inside="td_open")]
    assert cells[5] == "not significant; would find 0.063"
    assert cells[9] == "0.216 (no interval)"
    assert cells[12] == "cannot reach"
    assert cells[16] == "0.216 (0.153 to 0.282 at 90%)"
    assert cells[17] == "≤ 0.02"
    assert "- Not run: Diseases. two words are missing\n" in card
    assert "not evidence of absence" in card


def test_only_what_was_measured_of_the_model_itself_by_words_is_in_the_tables():
    card = render_card(
        [
            finding(part="weat"),
            finding(part="debiasing", test="again"),
            finding(part="against", test="elsewhere"),
            finding("seat", "by-words", unit="word", context="bleached"),
            finding("seat", "by-sentences", unit="sentence", context="bleached"),
        ]
    )
    cells = [text for text, _ in texts(card, inside="td_open")]
    assert cells[0] == "Names and careers (caliskan-6)"
    assert cells[7:9] == ["Names and careers (by-words)", "bleached"]
    assert len(cells) == 7 + 8


@pytest.mark.parametrize(
    ("alternative", "said"),
    [("greater", "one-sided (only"), ("less", "against the test's"), ("two-sided", "two-sided")],
)
def test_the_card_says_in_which_direction_p_counts(alternative, said):
    (line,) = (line for line in render_card([finding(alternative=alternative)]).splitlines() if "p-values of" in line)
    assert said in line
    assert "p-values of tests" not in render_card([finding()])


def test_what_could_not_be_run_on_a_debiased_copy_is_not_told_of_the_model():
    card = render_card([finding(), finding("skipped", "again", part="debiasing", title="Again", reason="why")])
    assert "Not run" not in card
    assert "Would find" not in card


def test_words_that_no_catalogue_has_are_listed():
    sets = {"x": "care", "y": "work", "a": "women", "b": "men"}
    words = {"x": ("nurse", "au_pair"), "y": ("welder",), "a": ("she",), "b": ("he",)}
    card = render_card([finding(test="mine", sets=sets, set_words=words)])
    assert "- mine, X (care): nurse, au\\_pair\n" in card
    assert "- mine, B (men): he\n" in card
    assert "X (care)" not in render_card([finding(test="caliskan-6", sets=sets, set_words=words)])
    assert "X (care)" not in render_card([whole(), finding(test="mine", sets=sets, set_words=words)])


def test_findings_of_a_single_command_make_a_card_without_the_audits_command():
    card = render_card([finding()])
    assert "imprint audit" not in card
    assert "Seed `7`" in card


def test_hostile_words_change_nothing_but_the_text():
    plain = [whole(), finding(missing=("word",)), finding("skipped", "x", title="title", reason="why")]
    odd = [
        whole(encoder="x\n```\n<script>", language=HOSTILE),
        finding(test=HOSTILE, title=HOSTILE, embedding=HOSTILE, missing=(HOSTILE, "1. x\n# y"), verdict=HOSTILE),
        finding("skipped", "x", title=HOSTILE, reason=f"- {HOSTILE}\n\n<b>"),
    ]
    expected = structure(render_card(plain))
    # One name, so that both list as many hashes.
    assert structure(render_card([replace(one, embedding="vectors") for one in odd])) == expected
    card = render_card(odd)
    for inside in ("td_open", "paragraph_open", "heading_open"):
        for _, kinds in texts(card, inside=inside):
            assert kinds <= {"text", "text_special", "code_inline", "softbreak"}
    assert HOSTILE[:48] in texts(card, inside="td_open")[0][0]


@settings(max_examples=100, deadline=None)
@given(VISIBLE)
@example("1. x")
@example("12) x")
@example("- x")
@example("+ x")
@example("# x")
@example("---")
def test_escaped_text_reads_as_it_was_in_a_list_and_in_a_table(text):
    seen = " ".join(text.split())
    for markdown, inside in (
        (f"- {escaped(text)}", "paragraph_open"),
        (f"| a |\n| - |\n| {escaped(text)} |", "td_open"),
    ):
        found = texts(markdown, inside=inside)
        assert structure(markdown) == structure(markdown.replace(escaped(text), "x" if seen else ""))
        if seen:
            assert [text for text, _ in found] == [seen]


@given(st.text())
def test_code_is_a_hash_or_a_version_and_all_else_text(text):
    said = code(text)
    assert said.startswith("`") == bool(text and text.isascii() and all(one.isalnum() or one in "_.+-" for one in text)
                                        and len(text) <= 128)  # fmt: skip
    assert said.count("`") in (0, 2)


def test_slurs_are_masked_wherever_words_stand():
    card = render_card(
        [
            whole(against=SLUR),
            finding(test=SLUR, title=f"A {SLUR} title", embedding=SLUR, missing=(SLUR,)),
            finding("skipped", SLUR, title=SLUR, reason=f"no {SLUR}"),
            finding("part", "seat", title=SLUR, ran=False, why=f"no {SLUR}"),
        ]
    )
    assert SLUR not in card
    assert SLUR[0] + "*" * 5 in card.replace("\\", "")


@pytest.mark.parametrize(
    "row",
    [
        finding(interval_low="low"),
        finding(p="small"),
        finding(p_holm="x"),
        finding("summary", "weat"),
        finding("audit", settings=[]),
        finding("audit", versions=3),
    ],
)
def test_a_file_that_is_no_findings_ends_in_one_line(row):
    with pytest.raises(ImprintError, match=r"^the findings cannot be told \(.*\); give a file as imprint wrote it$"):
        render_card([row])


def test_no_findings_are_refused():
    with pytest.raises(ImprintError, match="there are no findings for a card"):
        render_card([])
