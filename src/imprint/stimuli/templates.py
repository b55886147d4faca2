"""Sentences out of words: every word goes into the patterns of its kind (May et al. 2019, SEAT, section 2).

A pattern has one slot: {word} as it is, {a word} behind its article, {words} in the plural; the last two speak
English only. The first letter of the finished sentence becomes a capital. A file of templates is TOML:

    language = "en"                 # ISO 639

    [templates]                     # by kind of word; kinds left out keep the patterns of this package
    name = ["We met {word}."]
    "count noun" = ["Look at {a word}.", "We saw {words}."]
"""

import re
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from functools import cache
from pathlib import Path
from typing import cast

from imprint.checks import Context, check_choice
from imprint.errors import StimulusError
from imprint.files import FilePath
from imprint.stimuli.catalog import language_of
from imprint.stimuli.definition import CONTEXTS, KINDS, UNDETERMINED, WeatTest, WordKind, word_sets
from imprint.stimuli.files import TomlTable, read_table
from imprint.stimuli.inflection import plural
from imprint.stimuli.parsing import FORMS, pattern_problem, read_patterns, shown_pattern

_FOLDER = Path(__file__).with_name("data") / "templates"
_FITTING = _FOLDER.with_name("fitting")
_NOTHING = "blick"


@dataclass(frozen=True)
class Sentence:
    """A word in its context; `template` is "" and `text` the word itself where it is alone."""

    word: str
    template: str
    text: str

    @property
    def frame(self) -> str:
        """The same sentence about nothing: a word that does not exist in the place of the word; "" at word level."""
        return fill(self.template, _NOTHING) if self.template else ""

    @property
    def form(self) -> str:
        """The word as the text has it: the plural where the pattern asks for it."""
        return plural(spaced(self.word)) if "{words}" in self.template else self.word


Side = tuple[Sentence, ...]  # the sentences of one set of words


@dataclass(frozen=True)
class Templates:
    """Patterns of one language by the kind of word that fits them."""

    language: str
    by_kind: Mapping[WordKind, tuple[str, ...]] = field(hash=False)


def bundled_templates(language: str = "en") -> Templates:
    """Return the templates that come with this package."""
    if language not in _languages():
        offered = ", ".join(sorted(_languages()))
        came = "states no language" if language == UNDETERMINED else f"is in the language {language!r}"
        raise StimulusError(
            f"there are no sentence templates for a test that {came}",
            expected=f"one of {offered}",
            hint="write language = 'en' in the test, or give a file of templates",
        )
    return _bundled(language)


@cache
def bundled_patterns() -> frozenset[str]:
    """Return the patterns of every bundled template, of all kinds and languages."""
    by_language = (_bundled(language).by_kind.values() for language in _languages())
    return frozenset(pattern for kinds in by_language for patterns in kinds for pattern in patterns)


@cache
def fitting_templates() -> Templates:
    """Return English sentences to fit debiasers on; none is among the bundled ones, which judge what was fitted."""
    return read_templates(_FITTING / "en.toml")


def read_templates(path: FilePath) -> Templates:
    """Read sentence templates of your own.

    Parameters
    ----------
    path
        A TOML file of patterns by kind of word. For kinds it leaves out, SEATs use the bundled patterns of its
        language, if any, and debiasers their own.

    Returns
    -------
    Templates
        Patterns for `seat`, `run_seat_battery` and `debias`.
    """
    document = read_table(path).allow(("language", "templates"))
    language = document.need("language", str)
    table = TomlTable(document.need("templates", dict), (str(path), "templates")).allow(KINDS)
    if not table.values:
        raise StimulusError("has no templates", where=table.where, hint="write KIND = [...] with patterns")
    return Templates(language, {cast(WordKind, kind): read_patterns(table, kind, language) for kind in table.values})


def fill(template: str, word: str) -> str:
    """Return the sentence that a pattern makes of a word; underscores inside the word become blanks."""
    problem = pattern_problem(template, "en")
    if problem is not None:
        raise StimulusError(f"the pattern {shown_pattern(template)} {problem}")
    before, slot, after = re.split(r"\{(.*)\}", template)
    text = before + FORMS[slot](spaced(word)) + after
    return re.sub(r"[^\W_]", lambda first: first[0].title(), text, count=1)


def contexts(test: WeatTest) -> tuple[Context, ...]:
    """Return the contexts a test is meant for: frames, and of tests that are not questions also those of the paper."""
    framed: tuple[Context, ...] = ("framed",) if frames_of(test) else ()
    if test.is_question:
        return framed
    return (*framed, "word", "bleached", *(("unbleached",) if test.unbleached is not None else ()))


def sentences(test: WeatTest, context: Context, templates: Templates | None = None) -> dict[str, Side]:
    """Return the sentences of the sets x, y, a, b, those of one word together.

    Templates of another language than the test's are not used; the bundled ones are. A test whose language is not
    stated takes any that are given. No word has the same text twice, though two words may share one.
    """
    check_choice("context", context, CONTEXTS)
    made = {}
    for key, words in word_sets(test).items():
        patterns = _patterns(test, context, key, templates)
        pairs = zip(words.words, words.kinds, strict=True)
        made[key] = tuple(sentence for word, kind in pairs for sentence in _filled(word, patterns[kind]))
    return made


def _patterns(
    test: WeatTest, context: Context, key: str, given: Templates | None
) -> Mapping[WordKind, tuple[str, ...]]:
    """Return the patterns for the words of one set by their kind; "" stands for the word alone."""
    if context == "word":
        return dict.fromkeys(KINDS, ("",))
    if context == "unbleached":
        if test.unbleached is None:
            raise StimulusError(
                "has no sentences of its own", where=f"test {test.id!r}", hint="give it unbleached patterns"
            )
        return dict.fromkeys(KINDS, test.unbleached.targets if key in ("x", "y") else test.unbleached.attributes)
    if context == "framed":
        frames = frames_of(test)
        if not frames:
            raise StimulusError("has no frames in its language", where=f"test {test.id!r}", hint="choose bleached")
        return dict.fromkeys(KINDS, frames)
    if given is None or test.language not in (given.language, UNDETERMINED):
        given = bundled_templates(test.language)
    bundled = _bundled(given.language).by_kind if given.language in _languages() else {}
    by_kind = {**bundled, **given.by_kind}
    without = [kind for kind in word_sets(test)[key].kinds if kind not in by_kind]
    if without:
        raise StimulusError(
            f"has no template for words of kind {without[0]!r}",
            where=f"test {test.id!r}",
            hint="add one to your templates",
        )
    return by_kind


def _filled(word: str, patterns: Iterable[str]) -> Iterable[Sentence]:
    by_text: dict[str, Sentence] = {}
    for pattern in patterns:
        text = fill(pattern, word) if pattern else word
        by_text.setdefault(text, Sentence(word, pattern, text))
    return by_text.values()


def by_word(side: Side) -> dict[str, list[int]]:
    """Return where each word's sentences are."""
    indices: dict[str, list[int]] = {}
    for index, sentence in enumerate(side):
        indices.setdefault(sentence.word, []).append(index)
    return indices


def spaced(word: str) -> str:
    """Return a phrase as it is written in a text."""
    return word.replace("_", " ")


def frames_of(test: WeatTest) -> tuple[str, ...]:
    """Return the sentences of a test's language that names and all other words are put into, so that they compare."""
    language = language_of(test)
    return () if language is None else language.frames


@cache
def _languages() -> frozenset[str]:
    return frozenset(path.stem for path in _FOLDER.glob("*.toml"))


@cache
def _bundled(language: str) -> Templates:
    return read_templates(_FOLDER / f"{language}.toml")
