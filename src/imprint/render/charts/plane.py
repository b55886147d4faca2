"""A plane with two axes: where a row stands in it, and the names written beside the dots."""

from collections.abc import Iterable, Sequence
from statistics import fmean
from typing import NamedTuple

from imprint.render.charts.placement import DOT_WEIGHT, LINE_WEIGHT, Anchor, Box, dot, place_labels, trail
from imprint.render.charts.points import Scale, scale_for
from imprint.render.charts.theme import SIDE, DataRow, Spec, clean, field, layer

Segment = tuple[DataRow, DataRow]


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
            "x": field("x:Q", title=clean(x_title), scale=self.x.shown),
            "y": field("y:Q", title=clean(y_title), scale=self.y.shown),
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
        for one, other in segments:
            taken += [(step, LINE_WEIGHT) for step in trail(self.spot(one), self.spot(other))]
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
