"""What makes a test unusable, and what a test is as a value."""

import copy
import pickle
from dataclasses import asdict, replace

from hypothesis import given
from hypothesis import strategies as st
from refusals import refuses

from imprint.errors import StimulusError
from imprint.stimuli.catalog import catalogue, get
from imprint.stimuli.definition import KINDS, WeatTest, WefatTest, WordSet, problems, validate

POOL = [f"word{number}" for number in range(12)]
LISTS = st.lists(st.sampled_from(POOL), max_size=5)


def made(x: list[str], y: list[str], a: list[str], b: list[str]) -> WeatTest:
    sets = {name: WordSet.of(name, words) for name, words in zip("xyab", (x, y, a, b), strict=True)}
    return WeatTest(id="made", title="", source="", language="en", **sets)


@given(x=LISTS, y=LISTS, a=LISTS, b=LISTS)
def test_a_test_is_usable_when_its_sets_are_sets_of_two_or_more_that_do_not_meet(
    x: list[str], y: list[str], a: list[str], b: list[str]
) -> None:
    usable = (
        all(len(words) >= 2 and len(set(words)) == len(words) for words in (x, y, a, b))
        and not set(x) & set(y)
        and not set(a) & set(b)
    )
    assert (problems(made(x, y, a, b)) == []) == usable


def test_validate_names_the_place_and_every_problem() -> None:
    test = made(["one"], ["two", "two"], ["three", "four"], ["four", "five"])
    with refuses(StimulusError, "'one'", "'two'", "'four'", where="here"):
        validate(test, where="here")


def test_validate_names_the_test_where_no_place_is_given() -> None:
    with refuses(StimulusError, "x (x)", where="test 'made'"):
        validate(made([], POOL[:2], POOL[2:4], POOL[4:6]))


def test_a_long_list_of_culprits_is_cut_short() -> None:
    test = made(POOL, POOL, ["three", "four"], ["five", "six"])
    (problem,) = problems(test)
    assert "'word0', 'word1', 'word2', 'word3', 'word4' and 7 more" in problem


def test_kinds_are_counted_and_known() -> None:
    short = WordSet("x", ("one", "two"), ("name",))
    wrong = WordSet("y", ("three", "four"), ("name", "thing"))  # type: ignore[arg-type]
    test = replace(made([], [], POOL[:2], POOL[2:4]), x=short, y=wrong)
    assert problems(test)[0].startswith("x (x): ")
    assert "'thing'" in problems(test)[1]
    assert "thing" not in KINDS


def test_a_property_must_cover_the_words_with_finite_numbers() -> None:
    test = get("caliskan-wefat-occupations")
    assert isinstance(test, WefatTest)
    values = dict.fromkeys(test.words.words, 50.0)
    given_ = test.with_property({**values, "astronaut": 11.0}, name="share")
    assert (given_.property, given_.property_name) == (values, "share")
    assert test.property is not None
    assert test.property["nurse"] != 50.0
    with refuses(StimulusError, "'nurse'", where=f"test {test.id!r}"):
        test.with_property({word: value for word, value in values.items() if word != "nurse"})
    with refuses(StimulusError, "finite", "'nurse'"):
        test.with_property({**values, "nurse": float("nan")})


def test_a_test_is_a_value_that_can_be_hashed_copied_and_sent_to_another_process() -> None:
    for test in catalogue():
        assert hash(test) == hash(copy.deepcopy(test))
        assert pickle.loads(pickle.dumps(test)) == test
        assert asdict(test)["id"] == test.id


def test_reprs_are_one_line() -> None:
    assert repr(get("caliskan-1")) == "WeatTest('caliskan-1', flowers / insects and pleasant / unpleasant)"
    assert repr(get("caliskan-wefat-names")).startswith("WefatTest('caliskan-wefat-names', androgynous names")
    assert repr(WordSet.of("x", ["a", "b"])) == "WordSet('x', 2 words)"
