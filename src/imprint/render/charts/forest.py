"""Effects of many tests one under another: the estimate, the band around it, and a mark for the evidence."""

import math
import textwrap
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field

from imprint.render.charts.points import has_place, hint_fields, scale_for, tooltips
from imprint.render.charts.theme import (
    ACCENT,
    LINE,
    PAPER,
    QUIET,
    WIDTH,
    DataRow,
    Spec,
    clean,
    finish,
    looks,
    rows,
    unchecked,
    zero_rule,
)

_LABELS = 240  # pixels left of the plot
_LETTERS = 37  # in a line of a label, of which there are two at most
_LINE_HEIGHT = 15
_LETTERS_PER_LINE = 4  # entries of the legend
_BAR = "M-1.2,0L1.2,0"
_ARROW = "M0,1.1L-1,0L-0.4,0L-0.4,-1.1L0.4,-1.1L0.4,0L1,0Z"
# Shape and filling say what colour says; what is reversed points down.
_MARKS = {
    "strong": ("circle", ACCENT, ACCENT),
    "moderate": ("triangle-up", ACCENT, ACCENT),
    "limited": ("triangle-up", PAPER, ACCENT),
    "strong, reversed": (_ARROW, ACCENT, ACCENT),
    "moderate, reversed": ("triangle-down", ACCENT, ACCENT),
    "limited, reversed": ("triangle-down", PAPER, ACCENT),
    "none shown": ("circle", PAPER, QUIET),
    "too few words": ("diamond", PAPER, QUIET),
    "control": ("square", PAPER, QUIET),
    "not judged": ("cross", PAPER, QUIET),
}


@dataclass(frozen=True)
class ForestRow:
    """One test: its effect, the band's ends where there is one, and the evidence, which decides its mark.

    `hints` are shown on hover: their keys are the caller's own, the same in every row.
    """

    label: str
    estimate: float
    low: float | None = None
    high: float | None = None
    evidence: str = "none shown"
    hints: Mapping[str, str] = field(default_factory=dict)


@unchecked
def forest(tests: Sequence[ForestRow], *, x_title: str, band: str) -> Spec:
    """Draw one row per test, in the order given; `band` says in the legend what the bars are."""
    import altair as alt

    drawn = [test for test in tests if has_place(test.estimate)]
    estimates = [_row(place, test) for place, test in enumerate(drawn)]
    ends = [row[key] for row in estimates for key in ("estimate", "low", "high") if row[key] is not None]
    step = 2 * _LINE_HEIGHT + 8 if any("\n" in row["lines"] for row in estimates) else 28

    explained = _explained(estimates, band)
    above = -16 - 18 * math.ceil(len(explained) / _LETTERS_PER_LINE)
    legend = {"orient": "none", "legendX": -_LABELS, "legendY": above, "columns": _LETTERS_PER_LINE}
    marks = looks("evidence", explained, legend=legend)
    scale = scale_for([0.0, *ends], 0, WIDTH - _LABELS)
    x = alt.X("estimate", type="quantitative", title=clean(x_title), scale=alt.Scale(domain=scale.domain, nice=False))
    y = alt.Y("row", type="ordinal", axis=None, scale=alt.Scale(domain=list(range(len(drawn))), padding=0.5))
    base = alt.Chart(rows(estimates)).encode(x=x, y=y)
    numbers = {"estimate": x_title, "low": f"{band}, from", "high": f"{band}, to"}
    hover = tooltips("label", numbers, (test.hints for test in drawn))
    found = [evidence for evidence, (_, _, stroke) in _MARKS.items() if stroke == ACCENT]
    tone = alt.when(alt.FieldOneOfPredicate("evidence", found)).then(alt.value(ACCENT)).otherwise(alt.value(QUIET))
    layers = [
        base.mark_rule(color=LINE, strokeWidth=0.6).encode(x=alt.value(0), x2=alt.value(WIDTH - _LABELS)),
        zero_rule("x"),
        base.mark_text(
            align="left", baseline="middle", lineBreak="\n", lineHeight=_LINE_HEIGHT, dy=alt.expr("datum.rise")
        ).encode(x=alt.value(-_LABELS), text="lines:N"),
        base.transform_filter("isValid(datum.low) && isValid(datum.high)")
        .mark_rule(strokeWidth=7, strokeCap="round", opacity=0.35)
        .encode(x="low:Q", x2="high:Q", color=tone, tooltip=hover),
        base.mark_point(size=80, strokeWidth=1.8, opacity=1).encode(tooltip=hover, **marks),
    ]
    return finish(layers, width=WIDTH - _LABELS, height=step * len(drawn))


def _row(place: int, test: ForestRow) -> DataRow:
    lines = _lines(test.label)
    ends = (test.low, test.high)
    low, high = ends if all(map(has_place, ends)) else (None, None)
    return {
        "row": place,
        "label": test.label,
        "lines": "\n".join(lines),
        "rise": -(len(lines) - 1) * _LINE_HEIGHT / 2,
        "estimate": test.estimate,
        "low": low,
        "high": high,
        "evidence": test.evidence,
        **hint_fields(test.hints),
    }


def _lines(label: str) -> list[str]:
    """Break a long label in two, after a comma where there is one, so that neither line is much longer."""
    words = label.split()
    if len(label) <= _LETTERS:
        return [" ".join(words)]
    halves = [[" ".join(words[:place]), " ".join(words[place:])] for place in range(1, len(words))]
    fitting = [lines for lines in halves if max(map(len, lines)) <= _LETTERS]
    if not fitting:
        return textwrap.wrap(label, _LETTERS, max_lines=2, placeholder="…")
    return min(fitting, key=lambda lines: (not lines[0].endswith((",", ":")), max(map(len, lines))))


def _explained(estimates: Sequence[DataRow], band: str) -> dict[str, tuple[str, str, str]]:
    """Return what the legend must explain: nothing that is not drawn."""
    shown = {row["evidence"] for row in estimates}
    marks = {evidence: look for evidence, look in _MARKS.items() if evidence in shown}
    if any(row["low"] is not None for row in estimates):
        marks[clean(band)] = (_BAR, QUIET, QUIET)
    return marks
