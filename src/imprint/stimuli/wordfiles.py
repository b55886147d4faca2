"""A user's own plain files: word lists, four of them as one WEAT, and tables of a property."""

import csv
import io
import math
import os
import re
from pathlib import Path

from imprint.errors import StimulusError
from imprint.stimuli.definition import UNDETERMINED, WeatTest, WordSet, validate

# Stimuli are short. A larger file is somebody's embedding given by mistake, and is not read into memory.
_LARGEST = 8 * 1024 * 1024
_COMMENT = re.compile(r"(^|\s)#.*")

FilePath = str | os.PathLike[str]


def read_text(path: FilePath) -> str:
    """Read a small UTF-8 file, with or without a byte order mark; line ends come back as line feeds."""
    try:
        with Path(path).open("rb") as file:
            raw = file.read(_LARGEST + 1)
    except (OSError, ValueError) as error:
        reason = getattr(error, "strerror", None) or str(error)
        raise StimulusError(f"{path}: cannot be read ({reason}); check the path") from error
    if len(raw) > _LARGEST:
        raise StimulusError(f"{path}: larger than {_LARGEST >> 20} MiB; a file of words was wanted")
    try:
        text = raw.decode("utf-8-sig")
    except UnicodeDecodeError as error:
        line = raw.count(b"\n", 0, error.start) + 1
        raise StimulusError(f"{path}, line {line}: not UTF-8; save the file as UTF-8") from error
    return text.replace("\r\n", "\n").replace("\r", "\n")


def read_words(path: FilePath) -> tuple[str, ...]:
    """Read words: one a line or separated by commas or semicolons, so a phrase may hold blanks; ' #' begins a comment.

    Quotation marks around a word, as spreadsheets write them, are taken off.
    """
    first_lines: dict[str, int] = {}
    for number, line in enumerate(read_text(path).split("\n"), start=1):
        for word in filter(None, map(_unquoted, re.split("[,;]", _COMMENT.sub("", line)))):
            if word in first_lines:
                first = first_lines[word]
                raise StimulusError(f"{path}, line {number}: {word!r} is there twice, first in line {first}; keep one")
            first_lines[word] = number
    if not first_lines:
        raise StimulusError(f"{path}: no words in it; write one a line")
    return tuple(first_lines)


def weat_from_files(x: FilePath, y: FilePath, a: FilePath, b: FilePath) -> WeatTest:
    """Make a test of four word files, called after the files; the words' kinds stay unknown."""
    paths = [Path(path) for path in (x, y, a, b)]
    sets = [WordSet.of(path.stem, read_words(path)) for path in paths]
    names = [words.name for words in sets]
    test = WeatTest(
        id=re.sub(r"\s+", "-", "-".join(names)),
        title="{} / {} and {} / {}".format(*names),
        source="word files " + ", ".join(path.name for path in paths),
        language=UNDETERMINED,
        x=sets[0],
        y=sets[1],
        a=sets[2],
        b=sets[3],
    )
    validate(test, where=", ".join(str(path) for path in paths))
    return test


def read_property(path: FilePath) -> dict[str, float]:
    """Read a CSV of word,value; a first line whose value holds no digit is taken for a header.

    Spreadsheets of much of the world separate by semicolons and write 40,5: that is read too.
    """
    text = read_text(path)
    semicolons = ";" in text.split("\n", 1)[0]
    rows = csv.reader(io.StringIO(text), delimiter=";" if semicolons else ",", strict=True)
    values: dict[str, float] = {}
    try:
        for row in rows:
            if not any(cell.strip() for cell in row):
                continue
            where = f"{path}, line {rows.line_num}"
            if len(row) != 2:
                raise StimulusError(f"{where}: {len(row)} columns; two are wanted, word,value")
            word, value = (cell.strip() for cell in row)
            value = value.replace(",", ".") if semicolons else value
            if rows.line_num == 1 and _is_heading(value):
                continue
            if not word or word in values:
                problem = f"{word!r} is there twice" if word else "no word"
                raise StimulusError(f"{where}: {problem}; one line a word is wanted")
            values[word] = _number(value, f"{where}, {word!r}")
    except csv.Error as error:
        raise StimulusError(f"{path}, line {rows.line_num}: not CSV ({error}); word,value is wanted") from error
    if not values:
        raise StimulusError(f"{path}: no values in it; write lines of word,value")
    return values


def _unquoted(part: str) -> str:
    word = part.strip()
    return word[1:-1].strip() if len(word) > 2 and word[0] == word[-1] == '"' else word


def _is_heading(value: str) -> bool:
    # "40.3x" in the first line is a slip of the pen, not a heading, and "nan" is a value that is missing.
    return value.lower() not in {"", "nan", "inf", "-inf"} and not any(letter.isdigit() for letter in value)


def _number(text: str, where: str) -> float:
    try:
        number = float(text)
    except ValueError:
        number = math.nan
    if not math.isfinite(number):
        raise StimulusError(f"{where}: {text!r} is not a number; write digits with a decimal point, such as 40.5")
    return number
