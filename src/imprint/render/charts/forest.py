"""Sizes of many tests one under another: the estimate, its interval, and a mark for the outcome."""

import math
import textwrap
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Literal

from imprint.render.charts.points import fitting, has_place, hint_fields, scale_for, tooltips
from imprint.render.charts.theme import (
    LINE,
    OUTCOME_MARKS,
    QUIET,
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
from imprint.significance.outcomes import SizeOutcome

Mark = SizeOutcome | Literal["for comparison"]

_LABELS = 350  # pixels left of the plot
_ABOVE = 500  # a chart narrower than this has its labels above the bars
_LINE_HEIGHT = 15
_LETTER = 7
_ENTRY = 190  # pixels of an entry of the legend
_BAR = "M-1.2,0L1.2,0"
_MARKS: dict[str, tuple[str, str, str]] = {**OUTCOME_MARKS, "for comparison": ("cross", QUIET, QUIET)}


@dataclass(frozen=True)
class ForestRow:
    """One test: its two lines of label, its size, the interval's ends, and the outcome, which decides its mark.

    What is drawn `for comparison` has no outcome.
    `hints` are shown on hover: their keys are the caller's own, the same in every row.
    """

    label: str
    estimate: float
    low: float | None = None
    high: float | None = None
    outcome: Mark = "cannot tell"
    below: str = ""
    hints: Mapping[str, str] = field(default_factory=dict)


def forest(
    tests: Sequence[ForestRow], *, x_title: str, band: str, small: float | None = None, width: int = WIDTH
) -> Spec:
    """Draw one row per test, in the order given; `band` says in the legend what the bars are.

    What lies within `small` of zero is shaded.
    """
    above = width < _ABOVE
    side = 0 if above else _LABELS
    plot = width - side - 16
    drawn = [test for test in tests if has_place(test.estimate)]
    room = plot if above else side - 12
    estimates = [_row(index, test, room) for index, test in enumerate(drawn)]
    ends = [row[key] for row in estimates for key in ("estimate", "low", "high") if row[key] is not None]
    two = any(row["below"] for row in estimates)
    step = _LINE_HEIGHT * (1 + two) + (26 if above else 9 if two else 13)

    explained = _explained(estimates, band)
    columns = max(1, width // _ENTRY)
    heading = textwrap.wrap(clean(x_title), plot // _LETTER)
    top = -40 - _LINE_HEIGHT * len(heading) - 18 * math.ceil(len(explained) / columns)  # above the axis and its title
    legend = {"orient": "none", "legendX": -side, "legendY": top, "columns": columns}
    marks = looks("outcome", explained, legend=legend)
    scale = scale_for([0.0, *ends, *([] if small is None else [-small, small])], 0, plot)
    x = channel("estimate:Q", title=heading, axis={"orient": "top"}, scale=scale.shown)
    y = channel("row:O", axis=None, scale={"domain": list(range(len(drawn))), "padding": 0.5})
    numbers = {"estimate": x_title, "low": f"{band}, from", "high": f"{band}, to"}
    hover = tooltips("title", numbers, (test.hints for test in drawn))
    tones = {"domain": list(_MARKS), "range": [stroke for _, _, stroke in _MARKS.values()]}
    tone = {"field": "outcome", "type": "nominal", "legend": None, "scale": tones}
    written: DataRow = {"align": "left" if above else "right", "baseline": "middle"}
    at = {"value": 0 if above else -12}
    # Labels above their bar share the row with it; beside it, they are centred on it.
    lines = (-20, -20 + _LINE_HEIGHT) if above else (-_LINE_HEIGHT / 2, _LINE_HEIGHT / 2)
    down = 12 if above else 0
    line = {"color": LINE, "strokeWidth": 0.6, "yOffset": down}
    mark = {"size": 90, "strokeWidth": 1.8, "opacity": 1, "yOffset": down}
    layers = [
        *([_shaded(small, scale.shown)] if small is not None else []),
        zero_rule("x"),
        layer(estimates, "rule", line, x={"value": 0}, x2={"value": plot}, y=y),
        layer(estimates, "text", {"dy": lines[0] if two or above else 0, **written}, x=at, y=y, text="label:N"),
        layer(estimates, "text", {"dy": lines[1], "color": SOFT, **written}, x=at, y=y, text="below:N"),
        layer(
            estimates,
            "rule",
            {"strokeWidth": 3, "strokeCap": "round", "yOffset": down},
            where="isValid(datum.low) && isValid(datum.high)",
            x="low:Q",
            x2={"field": "high"},
            y=y,
            color=tone,
            tooltip=hover,
        ),
        layer(estimates, "point", mark, x=x, y=y, tooltip=hover, **marks),
    ]
    return finish(layers, width=plot, height=step * len(drawn))


def _shaded(small: float, scale: DataRow) -> Spec:
    ends = [{"from": -small, "to": small}]
    return layer(ends, "rect", {"color": LINE, "opacity": 0.45}, x=channel("from:Q", scale=scale), x2={"field": "to"})


def _row(place: int, test: ForestRow, room: float) -> DataRow:
    ends = (test.low, test.high)
    low, high = ends if all(map(has_place, ends)) else (None, None)
    return {
        "row": place,
        "title": f"{test.label}, {test.below}" if test.below else test.label,
        "label": fitting(test.label, room),
        "below": fitting(test.below, room),
        "estimate": test.estimate,
        "low": low,
        "high": high,
        "outcome": test.outcome,
        **hint_fields(test.hints),
    }


def _explained(estimates: Sequence[DataRow], band: str) -> dict[str, tuple[str, str, str]]:
    """Return what the legend must explain: nothing that is not drawn."""
    drawn = {row["outcome"] for row in estimates}
    bar = {clean(band): (_BAR, QUIET, QUIET)} if any(row["low"] is not None for row in estimates) else {}
    return {outcome: look for outcome, look in _MARKS.items() if outcome in drawn} | bar
