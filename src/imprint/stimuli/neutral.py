"""Sentences whose language leaves a person's gender open, one per word, and the words in English.

The data are in data/translation/neutral.toml, and so is the format; a user's own file has the same.
"""

from collections import Counter
from dataclasses import dataclass
from functools import cache
from pathlib import Path

from imprint.checks import check_choice, check_list
from imprint.errors import StimulusError
from imprint.files import FilePath
from imprint.stimuli.catalog import get
from imprint.stimuli.definition import WefatTest
from imprint.stimuli.files import TomlTable, read_table

LANGUAGES = ("tr", "eu", "hu", "fi", "et", "id", "fa", "sw")  # of the bundled sentences

_BUNDLED = Path(__file__).with_name("data") / "translation" / "neutral.toml"
_KINDS = ("occupation", "trait")
_OF_WOMEN = ("winobias-wefat-occupations", "caliskan-wefat-occupations")  # the later ones win


@dataclass(frozen=True)
class NeutralSentence:
    """A sentence, the English word it is about, that word in the sentence, and the percentage of women if known."""

    word: str
    form: str
    text: str
    women: float | None


@dataclass(frozen=True)
class NeutralLanguage:
    """A language by its code and its name, and its sentences."""

    code: str
    name: str
    sentences: tuple[NeutralSentence, ...]


@dataclass(frozen=True)
class TargetLanguage:
    """A language to translate into, and its pronouns for a man and for a woman, in lower case.

    Beside a word of `plural`, `she` means others; `same` are words of the sentences that this language has too.
    """

    code: str
    name: str
    he: frozenset[str]
    she: frozenset[str]
    plural: frozenset[str]
    same: frozenset[str]


def target_language(code: str, path: FilePath | None = None) -> TargetLanguage:
    """Return a language to translate into, of a file that has some or of the bundled one."""
    tables = [] if path is None else read_table(path).tables("targets")
    by_code = {table.need("id", str): table for table in tables or read_table(_BUNDLED).tables("targets")}
    check_choice("target", code, tuple(by_code))
    table = by_code[code].allow(("id", "name", "he", "she", "plural", "same"))
    he, she, plural, same = (frozenset(table.texts(key)) for key in ("he", "she", "plural", "same"))
    if not he or not she:
        raise StimulusError("has no pronouns", where=table.where, hint="give he = [...] and she = [...]")
    return TargetLanguage(code, table.need("name", str), he, she, plural, same)


def neutral_sentences(languages: tuple[str, ...] = (), path: FilePath | None = None) -> tuple[NeutralLanguage, ...]:
    """Return the sentences of these languages, by default of all; without a path the bundled ones."""
    by_code = _read(_BUNDLED if path is None else path)
    check_list("languages", languages, "codes such as tr")
    for code in languages:
        check_choice("language", code, tuple(by_code))
    return tuple(by_code[code] for code in dict.fromkeys(languages or by_code))


def _read(path: FilePath) -> dict[str, NeutralLanguage]:
    table = read_table(path).allow(("languages", "words", "targets"))
    languages, words = table.tables("languages"), table.tables("words")
    if not languages or not words:
        raise StimulusError("has no languages or no words", where=path, hint="begin with [[languages]] and [[words]]")
    codes = [language.allow(("id", "name", *_KINDS)).need("id", str) for language in languages]
    for table in words:
        table.allow(("word", "kind", "women", *codes))
    by_code = {}
    for code, language in zip(codes, languages, strict=True):
        sentences = [_sentence(word, code, language) for word in words if word.get(code, str)]
        counts = Counter(sentence.word for sentence in sentences)
        repeated = [word for word, count in counts.items() if count > 1]
        if repeated or not sentences:
            problem = f"{repeated[0]!r} is duplicated" if repeated else f"no word has a form for {code!r}"
            raise StimulusError(problem, where=path, words=repeated, hint="write one table per word")
        by_code[code] = NeutralLanguage(code, language.need("name", str), tuple(sentences))
    return by_code


def _sentence(word: TomlTable, code: str, language: TomlTable) -> NeutralSentence:
    kind, name, form = word.need("kind", str), word.need("word", str), word.need(code, str)
    if kind not in _KINDS:
        raise StimulusError(option="kind", got=kind, expected=f"one of {', '.join(_KINDS)}", where=word.where)
    template = language.need(kind, str)
    if template.count("{}") != 1:
        raise StimulusError(option=kind, got=template, expected="a sentence with one {}", where=language.where)
    return NeutralSentence(name, form, template.replace("{}", form), _women().get(word.text("women", name)))


@cache
def _women() -> dict[str, float]:
    """Return the percentages of women that are bundled."""
    tests = [test for test in map(get, _OF_WOMEN) if isinstance(test, WefatTest)]
    return {word: share for test in tests for word, share in (test.property or {}).items()}
