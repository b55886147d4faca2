"""Words at places, and the scales that say where on the drawing a place is."""

import unicodedata
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import NamedTuple

from imprint.render.charts.theme import TEXT, DataRow, clean
from imprint.render.charts.theme import field as channel

_FARTHEST, _SMALLEST, _NEAREST = 1e100, 1e-100, 1e-9
_NARROW, _WIDE = "fijlrtI.,:;'|!()[] -", "mwMW@%"
_MARGIN = 0.06  # of the range, free at each end


@dataclass(frozen=True)
class Point:
    """A word at a place. `hints` are shown on hover: their keys are the caller's own, the same for every point."""

    word: str
    x: float
    y: float = 0.0
    group: str = ""
    hints: Mapping[str, str] = field(default_factory=dict)


class Scale(NamedTuple):
    """From data to pixels, both ends included; the drawing's y goes down."""

    low: float
    high: float
    start: float
    end: float

    def __call__(self, value: float) -> float:
        """Return the pixel of a value."""
        return self.start + (value - self.low) / (self.high - self.low) * (self.end - self.start)

    @property
    def shown(self) -> DataRow:
        """The same as Vega-Lite takes it."""
        return {"domain": [self.low, self.high], "nice": False}


def scale_for(values: Iterable[float], start: float, end: float) -> Scale:
    """Return the scale that shows all values with a little room at each end."""
    known = list(values) or [0.0]
    low, high = min(known), max(known)
    size = max(abs(low), abs(high))
    # Ticks closer than rounding are more than the drawing library can count.
    room = high - low if high - low > size * _NEAREST else size
    room = room * _MARGIN if size > _SMALLEST else 1.0
    return Scale(low - room, high + room, start, end)


def spans_zero(values: Iterable[float]) -> bool:
    """Whether a line at zero would part the values."""
    return {value > 0 for value in values if value} == {False, True}


def drawable(points: Iterable[Point]) -> list[Point]:
    """Return the points that have a place: one that is not a number, or beyond all measure, has none."""
    return [point for point in points if has_place(point.x) and has_place(point.y)]


def has_place(value: float | None) -> bool:
    """Whether a value can be drawn; the difference of two that can is finite."""
    return value is not None and abs(value) < _FARTHEST


def point_rows(points: Sequence[Point]) -> list[DataRow]:
    """Return points as rows whose field names are ours."""
    return [
        {"word": point.word, "x": point.x, "y": point.y, "group": point.group, **hint_fields(point.hints)}
        for point in points
    ]


def hint_fields(hints: Mapping[str, str]) -> DataRow:
    """Return hints under numbers, since a key with a dot or a bracket would be read as a path."""
    return {f"hint{place}": text for place, text in enumerate(hints.values())}


def tooltips(word: str, numbers: Mapping[str, str], hints: Iterable[Mapping[str, str]]) -> list[DataRow]:
    """Say on hover the field `word` as a heading, then numbers by field and title, then the hints."""
    titles = next((list(hint) for hint in hints if hint), [])
    return [
        channel(f"{word}:N", title="title"),  # by this very name the heading
        *(channel(f"{name}:Q", title=_key(title), format=".3~f") for name, title in numbers.items()),
        *(channel(f"hint{place}:N", title=_key(title)) for place, title in enumerate(titles)),
    ]


def text_width(text: str) -> float:
    """Return about how many pixels a text takes: every reader's system has another typeface."""
    return sum(map(_letter_width, text)) * TEXT


def fitting(text: str, width: float) -> str:
    """Return the text, or as much of it as there is room for."""
    if text_width(text) <= width:
        return text
    left = width - text_width("…")
    for place, letter in enumerate(text):
        left -= _letter_width(letter) * TEXT
        if left < 0:
            return f"{text[:place].rstrip()}…"
    return text


def _key(title: str) -> str:
    """Return a title as the key of a tooltip: Vega-Lite writes it into an expression and escapes quotes alone.

    The capital keeps it apart from "title" and "image", which mean something there.
    """
    shown = "".join(letter if letter.isprintable() else " " for letter in clean(title))
    shown = shown.replace("\\", "\N{REVERSE SOLIDUS OPERATOR}")
    return shown[:1].upper() + shown[1:]


def _letter_width(letter: str) -> float:
    """Return a letter's width as a share of the type's size, rather too wide than too narrow."""
    if unicodedata.combining(letter):
        return 0.0
    if unicodedata.east_asian_width(letter) in "WF":
        return 1.05
    if letter in _NARROW:
        return 0.36
    return 0.92 if letter in _WIDE else 0.72 if letter.isupper() else 0.59
