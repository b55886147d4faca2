"""A user's own TOML file: what is accepted, and what is refused in one line that names the place."""

import json
import tomllib
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from imprint.errors import StimulusError
from imprint.stimuli.catalog import WeatTest, WefatTest, get, problems, read_tests
from imprint.stimuli.definition import Unbleached

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
    with pytest.raises(StimulusError, match=r"wefat 'jobs': property_file is '.*'; name a file in the folder"):
        read_tests(write(folder, WEFAT + f'property_file = "{escape}"'))


def test_a_property_file_that_is_missing_is_named(tmp_path: Path) -> None:
    with pytest.raises(StimulusError, match=r"wefat 'jobs': property_file: .*women\.csv: cannot be read"):
        read_tests(write(tmp_path, WEFAT + 'property_file = "women.csv"'))


def test_words_without_a_property_are_named(tmp_path: Path) -> None:
    (tmp_path / "women.csv").write_text("nurse,90\n", encoding="utf-8")
    with pytest.raises(StimulusError, match="no value for 'plumber'"):
        read_tests(write(tmp_path, WEFAT + 'property_file = "women.csv"'))


@pytest.mark.parametrize(
    ("old", "new", "message"),
    [
        ('id = "mine"\n', "", r"weat number 1: the key 'id' is missing"),
        ('x = "fruit"\n', "", r"weat 'mine': the key 'x' is missing"),
        ('x = "fruit"', "x = 3", r"weat 'mine': x is 3; the name of a set or a list of words"),
        (
            'x = "fruit"',
            'x = "friut"',
            r"x names the set 'friut', which does not exist; did you mean 'fruit'\?",
        ),
        ('x = "fruit"', 'x = "§"', r"x names the set '§', which does not exist; write it as \[sets\.NAME\]"),
        ('x = "fruit"', "x = []", r"weat 'mine': x: no words; give at least two"),
        ('x = "fruit"', 'x = ["fig"]', r"x: only one word, 'fig'"),
        ('x = "fruit"', 'x = ["fig", "fig", "nut"]', r"x: there more than once: 'fig'"),
        ('x = "fruit"', 'x = ["fig", "ant"]', r"in both x \(x\) and y \(insects\): 'ant'"),
        ('x = "fruit"', 'x = ["fig", 7]', r"x: words holds 7; text"),
        ('x = "fruit"', 'x = ["fig", " nut"]', r"x: not words: ' nut'"),
        ('x = "fruit"', 'x = ["fig", ""]', r"x: not words: ''"),
        ('x = "fruit"', 'x = ["fig", "n\\u001but"]', r"x: not words: 'n\\x1but'"),
        ('"joy", "love"', '"joy", "war"', r"in both a \(a\) and b \(bad\): 'war'"),
        ('name = "bad", ', 'nme = "bad", ', r"weat 'mine': b: unknown key 'nme'; did you mean 'name'\?"),
        (
            'kind = "count noun"',
            'kind = "noun"',
            r"set 'fruit': no such kind of word: 'noun'; choose among name,",
        ),
        (
            'rice = "mass',
            'riec = "mass',
            r"set 'fruit': kinds: 'riec' is not one of the words; did you mean 'rice'\?",
        ),
        ('rice = "mass noun"', "rice = 1", r"set 'fruit': kinds: rice is 1; text"),
        ('words = ["apple", "pear", "rice"]', "", r"set 'fruit': the key 'words' is missing"),
        ('words = ["apple", "pear", "rice"]', 'words = "apple"', r"set 'fruit': words is 'apple'; a list"),
        ('id = "mine"', 'id = "my test"', r"its id is 'my test'; letters, digits and hyphens"),
        (
            'id = "mine"',
            'id = "mine"\ntitel = "T"',
            r"weat 'mine': unknown key 'titel'; did you mean 'title'\?",
        ),
        ('id = "mine"', 'id = "mine"\nqq = "T"', r"weat 'mine': unknown key 'qq'; known keys are id, title"),
        ('id = "mine"', 'id = "mine"\ntitle = 4', r"weat 'mine': title is 4; text"),
        (
            'id = "mine"',
            'id = "mine"\nhuman = { p = "1" }',
            r"weat 'mine': human: the key 'effect' is missing",
        ),
        ('id = "mine"', 'id = "mine"\npublished = { p = "1" }', r"published is not a list of tables"),
        (
            'id = "mine"',
            'id = "mine"\npublished = [{ embedding = "E", effect = nan, source = "" }]',
            r"published 'E': effect is nan; a finite number",
        ),
        (
            'id = "mine"',
            'id = "mine"\npublished = [{ embedding = "E", effect = 1' + "0" * 400 + ', source = "" }]',
            r"published 'E': effect is a number out of range",
        ),
        (
            'id = "mine"',
            'id = "mine"\npublished = [{ embedding = "E", r = 0.5, source = "" }]',
            r"published 'E': unknown key 'r'",
        ),
        (
            'id = "mine"',
            'id = "mine"\npublished = [{ embedding = "E", effect = 1, context = "sent", source = "" }]',
            r"published 'E': context is 'sent'; choose among word, bleached, unbleached",
        ),
        ('id = "mine"', 'id = "mine"\nunbleached = "{word}"', r"weat 'mine': unbleached is '\{word\}'; a table"),
        (
            'id = "mine"',
            'id = "mine"\nunbleached = { targets = ["{word}."] }',
            r"weat 'mine': unbleached: the key 'attributes' is missing",
        ),
        (
            'id = "mine"',
            'id = "mine"\nunbleached = { targets = ["{word}.", "Well."], attributes = ["{word}."] }',
            r"weat 'mine': unbleached: targets: 'Well.' has no slot; write \{word\}",
        ),
        (
            'id = "mine"',
            'id = "mine"\nunbleached = { targets = ["{words}."], attributes = ["{word}."] }',
            r"targets: '\{words\}.' has \{words\}, which is for English alone; .* language = 'en'",
        ),
        ("[[weat]]", "[weat]", r"weat is not a list of tables; begin each with \[\[weat\]\]"),
        ("[[weat]]", "[[waet]]", r"unknown key 'waet'; did you mean 'weat'\?"),
        ("[[weat]]", "[[weat]", r"not TOML: .*line \d+"),
        (GOOD, FRUIT, r"no \[\[weat\]\] or \[\[wefat\]\] table"),
        (GOOD, "", r"no \[\[weat\]\] or \[\[wefat\]\] table"),
        (GOOD, "sets = 3", r"sets is 3; a table"),
        (GOOD, "sets.fruit = 3", r"set 'fruit': not a table"),
        (GOOD, "a = " + "[" * 100_000, r"not TOML: "),
        (GOOD, "a = " + "9" * 10_000, r"not TOML: "),
    ],
)
def test_a_bad_file_is_refused_with_one_line_that_names_the_place(
    tmp_path: Path, old: str, new: str, message: str
) -> None:
    assert old in GOOD
    path = write(tmp_path, GOOD.replace(old, new, 1))
    with pytest.raises(StimulusError, match=message) as caught:
        read_tests(path)
    assert str(caught.value).startswith(f"{path}")
    assert "\n" not in str(caught.value)
    assert len(str(caught.value)) < 600


def test_two_tests_of_one_id_are_refused(tmp_path: Path) -> None:
    twice = GOOD + GOOD.removeprefix(FRUIT)
    with pytest.raises(StimulusError, match="two tests are called 'mine'"):
        read_tests(write(tmp_path, twice))


def test_bytes_that_are_not_utf8_are_refused_with_their_line(tmp_path: Path) -> None:
    path = tmp_path / "mine.toml"
    path.write_bytes(GOOD.replace("pear", "pomme-reinette, dorée").encode("latin-1"))
    line = GOOD.split("pear")[0].count("\n") + 1
    with pytest.raises(StimulusError, match=rf"mine\.toml, line {line}: not UTF-8"):
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
    with pytest.raises(StimulusError, match=r"mine\.toml: ") as caught:
        read_tests(path)
    assert "\n" not in str(caught.value)
