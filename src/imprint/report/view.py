"""What a page is made of, before any of it is HTML: sections of prose, charts and tables.

Text that is `str` is escaped when it is drawn. `Markup` is drawn as it is: only literals and the functions of
`marking` make it.
"""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, Literal

from markupsafe import Markup

Text = str | Markup


@dataclass(frozen=True)
class Column:
    """A column's heading, and what it means, for a reader who points at it."""

    title: str
    meaning: str = ""
    numeric: bool = False


@dataclass(frozen=True)
class Cell:
    """A cell with something to say on hover or focus, or with a number to be sorted by instead of its text."""

    text: Text
    hint: str = ""
    order: float | None = None


@dataclass(frozen=True)
class Table:
    """Rows under headings; sorted by a click on a heading, `filtered` by a box above, `folded` until asked for."""

    caption: str
    columns: tuple[Column, ...]
    rows: tuple[tuple[Cell | Text, ...], ...]
    filtered: bool = False
    folded: bool = False


@dataclass(frozen=True)
class Chart:
    """A Vega-Lite specification with its words: `alt` says what is to be seen, `table` has every number drawn.

    `name` is unique on its page, of letters, digits and hyphens.
    """

    name: str
    title: str
    alt: str
    spec: Mapping[str, Any]
    table: Table


@dataclass(frozen=True)
class Prose:
    """A paragraph; a "warning" stands out, a "note" steps back."""

    text: Text
    tone: Literal["plain", "note", "warning"] = "plain"


@dataclass(frozen=True)
class Listing:
    """Short lines of one kind."""

    lines: tuple[Text, ...]


Block = Prose | Listing | Chart | Table


@dataclass(frozen=True)
class Section:
    """A part of the page; `offensive` ones stand behind the content note."""

    name: str
    title: str
    blocks: tuple[Block, ...]
    offensive: bool = False
