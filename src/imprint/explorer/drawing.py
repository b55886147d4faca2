"""Words as dots, one line each, the highest score on top: where everything goes, in pixels."""

import math
from collections.abc import Sequence
from dataclasses import dataclass

from imprint.render.charts.placement import text_width

WIDTH = 400.0

_LABELS = 115.0  # for the words, left of the dots
_MARGIN = 12.0
_LINE = 20.0  # from word to word
_HEAD = 26.0  # for the scale
_STEPS = (1.0, 2.0, 2.5, 5.0, 10.0)
_TICKS = 5  # at most so many spaces between the scale's numbers


@dataclass(frozen=True)
class Dot:
    """A word at its score; `side` tells which of two sets it stands in."""

    word: str
    label: str
    score: float
    side: int
    x: float
    y: float


@dataclass(frozen=True)
class Tick:
    """A number of the scale."""

    text: str
    x: float


@dataclass(frozen=True)
class Drawing:
    """Dots, the scale above them and each side's mean."""

    height: float
    dots: tuple[Dot, ...]
    ticks: tuple[Tick, ...]
    zero: float
    means: tuple[float, ...]
    width: float = WIDTH
    labels: float = _LABELS
    top: float = _HEAD


def draw_dots(words: Sequence[str], scores: Sequence[float], sides: Sequence[int]) -> Drawing:
    """Place every word; the scale holds zero, for a score's sign says to which end it leans."""
    low, high = min(0.0, *scores), max(0.0, *scores)
    reach = (high - low) or 1.0
    step = _step(reach)

    def place(score: float) -> float:
        return round(_LABELS + _MARGIN + (score - low) / reach * (WIDTH - _LABELS - 2 * _MARGIN), 2)

    ordered = sorted(range(len(words)), key=lambda index: (-scores[index], words[index]))
    dots = tuple(
        Dot(
            words[index],
            _fitting(words[index]),
            scores[index],
            sides[index],
            place(scores[index]),
            _HEAD + _LINE * (line + 0.5),
        )
        for line, index in enumerate(ordered)
    )
    marks = [count * step for count in range(math.ceil(low / step), math.floor(high / step) + 1)]
    digits = max(0, -math.floor(math.log10(step) + 1e-9)) + (1 if str(step).rstrip("0").endswith("25") else 0)
    means = tuple(
        place(math.fsum(own) / len(own))
        for side in sorted(set(sides))
        if (own := [score for score, of in zip(scores, sides, strict=True) if of == side])
    )
    return Drawing(
        height=_HEAD + _LINE * len(dots) + 6.0,
        dots=dots,
        ticks=tuple(Tick(f"{mark:.{digits}f}", place(mark)) for mark in marks),
        zero=place(0.0),
        means=means,
    )


def _step(reach: float) -> float:
    """Return a round number that divides the reach into few spaces."""
    power = 10.0 ** math.floor(math.log10(reach / _TICKS))
    return next(power * step for step in _STEPS if power * step * _TICKS >= reach * (1 - 1e-9))


def _fitting(word: str) -> str:
    """Return the word, or as much of it as there is room for."""
    if text_width(word) <= _LABELS:
        return word
    kept = word
    while text_width(kept) > _LABELS - 14:
        kept = kept[:-1]
    return f"{kept}…"
