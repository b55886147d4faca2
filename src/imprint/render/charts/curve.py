"""What is gained against what is lost, setting by setting."""

from collections.abc import Sequence
from itertools import pairwise

from imprint.render.charts.plane import plane_for
from imprint.render.charts.points import Point, drawable, point_rows, tooltips
from imprint.render.charts.theme import ACCENT, PAPER, QUIET, SIDE, WIDTH, Spec, finish, rows, unchecked

_HEIGHT = 320


@unchecked
def curve(
    points: Sequence[Point], *, x_title: str, y_title: str, chosen: str | None = None, width: int = WIDTH
) -> Spec:
    """Join points in the order given, each named by its word; the `chosen` one is filled."""
    import altair as alt

    drawn = drawable(points)
    dots = [row | {"order": place, "chosen": row["word"] == chosen} for place, row in enumerate(point_rows(drawn))]
    plane = plane_for(dots, width, _HEIGHT)
    base = alt.Chart(rows(dots)).encode(**plane.channels(x_title, y_title))
    filling = alt.when("datum.chosen").then(alt.value(ACCENT)).otherwise(alt.value(PAPER))
    hover = tooltips("word", {"x": x_title, "y": y_title}, (point.hints for point in drawn))
    layers = [
        base.mark_line(color=QUIET, strokeWidth=1.4).encode(order="order:Q"),
        base.mark_point(size=60, opacity=1, stroke=ACCENT, strokeWidth=1.8).encode(fill=filling, tooltip=hover),
        plane.names(dots, dots, pairwise(dots)).encode(tooltip=hover),
    ]
    return finish(layers, width=width - SIDE, height=_HEIGHT)
