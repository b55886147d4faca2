"""Lines over an order, such as years: each with the band of its intervals where it has any."""

from collections.abc import Sequence
from typing import Any

from imprint.render.charts.plane import GROUPS
from imprint.render.charts.points import Point, drawable, has_place, point_rows, scale_for, tooltips
from imprint.render.charts.theme import SIDE, WIDTH, Spec, channel, clean, finish, layer, looks, zero_rule

_HEIGHT = 320


def lines(points: Sequence[Point], *, x_title: str, y_title: str, width: int = WIDTH) -> Spec:
    """Join the points of each group, three at most, in a line; x are whole numbers, written without commas."""
    drawn = drawable(points)
    rows = [row | {"low": point.low, "high": point.high} for row, point in zip(point_rows(drawn), drawn, strict=True)]
    marks = dict(zip(dict.fromkeys(point.group for point in drawn), GROUPS, strict=False))
    ends = [end for point in drawn for end in (point.y, point.low, point.high) if end is not None and has_place(end)]
    across = scale_for([point.x for point in drawn], 0, width - SIDE)
    axes: dict[str, Any] = {
        "x": channel("x:Q", title=clean(x_title), scale=across.shown, axis={"format": "d"}),
        "y": channel("y:Q", title=clean(y_title), scale=scale_for([0.0, *ends], _HEIGHT, 0).shown),
    }
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
    return finish(layers, width=width - SIDE, height=_HEIGHT)
