"""Where labels go: beside their dots, on nothing else, those first that matter most."""

import math
from collections.abc import Callable, Iterable, Iterator, Sequence
from typing import NamedTuple

import numpy as np

from imprint.render.charts.points import text_width
from imprint.render.charts.theme import TEXT

HEIGHT = TEXT + 2.0
LINE_WEIGHT, DOT_WEIGHT, TEXT_WEIGHT = 1, 6, 20  # how bad it is to write over a line's step, a dot, another text

_GAP = 7.0  # pixels between a dot's middle and its label
_SIDES = ((1, 0), (-1, 0), (0, -1), (0, 1), (0.7, -0.7), (-0.7, -0.7), (0.7, 0.7), (-0.7, 0.7))
_APART = 5.0  # pixels between two labels in a line
_OUTSIDE = 1000
_STEP = 5.0
_NEAR = 60.0


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
