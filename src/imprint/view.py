"""What is shown, before anything draws it: texts, numbers, tables, charts and sections as values.

A text is a `str` of ours, a `Number`, or `Given`: words, titles and names from files, which whoever draws them masks
and makes harmless. `say` joins them. Renderers (terminal, HTML, Markdown) know these values and no kind of finding.
"""

import math
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any, Literal

from imprint.checks import SMALLEST_P

if TYPE_CHECKING:
    from imprint.masking import Words

SIGNS = {"exact": "", "certified": "≤ ", "sampled": "≈ "}  # before a p-value, by how it was found

Medium = Literal["page", "terminal", "card"]
Shape = Literal["decimal", "end", "count", "percent", "points", "p", "significant"]


@dataclass(frozen=True)
class Number:
    """A number as measured, and how it is rounded when drawn; None is drawn as a dash."""

    value: float | int | None
    shape: Shape = "decimal"
    digits: int = 2
    sign: str = ""


@dataclass(frozen=True)
class Given:
    """A text that comes from a file or a server: a word, or (`long`) a title or a reason."""

    text: str
    long: bool = False


class Phrase(tuple["str | Number | Given", ...]):
    """Texts and numbers in a row."""

    __slots__ = ()


Text = str | Number | Given | Phrase

Claim = tuple[Text, Text]  # what can be said, and what cannot

NOTHING = Number(None)


def say(template: str, *parts: Text) -> Phrase:
    """Fill the places {} of a sentence."""
    pieces = template.split("{}")
    if len(pieces) != len(parts) + 1:
        raise ValueError(f"{template!r} has {len(pieces) - 1} places for {len(parts)} parts")
    filled: list[str | Number | Given] = []
    for index, piece in enumerate(pieces):
        filled += [piece] if piece else []
        filled += _flat(parts[index]) if index < len(parts) else ()
    return Phrase(filled)


def join(texts: Iterable[Text], between: str = ", ") -> Phrase:
    """Return texts with something between them."""
    joined: list[str | Number | Given] = []
    for text in texts:
        joined += [between, *_flat(text)] if joined else _flat(text)
    return Phrase(joined)


def _flat(text: Text) -> Iterable["str | Number | Given"]:
    return text if isinstance(text, Phrase) else (text,)


def words(several: Iterable[str]) -> Phrase:
    """Return words from a file with commas between them."""
    return join(map(Given, several))


def title(text: str) -> Given:
    """Return a title, a name or a sentence from a file."""
    return Given(text, long=True)


def count(value: int | str | None, digits: int = 2) -> Number:
    """Return a whole number; large ones come as decimal strings, and show so many digits."""
    return Number(None if value is None else int(value), "count", digits)


def several(amount: int, noun: str) -> str:
    """Return a number of things: 1 question, 2 questions."""
    return f"{amount:,} {noun}{'' if amount == 1 else 's'}"


def number(value: float | None, digits: int = 2) -> Number:
    """Return a measured number."""
    return Number(value, "decimal", digits)


def percent(value: float | None, digits: int = 0) -> Number:
    """Return a share as a percentage."""
    return Number(value, "percent", digits)


def points(value: float | None, digits: int = 1) -> Number:
    """Return a share in percentage points, without a sign for them."""
    return Number(value, "points", digits)


def probability(value: float | None, method: str | None = None) -> Number:
    """Return a p-value, with a sign before it where it is a bound or an estimate; one is one, whatever it bounds."""
    sign = SIGNS.get(str(method), "") if value is not None and value < 1 else ""
    return Number(value, "p", sign="< " if value is not None and 0 < value <= SMALLEST_P else sign)


def interval(low: float | None, high: float | None, digits: int = 2) -> Text:
    """Return both ends of an interval; an end that is None is unbounded, an interval without ends does not exist."""
    if low is None and high is None:
        return NOTHING
    ends = (-math.inf if low is None else low, math.inf if high is None else high)
    return say("{} to {}", *(Number(end, "end", digits) for end in ends))


def estimate(value: float | None, low: float | None, high: float | None, digits: int = 2) -> Text:
    """Return a number with its interval."""
    if value is None or (low is None and high is None):
        return number(value, digits)
    return say("{} [{}]", number(value, digits), interval(low, high, digits))


@dataclass(frozen=True)
class Column:
    """A column's heading, and what it means.

    The page shows six columns at most; `folded` ones are shown there when asked for, `extra` ones nowhere else.
    """

    title: Text
    meaning: str = ""
    numeric: bool = False
    extra: bool = False
    folded: bool = False


@dataclass(frozen=True)
class Span:
    """An estimate with its interval, drawn small, on one scale with the others of its table."""

    estimate: float
    low: float | None = None
    high: float | None = None


def ends_of(spans: Iterable[Span]) -> Iterator[float]:
    """Return the estimates of spans and the ends of their intervals."""
    return (end for span in spans for end in (span.estimate, span.low, span.high) if end is not None)


def position(value: float, scale: Collection[float]) -> float:
    """Return where a value lies between the ends of a scale, in percent."""
    low, high = min(scale), max(scale)
    return 100 * (value - low) / (high - low) if high > low else 50.0


@dataclass(frozen=True)
class Cell:
    """A cell with a hint on hover, a number to be sorted by instead of its text, or `more` one click away.

    A `link` leads to a page of ours beside this one; such a cell has no hint. A page shows a `span` under the text,
    and a small line `below`, and colours the cell by its `outcome`.
    """

    text: Text
    hint: Text = ""
    order: float | None = None
    more: Text | None = None
    faint: bool = False
    link: str = ""
    span: Span | None = None
    below: Text = ""
    outcome: str = ""


@dataclass(frozen=True)
class Table:
    """Rows under headings; sorted by a click on a heading, `filtered` by a box above, `folded` until asked for.

    The `main` table of a page opens it where no chart does.
    """

    caption: Text
    columns: tuple[Column, ...]
    rows: tuple[tuple[Cell | Text, ...], ...]
    filtered: bool = False
    folded: bool = False
    main: bool = False
    media: tuple[Medium, ...] = ("page", "terminal", "card")

    def place(self, value: float) -> float:
        """Return where a value lies on the common scale of the spans, which includes zero, in percent."""
        spans = [cell.span for row in self.rows for cell in row if isinstance(cell, Cell) and cell.span]
        return position(value, [0.0, *ends_of(spans)])


@dataclass(frozen=True)
class Chart:
    """A chart with its words: `alt` says what is to be seen, `note` how to read it, `table` has every number drawn.

    `name` is unique on its page, of letters, digits and hyphens. `draw` gets whoever makes words harmless and the
    width in pixels, and is called only where charts are drawn. The `main` chart of a page opens it.
    """

    name: str
    title: Text
    alt: Text
    draw: "Callable[[Words, int], Mapping[str, Any]]"
    table: Table
    media: tuple[Medium, ...] = ("page",)
    note: Text = ""
    main: bool = False


@dataclass(frozen=True)
class Prose:
    """A paragraph; a "lead" opens a section, a "warning" is emphasised, a "note" is small."""

    text: Text
    tone: Literal["lead", "plain", "note", "warning"] = "plain"
    media: tuple[Medium, ...] = ("page",)


def footnote(text: Text) -> Prose:
    """Return a small paragraph of pages and terminals, such as how to read a table; cards have no room for it."""
    return Prose(text, "note", ("page", "terminal"))


@dataclass(frozen=True)
class Listing:
    """Short lines of one kind."""

    lines: tuple[Text, ...]
    media: tuple[Medium, ...] = ("page",)


@dataclass(frozen=True)
class Marked:
    """A text behind the mark of an outcome, and what it means in a few words."""

    outcome: str
    text: Text
    meaning: Text = ""


@dataclass(frozen=True)
class Tile:
    """A small box that leads to a place on the page: a title with a note, counts, and an outcome for its colour."""

    title: Text
    note: Text
    counts: tuple[Marked, ...]
    outcome: str
    link: str


@dataclass(frozen=True)
class Tiles:
    """Boxes side by side."""

    tiles: tuple[Tile, ...]
    media: tuple[Medium, ...] = ("page",)


@dataclass(frozen=True)
class WordSpread:
    """Words at their scores: a line of dots for each group, all on one scale, from one end to the other."""

    groups: tuple[tuple[Text, tuple[tuple[str, float], ...]], ...]
    ends: tuple[Text, Text]
    media: tuple[Medium, ...] = ("page",)

    def place(self, value: float) -> float:
        """Return where a score lies on the scale, in percent."""
        return position(value, [score for _, scores in self.groups for _, score in scores])


@dataclass(frozen=True)
class Answer:
    """A line of `AnswerChart`: two labels, a bar where there is a size, the outcome, and `blocks` one click away.

    `name` is unique on its page, of letters, digits and hyphens. A policy's `limit` for the `test`, either way, is
    drawn.
    """

    name: str
    test: str
    label: Text
    below: Text
    span: Span | None
    outcome: str
    said: Text
    size: Text
    blocks: "tuple[Block, ...]"
    limit: float | None = None


@dataclass(frozen=True)
class AnswerChart:
    """Answers under one scale, in groups with a name and a title; what is within `small` of zero is shaded.

    `chart` is the same as a picture, for notebooks, with its title and how to read it.
    """

    groups: tuple[tuple[str, Text, tuple[Answer, ...]], ...]
    small: float
    chart: Chart
    media: tuple[Medium, ...] = ("page",)
    main: bool = True

    def with_limits(self, limits: Mapping[str, float], note: Text) -> "AnswerChart":
        """Return it with the limits of some tests, and a note on how they are drawn."""
        groups = tuple(
            (name, title, tuple(replace(answer, limit=limits.get(answer.test)) for answer in answers))
            for name, title, answers in self.groups
        )
        is_limited = any(answer.limit is not None for _, _, answers in groups for answer in answers)
        chart = replace(self.chart, note=join((self.chart.note, note), " ")) if is_limited else self.chart
        return replace(self, groups=groups, chart=chart)

    @property
    def ticks(self) -> tuple[float, ...]:
        """Return the numbers on the scale, which reaches over every bar and over what is small."""
        listed = [answer for _, _, answers in self.groups for answer in answers]
        ends = [
            -self.small,
            self.small,
            *(answer.limit for answer in listed if answer.limit),
            *ends_of(answer.span for answer in listed if answer.span),
        ]
        steps = (self.small * factor * 10**power for power in range(4) for factor in (1, 2, 5))
        step = next((step for step in steps if (max(ends) - min(ends)) / step <= _TICKS), max(ends) - min(ends))
        first, last = math.floor(min(ends) / step + _EVEN), math.ceil(max(ends) / step - _EVEN)
        return tuple(step * place for place in range(first, last + 1))

    def place(self, value: float) -> float:
        """Return where a value lies on the scale, in percent."""
        return position(value, self.ticks)


_TICKS = 8  # at most, of a scale
_EVEN = 1e-9  # an end on a tick needs no further one


@dataclass(frozen=True)
class Bar:
    """A line of a card with a bar under it, as long as its `share` of the longest."""

    text: Text
    share: float
    note: Text


@dataclass(frozen=True)
class BarCard:
    """One finding in a box: bars, and `more` lines one click away."""

    title: Text
    note: Text
    bars: tuple[Bar, ...]
    more: Text
    lines: tuple[Text, ...]


@dataclass(frozen=True)
class Cards:
    """Boxes side by side."""

    cards: tuple[BarCard, ...]
    media: tuple[Medium, ...] = ("page",)


@dataclass(frozen=True)
class Details:
    """Blocks one click away on a page; elsewhere they are drawn like others."""

    summary: str
    blocks: "tuple[Block, ...]"
    media: tuple[Medium, ...] = ("page", "terminal", "card")


Block = Prose | Listing | Chart | Table | Tiles | WordSpread | AnswerChart | Cards | Details


def flat(blocks: Iterable[Block]) -> Iterator[Block]:
    """Return blocks with what is one click away in its place."""
    for block in blocks:
        if isinstance(block, Details):
            yield from flat(block.blocks)
        else:
            yield block
        if isinstance(block, AnswerChart):
            yield from flat(inside for _, _, answers in block.groups for answer in answers for inside in answer.blocks)


@dataclass(frozen=True)
class Section:
    """A part of the page; `offensive` ones are closed until the reader opens them."""

    name: str
    title: str
    blocks: tuple[Block, ...]
    offensive: bool = False
