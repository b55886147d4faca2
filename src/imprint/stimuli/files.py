"""Users' own files, read strictly: word lists, four of them as one WEAT, tables of a property, and TOML tables.

An unknown or missing key, a wrong type or a number that is none is an error that names its place.
"""

import csv
import gzip
import io
import math
import os
import re
import tomllib
import zlib
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any, TypeVar, cast

from imprint.checks import did_you_mean
from imprint.errors import StimulusError, raising_as
from imprint.files import FilePath, office_format
from imprint.stimuli.definition import UNDETERMINED, GroupsTest, WeatTest, WordKind, WordSet, validate

# Stimuli are short. A larger file is somebody's embedding given by mistake, and is not read into memory.
_LARGEST = 8 * 1024 * 1024
_NAMED = 3  # words of a list that it is called after
_COMMENT = re.compile(r"(^|\s)#.*")


_Value = TypeVar("_Value")
_TYPE_NAMES = {
    str: "text in quotation marks without control characters",
    int: "a whole number",
    float: "a finite number",
    bool: "true or false",
    list: "a list",
    dict: "a table",
}

_QUOTED = re.compile(r"\s*([0-9]*\.?[0-9]+)\s*(%?)\s*")  # a number as text, perhaps in percent


def read_text(path: FilePath) -> str:
    """Read a small UTF-8 file, packed by gzip or not, without its byte order mark; line ends become line feeds."""
    broken = (OSError, ValueError, EOFError, zlib.error)
    unreadable = raising_as(broken, StimulusError, "cannot be read ({})", where=path, hint="check the path")
    with unreadable, Path(path).open("rb") as file:
        raw = (gzip.GzipFile(fileobj=file) if str(path).lower().endswith(".gz") else file).read(_LARGEST + 1)
    if len(raw) > _LARGEST:
        raise StimulusError(f"is larger than {_LARGEST >> 20} MiB", where=path, hint="give a smaller file")
    if raw.startswith(b"PK") and (what := office_format(io.BytesIO(raw))):
        hint = "save it as plain text; a list of words has one word per line"
        raise StimulusError(f"is {what}", where=path, hint=hint)
    try:
        text = raw.decode("utf-8-sig")
    except UnicodeDecodeError as error:
        line = raw.count(b"\n", 0, error.start) + 1
        raise StimulusError("is not UTF-8", where=(path, line), hint="save the file as UTF-8") from error
    return text.replace("\r\n", "\n").replace("\r", "\n")


def is_list(source: FilePath) -> bool:
    """Tell words that are given themselves (a comma is among them: nurse,teacher) from a file of words."""
    return "," in str(source) and not os.path.exists(source)  # noqa: PTH110 - Path raises where a name is too long


def read_words(path: FilePath) -> tuple[str, ...]:
    """Read words, one per line or separated by commas or semicolons. A phrase may contain blanks.

    Quotation marks around a word, as spreadsheets write them, are taken off. Instead of a file, the words themselves
    may be given with commas between them; one word alone ends with a comma.
    """
    first_lines: dict[str, int] = {}
    text = str(path) if is_list(path) else read_text(path)
    for number, line in enumerate(text.split("\n"), start=1):
        for word in filter(None, map(_unquoted, re.split("[,;]", _COMMENT.sub("", line)))):
            if word in first_lines:
                raise StimulusError(
                    f"{word!r} is duplicated, first in line {first_lines[word]}",
                    where=(path, number),
                    words=[word],
                    hint="keep one",
                )
            first_lines[word] = number
    if not first_lines:
        raise StimulusError("has no words", where=path, hint="write one word per line")
    return tuple(first_lines)


def weat_from_files(x: FilePath, y: FilePath, a: FilePath, b: FilePath) -> WeatTest:
    """Make a test of four word files or lists, called after the files or words; the words' kinds stay unknown."""
    sources = (x, y, a, b)
    sets = [read_set(source) for source in sources]
    names = [words.name for words in sets]
    identifier, title = re.sub(r"[\s,]+", "-", "-".join(names)), "{} / {} and {} / {}".format(*names)
    files = ", ".join(Path(source).name for source in sources if not is_list(source))
    origin = f"word files {files}" if files else "words given"
    test = WeatTest(identifier, title, origin, UNDETERMINED, *sets)
    validate(test, where=" ".join(str(source) for source in sources) if files else "the words given")
    return test


def groups_from_files(groups: Mapping[str, FilePath], attributes: Mapping[str, FilePath] | None = None) -> GroupsTest:
    """Make a test of groups by name, each a word file or list, and of their attributes if there are any."""
    attributes = attributes or {}
    odd = next((name for name in attributes if name not in groups), None)
    if odd is not None:
        raise StimulusError(
            f"attributes of {odd!r} are given, which is not a group", expected=f"one of {', '.join(groups)}"
        )
    sets, of_groups = (
        tuple(WordSet.of(name, read_words(source)) for name, source in named.items())
        for named in (groups, {name: attributes[name] for name in groups if name in attributes})
    )
    identifier = re.sub(r"[\s,]+", "-", "-".join(groups))
    test = GroupsTest(identifier, ", ".join(groups), "words given", UNDETERMINED, sets, of_groups)
    validate(test, where="the groups given")
    return test


def read_set(source: FilePath, kind: WordKind = "unknown") -> WordSet:
    """Read words as a set, called after its file or its first words."""
    words = read_words(source)
    if not is_list(source):
        return WordSet.of(Path(source).stem, words, kind)
    more = f" and {len(words) - _NAMED} more" if len(words) > _NAMED else ""
    return WordSet.of(", ".join(words[:_NAMED]) + more, words, kind)


def read_property(path: FilePath) -> dict[str, float]:
    """Read a CSV of word,value; a first line whose value holds no digit is taken for a header.

    Spreadsheets of much of the world separate by semicolons and write 40,5: that is read too.
    """
    values: dict[str, float] = {}
    for line, delimiter, cells in read_rows(path, hint="write lines of word,value"):
        where = (path, line)
        if len(cells) != 2:
            raise StimulusError(f"has {len(cells)} columns", expected="2: word,value", where=where)
        word, value = cells
        value = value.replace(",", ".") if delimiter == ";" else value
        if line == 1 and _is_heading(value):
            continue
        if not word or word in values:
            problem = f"{word!r} is duplicated" if word else "has no word"
            raise StimulusError(problem, where=where, hint="write one line per word")
        values[word] = _number(value, word, where)
    if not values:
        raise StimulusError("has no values", where=path, hint="write lines of word,value")
    return values


def read_rows(path: FilePath, *, hint: str = "correct the file there") -> Iterator[tuple[int, str, list[str]]]:
    """Give the number, the delimiter and the cells of every line of a CSV file that has any, without outer blanks."""
    text = read_text(path)
    delimiter = ";" if ";" in text.split("\n", 1)[0] else ","
    rows = csv.reader(io.StringIO(text), delimiter=delimiter, strict=True)
    try:
        for row in rows:
            cells = [cell.strip() for cell in row]
            if any(cells):
                yield rows.line_num, delimiter, cells
    except csv.Error as error:
        raise StimulusError(f"is not valid CSV ({error})", where=(path, rows.line_num), hint=hint) from error


@dataclass(frozen=True)
class TomlTable:
    """A TOML table that knows its file and its place in it."""

    values: Mapping[str, Any]
    where: tuple[str, ...]

    def allow(self, keys: Iterable[str]) -> "TomlTable":
        """Return the table, or raise StimulusError if it has a key other than these."""
        keys = tuple(keys)
        for key in self.values:
            if key not in keys:
                hint = did_you_mean(key, keys) or f"known keys are {', '.join(keys)}"
                raise StimulusError(f"unknown key {key!r}", option=key, where=self.where, hint=hint)
        return self

    def get(self, key: str, wanted: type[_Value]) -> _Value | None:
        """Return the value of that key as this type; None where there is none."""
        value = self.values.get(key)
        if wanted is float and type(value) is int:
            # TOML writes 2 for 2.0; a whole number too large for a float is left for the check below
            value = float(value) if abs(value) < 2**1023 else value
        if value is None or _fits(value, wanted):
            return cast("_Value | None", value)
        quoted = _QUOTED.fullmatch(value) if wanted is float and isinstance(value, str) else None
        hint = f"write {float(quoted[1]) / (100 if quoted[2] else 1):g}" if quoted else None
        raise StimulusError(option=key, got=value, expected=_TYPE_NAMES[wanted], where=self.where, hint=hint)

    def need(self, key: str, wanted: type[_Value]) -> _Value:
        """Return the value of a key that has to be there."""
        value = self.get(key, wanted)
        if value is None:
            raise StimulusError(f"the key {key!r} is missing", option=key, where=self.where, hint=f"add {key} = ...")
        return value

    def text(self, key: str, default: str = "") -> str:
        """Return text as one line, whatever the line breaks in the file."""
        return " ".join((self.get(key, str) or default).split())

    def texts(self, key: str) -> tuple[str, ...]:
        """Return a list of texts, empty where there is none."""
        items = self.get(key, list) or []
        odd = [item for item in items if type(item) is not str]
        if odd:
            raise StimulusError(option=f"each item of {key}", got=odd[0], expected=_TYPE_NAMES[str], where=self.where)
        return tuple(items)

    def tables(self, key: str) -> list["TomlTable"]:
        """Return a list of tables, empty where there is none; each is called by its id or its number."""
        items = self.values.get(key, [])
        if type(items) is not list or any(type(item) is not dict for item in items):
            raise StimulusError(
                option=key, got=items, expected="a list of tables", where=self.where, hint=f"begin each with [[{key}]]"
            )
        return [
            TomlTable(item, (*self.where, f"{key} {_label(item, number)}")) for number, item in enumerate(items, 1)
        ]


def read_table(path: FilePath) -> TomlTable:
    """Read a TOML file as one table."""
    text, deep = read_text(path), "is not valid TOML: brackets are nested too deeply"
    with (
        raising_as(RecursionError, StimulusError, deep, where=path, hint="correct the file"),
        # TOMLDecodeError, or an integer with more digits than Python converts
        raising_as(ValueError, StimulusError, "is not valid TOML: {}", where=path, hint="correct the file there"),
    ):
        return TomlTable(tomllib.loads(text), (str(path),))


def _unquoted(part: str) -> str:
    word = part.strip()
    return word[1:-1].strip() if len(word) > 2 and word[0] == word[-1] == '"' else word


def _is_heading(value: str) -> bool:
    # "40.3x" in the first line is a slip of the pen, not a heading, and "nan" is a value that is missing.
    return value.lower() not in {"", "nan", "inf", "-inf"} and not any(letter.isdigit() for letter in value)


def _number(text: str, word: str, where: tuple[FilePath, int]) -> float:
    try:
        number = float(text)
    except ValueError:
        number = math.nan
    if not math.isfinite(number):
        raise StimulusError(
            option=f"the value of {word!r}", got=text, expected="a number, such as 40.5", where=where, words=[word]
        )
    return number


def _fits(value: object, wanted: type) -> bool:
    if type(value) is not wanted:  # not isinstance: true is no number here
        return False
    if isinstance(value, str):
        return " ".join(value.split()).isprintable()
    return not isinstance(value, float) or math.isfinite(value)


def _label(item: Mapping[str, Any], number: int) -> str:
    name = item.get("id", item.get("embedding"))
    return repr(name) if type(name) is str else f"number {number}"
