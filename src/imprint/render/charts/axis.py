"""Charts of words along one axis: a few words one under another, or a swarm of dots with flags at its ends.

Of a few words every one is named, the highest on top. Of a swarm the outermost words of each end are named, by flags
above and below it.
"""

from collections import defaultdict
from collections.abc import Sequence
from itertools import zip_longest
from statistics import fmean
from typing import Literal, NamedTuple

from imprint.render.charts.points import (
    HEIGHT,
    Point,
    drawable,
    fitting,
    point_rows,
    scale_for,
    spans_zero,
    text_width,
    tooltips,
)
from imprint.render.charts.theme import (
    ACCENT,
    INK,
    LINE,
    OTHER,
    PAPER,
    QUIET,
    SOFT,
    WIDTH,
    DataRow,
    Spec,
    channel,
    clean,
    finish,
    layer,
    looks,
    zero_rule,
)

_WIDEST = 580
_LABELS = 150  # pixels left of the plot
_STEP = 20  # from word to word
# Shape and filling say what colour says.
_GROUPS = (("circle", ACCENT, ACCENT), ("diamond", PAPER, OTHER))
_DOT = 8.0  # pixels from dot to dot
_SWARM = 60.0  # half the height that the swarm may take
_NEAR = 32  # dots looked at; more than stand side by side in a swarm that fits
_GAP = 3.0
_MARGINS = 24


def dots(points: Sequence[Point], *, x_title: str, width: int = WIDTH) -> Spec:
    """Draw one line per word; several groups have different shapes, and their means are drawn too."""
    placed = drawable(points)
    drawn = sorted(placed, key=lambda point: (-point.x, point.word))
    plot = min(width, _WIDEST) - _LABELS
    listed: list[DataRow] = [
        {
            "line": line,
            "word": point.word,
            "label": fitting(point.word, _LABELS - 10),
            "x": point.x,
            "group": point.group,
        }
        for line, point in enumerate(drawn)
    ]
    groups: dict[str, list[float]] = defaultdict(list)
    for point in placed:
        groups[point.group].append(point.x)
    marks = dict(zip(groups, _GROUPS, strict=False))
    several = len(groups) > 1
    scale = scale_for([0.0, *(point.x for point in drawn)], 0, plot)
    x = channel("x:Q", title=clean(x_title), scale=scale.shown)
    y = channel("line:O", axis=None, scale={"domain": list(range(len(drawn))), "padding": 0.5})
    legend = {"orient": "none", "legendX": -_LABELS, "legendY": -34} if several else None
    layers = [
        layer(listed, "rule", {"color": LINE, "strokeWidth": 0.6}, x={"value": 0}, x2={"value": plot}, y=y),
        zero_rule("x"),
        layer(listed, "text", {"align": "left", "baseline": "middle"}, x={"value": -_LABELS}, y=y, text="label:N"),
        layer(
            listed,
            "point",
            {"size": 70, "strokeWidth": 1.8, "opacity": 1},
            x=x,
            y=y,
            tooltip=tooltips("word", {"x": x_title}, ()),
            **looks("group", marks, legend=legend),
        ),
    ]
    if several:
        means = [{"mean": fmean(groups[group]), "group": group} for group in marks]
        layers += [
            layer([mean], "rule", {"strokeDash": [3, 3], "color": marks[str(mean["group"])][2]}, x="mean:Q")
            for mean in means
        ]
    return finish(layers, width=plot, height=_STEP * len(drawn))


class Flag(NamedTuple):
    """A name on a pole over a dot: in pixels, heights upwards from the axis, `tip` at the text's middle."""

    dot: int
    x: float
    foot: float
    tip: float
    left: float
    right: float
    align: Literal["left", "right"]


def strip(
    points: Sequence[Point], *, x_title: str, ends: tuple[str, str], labels: int = 10, width: int = WIDTH
) -> Spec:
    """Draw words along an axis; `ends` name its low and its high end, `labels` words are named at each."""
    drawn = sorted(drawable(points), key=lambda point: (point.x, point.word))
    plot = width - _MARGINS
    scale = scale_for((point.x for point in drawn), 0, plot)
    places = [scale(point.x) for point in drawn]
    heights = swarm(places)
    flags = plant_flags(places, heights, [point.word for point in drawn], labels)
    half = max([_SWARM / 2, *(abs(height) for height in heights), *(abs(flag.tip) for flag in flags)]) + HEIGHT

    x = channel("x:Q", title=clean(x_title), scale=scale.shown)
    foot, middle, tip = (
        channel(f"{name}:Q", axis=None, scale={"domain": [-half, half], "nice": False})
        for name in ("foot", "height", "tip")
    )
    dots = [row | {"height": height} for row, height in zip(point_rows(drawn), heights, strict=True)]
    poles = [
        dots[flag.dot]
        | {"foot": flag.foot, "tip": flag.tip, "align": flag.align, "dx": 4 if flag.align == "left" else -4}
        for flag in flags
    ]
    hover = tooltips("word", {"x": x_title}, (point.hints for point in drawn))
    swarming = {"size": 30, "filled": True, "opacity": 0.8, "color": ACCENT}
    written = {"align": {"expr": "datum.align"}, "baseline": "middle", "dx": {"expr": "datum.dx"}, "color": INK}
    layers = [zero_rule("x")] if spans_zero(point.x for point in drawn) else []
    layers += [
        layer(poles, "rule", {"color": QUIET, "strokeWidth": 0.7}, x=x, y=foot, y2={"field": "tip"}),
        layer(dots, "point", swarming, x=x, y=middle, tooltip=hover),
        layer(poles, "text", written, x=x, y=tip, text="word:N", tooltip=hover),
    ]
    layers.append(_end(f"← {ends[0]}", 0, "left", round(2 * half)))
    layers.append(_end(f"{ends[1]} →", plot, "right", round(2 * half)))
    return finish(layers, width=plot, height=round(2 * half))


def swarm(places: Sequence[float]) -> list[float]:
    """Return a height for each place, sorted, such that no two dots meet: the nearest to the axis that is free."""
    heights: list[float] = []
    first = 0
    for place, x in enumerate(places):
        while places[first] <= x - _DOT or place - first > _NEAR:
            first += 1
        blocked = [
            (heights[other] - reach, heights[other] + reach)
            for other in range(first, place)
            for reach in [(_DOT**2 - (x - places[other]) ** 2) ** 0.5]
        ]
        edges = sorted([0.0, *(edge for span in blocked for edge in span)], key=lambda edge: (abs(edge), edge))
        heights.append(next(e for e in edges if not any(low + 1e-9 < e < high - 1e-9 for low, high in blocked)))
    highest = max((abs(height) for height in heights), default=0.0)
    return heights if highest <= _SWARM else [height * _SWARM / highest for height in heights]


def plant_flags(places: Sequence[float], heights: Sequence[float], words: Sequence[str], most: int) -> list[Flag]:
    """Name the outermost words of both ends, from the inside out: a flag flies over all that are further in.

    So no pole crosses a name of its own end; a flag whose pole would cross one of the other end is left out.
    """
    count = len(places)
    lows = range(min(most, (count + 1) // 2))
    highs = range(max(count - most, (count + 1) // 2), count)
    flags: list[Flag] = []
    for pair in zip_longest(reversed(lows), highs):
        for index in pair:
            if index is not None:
                flags += _plant(index, "left" if index in lows else "right", places, heights, words, flags)
    return flags


def _plant(
    index: int,
    align: Literal["left", "right"],
    places: Sequence[float],
    heights: Sequence[float],
    words: Sequence[str],
    flags: Sequence[Flag],
) -> list[Flag]:
    x, foot = places[index], heights[index]
    width = text_width(words[index]) + 6
    left, right = (x, x + width) if align == "left" else (x - width, x)
    options = []
    for side in (1, -1):
        standing = [flag for flag in flags if side * flag.tip > 0]
        below = [side * flag.tip + HEIGHT / 2 for flag in standing if flag.left < right and left < flag.right]
        below += [
            side * height + _DOT / 2
            for place, height in zip(places, heights, strict=True)
            if left - _DOT / 2 < place < right + _DOT / 2
        ]
        tip = max(below) + _GAP + HEIGHT / 2
        crossed = any(flag.left < x < flag.right for flag in standing)
        if not crossed:
            options.append((tip, -side * foot, Flag(index, x, foot, side * tip, left, right, align)))
    return [min(options)[2]] if options else []


def _end(text: str, place: float, align: Literal["left", "right"], height: int) -> Spec:
    """Say beside the axis's title which way an end points."""
    look = {"align": align, "baseline": "middle", "fontSize": 13, "color": SOFT}
    return layer([{"end": text}], "text", look, x={"value": place}, y={"value": height + 34}, text="end:N")
