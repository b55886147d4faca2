"""How every chart looks: the page's colours, type that can be read, and little ink that says nothing."""

from collections.abc import Mapping, Sequence
from typing import Any, Literal

Spec = dict[str, Any]  # of Vega-Lite: written by hand, because a library that checks every part takes a second
DataRow = dict[str, Any]

INK, SOFT, LINE, PAPER = "var(--ink)", "var(--soft)", "var(--line)", "var(--paper)"
ACCENT, OTHER, QUIET, MARK = "var(--accent)", "var(--other)", "var(--quiet)", "var(--mark)"
HIGH, MIDDLE = "var(--high)", "var(--middle)"  # outcomes, the most serious first
# The left half of a circle, and the line of its right half there and back, which has no inside.
_HALF_FILLED = "M0,-1A1,1,0,0,0,0,1ZM0,1A1,1,0,0,0,0,-1A1,1,0,0,1,0,1"
# Shape, filling and line of each outcome, as in tables: shape and filling say what colour says.
OUTCOME_MARKS = {
    "substantial": ("diamond", HIGH, HIGH),
    "present": (_HALF_FILLED, MIDDLE, MIDDLE),
    "small": ("square", ACCENT, ACCENT),
    "cannot tell": ("circle", PAPER, QUIET),
}
FONT = "system-ui, -apple-system, Roboto, Helvetica, Arial, sans-serif"
TEXT = 12  # pixels, the smallest type

WIDTH = 860  # of a whole chart with its axes, unless another is given
NARROW = 340  # of a chart on a phone
SIDE = 64  # left of the plot: the axis of y with its title

_SCHEMA = "https://vega.github.io/schema/vega-lite/v6.json"
_TYPES = {"Q": "quantitative", "N": "nominal", "O": "ordinal"}
_AXIS: DataRow = {
    "domainColor": LINE,
    "gridColor": LINE,
    "gridWidth": 0.6,
    "labelColor": SOFT,
    "labelFontSize": TEXT,
    "labelPadding": 6,
    "tickColor": LINE,
    "tickCount": 6,
    "ticks": False,
    "titleColor": INK,
    "titleFontSize": 13,
    "titleFontWeight": "normal",
    "titlePadding": 10,
}
_LEGEND: DataRow = {
    "columnPadding": 22,
    "labelColor": INK,
    "labelFontSize": TEXT,
    "labelLimit": 300,
    "offset": 10,
    "orient": "top",
    "direction": "horizontal",
    "symbolSize": 80,
    "title": None,
}


def layer(
    values: Sequence[DataRow], mark: str, look: DataRow | None = None, *, where: str | None = None, **channels: Any
) -> Spec:
    """Return one layer of a chart: rows, those `where` a condition holds, with a mark that looks so.

    A channel is a definition of Vega-Lite, or for short "field:Q", "field:N" or "field:O".
    """
    encoding = {name: channel(shown) if isinstance(shown, str) else shown for name, shown in channels.items()}
    made: Spec = {"data": values, "mark": {"type": mark, **(look or {})}, "encoding": encoding}
    return made if where is None else made | {"transform": [{"filter": where}]}


def channel(short: str, **more: Any) -> DataRow:
    """Return a channel that shows a field, such as "x:Q"."""
    name, _, kind = short.partition(":")
    return {"field": name, "type": _TYPES[kind], **more}


def finish(layers: Sequence[Spec], *, width: int, height: int) -> Spec:
    """Lay the layers over one another and return the specification with the theme in it."""
    config: DataRow = {
        "aria": False,
        "axis": _AXIS,
        "axisY": {"minExtent": 30, "titleAnchor": "middle"},
        "background": "transparent",
        "font": FONT,
        "legend": _LEGEND,
        "text": {"color": INK, "fontSize": TEXT},
        "view": {"stroke": None},
    }
    # Rows that several layers share are written once.
    names: dict[int, str] = {}
    datasets: dict[str, list[DataRow]] = {}
    named = []
    for drawn in layers:
        name = names.setdefault(id(drawn["data"]), f"rows{len(names)}")
        if name not in datasets:
            datasets[name] = [{key: clean(value) for key, value in row.items()} for row in drawn["data"]]
        named.append(drawn | {"data": {"name": name}})
    size = {"width": width, "height": height, "padding": 4}
    return {"$schema": _SCHEMA, "config": config, "layer": named, **size, "datasets": datasets}


def clean(value: Any) -> Any:
    """Return a value, its characters that no XML and no UTF-8 may hold replaced."""
    if not isinstance(value, str):
        return value
    return "".join(letter if _writable(ord(letter)) else "\N{REPLACEMENT CHARACTER}" for letter in value)


def looks(name: str, marks: Mapping[str, tuple[str, str, str]], *, legend: DataRow | None) -> DataRow:
    """Return the channels that tell a field's values apart by shape, fill and stroke, in one legend or none."""
    domain = [clean(value) for value in marks]
    ranges = zip(*marks.values(), strict=True)
    return {
        look: {
            "field": name,
            "type": "nominal",
            "scale": {"domain": domain, "range": list(values)},
            "legend": legend,
        }
        for look, values in zip(("shape", "fill", "stroke"), ranges, strict=False)
    }


def zero_rule(axis: Literal["x", "y"]) -> Spec:
    """Draw the line at zero."""
    return layer([{"zero": 0}], "rule", {"color": QUIET, "strokeWidth": 1}, **{axis: "zero:Q"})


def _writable(code: int) -> bool:
    return code in (0x9, 0xA, 0xD) or 0x20 <= code < 0xD800 or 0xE000 <= code < 0xFFFE or code > 0xFFFF
