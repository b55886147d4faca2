"""Rows written as JSON lines and as CSV, safe for terminals and spreadsheets."""

import csv
import io
import os
from collections.abc import Iterable
from itertools import chain
from typing import Any, Protocol

from imprint.files import replacing

# Characters that JSON allows in a string, but that steer terminals or that many programs take for the end of a line
# (below U+00A0, two separators, overrides of direction), or that UTF-8 cannot write: lone surrogates, from file names
# that are not text.
_STEERING = (range(0x7F, 0xA0), range(0x2028, 0x202F), range(0x2066, 0x206A), range(0xD800, 0xE000))
ESCAPES = {code: f"\\u{code:04x}" for code in chain(*_STEERING)}
_FORMULAS = ("=", "+", "-", "@", "\t", "\r", "\n")  # what spreadsheets take for the beginning of a formula
# The columns that a table of findings begins with; it has so many unless all are asked for.
_MAIN_COLUMNS = (
    "kind", "test", "title", "embedding", "part", "context", "unit", "size", "size_low", "size_high", "outcome",
    "reason", "effect_size", "p_value", "statistic",
)  # fmt: skip


class Writable(Protocol):
    """A row, as far as it is written."""

    def to_dict(self) -> dict[str, Any]:
        """Return its fields."""

    def to_json(self) -> str:
        """Return it as one line."""


def write_findings(path: str | os.PathLike[str], findings: Iterable[Writable]) -> None:
    """Write findings as JSON lines, one row per line.

    Parameters
    ----------
    path
        The file to write; it is replaced only once everything is written.
    findings
        Rows of one or more results.

    Examples
    --------
    >>> imprint.write_findings("findings.jsonl", imprint.weat("default", "caliskan-6").findings())
    """
    with replacing(path) as part:
        part.write_text("".join(f"{row.to_json()}\n" for row in findings), encoding="utf-8", newline="\n")


def write_csv(path: str | os.PathLike[str], findings: Iterable[Writable], *, all: bool = False) -> None:  # noqa: A002 - as the option
    """Write findings as a table of one line per row, without the lists of single words.

    Parameters
    ----------
    path
        The CSV file to write.
    findings
        Rows of one or more results; fields that a row does not have are empty.
    all
        Write every field. By default there are at most 15 columns: what was measured of what, sizes with their
        outcome, d and p, and where these leave room, further fields of the rows.

    Examples
    --------
    >>> imprint.write_csv("findings.csv", imprint.weat("default", "caliskan-6").findings())
    """
    rows = [row.to_dict() for row in findings]
    flat = [{key: value for key, value in row.items() if not isinstance(value, dict | list)} for row in rows]
    given = dict.fromkeys(key for row in flat for key, value in row.items() if all or value not in (None, ""))
    names = [name for name in _MAIN_COLUMNS if name in given]
    names += [name for name in given if name not in _MAIN_COLUMNS]
    names = names if all else names[: len(_MAIN_COLUMNS)]
    write_cells(path, [names, *([row.get(name) for name in names] for row in flat)])


def write_cells(path: str | os.PathLike[str], lines: Iterable[Iterable[object]], *, mode: int = 0o666) -> None:
    """Write lines of a CSV file for spreadsheets: a text that begins like a formula is kept from being one."""
    text = io.StringIO()
    # All quoted, since some spreadsheets part lines at semicolons too. Headings of unknown rows may be any text.
    csv.writer(text, quoting=csv.QUOTE_ALL, lineterminator="\n").writerows(map(_cell, line) for line in lines)
    with replacing(path, mode=mode) as part:
        part.write_text(text.getvalue().translate(ESCAPES), encoding="utf-8", newline="\n")


def _cell(value: object) -> object:
    return f"'{value}" if isinstance(value, str) and value.startswith(_FORMULAS) else value
