"""The model card's section, read by a Markdown parser as a hub would."""

import itertools

import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st
from made_rows import make_row
from markdown_it import MarkdownIt
from msgspec.structs import replace

import imprint
from imprint.errors import ImprintError
from imprint.evaluation.controls import Control
from imprint.kinds.audit import AuditedSettings
from imprint.masking import Words
from imprint.render.markdown import code, draw_text
from imprint.reports.card import HEADING
from imprint.rows import Label, WordList
from imprint.view import title

PARSER = MarkdownIt("commonmark").enable(["table", "strikethrough"])
HOSTILE = "a|b `c` <img src=x onerror=alert(1)> [l](http://x) *e* _u_ ~~s~~ &amp; \\| $x$ #1 @me ![i](j)"
SLUR = bytes.fromhex("666167676f74").decode()  # not written out in the source
VISIBLE = st.text(st.characters(codec="utf-8", exclude_categories=["C", "Z"], include_characters=" "), min_size=1)
SETS = tuple(WordList(role, name, words) for role, name, words in (
    ("x", "care", ("nurse", "au_pair")), ("y", "work", ("welder",)), ("a", "women", ("she",)), ("b", "men", ("he",)),
))  # fmt: skip


def finding(kind="weat", **fields):
    known = {"title": "Names and careers", "embedding_sha256": "ab" * 32, "seed": 7}
    if kind in ("weat", "seat"):
        known |= {"size": 0.2165, "size_low": 0.1528, "size_high": 0.2816, "outcome": "substantial",
                  "p_value": 0.02, "p_method": "exact", "effect_size": 1.718}  # fmt: skip
    return make_row(kind, **(known | fields))


def question(outcome=None, **fields):
    """Return a question with a size and an outcome; one that cannot tell has no size."""
    if outcome == "cannot tell":
        fields |= {"size": None, "size_low": None, "size_high": None, "reason": "few words"}
    return finding(is_question=True, p_value=None, outcome=outcome, **fields)


def whole(**settings):
    asked = {"language": "en", "quick": True, "debias": None, "seed": 7, "fdr": 0.1, "against": None,
             "encoder": None} | settings  # fmt: skip
    versions = (Label("imprint", "0.1.0"), Label("numpy", "2.4.6"))
    return make_row(
        "audit", embedding_sha256="ab" * 32, settings=AuditedSettings(**asked), versions=versions, n_words=10
    )


def structure(text):
    return [(token.type, token.tag) for token in PARSER.parse(text)]


def texts(markdown, *, inside):
    """What a reader sees in each block of one kind, and what else than text stands in it."""
    tokens, found = PARSER.parse(markdown), []
    for before, token in itertools.pairwise(tokens):
        if token.type == "inline" and before.type == inside:
            found.append(("".join(child.content for child in token.children), {one.type for one in token.children}))
    return found


def cells(card):
    return [text for text, _ in texts(card, inside="td_open")]


def test_the_card_has_the_heading_a_table_and_how_to_reproduce_it():
    wefat = finding("wefat", test="names", r=0.7, words_low=0.5, words_high=0.9, slope=1.0)
    card = imprint.card([whole(), finding(missing=("gladiola",)), wefat], front_matter=False)
    headings = [text for text, _ in texts(card, inside="heading_open")]
    assert card.startswith(f"{HEADING}\n")
    assert headings[0] == HEADING.removeprefix("## ")
    assert len(headings) == 6
    shown = cells(card)
    for text in ("caliskan-6: Names and careers", "1.72", "22 % [15 to 28]", "0.02", "substantial"):
        assert text in shown
    assert "0.70 [0.50 to 0.90]" in shown
    assert "$ imprint audit EMBEDDING --debias none --quick --language en --seed 7\n" in card
    assert f"- vectors, SHA-256 `{'ab' * 32}`\n" in card
    assert "- imprint `0.1.0`, numpy `2.4.6`\n" in card
    assert card.endswith("\n")
    assert not card.endswith("\n\n")


def test_the_front_matter_has_tags_alone_and_nothing_from_the_findings():
    rows = [whole(), finding(embedding=f"--- {HOSTILE}\n---\nlicense: mit")]
    with_it, without = imprint.card(rows), imprint.card(rows, front_matter=False)
    yaml = pytest.importorskip("yaml")
    front = with_it.removesuffix(without)
    assert front.count("---\n") == 2
    assert yaml.safe_load(front.split("---\n")[1]) == {"tags": ["bias-audit", "imprint"]}
    assert without.startswith(f"{HEADING}\n")


def section(card, heading):
    return card.partition(f"### {heading}\n")[2].partition("\n##")[0]


def test_the_card_says_what_can_be_concluded_and_what_cannot():
    judged = replace(whole(), judged=True, controls=(Control("similar words", 0.7, 0.25, True, 65, 0),))
    rows = [
        judged,
        question("substantial", topics=("gender",)),
        question("present", test="turned", size=-0.2, size_low=-0.3, size_high=-0.1, topics=("gender", "career")),
        question("small", test="unseen", size=0.01, size_low=-0.01, size_high=0.03, topics=("race",)),
        question("cannot tell", test="few", title="Too few", topics=("age",)),
        question("substantial", test="flowers", topics=("neutral",)),
        question("substantial", test="again", title="Again", part="debiasing"),
        finding("part", test="seat", title="In sentences", ran=False),
        finding("part", test="ube", title="Unasked", ran=False, why="too few names"),
    ]
    card = imprint.card(rows)
    can, cannot = section(card, "What can be concluded"), section(card, "What cannot be concluded")
    assert "1 of 1 checks" in can
    assert "1 substantial, 1 present." in can
    assert can.count(": small.") == 1
    assert "Questions without an answer: Too few." in can
    assert "Whether it changes what a product does" in cannot
    assert "That there is no such difference" in cannot
    assert "Topics with an answer: career, gender, race (language: en). No answer: age." in can
    assert "neutral" not in can
    assert "Not measured: In sentences" in can
    assert "Unasked: too few names" in section(card, "What was not run")
    alone = imprint.card([finding()])
    assert "these findings have no controls" in section(alone, "What cannot be concluded")
    assert "Nothing about bias" in section(imprint.card([whole()]), "What can be concluded")


def test_of_a_subject_that_cannot_be_judged_the_card_concludes_nothing():
    failed = Control("similar words", 0.08, 0.25, False, 65, 30)
    card = imprint.card([replace(whole(), judged=False, controls=(failed,)), question("small")])
    (line,) = section(card, "What can be concluded").strip().splitlines()
    assert "cannot be judged" in line
    assert "similar words: 0.08, must be at least 0.25" in line
    assert "Neither that vectors is biased nor that it is not" in section(card, "What cannot be concluded")


def test_what_was_not_found_is_shown_with_what_could_have_been():
    card = imprint.card(
        [
            question("small", detectable=0.0634),
            question("cannot tell", test="few"),
            finding(test="sure", p_method="certified"),
            finding("skipped", test="caliskan-9", title="Diseases", reason="two words are missing"),
        ]
    )
    shown = cells(card)
    assert "6 %" in shown
    assert "cannot tell: too few words" in shown
    assert "≤ 0.02" in shown
    assert "Diseases: two words are missing" in card


def test_only_what_was_measured_of_the_model_itself_by_words_is_in_the_tables():
    card = imprint.card(
        [
            finding(part="weat"),
            finding(part="debiasing", test="again"),
            finding(part="against", test="elsewhere"),
            finding("seat", test="by-words", unit="word", context="bleached"),
            finding("seat", test="by-sentences", unit="sentence", context="bleached"),
        ]
    )
    shown = " ".join(cells(card))
    assert "caliskan-6" in shown
    assert "by-words" in shown
    assert not any(name in shown for name in ("again", "elsewhere", "by-sentences"))


@pytest.mark.parametrize("alternative", ["greater", "less", "two-sided"])
def test_the_card_says_in_which_direction_p_counts(alternative):
    lines = imprint.card([finding(alternative=alternative)]).splitlines()
    (p,) = (line.partition("p is ")[2] for line in lines if line.startswith("Intervals are 99.5 %"))
    assert ("two-sided" in p) == (alternative == "two-sided")
    assert ("against" in p) == (alternative == "less")


def test_words_that_no_catalogue_has_are_listed():
    card = imprint.card([finding(test="mine", sets=SETS)])
    assert "- mine, X (care): nurse, au\\_pair\n" in card
    assert "- mine, B (men): he\n" in card
    assert "X (care)" not in imprint.card([finding(sets=SETS)])
    assert "X (care)" not in imprint.card([whole(), finding(test="mine", sets=SETS)])


def test_findings_of_a_single_command_make_a_card_without_the_audits_command():
    card = imprint.card([finding()])
    assert "imprint audit" not in card
    assert "Seed `7`" in card


def test_hostile_words_change_nothing_but_the_text():
    plain = [whole(), finding(missing=("word",)), finding("skipped", test="x", title="title", reason="why")]
    odd = [
        whole(encoder="x\n```\n<script>", language=HOSTILE),
        finding(test=HOSTILE, title=HOSTILE, embedding=HOSTILE, missing=(HOSTILE, "1. x\n# y")),
        finding("skipped", test="x", title=HOSTILE, reason=f"- {HOSTILE}\n\n<b>"),
    ]
    expected = structure(imprint.card(plain))
    # One name, so that both list as many hashes.
    assert structure(imprint.card([replace(one, embedding="vectors") for one in odd])) == expected
    card = imprint.card(odd)
    for inside in ("td_open", "paragraph_open", "heading_open"):
        for _, kinds in texts(card, inside=inside):
            assert kinds <= {"text", "text_special", "code_inline", "softbreak", "strong_open", "strong_close"}
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
    text = text[:40]
    seen = " ".join(Words().plain(text).split())
    for markdown, inside in (
        (f"- {draw_text(title(text))}", "paragraph_open"),
        (f"| a |\n| - |\n| {draw_text(title(text))} |", "td_open"),
    ):
        found = texts(markdown, inside=inside)
        assert structure(markdown) == structure(markdown.replace(draw_text(title(text)), "x" if seen else ""))
        if seen:
            assert [text for text, _ in found] == [seen]


@given(st.text())
def test_code_is_a_hash_or_a_version_and_all_else_text(text):
    said = code(text)
    assert said.startswith("`") == bool(text and text.isascii() and all(one.isalnum() or one in "_.+-" for one in text)
                                        and len(text) <= 128)  # fmt: skip
    assert said.count("`") in (0, 2)


def test_slurs_are_masked_wherever_words_are_shown():
    card = imprint.card(
        [
            whole(against=SLUR),
            finding(test=SLUR, title=f"A {SLUR} title", embedding=SLUR, missing=(SLUR,)),
            finding("skipped", test=SLUR, title=SLUR, reason=f"no {SLUR}"),
            finding("part", test="seat", title=SLUR, ran=False, why=f"no {SLUR}"),
        ]
    )
    assert SLUR not in card
    assert SLUR[0] + "*" * 5 in card.replace("\\", "")


def test_no_findings_are_refused():
    with pytest.raises(ImprintError, match="findings"):
        imprint.card([])
