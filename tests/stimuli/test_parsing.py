"""A user's own TOML file: what is accepted, and what is refused in one line that names the place."""

import json
import tomllib
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st
from refusals import refuses

from imprint.errors import StimulusError
from imprint.stimuli.catalog import get, read_tests
from imprint.stimuli.definition import Unbleached, WeatTest, WefatTest, problems

FRUIT = """
[sets.fruit]
words = ["apple", "pear", "rice"]
kind = "count noun"
kinds = { rice = "mass noun" }
"""
GOOD = (
    FRUIT
    + """
[[weat]]
id = "mine"
x = "fruit"
y = "insects"
a = ["joy", "love"]
b = { name = "bad", words = ["war", "grief"], kind = "mass noun" }
"""
)
EXTRA = """
title = "T"
source = "S"
language = "fr"
topics = ["food"]
adapted = "because"
notes = '''
two
lines
'''
published = [{ embedding = "E", effect = 1, p = "<1e-3", context = "bleached", source = "P" }]
unbleached = { targets = ["{word} is ripe.", "the {word}"], attributes = ["It means {word}."] }
human = { effect = 0.5, p = "0.1", participants = 7, source = "H" }
"""
WEFAT = """
[[wefat]]
id = "jobs"
words = ["nurse", "plumber"]
a = "female-terms"
b = "male-terms"
property_name = "percentage of women"
"""


def write(folder: Path, text: str) -> Path:
    path = folder / "mine.toml"
    path.write_text(text, encoding="utf-8")
    return path


def test_a_set_is_named_given_inline_or_just_listed(tmp_path: Path) -> None:
    (test,) = read_tests(write(tmp_path, GOOD))
    assert isinstance(test, WeatTest)
    assert test.x.words == ("apple", "pear", "rice")
    assert test.x.kinds == ("count noun", "count noun", "mass noun")
    flowers_and_insects = get("caliskan-1")
    assert isinstance(flowers_and_insects, WeatTest)
    assert test.y == flowers_and_insects.y
    assert test.a.kinds == ("unknown", "unknown")
    assert (test.b.name, test.b.kinds) == ("bad", ("mass noun", "mass noun"))
    assert (test.title, test.source, test.language) == ("mine", "", "und")


def test_every_key_reaches_the_test(tmp_path: Path) -> None:
    (test,) = read_tests(write(tmp_path, GOOD + EXTRA))
    assert isinstance(test, WeatTest)
    assert (test.title, test.source, test.language, test.topics) == ("T", "S", "fr", ("food",))
    assert (test.adapted, test.notes) == ("because", "two lines")
    assert (test.published[0].embedding, test.published[0].effect, test.published[0].p) == ("E", 1.0, "<1e-3")
    assert test.published[0].context == "bleached"
    assert test.unbleached == Unbleached(("{word} is ripe.", "the {word}"), ("It means {word}.",))
    assert test.human is not None
    assert (test.human.effect, test.human.participants) == (0.5, 7)


def test_a_files_own_set_comes_before_the_catalogues(tmp_path: Path) -> None:
    own = GOOD.replace("sets.fruit", "sets.insects").replace('x = "fruit"', 'x = "flowers"')
    (test,) = read_tests(write(tmp_path, own))
    assert isinstance(test, WeatTest)
    assert test.y.words == ("apple", "pear", "rice")


def test_a_file_may_name_the_names_of_the_questions(tmp_path: Path) -> None:
    (test,) = read_tests(write(tmp_path, GOOD.replace('y = "insects"', 'y = "women"')))
    question = get("gender-career")
    assert isinstance(test, WeatTest)
    assert isinstance(question, WeatTest)
    assert test.y == question.y


def test_a_property_file_is_read_from_beside_the_test(tmp_path: Path) -> None:
    (tmp_path / "tables").mkdir()
    (tmp_path / "tables" / "women.csv").write_text("word,value\nnurse,90\nplumber,2.5\npilot,9\n", encoding="utf-8")
    (test,) = read_tests(write(tmp_path, WEFAT + 'property_file = "tables/women.csv"'))
    assert isinstance(test, WefatTest)
    assert test.property == {"nurse": 90.0, "plumber": 2.5}
    assert test.property_name == "percentage of women"


def test_a_wefat_may_come_without_a_property(tmp_path: Path) -> None:
    (test,) = read_tests(write(tmp_path, WEFAT))
    assert isinstance(test, WefatTest)
    assert test.property is None


@pytest.mark.parametrize(
    "escape", ["../women.csv", "a/../../women.csv", "/etc/passwd", "C:\\\\women.csv", "..\\\\w.csv"]
)
def test_a_property_file_elsewhere_is_refused(tmp_path: Path, escape: str) -> None:
    (tmp_path / "women.csv").write_text("nurse,90\nplumber,2\n", encoding="utf-8")
    folder = tmp_path / "below"
    folder.mkdir()
    with refuses(StimulusError, option="property_file", got=escape.replace("\\\\", "\\")):
        read_tests(write(folder, WEFAT + f'property_file = "{escape}"'))


def test_a_property_file_that_is_missing_is_named(tmp_path: Path) -> None:
    with refuses(StimulusError, "wefat 'jobs'", "property_file", "women.csv"):
        read_tests(write(tmp_path, WEFAT + 'property_file = "women.csv"'))


def test_words_without_a_property_are_named(tmp_path: Path) -> None:
    (tmp_path / "women.csv").write_text("nurse,90\n", encoding="utf-8")
    with refuses(StimulusError, "'plumber'"):
        read_tests(write(tmp_path, WEFAT + 'property_file = "women.csv"'))


MINE, FRUITS = ("weat 'mine'",), ("set 'fruit'",)


def published(rest: str) -> str:
    return f'id = "mine"\npublished = [{{ embedding = "E", source = "", {rest} }}]'


def unbleached(targets: str, attributes: str | None = '"{word}."') -> str:
    given = "" if attributes is None else f", attributes = [{attributes}]"
    return f'id = "mine"\nunbleached = {{ targets = [{targets}]{given} }}'


@pytest.mark.parametrize(
    ("old", "new", "place", "said"),
    [
        ('id = "mine"\n', "", ("weat number 1",), "id"),
        ('x = "fruit"\n', "", MINE, "x"),
        ('x = "fruit"', "x = 3", MINE, "x"),
        ('x = "fruit"', 'x = "friut"', (*MINE, "x"), "did you mean 'fruit'"),
        ('x = "fruit"', 'x = "§"', (*MINE, "x"), "'§'"),
        ('x = "fruit"', "x = []", (*MINE, "x"), "no words"),
        ('x = "fruit"', 'x = ["fig"]', (*MINE, "x"), "'fig'"),
        ('x = "fruit"', 'x = ["fig", "fig", "nut"]', (*MINE, "x"), "'fig'"),
        ('x = "fruit"', 'x = ["fig", "ant"]', MINE, "'ant'"),
        ('x = "fruit"', 'x = ["fig", 7]', (*MINE, "x"), "7"),
        ('x = "fruit"', 'x = ["fig", " nut"]', (*MINE, "x"), "' nut'"),
        ('x = "fruit"', 'x = ["fig", ""]', (*MINE, "x"), "''"),
        ('x = "fruit"', 'x = ["fig", "n\\u001but"]', (*MINE, "x"), r"'n\x1but'"),
        ('"joy", "love"', '"joy", "war"', MINE, "'war'"),
        ('name = "bad", ', 'nme = "bad", ', (*MINE, "b"), "did you mean 'name'"),
        ('kind = "count noun"', 'kind = "noun"', FRUITS, "'noun'"),
        ('rice = "mass', 'riec = "mass', (*FRUITS, "kinds"), "did you mean 'rice'"),
        ('rice = "mass noun"', "rice = 1", (*FRUITS, "kinds"), "rice"),
        ('words = ["apple", "pear", "rice"]', "", FRUITS, "words"),
        ('words = ["apple", "pear", "rice"]', 'words = "apple"', FRUITS, "words"),
        ('id = "mine"', 'id = "my test"', ("weat 'my test'",), "id"),
        ('id = "mine"', 'id = "mine"\ntitel = "T"', MINE, "did you mean 'title'"),
        ('id = "mine"', 'id = "mine"\nqq = "T"', MINE, "'qq'"),
        ('id = "mine"', 'id = "mine"\ntitle = 4', MINE, "title"),
        ('id = "mine"', 'id = "mine"\nhuman = { p = "1" }', (*MINE, "human"), "effect"),
        ('id = "mine"', 'id = "mine"\npublished = { p = "1" }', MINE, "published"),
        ('id = "mine"', published("effect = nan"), (*MINE, "published 'E'"), "nan"),
        ('id = "mine"', published("effect = 1" + "0" * 400), (*MINE, "published 'E'"), "effect"),
        ('id = "mine"', published("r = 0.5"), (*MINE, "published 'E'"), "'r'"),
        ('id = "mine"', published('effect = 1, context = "sent"'), (*MINE, "published 'E'"), "'sent'"),
        ('id = "mine"', 'id = "mine"\nunbleached = "{word}"', MINE, "unbleached"),
        ('id = "mine"', unbleached('"{word}."', None), (*MINE, "unbleached"), "attributes"),
        ('id = "mine"', unbleached('"{word}.", "Well."'), (*MINE, "unbleached", "targets"), "'Well.'"),
        ('id = "mine"', unbleached('"{words}."'), (*MINE, "unbleached", "targets"), "language = 'en'"),
        ("[[weat]]", "[weat]", (), "[[weat]]"),
        ("[[weat]]", "[[waet]]", (), "did you mean 'weat'"),
        ("[[weat]]", "[[weat]", (), "TOML"),
        (GOOD, FRUIT, (), "[[wefat]]"),
        (GOOD, "", (), "[[weat]]"),
        (GOOD, "sets = 3", (), "sets"),
        (GOOD, "sets.fruit = 3", FRUITS, "[sets.NAME]"),
        (GOOD, "a = " + "[" * 100_000, (), "TOML"),
        (GOOD, "a = " + "9" * 10_000, (), "TOML"),
    ],
)
def test_a_bad_file_is_refused_with_one_line_that_names_the_place(
    tmp_path: Path, old: str, new: str, place: tuple[str, ...], said: str
) -> None:
    assert old in GOOD
    path = write(tmp_path, GOOD.replace(old, new, 1))
    with refuses(StimulusError, said) as caught:
        read_tests(path)
    assert str(caught.value).startswith(": ".join((str(path), *place)))
    assert len(str(caught.value)) < 600


def test_two_tests_of_one_id_are_refused(tmp_path: Path) -> None:
    twice = GOOD + GOOD.removeprefix(FRUIT)
    with refuses(StimulusError, "'mine'", where=str(tmp_path / "mine.toml")):
        read_tests(write(tmp_path, twice))


@pytest.mark.parametrize("value", ["true", "false"])
def test_a_file_of_your_own_cannot_call_its_tests_standard_questions(tmp_path: Path, value: str) -> None:
    with refuses(StimulusError, "standard questions", "--match", option="question"):
        read_tests(write(tmp_path, f"{GOOD}question = {value}\n"))


def test_bytes_that_are_not_utf8_are_refused_with_their_line(tmp_path: Path) -> None:
    path = tmp_path / "mine.toml"
    path.write_bytes(GOOD.replace("pear", "pomme-reinette, dorée").encode("latin-1"))
    line = GOOD.split("pear")[0].count("\n") + 1
    with refuses(StimulusError, "UTF-8", where=(path, line)):
        read_tests(path)


KEYS = st.sampled_from(
    [
        "id",
        "x",
        "words",
        "name",
        "kind",
        "kinds",
        "published",
        "context",
        "targets",
        "effect",
        "p",
        "property_file",
        "é\n",
    ]
)
SCALARS = st.booleans() | st.integers() | st.floats() | st.sampled_from(["flowers", "male-terms", "", "\x1b", "a\nb"])
VALUES = st.recursive(
    SCALARS,
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(KEYS, inner, max_size=3),
    max_leaves=6,
)


def places(value: object) -> Iterator[tuple[str | int, ...]]:
    """Every path into nested tables and lists."""
    steps = value.items() if isinstance(value, dict) else enumerate(value) if isinstance(value, list) else ()
    for step, item in steps:
        yield (step,)
        yield from ((step, *rest) for rest in places(item))


def toml(value: object) -> str:
    if isinstance(value, dict):
        return "{" + ", ".join(f"{toml(key)} = {toml(item)}" for key, item in value.items()) + "}"
    if isinstance(value, list):
        return "[" + ", ".join(map(toml, value)) + "]"
    return json.dumps(value) if isinstance(value, str | bool | int) else repr(value)


@given(place=st.sampled_from(list(places(tomllib.loads(GOOD + EXTRA + WEFAT)))), value=VALUES)
def test_a_file_with_anything_anywhere_is_read_or_refused_in_one_line(
    tmp_path_factory: pytest.TempPathFactory, place: tuple[str | int, ...], value: object
) -> None:
    document: Any = tomllib.loads(GOOD + EXTRA + WEFAT)
    around = document
    for step in place[:-1]:
        around = around[step]
    around[place[-1]] = value
    path = write(tmp_path_factory.getbasetemp(), "\n".join(f"{key} = {toml(item)}" for key, item in document.items()))
    try:
        tests = read_tests(path)
    except StimulusError as error:
        message = str(error)
        assert message.startswith(str(path))
        assert message.isprintable()
    else:
        assert [problems(test) for test in tests] == [[]] * len(tests)


@given(text=st.text() | st.text(alphabet='[]{}="\n.#, abwetfx\x00\\'))
def test_text_at_random_is_refused_in_one_line(tmp_path_factory: pytest.TempPathFactory, text: str) -> None:
    path = write(tmp_path_factory.getbasetemp(), text)
    with refuses(StimulusError, "mine.toml: "):
        read_tests(path)
