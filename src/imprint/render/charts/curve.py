"""What is gained against what is lost, setting by setting."""

from collections.abc import Sequence
from itertools import pairwise

from imprint.render.charts.plane import plane_for
from imprint.render.charts.points import Point, drawable, point_rows, tooltips
from imprint.render.charts.theme import ACCENT, PAPER, QUIET, SIDE, WIDTH, Spec, finish, layer

_HEIGHT = 320


def curve(
    points: Sequence[Point], *, x_title: str, y_title: str, chosen: str | None = None, width: int = WIDTH
) -> Spec:
    """Join points in the order given, each named by its word; the `chosen` one is filled."""
    drawn = drawable(points)
    dots = [row | {"order": place, "chosen": row["word"] == chosen} for place, row in enumerate(point_rows(drawn))]
    plane = plane_for(dots, width, _HEIGHT)
    axes = plane.channels(x_title, y_title)
    filling = {"condition": {"test": "datum.chosen", "value": ACCENT}, "value": PAPER}
    hover = tooltips("word", {"x": x_title, "y": y_title}, (point.hints for point in drawn))
    look = {"size": 60, "opacity": 1, "stroke": ACCENT, "strokeWidth": 1.8}
    layers = [
        layer(dots, "line", {"color": QUIET, "strokeWidth": 1.4}, **axes, order="order:Q"),
        layer(dots, "point", look, **axes, fill=filling, tooltip=hover),
        plane.names(dots, dots, pairwise(dots), hover=hover),
    ]
    return finish(layers, width=width - SIDE, height=_HEIGHT)
