"""The headline of a board: which models are to be taken, avoided or undecided, from how every two of them differ."""

from itertools import combinations

import pytest
from made_rows import make_row

from imprint.boards.sentences import choose, headline
from imprint.render.terminal import draw_text


def pairs(models, less, *, topic="gender", outcome="cannot tell"):
    """Return a row for each two models; `less` has the pairs of which the first has less bias than the second."""
    rows = []
    for first, second in combinations(models, 2):
        smaller = next((one for one, other in ((first, second), (second, first)) if (one, other) in less), None)
        fields = {"change_from": first, "change_to": second, "embedding": first, "less": smaller, "topic": topic}
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
        [draw_text(text) for text in headline(rows)] for rows in (equal + decided + unknown, equal + unknown, many)
    ] == snapshot
