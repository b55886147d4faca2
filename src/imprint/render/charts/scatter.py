"""Words in a plane: scores against a property, one embedding against another, before against after."""

import math
from collections.abc import Sequence
from typing import Literal

from imprint.render.charts import theme
from imprint.render.charts.plane import Plane, plane_for
from imprint.render.charts.points import Point, drawable, point_rows, spans_zero, tooltips
from imprint.render.charts.theme import DataRow, Spec, finish, layer, looks, zero_rule

_HEIGHT = 420
_CROWD = 300  # dots of one group; more are drawn smaller
_CHANNELS: tuple[Literal["x"], Literal["y"]] = ("x", "y")
# Shape and filling say what colour says.
_LOOKS = (
    ("circle", theme.ACCENT, theme.ACCENT),
    ("square", theme.PAPER, theme.OTHER),
    ("triangle-up", theme.PAPER, theme.QUIET),
)


def scatter(
    points: Sequence[Point],
    *,
    x_title: str,
    y_title: str,
    line: tuple[float, float] | Literal["diagonal"] | None = None,
    labels: int = 12,
    from_zero: bool = False,
    width: int = theme.WIDTH,
) -> Spec:
    """Draw words in a plane, the outermost `labels` with their names where these find room; y may begin at zero.

    `line` is y = slope * x + intercept, or the diagonal, which gives both axes one range. Of the points' groups, three
    at most, the first that comes lies on top and has its words named first.
    """
    drawn = drawable(points)
    dots = point_rows(drawn)
    shown = [*dots, dots[0] | {"y": 0.0}] if from_zero and dots else dots
    plane = plane_for(shown, width, _HEIGHT, square=line == "diagonal")
    axes = plane.channels(x_title, y_title)
    ends = [] if line is None else _line_ends(*((1.0, 0.0) if line == "diagonal" else line), plane)
    groups = list(dict.fromkeys(row["group"] for row in dots))
    hover = tooltips("word", {"x": x_title, "y": y_title}, (point.hints for point in drawn))

    layers = [zero_rule(name) for name in _CHANNELS if spans_zero(row[name] for row in dots)]
    if ends:
        stroke = {"strokeDash": [5, 4], "color": theme.SOFT} if line == "diagonal" else {"color": theme.INK}
        layers.append(layer(ends, "line", {"strokeWidth": 1.4, **stroke}, **axes))
    marks = looks("group", dict(zip(groups, _LOOKS, strict=False)), legend={} if len(groups) > 1 else None)
    for group in reversed(groups):
        members = [row for row in dots if row["group"] == group]
        size: DataRow = (
            {"size": 36, "strokeWidth": 1.2} if len(members) <= _CROWD else {"size": 14, "strokeWidth": 0.8}
        )
        layers.append(layer(members, "point", {"opacity": 0.75, **size}, **axes, **marks, tooltip=hover))
    named = [
        row
        for group in groups
        for row in _outermost([row for row in dots if row["group"] == group], plane, labels // 2)
    ]
    segments = [(ends[0], ends[1])] if ends else []
    # More than asked for: some stand in for those without room.
    layers.append(plane.names(named[: 4 * labels], dots, segments, most=labels, hover=hover))
    return finish(layers, width=width - theme.SIDE, height=_HEIGHT)


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
