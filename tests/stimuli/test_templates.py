"""Sentences of the catalogue's words, and templates of a user's own."""

import pickle
import re
from collections import Counter
from dataclasses import replace
from pathlib import Path

import inflect
import pytest
from hypothesis import given
from hypothesis import strategies as st
from refusals import refuses

from imprint.errors import SettingError, StimulusError
from imprint.stimuli.catalog import catalogue, get, questions
from imprint.stimuli.definition import KINDS, WeatTest, WordKind, WordSet, word_sets
from imprint.stimuli.inflection import plural
from imprint.stimuli.templates import (
    Templates,
    bundled_templates,
    contexts,
    fill,
    read_templates,
    sentences,
)

ORACLE = inflect.engine()
DOCUMENTATION = Path(__file__).parents[2] / "docs" / "stimuli.md"
WEATS = [test for test in catalogue() if isinstance(test, WeatTest)]
EVERY = pytest.mark.parametrize("test", WEATS, ids=lambda test: test.id)

# Patterns a kind, after May et al. (2019); the last two kinds are ours.
COUNTS = {
    "name": 8,
    "count noun": 14,
    "person noun": 14,
    "plural noun": 6,
    "plural person noun": 6,
    "mass noun": 4,
    "adjective": 3,
    "verb": 4,
    "subject pronoun": 2,
    "object pronoun": 1,
    "possessive pronoun": 1,
    "adverb": 3,
    "unknown": 4,
}
MINE = """
language = "en"
[templates]
name = ["we met {word}.", "{word} left."]
"count noun" = ["{a word} broke."]
"""


def write(folder: Path, text: str) -> Path:
    path = folder / "mine.toml"
    path.write_text(text, encoding="utf-8")
    return path


def weat(identifier: str) -> WeatTest:
    test = get(identifier)
    assert isinstance(test, WeatTest)
    return test


def made(*words: str, kind: WordKind = "count noun", language: str = "en") -> WeatTest:
    """A test whose target x is these words."""
    return replace(weat("caliskan-1"), id="made", language=language, x=WordSet.of("x", words, kind))


def test_english_has_a_template_for_every_kind_as_many_as_the_paper() -> None:
    assert {kind: len(patterns) for kind, patterns in bundled_templates().by_kind.items()} == COUNTS
    assert set(bundled_templates("de").by_kind) == set(KINDS)


@EVERY
def test_every_sentence_is_one_about_its_word(test: WeatTest) -> None:
    for key, found in sentences(test, "bleached").items():
        kinds = dict(zip(word_sets(test)[key].words, word_sets(test)[key].kinds, strict=True))
        for sentence in found:
            forms = {sentence.word.lower(), plural(sentence.word).lower()}
            assert any(form in sentence.text.lower() for form in forms)
            assert sentence.text[0].isupper()
            assert sentence.text.endswith(".")
            assert sentence.text == " ".join(sentence.text.split())
            assert "{" not in sentence.text
            assert sentence.template in bundled_templates(test.language).by_kind[kinds[sentence.word]]
        assert list(dict.fromkeys(sentence.word for sentence in found)) == list(kinds)


@EVERY
def test_every_word_has_the_sentences_of_its_kind_once(test: WeatTest) -> None:
    expected = bundled_templates(test.language).by_kind
    for key, words in word_sets(test).items():
        found = sentences(test, "bleached")[key]
        assert len({(sentence.word, sentence.text) for sentence in found}) == len(found)
        counts = Counter(sentence.word for sentence in found)
        assert counts == {word: len(expected[kind]) for word, kind in zip(words.words, words.kinds, strict=True)}


@pytest.mark.parametrize("test", [test for test in WEATS if test.language == "en"], ids=lambda test: test.id)
def test_articles_in_sentences_are_the_oracles(test: WeatTest) -> None:
    for found in sentences(test, "bleached").values():
        for sentence in found:
            for article, word in re.findall(r"\b(an?) ([\w-]+)", sentence.text, re.IGNORECASE):
                expected = "an usher" if word == "usher" else ORACLE.a(word)  # the oracle says it as "use"
                assert expected == f"{article.lower()} {word}", sentence.text
            assert not re.search(r"\b(an?|the) (an?|the)\b", sentence.text, re.IGNORECASE)


@pytest.mark.parametrize(
    ("identifier", "key", "texts"),
    [
        ("caliskan-3", "x", ["This is Katie.", "Adam is there.", "Rachel is a person.", "The person's name is Paul."]),
        ("caliskan-3", "a", ["There is love.", "That is happy.", "This is a friend.", "Friends are people."]),
        ("caliskan-3", "b", ["This is evil.", "They are evil.", "That can kill.", "A bomb is a thing."]),
        ("caliskan-2", "y", ["The knives are there.", "This is an axe.", "There is dynamite."]),
        ("caliskan-6", "b", ["Parents are people.", "The relatives are here."]),
        ("caliskan-7", "x", ["Equations are things.", "It is algebra."]),
        ("caliskan-7", "a", ["He is there.", "It is him.", "This is his.", "These are men."]),
        ("caliskan-8", "x", ["That is NASA.", "Einstein is a person."]),
        ("caliskan-9", "b", ["It is here forever."]),
        ("seat-abw-terms", "y", ["Women of color are people.", "A woman of color is a person."]),
        ("seat-3b", "x", ["A European American is a person.", "An Italian American is a person."]),
        ("talk-de-career", "b", ["Verwandte sind Menschen.", "Das nennt man Ehe."]),
    ],
)
def test_sentences_read_as_the_papers_do(identifier: str, key: str, texts: list[str]) -> None:
    assert set(texts) <= {sentence.text for sentence in sentences(weat(identifier), "bleached")[key]}


@EVERY
def test_at_word_level_the_text_is_the_word(test: WeatTest) -> None:
    for key, found in sentences(test, "word").items():
        assert [sentence.text for sentence in found] == list(word_sets(test)[key].words)
        assert {sentence.template for sentence in found} == {""}


def test_unbleached_sentences_are_the_tests_own() -> None:
    found = sentences(weat("seat-double-bind-likable"), "unbleached")
    assert found["x"][0].text == "John is an engineer with superior technical skills."
    assert found["y"][-1].text == "Donna is an engineer with superior technical skills."
    assert [found[key][0].text for key in "ab"] == ["The engineer is agreeable.", "The engineer is abrasive."]
    assert {key: len(of) for key, of in found.items()} == {"x": 8, "y": 8, "a": 8, "b": 8}


def test_unbleached_is_a_context_of_tests_with_patterns_of_their_own() -> None:
    assert contexts(weat("caliskan-1")) == ("framed", "word", "bleached")
    assert contexts(weat("seat-double-bind-likable")) == ("framed", "word", "bleached", "unbleached")
    assert {contexts(question) for question in questions()} == {("framed",)}


def test_a_context_a_test_lacks_is_refused_in_one_line() -> None:
    with refuses(StimulusError, where="test 'caliskan-1'"):
        sentences(weat("caliskan-1"), "unbleached")
    with refuses(StimulusError, "de, en"):
        sentences(made("rose", "tulip", language="und"), "bleached")
    with refuses(SettingError, option="context", got="sent"):
        sentences(weat("caliskan-1"), "sent")  # type: ignore[arg-type]


def test_words_of_no_stated_kind_are_mentioned() -> None:
    found = sentences(made("kindly", "to run", kind="unknown"), "bleached")["x"]
    assert [sentence.text for sentence in found[3:5]] == ["It says kindly.", "The term is to run."]


def test_an_underscore_is_a_blank_in_a_sentence_and_stays_in_the_word() -> None:
    test = made("construction_worker", "baker", kind="person noun")
    found = [sentence for sentence in sentences(test, "bleached")["x"] if sentence.word == "construction_worker"]
    assert found[0].text == "This is a construction worker."
    assert found[-1].text == "Construction workers are people."
    assert sentences(test, "word")["x"][0].text == "construction_worker"


def test_one_text_is_kept_once_a_word_and_for_every_word() -> None:
    own = Templates("en", {**bundled_templates().by_kind, "person noun": ("This is {word}.", "this is {word}.")})
    found = sentences(made("nurse", "baker", kind="person noun"), "bleached", own)["x"]
    assert [sentence.text for sentence in found] == ["This is nurse.", "This is baker."]
    both = made("ciswoman", "ciswomen", kind="person noun")
    both = replace(both, x=replace(both.x, kinds=("person noun", "plural person noun")))
    texts = [sentence.text for sentence in sentences(both, "bleached")["x"]]
    assert texts.count("Ciswomen are people.") == 2


@given(word=st.text(min_size=1).filter(lambda word: "_" not in word))
def test_braces_and_backslashes_in_a_word_are_just_letters(word: str) -> None:
    assert fill("It is {word}.", word) == f"It is {word}."


@pytest.mark.parametrize(
    ("template", "word", "text"),
    [
        ("{word} is here.", "{words}", "{Words} is here."),
        ("'{word}' is here.", "élan", "'Élan' is here."),
        ("{words} are here.", "3d printer", "3d printers are here."),
        ("{a word} is here.", "hour", "An hour is here."),
    ],
)
def test_the_first_letter_of_a_sentence_is_a_capital(template: str, word: str, text: str) -> None:
    assert fill(template, word) == text


def test_a_users_kinds_replace_the_bundled_ones_and_the_others_stay(tmp_path: Path) -> None:
    mine = read_templates(write(tmp_path, MINE))
    assert mine.by_kind["name"] == ("we met {word}.", "{word} left.")
    assert "verb" not in mine.by_kind
    run = made("run", "walk", kind="verb")
    assert sentences(run, "bleached", mine)["x"] == sentences(run, "bleached")["x"]
    assert bundled_templates().by_kind["name"] != mine.by_kind["name"]
    found = sentences(weat("caliskan-6"), "bleached", mine)
    assert [sentence.text for sentence in found["x"][:2]] == ["We met John.", "John left."]
    assert "An office broke." in {sentence.text for sentence in found["a"]}


def test_templates_serve_tests_of_their_language_and_of_none(tmp_path: Path) -> None:
    mine = read_templates(write(tmp_path, MINE))
    german = weat("talk-de-career")
    assert sentences(german, "bleached", mine) == sentences(german, "bleached")
    undetermined = made("rose", "tulip", language="und")
    assert sentences(undetermined, "bleached", mine)["x"][0].text == "A rose broke."


def test_a_language_of_its_own_needs_a_template_for_every_kind_used(tmp_path: Path) -> None:
    french = read_templates(write(tmp_path, 'language = "fr"\n[templates]\n"count noun" = ["Voici {word}."]'))
    assert french.by_kind == {"count noun": ("Voici {word}.",)}
    with refuses(StimulusError, "'mass noun'", where="test 'made'"):
        sentences(made("rose", "tulipe", language="fr"), "bleached", french)


def test_templates_are_values_that_can_be_hashed_and_sent_to_another_process() -> None:
    assert pickle.loads(pickle.dumps(bundled_templates())) == bundled_templates()
    assert hash(bundled_templates()) == hash(pickle.loads(pickle.dumps(bundled_templates())))


@pytest.mark.parametrize("language", ["xx", "", "../templates/en", "en.toml", "*"])
def test_a_language_without_templates_is_refused_with_those_there_are(language: str) -> None:
    with refuses(StimulusError, "de, en"):
        bundled_templates(language)


NAME = ("templates", "name")


@pytest.mark.parametrize(
    ("old", "new", "place", "said"),
    [
        ("{word} left.", "nobody left.", NAME, "'nobody left.'"),
        ("{word} left.", "", NAME, "''"),
        ("{word} left.", "{word} left {word}.", NAME, "2 slots"),
        ("{word} left.", "{name} left.", NAME, "'{name}'"),
        ("{word} left.", "{Word} left.", NAME, "'{Word}'"),
        ("{word} left.", "{{word}} left.", NAME, "'{'"),
        ("{word} left.", "{word left.", NAME, "'{'"),
        ("{word} left.", "word} left.", NAME, "'}'"),
        ("{word} left.", "we  met {word}.", NAME, "'we met {word}.'"),
        ("{word} left.", r"{word}\u001b[2J left.", NAME, "300"),
        ("{word} left.", "{word} left" + "." * 300, NAME, "300"),
        ("{word} left.", "{" + "x" * 200 + "}", NAME, "slot"),
        ('["{a word} broke."]', "[]", ("templates", "count noun"), "patterns"),
        ('["{a word} broke."]', "[1]", ("templates",), "count noun"),
        ('["{a word} broke."]', '"{a word} broke."', ("templates",), "count noun"),
        ('"count noun"', '"conut noun"', ("templates",), "did you mean 'count noun'"),
        ('"count noun"', "zzz", ("templates",), "'zzz'"),
        ('language = "en"', "", (), "'language'"),
        ('language = "en"', "language = 1", (), "language"),
        ('language = "en"', 'language = "de"', ("templates", "count noun"), "{a word}"),
        ('language = "en"', 'language = "en"\nkind = 1', (), "'kind'"),
        ("[templates]", "[sentences]", (), "'sentences'"),
        ("[templates]", "[templates", (), "TOML"),
        (MINE, 'language = "en"', (), "'templates'"),
        (MINE, 'language = "en"\n[templates]', ("templates",), "KIND"),
        (MINE, "a = " + "[" * 100_000, (), "TOML"),
    ],
)
def test_bad_templates_are_refused_with_one_line_that_names_the_place(
    tmp_path: Path, old: str, new: str, place: tuple[str, ...], said: str
) -> None:
    assert old in MINE
    path = write(tmp_path, MINE.replace(old, new, 1))
    with refuses(StimulusError, said) as caught:
        read_templates(path)
    assert str(caught.value).startswith(": ".join((str(path), *place)))
    assert str(caught.value).isprintable()
    assert len(str(caught.value)) < 600


def test_a_file_that_is_not_there_or_no_text_is_refused(tmp_path: Path) -> None:
    (tmp_path / "raw.toml").write_bytes(b"language = '\xff'")
    with refuses(StimulusError, where=tmp_path / "nowhere.toml"):
        read_templates(tmp_path / "nowhere.toml")
    with refuses(StimulusError, where=(tmp_path / "raw.toml", 1)):
        read_templates(tmp_path / "raw.toml")


@given(pattern=st.text() | st.text(alphabet="{}word as"))
def test_a_pattern_at_random_is_filled_or_refused_in_one_line(pattern: str) -> None:
    try:
        text = fill(pattern, "WORD")
    except StimulusError as error:
        message = str(error)
        assert message.isprintable()
    else:
        assert "WORD" in text
        assert len(re.findall(r"\{(?:word|a word|words)\}", pattern)) == 1


def test_the_documented_templates_are_valid(tmp_path: Path) -> None:
    indented = re.findall(r"(?:^    .*\n|^\n)+", DOCUMENTATION.read_text(), re.MULTILINE)
    (shown,) = [re.sub(r"^    ", "", block, flags=re.MULTILINE) for block in indented if "[templates]" in block]
    assert read_templates(write(tmp_path, shown)).by_kind["name"] != bundled_templates().by_kind["name"]
