"""Pairs of words in two components, each pair joined by a line (Caliskan, Bryson and Narayanan, Figure 3)."""

from collections.abc import Sequence

from imprint.render.charts.plane import plane_for
from imprint.render.charts.points import Point, drawable, point_rows, tooltips
from imprint.render.charts.theme import ACCENT, OTHER, PAPER, QUIET, SIDE, WIDTH, Spec, finish, layer, looks

_HEIGHT = 460
_LOOKS = (("circle", ACCENT, ACCENT), ("square", PAPER, OTHER))


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
    segments = [(spots[one], spots[other]) for one, other in drawn]
    lines = [{"x": one["x"], "y": one["y"], "x2": other["x"], "y2": other["y"]} for one, other in segments]

    plane = plane_for(dots, width, _HEIGHT)
    axes = plane.channels(x_title, y_title)
    hover = tooltips("word", {"x": x_title, "y": y_title}, (point.hints for point in places.values()))
    marks = looks("group", dict(zip(ends or ("first", "second"), _LOOKS, strict=True)), legend={} if ends else None)
    layers = [
        layer(lines, "rule", {"color": QUIET, "strokeWidth": 1.2}, **axes, x2={"field": "x2"}, y2={"field": "y2"}),
        layer(dots, "point", {"size": 56, "opacity": 1, "strokeWidth": 1.6}, **axes, **marks, tooltip=hover),
        plane.names(dots, dots, segments, hover=hover),
    ]
    return finish(layers, width=width - SIDE, height=_HEIGHT)
