"""The headline of a board: which models are to be taken, avoided or undecided, from how every two of them differ."""

from itertools import combinations

import msgspec
import pytest
from made_rows import make_row

from imprint.boards.sentences import best_quality, choose, headline, left_open, over_same_tests, say_topics
from imprint.render.terminal import draw_text
from imprint.reports.conclusions import claims

QUESTIONS = {
    "gender": ("gender-career", "gender-ability"),
    "race": ("black-pleasant",),
    "age": ("age-pleasant",),
    "nationality": ("africa-pleasant", "asia-pleasant"),
}

OF_DISTANCE = "10\xa0% of the distance between the two kinds of words, the scale of the table"


def read(text):
    """Return a sentence in one line."""
    return draw_text(text).replace("\n  ", " ")


def pairs(models, less, *, topic="gender", outcome="cannot tell"):
    """Return a row for each two models; `less` has the pairs of which the first has less bias than the second."""
    rows = []
    for first, second in combinations(models, 2):
        smaller = next((one for one, other in ((first, second), (second, first)) if (one, other) in less), None)
        fields = {"change_from": first, "change_to": second, "embedding": first, "less": smaller, "topic": topic}
        fields["tests"] = QUESTIONS.get(topic, (f"{topic}-test",))
        fields["outcome"] = outcome if smaller is None else "present"
        rows.append(make_row("board-topic-difference", test=topic, **fields))
    return rows


@pytest.mark.parametrize(
    ("less", "take", "more", "undecided", "ordered"),
    [
        ("", "", "", "abcd", False),
        ("ab ac ad", "a", "bcd", "", True),
        ("ab ac", "a", "bc", "d", True),
        ("ac ad bc bd", "ab", "cd", "", True),
        ("ab cd", "ac", "bd", "", False),
        ("ab bc ac", "a", "bc", "d", True),
        ("ab bc ca", "", "abc", "d", False),
    ],
)
def test_a_model_is_taken_if_another_has_more_and_none_has_less(less, take, more, undecided, ordered):
    choice = choose(pairs("abcd", {(first, second) for first, second in map(tuple, less.split())}))
    assert ("".join(choice.take), "".join(choice.smaller), "".join(choice.undecided)) == (take, more, undecided)
    assert choice.is_ordered is ordered


def test_the_order_of_models_on_the_board_changes_nothing():
    less = {("a", "b"), ("a", "c")}
    expected = choose(pairs("abcd", less))
    for models in ("dcba", "bdac"):
        choice = choose(pairs(models, less))
        assert ({*choice.take}, {*choice.smaller}, {*choice.undecided}) == (
            {*expected.take},
            {*expected.smaller},
            {*expected.undecided},
        )


def test_decided_topics_come_first_and_equal_models_are_said_to_be(snapshot):
    decided = pairs("abcd", {("a", "b"), ("a", "c")})
    equal, unknown = pairs("abcd", {}, topic="race", outcome="small"), pairs("abcd", {}, topic="age")
    many = pairs([f"model, {letter}" for letter in "abcdef"], {("model, a", f"model, {other}") for other in "bcdef"})
    assert [
        [read(text) for text in headline(rows)] for rows in (equal + decided + unknown, equal + unknown, many)
    ] == snapshot


def test_the_headline_is_about_standard_questions_and_then_about_others():
    nation = pairs("abc", {("a", "b")}, topic="nationality")
    health = pairs("abc", {}, topic="health")
    said = [read(text) for text in headline([*nation, *health, *pairs("abc", {}), *pairs("abc", {}, topic="age")])]
    assert said == [
        "On gender (average of 2 questions) and age (1 question), the words do not decide which model has less bias.",
        "On nationality (average of 2 questions), a has less bias than b. For c, the words do not decide.",
        "On health (1 test), the words do not decide which model has less bias.",
    ]
    assert [read(text) for text in headline([*health, *nation])] == said[1:], "what was asked alone is the headline"


@pytest.mark.parametrize(
    ("outcome", "said"), [("small", f"are equal within {OF_DISTANCE}"), ("cannot tell", "cannot be told apart")]
)
def test_how_the_models_to_take_compare_is_said(outcome, said):
    rows = pairs("abc", {("a", "c"), ("b", "c")}, outcome=outcome)
    assert [read(text) for text in (*headline(rows), *left_open(rows, ()))] == [
        "On gender (average of 2 questions), take a or b: less bias than in c.",
        f"On gender, those with less bias {said}.",
    ]


def test_what_it_means_not_to_be_decided_is_said_once_and_of_which_models():
    rows = pairs("abcde", {("a", "b")})
    assert [read(text) for text in (*headline(rows), *left_open(rows, ()))] == [
        "On gender (average of 2 questions), a has less bias than b. For the other 3, the words do not decide.",
        "On gender, c, d and e may have more or less bias than the others.",
    ]
    (nothing,) = left_open(pairs("abc", {}), ())
    assert read(nothing).startswith("Where the words do not decide, either model may have less")
    assert not [*left_open(pairs("abc", {}, outcome="small"), ())]


def test_models_equal_to_those_with_less_bias_are_not_called_undecided():
    rows = pairs("abcd", {("a", "b")}, outcome="small")
    rows = [msgspec.structs.replace(row, outcome="cannot tell") if row.change_to == "d" else row for row in rows]
    choice = choose(rows)
    assert (choice.take, choice.alike, choice.undecided, choice.is_complete) == (("a",), ("c",), ("d",), False)
    assert [read(text) for text in (*headline(rows), *left_open(rows, ()))] == [
        "On gender (average of 2 questions), a has less bias than b. c and d cannot be told apart from a.",
        f"On gender, c is equal to a within {OF_DISTANCE}; c also to b; d may have more or less bias than the others.",
    ]
    differing = [
        msgspec.structs.replace(row, outcome="present") if {row.change_from, row.change_to} == {"a", "d"} else row
        for row in rows
    ]
    assert [read(text) for text in headline(differing)] == [
        "On gender (average of 2 questions), a has less bias than b. c cannot be told apart from a. "
        "For d, the words do not decide."
    ]
    chained = [*pairs("abcd", {("a", "b"), ("c", "d")}, outcome="small")]
    assert choose(chained).alike == (), "where no order is said, nobody is as low as the lowest"


def test_an_order_that_the_headline_names_is_not_said_again():
    named = pairs("abc", {("a", "b"), ("a", "c")})
    assert [*say_topics(named)] == [*headline(named)]
    counted = pairs("abcdef", {("a", other) for other in "bcdef"})
    assert [read(text) for text in say_topics(counted)][1:] == ["Gender: less bias in a than in b, c, d, e and f."]
    chained = pairs("abc", {("a", "b"), ("b", "c"), ("a", "c")})
    assert [read(text) for text in say_topics(chained)][1:] == ["Gender: less bias in a and b than in c."]


def test_a_model_is_taken_only_where_every_other_has_more():
    said = [read(next(headline(pairs("abc", less)))) for less in ({("a", "b"), ("a", "c")}, {("a", "b")})]
    assert said == [
        "On gender (average of 2 questions), take a: less bias than in b and c.",
        "On gender (average of 2 questions), a has less bias than b. For c, the words do not decide.",
    ]


def test_models_that_are_equal_are_said_to_be_where_others_cannot_be_told():
    rows = pairs("abc", {}, outcome="small") + [row for row in pairs("abcd", {}) if row.change_to == "d"]
    assert [read(text) for text in headline(rows)] == [
        "On gender (average of 2 questions), all but d (undecided) are equal within 10\xa0%."
    ]
    undecided = [*rows[1:], *pairs("ab", {})]
    assert [read(text) for text in headline(undecided)] == [
        "On gender (average of 2 questions), the words do not decide which model has less bias."
    ]


def test_a_model_that_lacks_the_questions_words_is_not_compared_by_other_tests():
    by_test = [
        msgspec.structs.replace(row, tests=("caliskan-6",), less="d", outcome="present")
        for row in pairs("abcd", {})
        if row.change_to == "d"
    ]
    rows = [*by_test, *pairs("abc", {("a", "b"), ("a", "c")})]
    assert choose(over_same_tests(rows)["gender"]) == choose(pairs("abc", {("a", "b"), ("a", "c")}))
    assert [read(text) for text in (*headline(rows), *left_open(rows, ()))] == [
        "On gender (average of 2 questions), take a: less bias than in b and c.",
        "Not compared on gender, where words that the questions need are missing: d.",
    ]


def test_a_model_with_some_of_the_questions_is_not_compared_with_those_that_have_all():
    some = [msgspec.structs.replace(row, tests=row.tests[:1]) for row in pairs("abc", {}) if row.change_to == "c"]
    rows = [*some, *pairs("ab", {("a", "b")})]
    assert over_same_tests(rows) == {"gender": rows[2:]}


def test_pairs_that_differ_in_single_questions_are_counted_where_topics_are_equal():
    rows = pairs("abc", {}, outcome="small")
    rows[0] = msgspec.structs.replace(rows[0], test_outcomes=("small", "present"))
    said = "On gender (average of 2 questions), all 3 models compared are equal within 10\xa0%"
    assert [read(text) for text in headline(rows)] == [f"{said}; in single questions, 1 pair differs."]
    assert [read(text) for text in headline(rows[1:])] == [f"{said}."]


def test_a_topic_with_answers_about_some_models_may_leave_open_which_has_less():
    rows = [
        make_row("board-test", test="age-pleasant", embedding=name, embedding_sha256=name, topics=("age",), **sized)
        for name, sized in (
            ("a", {"outcome": "small", "size": 0.03, "size_low": -0.02, "size_high": 0.09}),
            ("b", {"outcome": "cannot tell", "size": -0.05, "size_low": -0.14, "size_high": 0.04}),
        )
    ]
    (said,) = headline(pairs("ab", {}, topic="age"))
    assert read(said) == "On age (1 question), the words do not decide which model has less bias."
    assert "Topics with an answer about some models: age." in [read(can) for can, _ in claims(rows)]
    assert "Topics with an answer: age." in [read(can) for can, _ in claims(rows[:1])]


def test_the_best_quality_is_said_with_whose_interval_reaches_it():
    def rated(name, quality, judged=True):
        ends = {"quality_low": quality - 0.02, "quality_high": quality + 0.02}
        return make_row(
            "board", test="board", embedding=name, subject="encoder", judged=judged, quality=quality, **ends
        )

    rows = [rated("a", 0.6), rated("b", 0.78), rated("c", 0.8), rated("d", 0.9, judged=False)]
    assert [read(text) for text in best_quality(rows, ())] == [
        "c has the highest quality: 0.80 [0.78 to 0.82]; its interval overlaps with that of b."
    ]
    assert [read(text) for text in best_quality([rows[0], rows[2]], ())] == [
        "c has the highest quality: 0.80 [0.78 to 0.82]."
    ]
