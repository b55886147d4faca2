"""Tests and word sets in TOML files, read and written; the form is described in `imprint.stimuli.catalog`."""

import json
import re
from collections import Counter
from collections.abc import Callable, Iterable, Mapping
from pathlib import Path, PurePosixPath, PureWindowsPath
from typing import Any, cast

from imprint.checks import did_you_mean
from imprint.errors import StimulusError
from imprint.files import FilePath, check_bundled, replacing
from imprint.stimuli.definition import (
    CONTEXTS,
    KINDS,
    UNDETERMINED,
    Human,
    Language,
    Published,
    Test,
    Unbleached,
    WeatTest,
    WefatTest,
    WordKind,
    WordSet,
    set_problems,
    validate,
    word_sets,
)
from imprint.stimuli.files import TomlTable, read_property, read_table
from imprint.stimuli.inflection import plural, with_article

_FILE_KEYS = ("language", "sets", "weat", "wefat")
_COMMON_KEYS = ("id", "title", "source", "language", "a", "b", "published", "adapted", "notes", "topics")
_WEAT_KEYS = (*_COMMON_KEYS, "x", "y", "human", "unbleached", "papers")
_WEFAT_KEYS = (*_COMMON_KEYS, "words", "property_file", "property_name", "forms", "shared")

FORMS: Mapping[str, Callable[[str], str]] = {"word": str, "a word": with_article, "words": plural}
_SLOTS = "{word}, {a word} or {words}"
BRACES = re.compile(r"\{([^{}]*)\}|[{}]")
_LONGEST = 300  # characters of a pattern; the context of a word, not a text


def read_sets(path: FilePath) -> dict[str, WordSet]:
    """Read the `[sets.NAME]` tables of a TOML file."""
    return _sets(read_table(path).allow(_FILE_KEYS))


def read_tests(path: FilePath, shared: Mapping[str, WordSet], *, may_ask_questions: bool = False) -> tuple[Test, ...]:
    """Read the tests of a TOML file; a set they name is the file's own, else one of the shared sets.

    Only the file of the standard questions may say that its tests are some.
    """
    document = read_table(path).allow(_FILE_KEYS)
    sets = {**shared, **_sets(document)}
    spoken = _language(document, sets, Path(path).parent)
    tests: list[Test] = [_weat(table, sets, spoken, may_ask_questions) for table in document.tables("weat")]
    tests += [_wefat(table, sets, spoken, Path(path).parent) for table in document.tables("wefat")]
    if not tests:
        raise StimulusError("has no [[weat]] or [[wefat]] table", where=path, hint="begin each test with one of them")
    refuse_repeated_ids(tests, str(path))
    return tuple(tests)


def refuse_repeated_ids(tests: Iterable[Test], where: str) -> None:
    """Raise StimulusError if two tests have one id."""
    seen = set()
    for test in tests:
        if test.id in seen:
            raise StimulusError(f"two tests have the id {test.id!r}", where=where, hint="give each test its own id")
        seen.add(test.id)


def _language(document: TomlTable, sets: Mapping[str, WordSet], folder: Path) -> Language | None:
    """Read what a file says of its language."""
    values = document.get("language", dict)
    if values is None:
        return None
    table = TomlTable(values, (*document.where, "language")).allow(("id", "name", "frames", "things", "valence"))
    things = [_named_set(table, "things", name, sets) for name in table.texts("things")]
    if len(things) not in (0, 2):
        raise StimulusError(
            option="things", got=len(things), expected="two sets of nouns, masculine and feminine", where=table.where
        )
    identifier = table.need("id", str)
    return Language(
        identifier,
        table.text("name", identifier),
        read_patterns(table, "frames", identifier),
        (things[0], things[1]) if things else None,
        _valence(table, folder),
    )


def _valence(table: TomlTable, folder: Path) -> Mapping[str, float]:
    """Read how pleasant words are: from a file, or from the table itself."""
    if type(table.values.get("valence")) is not dict:
        return _property(table, "valence", folder) or {}
    rated = TomlTable(table.values["valence"], (*table.where, "valence"))
    return {word: float(rated.need(word, float)) for word in rated.values}


def _sets(document: TomlTable) -> dict[str, WordSet]:
    sets = {}
    for key, value in (document.get("sets", dict) or {}).items():
        where = (*document.where, f"set {key!r}")
        if type(value) is not dict:
            raise StimulusError("is not a table", where=where, hint="write [sets.NAME] with words = [...] below it")
        sets[key] = _word_set(TomlTable(value, where), key)
    return sets


def _word_set(table: TomlTable, name: str) -> WordSet:
    table.allow(("name", "words", "kind", "kinds"))
    if type(table.values.get("words")) is dict:
        return _checked(_by_kind(table, name), table)
    if type(table.values.get("words")) is str:
        words = tuple(table.text("words").split())
    else:
        table.need("words", list)
        words = table.texts("words")
    kind = table.text("kind", "unknown")
    exceptions = TomlTable(table.get("kinds", dict) or {}, (*table.where, "kinds"))
    for word in exceptions.values:
        if word not in words:
            hint = did_you_mean(word, words) or "remove it, or add it to them"
            raise StimulusError(f"{word!r} is not one of the words", where=exceptions.where, hint=hint)
    # the check below refuses what is not a Kind
    kinds = tuple(cast(WordKind, exceptions.text(word, kind)) for word in words)
    return _checked(WordSet(table.text("name", name), words, kinds), table)


def _by_kind(table: TomlTable, name: str) -> WordSet:
    """Read long lists: under each kind of word a text, with blanks between the words."""
    table.allow(("name", "words"))  # the kinds are said
    by_kind = TomlTable(table.need("words", dict), (*table.where, "words")).allow(KINDS)
    words: list[str] = []
    kinds: list[WordKind] = []
    for kind in by_kind.values:
        listed = by_kind.need(kind, str).split()
        words += listed
        kinds += [cast(WordKind, kind)] * len(listed)
    return WordSet(table.text("name", name), tuple(words), tuple(kinds))


def _checked(words: WordSet, table: TomlTable) -> WordSet:
    problems = set_problems(words)
    if problems:
        raise StimulusError("; ".join(problems), where=table.where)
    return words


def _set_of(table: TomlTable, key: str, sets: Mapping[str, WordSet]) -> WordSet:
    value = table.values.get(key)
    if type(value) is str:
        return _named_set(table, key, value, sets)
    name = key.upper() if len(key) == 1 else key  # nearer to A than to B
    if type(value) is list:
        return _word_set(TomlTable({"words": value}, (*table.where, key)), name)
    if value is not None and type(value) is not dict:
        raise StimulusError(option=key, got=value, expected="the name of a set or a list of words", where=table.where)
    return _word_set(TomlTable(table.need(key, dict), (*table.where, key)), name)


def _named_set(table: TomlTable, key: str, name: str, sets: Mapping[str, WordSet]) -> WordSet:
    if name not in sets:
        hint = did_you_mean(name, sets) or "write it as [sets.NAME], or give the words in the test"
        raise StimulusError(
            f"the set {name!r} does not exist", option=key, got=name, where=(*table.where, key), hint=hint
        )
    return sets[name]


def _weat(table: TomlTable, sets: Mapping[str, WordSet], spoken: Language | None, may_be_question: bool) -> WeatTest:
    if "question" in table.values and not may_be_question:
        raise StimulusError(
            "question is only for the standard questions",
            option="question",
            where=table.where,
            hint="remove it; `imprint stimuli --match` matches lists in frequency",
        )
    table.allow((*_WEAT_KEYS, "question") if may_be_question else _WEAT_KEYS)
    x, y = (_set_of(table, key, sets) for key in ("x", "y"))
    common = _common(table, sets, spoken, figure="effect")
    test = WeatTest(
        **common,
        x=x,
        y=y,
        human=_human(table),
        unbleached=_unbleached(table, common["language"]),
        is_question=table.get("question", bool) or False,
        papers=table.texts("papers"),
    )
    validate(test, table.where)
    return test


def _wefat(table: TomlTable, sets: Mapping[str, WordSet], spoken: Language | None, folder: Path) -> WefatTest:
    table.allow(_WEFAT_KEYS)
    words, forms = _set_of(table, "words", sets), table.get("forms", int)
    test = WefatTest(
        **_common(table, sets, spoken, figure="r"),
        words=words,
        property_name=table.text("property_name", "property"),
        forms=1 if forms is None else forms,
        shared=table.get("shared", bool) or False,
    )
    validate(test, table.where)
    values = _property(table, "property_file", folder)
    try:
        return test if values is None else test.with_property(values)
    except StimulusError as error:
        raise StimulusError(str(error), where=(*table.where, "property_file")) from error


def _property(table: TomlTable, key: str, folder: Path) -> dict[str, float] | None:
    """Read the numbers of words from a file beside the table's own, if it names one."""
    file = table.get(key, str)
    if file is None:
        return None
    path = _inside(folder, key, file, table.where)
    try:
        return read_property(check_bundled(path))
    except StimulusError as error:
        raise StimulusError(str(error), where=(*table.where, key)) from error


def _common(table: TomlTable, sets: Mapping[str, WordSet], spoken: Language | None, *, figure: str) -> dict[str, Any]:
    identifier = table.need("id", str)
    language = table.text("language", UNDETERMINED if spoken is None else spoken.id)
    return {
        "id": identifier,
        "title": table.text("title", identifier),
        "source": table.text("source"),
        "language": language,
        "spoken": spoken if spoken is not None and spoken.id == language else None,
        "a": _set_of(table, "a", sets),
        "b": _set_of(table, "b", sets),
        "published": tuple(_published(row, figure) for row in table.tables("published")),
        "adapted": table.text("adapted") or None,
        "notes": table.text("notes"),
        "topics": table.texts("topics"),
    }


def _published(table: TomlTable, figure: str) -> Published:
    table.allow(("embedding", figure, "p", "source", "context"))
    context = table.text("context", "word")
    if context not in CONTEXTS:
        raise StimulusError(option="context", got=context, expected=f"one of {', '.join(CONTEXTS)}", where=table.where)
    return Published(
        embedding=table.need("embedding", str),
        effect=table.get("effect", float),
        p=table.get("p", str),
        source=table.need("source", str),
        r=table.get("r", float),
        context=context,
    )


def _unbleached(table: TomlTable, language: str) -> Unbleached | None:
    values = table.get("unbleached", dict)
    if values is None:
        return None
    patterns = TomlTable(values, (*table.where, "unbleached")).allow(("targets", "attributes"))
    return Unbleached(*(read_patterns(patterns, key, language) for key in ("targets", "attributes")))


def _human(table: TomlTable) -> Human | None:
    values = table.get("human", dict)
    if values is None:
        return None
    human = TomlTable(values, (*table.where, "human")).allow(("effect", "p", "participants", "source"))
    return Human(
        effect=human.need("effect", float),
        p=human.need("p", str),
        participants=human.get("participants", int),
        source=human.need("source", str),
    )


def _inside(folder: Path, option: str, file: str, where: tuple[str, ...]) -> Path:
    # A test received from somebody else must not make its reader print other files of theirs.
    windows = PureWindowsPath(file)
    if windows.anchor or PurePosixPath(file).is_absolute() or ".." in windows.parts:
        raise StimulusError(option=option, got=file, expected="a file in the folder of this one or below", where=where)
    return folder / file


def write_tests(path: FilePath, tests: Iterable[WeatTest]) -> None:
    """Write tests that `read_tests` reads back, less published figures; words are given in each test.

    A question is written as a test like others: lists that somebody may change are not known to be matched.
    """
    text = "\n".join(map(_written, tests))
    with replacing(path) as part:
        part.write_text(text, encoding="utf-8")


def _written(test: WeatTest) -> str:
    values = {
        "id": test.id,
        "title": test.title,
        "source": test.source,
        "language": test.language,
        "adapted": test.adapted,
        "notes": test.notes,
        "topics": test.topics,
        "papers": test.papers,
    }
    lines = ["[[weat]]", *(f"{key} = {_value(value)}" for key, value in values.items() if value)]
    if test.unbleached is not None:
        targets, attributes = _value(test.unbleached.targets), _value(test.unbleached.attributes)
        lines.append(f"unbleached = {{ targets = {targets}, attributes = {attributes} }}")
    for letter, words in word_sets(test).items():
        lines += ["", f"[weat.{letter}]", *_set_lines(words)]
    return "\n".join(lines) + "\n"


def _set_lines(words: WordSet) -> list[str]:
    usual = Counter(words.kinds).most_common(1)[0][0]
    others = {word: kind for word, kind in zip(words.words, words.kinds, strict=True) if kind != usual}
    lines = [f"name = {_value(words.name)}", f"kind = {_value(usual)}", f"words = {_value(words.words)}"]
    if others:
        pairs = ", ".join(f"{_value(word)} = {_value(kind)}" for word, kind in others.items())
        lines.append(f"kinds = {{ {pairs} }}")
    return lines


def _value(value: object) -> str:
    # Strings and lists of TOML are written as those of JSON, as long as no character is invisible.
    return json.dumps(value, ensure_ascii=False)


def read_patterns(table: TomlTable, key: str, language: str) -> tuple[str, ...]:
    """Return the patterns of a table's key, or raise StimulusError naming the one that cannot be used."""
    where = (*table.where, key)
    table.need(key, list)
    patterns = tuple(" ".join(pattern.split()) for pattern in table.texts(key))
    if not patterns:
        raise StimulusError("has no patterns", where=where, hint="give at least one, such as 'This is {word}.'")
    for number, pattern in enumerate(patterns):
        problem = pattern_problem(pattern, language)
        if problem is None and pattern in patterns[:number]:
            problem = "is duplicated; keep one"
        if problem is not None:
            raise StimulusError(f"{shown_pattern(pattern)} {problem}", where=where)
    return patterns


def pattern_problem(pattern: str, language: str) -> str | None:
    """Return what is wrong with a pattern, None where it is right."""
    if len(pattern) > _LONGEST or not pattern.isprintable():
        return f"is not a valid pattern, expected at most {_LONGEST} visible characters"
    braces = list(BRACES.finditer(pattern))
    strange = [brace[0] for brace in braces if brace[1] not in FORMS]
    if strange:
        return f"has {shown_pattern(strange[0])}, which is not a slot; write {_SLOTS} where the word goes"
    if len(braces) != 1:
        return f"has {len(braces) or 'no'} slot{'s' if braces else ''}; write {_SLOTS} once, where the word goes"
    if language != "en" and braces[0][1] != "word":
        return f"has {braces[0][0]}, which is for English alone; write {{word}}, or state language = 'en'"
    return None


def shown_pattern(pattern: str) -> str:
    """Return a pattern as messages quote it."""
    shown = repr(pattern)
    return shown if len(shown) <= 60 else f"{shown[:57]}..."
