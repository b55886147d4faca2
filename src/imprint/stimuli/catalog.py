"""The catalogue of published tests, and a user's own tests in the same form.

A file of tests is TOML. Lists of words stand in `[sets.NAME]` tables, each written once, and tests name them:

    [language]                      # of a language that this package does not have: what it needs to be asked in
    id = "eo"                       # ISO 639; tests of the file are in it unless they say otherwise
    name = "Esperanto"
    frames = ["Tio estas {word}."]  # sentences that all words of a test are put into
    valence = "eo.csv"              # word,value, or a table: how pleasant words are; with tests of topic "neutral",
                                    # this makes its controls
    things = ["masculines", "feminines"] # sets of nouns for things, where nouns have such genders

    [sets.flowers]
    name = "flowers"                # shown to readers; NAME where omitted
    words = ["aster", "clover"]     # or, of single words, one text: "aster clover"
    kind = "count noun"             # of all words; may be omitted: only sentences need it
    kinds = { clover = "mass noun" } # of single words, where another

    [sets.careers]                  # a long list: the words of each kind as one text, with blanks between them
    name = "career words"
    [sets.careers.words]
    "mass noun" = "commerce finance"
    adjective = "corporate skilled"

    [[weat]]
    id = "flowers-insects"          # required, as are x, y, a, b
    title = "Flowers and insects, pleasant and unpleasant"
    source = "who published it"
    language = "en"                 # ISO 639
    topics = ["neutral"]
    x = "flowers"                   # a set of this file, else of the catalogue,
    y = { words = ["ant", "flea"], kind = "count noun" }  # or the words themselves,
    a = ["love", "peace"]           # or just a list
    b = ["abuse", "filth"]
    published = [{ embedding = "GloVe 840B", effect = 1.50, p = "<1e-7", source = "where printed" }]
                                    # context = "bleached" or "unbleached" where it is a figure of sentences
    unbleached = { targets = ["{word} is a flower."], attributes = ["The garden is {word}."] } # its own sentences
    human = { effect = 1.35, p = "1e-8", participants = 32, source = "where printed" }
    papers = ["caliskan-6"]         # published tests that ask the same with fewer words
    adapted = "why these are not the source's own words"
    notes = "what a reader should know"

    [[wefat]]                       # words, a, b instead of x, y, a, b; no human
    id = "occupations"
    words = "occupations"
    a = "female-terms"
    b = "male-terms"
    property_file = "occupations.csv" # word,value; beside the TOML file or in a folder below
    property_name = "percentage of women"
    forms = 2                       # where words are forms of one, in turn (Lehrer, Lehrerin): their mean is scored
    shared = true                   # where several words have one number (that of their sector): they count as one
    published = [{ embedding = "GloVe 840B", r = 0.90, p = "<1e-18", source = "where printed" }]

The kinds of words are listed in `imprint.stimuli.definition`, the slots of patterns and the sentences made of
every kind of word are described in `imprint.stimuli.templates`. The catalogue's own files are in `data/`:
every `sets-*.toml` holds sets that all files may name, questions.toml the standard questions with sets that files of
users may name too, more-questions.toml those about more people, `questions-XX.toml` those in another language, every
other `*.toml` published tests. What a language needs is in one of them; its sentence templates are in templates/.
"""

from collections.abc import Collection, Iterable, Mapping
from fnmatch import fnmatchcase
from functools import cache
from pathlib import Path
from types import MappingProxyType
from typing import TypeVar

from imprint.checks import check_choice, check_list, did_you_mean
from imprint.errors import SettingError, StimulusError
from imprint.files import FilePath
from imprint.registry import Registry
from imprint.stimuli import parsing
from imprint.stimuli.definition import UNDETERMINED, AnyTest, Language, Test, WeatTest, WordSet

CATALOGUES = Registry("imprint.catalogues", {})  # of plug-ins; ours are the files in data/
QUESTIONS = "questions"  # the name of the standard ones, where tests are chosen
MORE_QUESTIONS = "more-questions"  # and of those about more people
WEAT_TESTS = (QUESTIONS, "caliskan-[0-9]*")  # and those of Caliskan et al. (2016)
SEAT_TESTS = (*WEAT_TESTS, "seat-*")  # and those that May et al. (2019) add
GENDER_TESTS = ("gender-*", "caliskan-6", "caliskan-7", "caliskan-8")  # what debiasing along he - she is judged by

_Any = TypeVar("_Any", bound=Test)
_FEW = 10  # tests that a message can list
_DATA = Path(__file__).with_name("data")
# scripts/build_questions.py writes both
_QUESTIONS = _DATA / "questions.toml"
_MORE_QUESTIONS = _DATA / "more-questions.toml"


@cache
def catalogue() -> tuple[Test, ...]:
    """Return every test of the catalogue.

    Returns
    -------
    tuple of WeatTest or WefatTest
        The standard questions first, then those about more people; then those of one file together, in its order.

    Examples
    --------
    >>> imprint.catalogue()[0]
    WeatTest('gender-career', men's names / women's names and career words / family words)
    """
    tests = (*questions(), *more_questions(), *foreign_questions(), *published_tests())
    parsing.refuse_repeated_ids(tests, str(_DATA))
    return tests


@cache
def questions() -> tuple[WeatTest, ...]:
    """Return the standard questions: long lists, matched in frequency, the same for every model."""
    return tuple(test for test in _tests_of(_QUESTIONS) if isinstance(test, WeatTest))


@cache
def text_questions() -> tuple[WeatTest, ...]:
    """Return the questions, and those about gender with pronouns in place of names: what text is asked."""
    by_pronouns = parsing.read_tests(_DATA / "swap" / "pronouns.toml", parsing.read_sets(_QUESTIONS))
    return (*questions(), *(test for test in by_pronouns if isinstance(test, WeatTest)))


@cache
def more_questions() -> tuple[WeatTest, ...]:
    """Return the questions about more people, in the same form; some have few words."""
    return tuple(test for test in _tests_of(_MORE_QUESTIONS) if isinstance(test, WeatTest))


@cache
def foreign_questions() -> tuple[WeatTest, ...]:
    """Return the questions in other languages than English, in the same form."""
    tests = (test for path in _foreign_files() for test in _tests_of(path))
    return tuple(test for test in tests if isinstance(test, WeatTest))


@cache
def published_tests() -> tuple[Test, ...]:
    """Return the tests of the papers, and those after their pattern."""
    return tuple(test for path in _files() for test in _tests_of(path))


@cache
def plugin_tests() -> tuple[Test, ...]:
    """Return the tests of installed catalogues: entry points to a TOML file, or to a function that returns tests."""
    tests: list[Test] = []
    for name in CATALOGUES.names():
        offered = CATALOGUES.get(name)
        tests += offered() if callable(offered) else read_tests(offered)
    parsing.refuse_repeated_ids([*catalogue(), *tests], CATALOGUES.group)
    return tuple(tests)


def get(identifier: str) -> Test:
    """Return the catalogue's test of that id, reading files until one has it; then those of plug-ins."""
    for path in (*_files(), _QUESTIONS, _MORE_QUESTIONS, *_foreign_files(), None):
        for test in plugin_tests() if path is None else _tests_of(path):
            if test.id == identifier:
                return test
    raise _unknown(identifier, {test.id: test for test in catalogue()})


def choose(tests: Iterable[Test], patterns: Iterable[str]) -> tuple[Test, ...]:
    """Return the tests whose id is, or matches, one of the patterns ("seat-*"), in their own order.

    "questions" are all standard questions, "more-questions" those about more people. What the catalogue does not have
    is looked for in those of plug-ins.
    """
    by_id = {test.id: test for test in tests}
    wanted: set[str] = set()
    for pattern in patterns:
        matching = [identifier for identifier, test in by_id.items() if _matches(test, pattern)]
        if not matching and tests is catalogue():
            more = {test.id: test for test in plugin_tests() if fnmatchcase(test.id, pattern)}
            by_id, matching = by_id | more, list(more)
        if not matching:
            raise _unknown(pattern, by_id)
        wanted.update(matching)
    return tuple(test for identifier, test in by_id.items() if identifier in wanted)


def _matches(test: Test, pattern: str) -> bool:
    if pattern in (QUESTIONS, MORE_QUESTIONS):
        is_asked = isinstance(test, WeatTest) and test.is_question and test.language == "en"
        return is_asked and (test in more_questions()) == (pattern == MORE_QUESTIONS)
    return fnmatchcase(test.id, pattern)


def about(tests: Collection[_Any], topics: Collection[str]) -> tuple[_Any, ...]:
    """Return the tests about any of the topics, all of them where no topic is named."""
    check_list("topics", topics, of="topics")
    every = dict.fromkeys(topic for test in tests for topic in test.topics)
    for topic in topics:
        check_choice("topic", topic, every)
    return tuple(test for test in tests if not topics or not set(topics).isdisjoint(test.topics))


def tests_in(language: str, beside: Collection[Test]) -> tuple[Test, ...]:
    """Return the catalogue's tests of one language (ISO 639 code), or of all; none of one that only `beside` has."""
    tests = catalogue()
    choices = sorted({test.language for test in (*tests, *beside)} - {UNDETERMINED})
    if language not in (*choices, "all"):
        raise SettingError(
            option="language",
            got=language,
            expected=f"{', '.join(choices)} or all",
            hint="for another language give --tests FILE; docs/stimuli.md shows how to write one",
        )
    return tuple(test for test in tests if language in (test.language, "all"))


@cache
def languages() -> Mapping[str, Language]:
    """Return the languages that the catalogue can be asked in, by their codes; English first."""
    spoken = [test.spoken for test in published_tests() if test.spoken is not None]
    return {language.id: language for language in sorted(spoken, key=lambda spoken: (spoken.id != "en", spoken.id))}


def language_name(code: str) -> str:
    """Return the English name of a language, or its code where the catalogue does not have it."""
    return languages()[code].name if code in languages() else code


def language_of(test: AnyTest) -> Language | None:
    """Return what is known of a test's language; English, where none is stated."""
    if test.spoken is not None and test.spoken.id == test.language:
        return test.spoken
    return languages().get("en" if test.language == UNDETERMINED else test.language)


def without_more(tests: Iterable[Test], topics: Collection[str]) -> tuple[Test, ...]:
    """Leave out the questions about more people, unless their topics are named."""
    return tuple(test for test in tests if topics or test not in more_questions())


def is_pattern(choice: str) -> bool:
    """Tell whether a text is a pattern that may match any number of tests, rather than one id."""
    return choice in (QUESTIONS, MORE_QUESTIONS) or any(sign in choice for sign in "*?[")


def read_tests(path: FilePath) -> tuple[Test, ...]:
    """Read tests of your own.

    Parameters
    ----------
    path
        A TOML file of tests; it may name the catalogue's sets, such as `women` and `men`, the names of the questions.
        Its own sets come first.

    Returns
    -------
    tuple of WeatTest or WefatTest
        In the file's order.
    """
    tests = parsing.read_tests(path, {**parsing.read_sets(_QUESTIONS), **shared_sets()})
    spoken = next((test.spoken for test in tests if test.spoken is not None), None)
    if spoken is not None and spoken.id in languages():
        raise StimulusError(
            option="id",
            got=spoken.id,
            expected="a language that imprint does not have",
            where=f"{path}: language",
            hint=f"leave [language] out, and write language = '{spoken.id}' in the tests",
        )
    return tests


def _files() -> list[Path]:
    others = {*_DATA.glob("sets-*.toml"), _QUESTIONS, _MORE_QUESTIONS, *_foreign_files()}
    return sorted({*_DATA.glob("*.toml")} - others)


def _foreign_files() -> list[Path]:
    return sorted(_DATA.glob("questions-*.toml"))


@cache
def _tests_of(path: Path) -> tuple[Test, ...]:
    may_ask_questions = path in (_QUESTIONS, _MORE_QUESTIONS, *_foreign_files())
    return parsing.read_tests(path, shared_sets(), may_ask_questions=may_ask_questions)


@cache
def shared_sets() -> Mapping[str, WordSet]:
    """Return the word sets that all files may name."""
    sets: dict[str, WordSet] = {}
    for path in sorted(_DATA.glob("sets-*.toml")):
        here = parsing.read_sets(path)
        repeated = sets.keys() & here.keys()
        if repeated:
            raise StimulusError(
                f"the set {min(repeated)!r} is in another file too", where=path, hint="rename one of them"
            )
        sets |= here
    return MappingProxyType(sets)


def _unknown(identifier: str, known: Mapping[str, Test]) -> StimulusError:
    few = f"choose one of {', '.join(known)}" if len(known) <= _FEW else "`imprint stimuli` lists all tests"
    if any(identifier in test.topics for test in known.values()):
        hint = f"{identifier} is a topic: imprint weat default --topic {identifier}"
    else:
        hint = did_you_mean(identifier, known) or few
    return StimulusError(f"there is no test {identifier!r}", got=identifier, hint=hint)
