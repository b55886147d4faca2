"""From findings to questions, and which answers a question takes."""

import json

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from msgspec.structs import replace
from refusals import refuses

from imprint.errors import SettingError
from imprint.kinds.findings import read_findings
from imprint.study.design import CANNOT_TELL, AnswerError, StudyError, check_value, suggested_words
from imprint.study.protocols import analogy_design, offense_design, suggestion_design, ube_design


def test_the_categories_with_the_largest_scores_are_asked_about_and_single_cells_are_not(findings):
    design = ube_design(findings, categories=2)
    assert [block.title for block in design.blocks] == [("central1",), ("central2",)]
    assert [block.groups for block in design.blocks] == [(*"ABCD", CANNOT_TELL), (*"ABC", CANNOT_TELL)]
    assert design.n_found == 10
    assert len(ube_design(findings).blocks) == 3
    assert (design.quota, design.least) == (18, 18)


def test_only_cells_that_stand_out_are_asked_about(findings):
    changed = [replace(row, stands_out=False) if row.test == "A-1" else row for row in findings]
    words = {item.words for block in ube_design(changed).blocks for item in block.items}
    assert ("a1x", "a1y", "a1z") not in words
    assert ("b1x", "b1y", "b1z") in words


def test_cells_of_a_comparison_with_other_groups_are_not_asked_about(findings):
    compared = [replace(one, embedding="other", groups_of="toy") for one in findings if one.kind == "ube"]
    assert ube_design([*findings, *compared]).blocks == ube_design(findings).blocks


def test_names_that_stand_for_a_group_are_never_asked_about(findings):
    known = {
        letter: [f"{letter}name{n}" for n in range(5)] + [f"{letter}other{n}" for n in range(9)] for letter in "ABCD"
    }
    for design, shown, pool in ((ube_design(findings), 2, 3), (ube_design(findings, names=known), 4, 10)):
        for group in design.groups:
            asked = {item.words[0] for item in design.exam if item.expected == group.letter}
            assert len(group.cues) == shown
            assert len(asked) == pool
            assert asked.isdisjoint(group.cues)


def test_a_group_with_too_few_names_for_the_exam_is_refused(findings):
    few = [replace(one, names=one.names[:3]) if one.test == "B" else one for one in findings]
    with refuses(StudyError, where="group B", words=("Bname0", "Bname1", "Bname2")):
        ube_design(few)


def test_analogies_are_asked_about_in_the_order_of_their_scores(findings):
    design = analogy_design(reversed(findings), pairs=2)
    assert [block.items[0].words for block in design.blocks] == [("first0", "second0"), ("first1", "second1")]
    assert [item.kind for item in design.blocks[0].items] == ["sense", "stereotype"]
    assert design.blocks[0].title == ("he", "she")
    assert design.quota == 10


def test_two_words_of_the_axis_itself_are_no_analogy(findings):
    pair = next(one for one in findings if one.kind == "analogy")
    axis, half = (replace(pair, score=9.0, first="he", second=second) for second in ("she", "woman"))
    assert analogy_design([axis, *findings], pairs=2) == analogy_design(findings, pairs=2)
    assert analogy_design([half, *findings]).blocks[0].items[0].words == ("he", "woman")
    with refuses(StudyError, "axis"):
        analogy_design([axis])


def test_findings_without_what_is_asked_about_are_refused(findings):
    with refuses(StudyError, "imprint enumerate", expected="ube"):
        ube_design([])
    with refuses(StudyError, expected="analogy"):
        analogy_design([])
    with refuses(StudyError, expected="study-association"):
        offense_design(findings)


@pytest.mark.parametrize("field", ["words", "category_words"])
@pytest.mark.parametrize("value", [(), ("",), ("a", "")])
def test_findings_without_words_are_refused(findings, field, value):
    broken = [replace(one, **{field: value}) if one.test == "A-1" else one for one in findings]
    with refuses(StudyError, where="finding 'A-1'", got=value):
        ube_design(broken)


def test_rows_of_another_schema_are_not_asked_about(findings, tmp_path):
    lines = [json.dumps(one.to_dict() | {"schema_version": 1}) for one in findings]
    (tmp_path / "old.jsonl").write_text("\n".join(lines))
    with refuses(StudyError, expected="ube"):
        ube_design(read_findings(tmp_path / "old.jsonl"))


def test_findings_of_two_embeddings_or_of_a_cell_twice_are_refused(findings):
    other = [replace(one, embedding="other") for one in findings if one.kind == "ube"]
    with refuses(StudyError, "embeddings", got=2):
        ube_design([*findings, *other])
    with refuses(StudyError, "category"):
        ube_design([*findings, *(one for one in findings if one.kind == "ube")])
    with refuses(StudyError, "duplicated"):
        analogy_design([*findings, *findings])


@pytest.mark.parametrize("people", [0, -1, 10_001])
def test_an_impossible_number_of_people_is_refused(people):
    with refuses(SettingError, option="participants", got=people):
        suggestion_design("gender", participants=people)


@pytest.mark.parametrize("about", ["", " \n", "x" * 81, "a\x00b"])
def test_suggestions_must_be_about_something_short(about):
    with refuses(StudyError, option="about"):
        suggestion_design(about)


@pytest.mark.parametrize(
    ("kind", "good", "bad"),
    [
        ("name", "A", "C"),
        ("triple", "B", ""),
        ("rating", "7", "8"),
        ("rating", "1", "0"),
        ("sense", "yes", "maybe"),
        ("stereotype", "no", "No"),
    ],
)
def test_a_question_takes_its_own_answers_only(kind, good, bad):
    assert check_value(kind, good, ("A", "B")) == good
    with refuses(AnswerError, got=bad):
        check_value(kind, bad, ("A", "B"))


def test_suggested_words_are_taken_apart_and_each_counted_once():
    assert suggested_words(" Nurse, cab  driver;\nnurse\nself-made, Müller,") == (
        "nurse",
        "cab driver",
        "self-made",
        "müller",
    )


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("", "no words"),
        (" ,;\n", "no words"),
        ("=1+1", "is not a word"),
        ("<script>", "is not a word"),
        ("a_b", "is not a word"),
        ("-nurse", "is not a word"),
        ("nurse-", "is not a word"),
        ("'nurse", "is not a word"),
        ("boys'", "is not a word"),
        ("rock ''n roll", "is not a word"),
        ("\u0301a", "is not a word"),
        ("x²", "is not a word"),
        ("nurse\u202e", "is not a word"),
        ("x" * 41, "is not a word"),
        ("\ud800", "is not a word"),
        (",".join("abcdefghijklmnopqrstu"), "more than 20 words"),
        ("a" + "," * 5000, "more than 20 words"),
    ],
)
def test_what_is_not_a_word_is_refused(text, said):
    with refuses(AnswerError, said):
        suggested_words(text)


def test_a_word_counts_once_however_its_accents_and_apostrophes_are_typed():
    assert suggested_words("cafe\u0301, caf\u00e9; Women\u2019s work\nwomen's work") == ("caf\u00e9", "women's work")
    assert suggested_words("\u0928\u0930\u094d\u0938, q\u0307") == ("\u0928\u0930\u094d\u0938", "q\u0307")


@given(st.text(st.characters(categories=["L", "M"]) | st.sampled_from(" -'’,"), max_size=40))
@settings(max_examples=200, deadline=None)
def test_words_as_stored_are_read_back_as_they_are(text):
    """A study whose answers read otherwise would be refused as broken."""
    try:
        stored = check_value("words", text, ())
    except AnswerError:
        return
    assert check_value("words", stored, ()) == stored


def test_twenty_words_of_forty_characters_fit():
    words = [chr(ord("a") + n) * 40 for n in range(20)]
    assert suggested_words(", ".join(words)) == tuple(words)
    assert len(check_value("words", "\n".join(words), ())) <= 1000
