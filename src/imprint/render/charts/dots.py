"""Words one under another, each at its number, the highest on top: a few words, every one named."""

from collections import defaultdict
from collections.abc import Sequence
from statistics import fmean

from imprint.render.charts import theme
from imprint.render.charts.points import Point, drawable, fitting, scale_for, tooltips
from imprint.render.charts.theme import DataRow, Spec, clean, field, finish, layer, looks, zero_rule

_WIDEST = 580
_LABELS = 150  # pixels left of the plot
_LINE = 20  # from word to word
# Shape and filling say what colour says.
_LOOKS = (("circle", theme.ACCENT, theme.ACCENT), ("diamond", theme.PAPER, theme.OTHER))


def dots(points: Sequence[Point], *, x_title: str, width: int = theme.WIDTH) -> Spec:
    """Draw one line per word; several groups have different shapes, and their means are drawn too."""
    drawn = sorted(drawable(points), key=lambda point: (-point.x, point.word))
    plot = min(width, _WIDEST) - _LABELS
    listed: list[DataRow] = [
        {
            "line": place,
            "word": point.word,
            "label": fitting(point.word, _LABELS - 10),
            "x": point.x,
            "group": point.group,
        }
        for place, point in enumerate(drawn)
    ]
    groups: dict[str, list[float]] = defaultdict(list)
    for point in points:
        groups[point.group].append(point.x)
    marks = dict(zip(groups, _LOOKS, strict=False))
    several = len(groups) > 1
    scale = scale_for([0.0, *(point.x for point in drawn)], 0, plot)
    x = field("x:Q", title=clean(x_title), scale=scale.shown)
    y = field("line:O", axis=None, scale={"domain": list(range(len(drawn))), "padding": 0.5})
    legend = {"orient": "none", "legendX": -_LABELS, "legendY": -34} if several else None
    layers = [
        layer(listed, "rule", {"color": theme.LINE, "strokeWidth": 0.6}, x={"value": 0}, x2={"value": plot}, y=y),
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
    return finish(layers, width=plot, height=_LINE * len(drawn))
