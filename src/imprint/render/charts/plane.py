"""Charts in a plane with two axes, with names beside the dots: words, pairs of words, and a curve of settings.

A scatter shows scores against a property, one embedding against another, or before against after. Arrows show pairs of
words in two components, each pair joined by a line (Caliskan, Bryson and Narayanan, Figure 3). A curve shows what is
gained against what is lost, setting by setting. Lines go over an order, such as years, with the bands of intervals.
"""

import math
from collections.abc import Iterable, Mapping, Sequence
from itertools import pairwise
from statistics import fmean
from typing import Literal, NamedTuple

from imprint.render.charts.points import (
    DOT_WEIGHT,
    LINE_WEIGHT,
    Anchor,
    Box,
    Point,
    Scale,
    dot,
    drawable,
    has_place,
    place_labels,
    point_rows,
    scale_for,
    spans_zero,
    tooltips,
    trail,
)
from imprint.render.charts.theme import (
    ACCENT,
    INK,
    OTHER,
    PAPER,
    QUIET,
    SIDE,
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

Segment = tuple[DataRow, DataRow]

_SCATTER_HEIGHT = 420
_CROWD = 300  # dots of one group; more are drawn smaller
_CHANNELS: tuple[Literal["x"], Literal["y"]] = ("x", "y")
# Shape and filling say what colour says.
_GROUPS = (
    ("circle", ACCENT, ACCENT),
    ("square", PAPER, OTHER),
    ("triangle-up", PAPER, QUIET),
)
_ARROWS_HEIGHT = 460
_ENDS = (("circle", ACCENT, ACCENT), ("square", PAPER, OTHER))
_CURVE_HEIGHT = 320
_LINES_HEIGHT = 320


def scatter(
    points: Sequence[Point],
    *,
    x_title: str,
    y_title: str,
    line: tuple[float, float] | Literal["diagonal"] | None = None,
    labels: int = 12,
    from_zero: bool = False,
    marks: Mapping[str, tuple[str, str, str]] | None = None,
    width: int = WIDTH,
) -> Spec:
    """Draw words in a plane; y may begin at zero. Of more than `labels`, the outermost have names that find room.

    Points with an interval of y or of x have a bar. `line` is y = slope * x + intercept, or the diagonal, which gives
    both axes one range. Of the points' groups, the first that comes lies on top and has its words named first. There
    are three at most, or those of `marks`, which say what each looks like in every chart and are always explained.
    """
    drawn = drawable(points)
    dots = point_rows(drawn)
    bars = [
        {"x": x, "y": y, "x2": x2, "y2": y2}
        for point in drawn
        for x, y, x2, y2 in ((point.x, point.low, point.x, point.high), (point.left, point.y, point.right, point.y))
        if all(map(has_place, (x, y, x2, y2)))
    ]
    shown = [*dots, *bars, *({"x": bar["x2"], "y": bar["y2"]} for bar in bars)]
    shown += [dots[0] | {"y": 0.0}] if from_zero and dots else []
    plane = plane_for(shown, width, _SCATTER_HEIGHT, square=line == "diagonal")
    axes = plane.channels(x_title, y_title)
    ends = [] if line is None else _line_ends(*((1.0, 0.0) if line == "diagonal" else line), plane)
    groups = list(dict.fromkeys(row["group"] for row in dots))
    hover = tooltips("word", {"x": x_title, "y": y_title}, (point.hints for point in drawn))

    layers = [zero_rule(name) for name in _CHANNELS if spans_zero(row[name] for row in dots)]
    if ends:
        stroke = {"strokeDash": [5, 4], "color": SOFT} if line == "diagonal" else {"color": INK}
        layers.append(layer(ends, "line", {"strokeWidth": 1.4, **stroke}, **axes))
    if bars:
        layers.append(
            layer(bars, "rule", {"color": QUIET, "strokeWidth": 1.6}, **axes, x2={"field": "x2"}, y2={"field": "y2"})
        )
    shapes = dict(zip(groups, _GROUPS, strict=False)) if marks is None else {group: marks[group] for group in groups}
    explained = looks("group", shapes, legend={} if marks or len(groups) > 1 else None)
    for group in reversed(groups):
        members = [row for row in dots if row["group"] == group]
        size: DataRow = (
            {"size": 36, "strokeWidth": 1.2} if len(members) <= _CROWD else {"size": 14, "strokeWidth": 0.8}
        )
        layers.append(layer(members, "point", {"opacity": 0.75, **size}, **axes, **explained, tooltip=hover))
    named = [
        row
        for group in groups
        for row in _outermost([row for row in dots if row["group"] == group], plane, labels // 2)
    ]
    segments = [({"x": bar["x"], "y": bar["y"]}, {"x": bar["x2"], "y": bar["y2"]}) for bar in bars]
    segments += [(ends[0], ends[1])] if ends else []
    # More than asked for: some stand in for those without room. So few that each can be named have all their names.
    most = labels if len(dots) > labels else None
    layers.append(plane.names(named[: 4 * labels], dots, segments, most=most, hover=hover))
    return finish(layers, width=width - SIDE, height=_SCATTER_HEIGHT)


def arrows(
    pairs: Sequence[tuple[str, str]],
    points: Sequence[Point],
    *,
    x_title: str,
    y_title: str,
    ends: tuple[str, str] | None = None,
    width: int = WIDTH,
) -> Spec:
    """Draw pairs as lines with every word named; `ends` say in a legend what the first and the second words are.

    A pair is left out where one of its words has no point.
    """
    places = {point.word: point for point in drawable(points)}
    drawn = [pair for pair in pairs if all(word in places for word in pair)]
    sides = {word: side for pair in drawn for side, word in zip(ends or ("first", "second"), pair, strict=True)}
    dots = [row | {"group": sides[row["word"]]} for row in point_rows([places[word] for word in sides])]
    spots = {row["word"]: row for row in dots}
    segments = [(spots[first], spots[second]) for first, second in drawn]
    lines = [{"x": first["x"], "y": first["y"], "x2": second["x"], "y2": second["y"]} for first, second in segments]

    plane = plane_for(dots, width, _ARROWS_HEIGHT)
    axes = plane.channels(x_title, y_title)
    hover = tooltips("word", {"x": x_title, "y": y_title}, (point.hints for point in places.values()))
    marks = looks("group", dict(zip(ends or ("first", "second"), _ENDS, strict=True)), legend={} if ends else None)
    layers = [
        layer(lines, "rule", {"color": QUIET, "strokeWidth": 1.2}, **axes, x2={"field": "x2"}, y2={"field": "y2"}),
        layer(dots, "point", {"size": 56, "opacity": 1, "strokeWidth": 1.6}, **axes, **marks, tooltip=hover),
        plane.names(dots, dots, segments, hover=hover),
    ]
    return finish(layers, width=width - SIDE, height=_ARROWS_HEIGHT)


def curve(
    points: Sequence[Point], *, x_title: str, y_title: str, chosen: str | None = None, width: int = WIDTH
) -> Spec:
    """Join points in the order given, each named by its word; the `chosen` one is filled."""
    drawn = drawable(points)
    dots = [row | {"order": index, "chosen": row["word"] == chosen} for index, row in enumerate(point_rows(drawn))]
    plane = plane_for(dots, width, _CURVE_HEIGHT)
    axes = plane.channels(x_title, y_title)
    filling = {"condition": {"test": "datum.chosen", "value": ACCENT}, "value": PAPER}
    hover = tooltips("word", {"x": x_title, "y": y_title}, (point.hints for point in drawn))
    look = {"size": 60, "opacity": 1, "stroke": ACCENT, "strokeWidth": 1.8}
    layers = [
        layer(dots, "line", {"color": QUIET, "strokeWidth": 1.4}, **axes, order="order:Q"),
        layer(dots, "point", look, **axes, fill=filling, tooltip=hover),
        plane.names(dots, dots, pairwise(dots), hover=hover),
    ]
    return finish(layers, width=width - SIDE, height=_CURVE_HEIGHT)


def lines(points: Sequence[Point], *, x_title: str, y_title: str, width: int = WIDTH) -> Spec:
    """Join the points of each group, three at most, in a line; x are whole numbers, written without commas."""
    drawn = drawable(points)
    rows = [row | {"low": point.low, "high": point.high} for row, point in zip(point_rows(drawn), drawn, strict=True)]
    marks = dict(zip(dict.fromkeys(point.group for point in drawn), _GROUPS, strict=False))
    ends = [end for point in drawn for end in (point.y, point.low, point.high) if end is not None and has_place(end)]
    plane = Plane(scale_for([point.x for point in drawn], 0, width - SIDE), scale_for([0.0, *ends], _LINES_HEIGHT, 0))
    axes = plane.channels(x_title, y_title)
    axes["x"] |= {"axis": {"format": "d"}}
    hover = tooltips("word", {"x": x_title, "y": y_title, "low": "from", "high": "to"}, ())
    look = looks("group", marks, legend={} if len(marks) > 1 else None)
    between = {**axes, "y": axes["y"] | {"field": "low"}}
    has_band = "isValid(datum.low) && isValid(datum.high)"
    layers = [zero_rule("y")]
    for group, (_, _, tone) in marks.items():
        of_group = [row for row in rows if row["group"] == group]
        layers += [
            layer(of_group, "area", {"opacity": 0.18, "color": tone}, where=has_band, **between, y2={"field": "high"}),
            layer(of_group, "line", {"strokeWidth": 1.6, "color": tone}, **axes),
        ]
    layers.append(layer(rows, "point", {"size": 44, "opacity": 1}, **axes, **look, tooltip=hover))
    return finish(layers, width=width - SIDE, height=_LINES_HEIGHT)


class Plane(NamedTuple):
    """Two scales in pixels, as wide as a chart may be."""

    x: Scale
    y: Scale

    def spot(self, row: DataRow) -> tuple[float, float]:
        """Return the place of a row, in pixels."""
        return self.x(row["x"]), self.y(row["y"])

    def middle(self, dots: Sequence[DataRow]) -> tuple[float, float]:
        """Return the middle of the dots, in pixels, or that of an empty plane."""
        spots = [self.spot(row) for row in dots] or [(self.x.end / 2, self.y.start / 2)]
        return fmean(x for x, _ in spots), fmean(y for _, y in spots)

    def channels(self, x_title: str, y_title: str) -> DataRow:
        """Return both axes for a layer whose rows have x and y."""
        return {
            "x": channel("x:Q", title=clean(x_title), scale=self.x.shown),
            "y": channel("y:Q", title=clean(y_title), scale=self.y.shown),
        }

    def names(
        self,
        named: Sequence[DataRow],
        dots: Sequence[DataRow],
        segments: Iterable[Segment] = (),
        *,
        most: int | None = None,
        hover: Sequence[DataRow],
    ) -> Spec:
        """Write the words of rows beside their dots, the first rows first; see `place_labels`."""
        taken = [(dot(*self.spot(row)), DOT_WEIGHT) for row in dots]
        for start, end in segments:
            taken += [(step, LINE_WEIGHT) for step in trail(self.spot(start), self.spot(end))]
        anchors = [Anchor(*self.spot(row), row["word"]) for row in named]
        frame = Box(0, 0, self.x.end, self.y.start)
        labels = place_labels(anchors, taken, frame, most=most, middle=self.middle(dots))
        texts = [named[label.anchor] | {"dx": label.dx, "dy": label.dy, "align": label.align} for label in labels]
        look = {"baseline": "middle", **{name: {"expr": f"datum.{name}"} for name in ("dx", "dy", "align")}}
        return layer(texts, "text", look, x="x:Q", y="y:Q", text="word:N", tooltip=hover)


def plane_for(dots: Sequence[DataRow], width: int, height: int, *, square: bool = False) -> Plane:
    """Return the plane that shows all dots; in a `square` one both axes have one range."""
    xs, ys = [row["x"] for row in dots], [row["y"] for row in dots]
    if square:
        xs = ys = xs + ys
    return Plane(scale_for(xs, 0, width - SIDE), scale_for(ys, height, 0))


def _outermost(dots: Sequence[DataRow], plane: Plane, first: int) -> list[DataRow]:
    """Return rows from the outside in: the `first` by distance alone, then in turn from eight directions."""
    x, y = plane.middle(dots)
    ordered = sorted(dots, key=lambda row: -math.dist(plane.spot(row), (x, y)))
    turns: list[tuple[int, int]] = []
    seen = [0] * 8
    for place, (right, down) in enumerate(map(plane.spot, ordered[first:]), start=first):
        direction = int((math.atan2(down - y, right - x) / math.tau + 0.5) * 8) % 8
        turns.append((seen[direction], place))
        seen[direction] += 1
    return [*ordered[:first], *(ordered[place] for _, place in sorted(turns))]


def _line_ends(slope: float, intercept: float, plane: Plane) -> list[DataRow]:
    """Return the line's two ends inside the frame, or nothing where it does not pass."""
    if not (math.isfinite(slope) and math.isfinite(intercept)):
        return []
    x, y = plane
    crossings = [x.low, x.high, *((edge - intercept) / slope for edge in (y.low, y.high) if slope)]
    room = (y.high - y.low) * 1e-9
    ends = [{"x": at, "y": slope * at + intercept} for at in sorted(crossings) if x.low <= at <= x.high]
    inside = [end for end in ends if y.low - room <= end["y"] <= y.high + room]
    return [inside[0], inside[-1]] if inside else []
