"""How every chart looks: the page's colours, type that can be read, and little ink that says nothing."""

import functools
from collections.abc import Callable, Mapping, Sequence
from typing import TYPE_CHECKING, Any, Literal, ParamSpec

from imprint.errors import requiring

if TYPE_CHECKING:
    import altair as alt

Spec = dict[str, Any]
DataRow = dict[str, Any]
Options = ParamSpec("Options")

INK, SOFT, LINE, PAPER = "var(--ink)", "var(--soft)", "var(--line)", "var(--paper)"
ACCENT, OTHER, QUIET, MARK = "var(--accent)", "var(--other)", "var(--quiet)", "var(--mark)"
HIGH, MIDDLE = "var(--high)", "var(--middle)"  # levels of evidence
FONT = "system-ui, -apple-system, Roboto, Helvetica, Arial, sans-serif"
TEXT = 12  # pixels, the smallest type

WIDTH = 860  # of a whole chart with its axes, unless another is given
NARROW = 340  # of a chart on a phone
SIDE = 64  # left of the plot: the axis of y with its title

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


def unchecked(build: Callable[Options, Spec]) -> Callable[Options, Spec]:
    """Build without Altair's check of every part against its schema, half of the time; a test checks the whole."""

    @functools.wraps(build)
    def built(*args: Options.args, **options: Options.kwargs) -> Spec:
        with requiring("altair", "report"):
            from altair.utils.schemapi import debug_mode
        with debug_mode(False):
            return build(*args, **options)

    return built


def finish(layers: Sequence["alt.Chart"], *, width: int, height: int, padding: int | DataRow = 4) -> Spec:
    """Lay the layers over one another and return the specification with the theme in it."""
    import altair as alt

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
    chart = alt.layer(*layers, width=width, height=height, padding=padding)
    spec: Spec = chart.configure(**config).to_dict(validate=False)
    return spec


def rows(values: Sequence[DataRow]) -> "alt.InlineData":
    """Hand rows to a layer; text in them loses what no XML may hold."""
    import altair as alt

    return alt.InlineData(values=[{key: clean(value) for key, value in row.items()} for row in values])


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
        channel: {
            "field": name,
            "type": "nominal",
            "scale": {"domain": domain, "range": list(values)},
            "legend": legend,
        }
        for channel, values in zip(("shape", "fill", "stroke"), ranges, strict=False)
    }


def zero_rule(channel: Literal["x", "y"]) -> "alt.Chart":
    """Draw the line at zero."""
    import altair as alt

    where: DataRow = {channel: "zero:Q"}
    layer: alt.Chart = alt.Chart(rows([{"zero": 0}])).mark_rule(color=QUIET, strokeWidth=1).encode(**where)
    return layer


def _writable(code: int) -> bool:
    return code in (0x9, 0xA, 0xD) or 0x20 <= code < 0xD800 or 0xE000 <= code < 0xFFFE or code > 0xFFFF
