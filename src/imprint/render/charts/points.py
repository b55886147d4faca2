"""Words at places, the scales that say where on the drawing a place is, and where labels go.

Labels go beside their dots, on nothing else, those first that matter most.
"""

import math
import unicodedata
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import NamedTuple

import numpy as np

from imprint.render.charts.theme import TEXT, DataRow, channel, clean

_FARTHEST, _SMALLEST, _NEAREST = 1e100, 1e-100, 1e-9
_NARROW, _WIDE = "fijlrtI.,:;'|!()[] -", "mwMW@%"
_MARGIN = 0.06  # of the range, free at each end

HEIGHT = TEXT + 2.0
LINE_WEIGHT, DOT_WEIGHT, TEXT_WEIGHT = 1, 6, 20  # how bad it is to write over a line's step, a dot, another text

_GAP = 7.0  # pixels between a dot's middle and its label
_SIDES = ((1, 0), (-1, 0), (0, -1), (0, 1), (0.7, -0.7), (-0.7, -0.7), (0.7, 0.7), (-0.7, 0.7))
_APART = 5.0  # pixels between two labels in a line
_OUTSIDE = 1000
_STEP = 5.0
_NEAR = 60.0


@dataclass(frozen=True)
class Point:
    """A word at a place, with the ends of an interval of y if it has one, and of one of x.

    `hints` are shown on hover: their keys are the caller's own, the same for every point.
    """

    word: str
    x: float
    y: float = 0.0
    group: str = ""
    hints: Mapping[str, str] = field(default_factory=dict)
    low: float | None = None
    high: float | None = None
    left: float | None = None
    right: float | None = None


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
    return {f"hint{index}": text for index, text in enumerate(hints.values())}


def tooltips(word: str, numbers: Mapping[str, str], hints: Iterable[Mapping[str, str]]) -> list[DataRow]:
    """Say on hover the field `word` as a heading, then numbers by field and title, then the hints."""
    titles = next((list(hint) for hint in hints if hint), [])
    return [
        channel(f"{word}:N", title="title"),  # by this very name the heading
        *(channel(f"{name}:Q", title=_key(title), format=".3~f") for name, title in numbers.items()),
        *(channel(f"hint{index}:N", title=_key(title)) for index, title in enumerate(titles)),
    ]


def text_width(text: str) -> float:
    """Return about how many pixels a text takes: every reader's system has another typeface."""
    return sum(map(_letter_width, text)) * TEXT


def fitting(text: str, width: float) -> str:
    """Return the text, or as much of it as there is room for."""
    if text_width(text) <= width:
        return text
    left = width - text_width("…")
    for index, letter in enumerate(text):
        left -= _letter_width(letter) * TEXT
        if left < 0:
            return f"{text[:index].rstrip()}…"
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


class Box(NamedTuple):
    """A rectangle in pixels; y goes down."""

    left: float
    top: float
    right: float
    bottom: float

    def widened(self, pixels: float) -> "Box":
        """Return the box with more room at its left and right."""
        return self._replace(left=self.left - pixels, right=self.right + pixels)

    def holds(self, other: "Box") -> bool:
        """Whether the other lies inside."""
        return (
            self.left <= other.left
            and self.top <= other.top
            and other.right <= self.right
            and other.bottom <= self.bottom
        )


class Anchor(NamedTuple):
    """A dot, in pixels, with the text that belongs to it."""

    x: float
    y: float
    text: str


class PlacedLabel(NamedTuple):
    """A text placed: `anchor` counts the dots, `dx` and `dy` lead from the dot to the text."""

    anchor: int
    dx: float
    dy: float
    align: str
    box: Box


def dot(x: float, y: float, radius: float = 3.5) -> Box:
    """Return the room that a dot takes."""
    return Box(x - radius, y - radius, x + radius, y + radius)


def trail(start: tuple[float, float], end: tuple[float, float]) -> Iterator[Box]:
    """Return the room that a straight line takes, as many small boxes."""
    steps = max(1, math.ceil(math.dist(start, end) / _STEP))
    for step in range(steps + 1):
        x, y = (one + (other - one) * step / steps for one, other in zip(start, end, strict=True))
        yield dot(x, y, 1.5)


def place_labels(
    anchors: Sequence[Anchor],
    taken: Iterable[tuple[Box, int]],
    frame: Box,
    *,
    middle: tuple[float, float],
    most: int | None = None,
) -> list[PlacedLabel]:
    """Place labels in the order given, each where it meets nothing that is taken, preferably away from the middle.

    A label that finds no free place is left out. If `most` is None, it goes where it meets what weighs least, and
    labels with the most neighbours choose first.
    """
    obstacles, placed = [(*box, weight) for box, weight in taken], list[PlacedLabel]()
    order = range(len(anchors)) if most is not None else sorted(range(len(anchors)), key=_neighbours(anchors))
    for index in order:
        if len(placed) == most:
            break
        labels = _candidates(index, anchors[index], middle)
        met_by = _met([label.box for label in labels], obstacles)
        options = [
            (met + _OUTSIDE * (not frame.holds(label.box)), choice, label)
            for choice, (met, label) in enumerate(zip(met_by, labels, strict=True))
        ]
        met, _, label = min(options, key=lambda option: option[:2])
        if met == 0 or most is None:
            placed.append(label)
            obstacles.append((*label.box.widened(_APART), TEXT_WEIGHT))
    return placed


def _met(boxes: Sequence[Box], obstacles: Sequence[tuple[float, ...]]) -> list[float]:
    """Return the weight of what each box overlaps; all at once, since there may be a thousand dots."""
    left, top, right, bottom, weight = np.array(obstacles, dtype=np.float64).reshape(-1, 5).T
    own = np.array(boxes)[:, :, None]
    overlap = (own[:, 0] < right) & (left < own[:, 2]) & (own[:, 1] < bottom) & (top < own[:, 3])
    met: list[float] = (overlap @ weight).tolist()
    return met


def _neighbours(anchors: Sequence[Anchor]) -> Callable[[int], float]:
    """Return a key that puts the crowded first."""

    def lonely(index: int) -> float:
        x, y, _ = anchors[index]
        return -sum(abs(other.x - x) < _NEAR and abs(other.y - y) < _NEAR / 2 for other in anchors)

    return lonely


def _candidates(index: int, anchor: Anchor, middle: tuple[float, float]) -> list[PlacedLabel]:
    away = anchor.x - middle[0], anchor.y - middle[1]
    width = text_width(anchor.text)
    labels = []
    nearest = sorted(_SIDES, key=lambda side: -(side[0] * away[0] + side[1] * away[1]))
    for right, down in [*nearest, *((right * 1.5, down * 2) for right, down in nearest)]:
        align = "left" if right > 0 else "right" if right < 0 else "center"
        dx, dy = right * _GAP, down * (_GAP + 4)
        left = anchor.x + dx - {"left": 0, "center": width / 2, "right": width}[align]
        top = anchor.y + dy - HEIGHT / 2
        labels.append(PlacedLabel(index, dx, dy, align, Box(left, top, left + width, top + HEIGHT)))
    return labels
