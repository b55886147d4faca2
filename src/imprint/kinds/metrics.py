"""Metrics of other works as a kind, and which of them agree."""

import re
from collections.abc import Iterator, Sequence

from imprint.kinds import Kind, Part
from imprint.kinds.tests import OUTCOME, REASONS, by_chance, legend, missing_notes, outcome_text
from imprint.metrics.agreement import MetricAgreementRow
from imprint.metrics.run import MetricRow
from imprint.tables import Field, table
from imprint.view import (
    NOTHING,
    Block,
    Cell,
    Claim,
    Details,
    Listing,
    Prose,
    Text,
    count,
    footnote,
    interval,
    join,
    number,
    say,
    title,
    words,
)

METRIC_PART = Part("metrics", "Metrics of other works", 28, asks=())

_APART = ("neighbours", "clustering")  # no attribute takes part in these
_MEANINGS = {
    "present": "the interval excludes what is expected where there is no difference, so other words of these kinds "
    "would differ, too. Random words of the same frequencies hardly ever reach the value",
    "cannot tell": "the interval contains what is expected, or the value lies on the side that does not mean bias. "
    "That does not mean that there is no difference",
    f"cannot tell: {REASONS['few words']}": "a set keeps fewer than half of its words here, or fewer than four",
    f"cannot tell: {REASONS['frequency']}": "random words that are as frequent may give as much, or the words of a "
    "set are at least twice as frequent as those of another, or the frequencies are not known",
    f"cannot tell: {REASONS['grammar']}": "the test's own difference is not larger than theirs, or they are missing",
    "not judged": "the value has no interval over words",
}


def blocks(rows: Sequence[MetricRow]) -> Iterator[Block]:
    """Show one line per value, and how to read each metric."""
    caption = say("Metrics on {}, with 99.5 % intervals over words", title(rows[0].embedding))
    yield table(
        MetricRow,
        caption,
        rows,
        (
            Field("metric", cell=lambda row: row.metric),
            Field("test", cell=lambda row: say("{}{}", title(row.test), _about(row))),
            "value",
            "expected",
            OUTCOME,
            "p_value",
        ),
        more=[Field("n_x", cell=_sizes, numeric=False)],
        extra=("p_frequency", "labellings", Field("options", cell=_settings)),
    )
    by_test = {row.test: row for row in rows}
    unpaired = {row.test: row for row in rows if row.unpaired}
    notes = (*missing_notes([*by_test.values()]), *map(_left_out, unpaired.values()))
    yield Details("How to read this", (*_reading(rows), *notes))


def claims(rows: Sequence[MetricRow]) -> Iterator[Claim]:
    """Pair what a value shows with what it does not."""
    for row in rows:
        yield _said(row), "That there is no bias." if not row.found else "That other metrics would show the same."


def _reading(rows: Sequence[MetricRow]) -> Iterator[Block]:
    by_name = {row.metric: row for row in rows}
    one_test = len({row.test for row in rows}) == 1
    lines: list[Text] = [
        say("{} ({}, {}): {}.", row.metric_title, name, row.metric_source, _oriented(row, one_test=one_test))
        for name, row in by_name.items()
    ]
    lines += legend(_MEANINGS, {outcome_text(row) for row in rows})
    if len(rows) > 1:
        lines.append(f"Of {len(rows)} values without a difference, {by_chance(rows)} are expected to be present.")
    yield Listing(tuple(lines), ("page", "terminal"))
    fixed = [row.metric_title for row in by_name.values() if row.permuted is None]
    if fixed:
        yield footnote(
            f"{', '.join(fixed)}: labels are not exchanged. The value is compared with those of random words of the "
            "same frequencies."
        )


def _oriented(row: MetricRow, *, one_test: bool) -> Text:
    """Say what a large and a small value mean; of one test, sets go by their names."""
    names = {listing.role.upper(): listing.name for listing in row.sets} if one_test else {}
    pieces = re.split(r"\b([XYAB])\b", row.orientation)
    return join((title(names[piece]) if piece in names else piece for piece in pieces), "")


def _left_out(row: MetricRow) -> Block:
    text = say(
        "words of {} left out, as the other word of their pair is missing: {}", title(row.test), words(row.unpaired)
    )
    return Prose(text, "warning", ("terminal", "card"))


def _said(row: MetricRow) -> Text:
    """Say what a value shows."""
    what = say("{} of {}{}", row.metric_title, title(row.test), _about(row))
    value = (number(row.value, 3), interval(row.words_low, row.words_high, 3), number(row.expected, 3))
    turned = ", against the prediction" if row.directed and (row.excess or 0.0) < 0 else ""
    apart = " that the groups can be distinguished, which is not bias by itself" if row.metric in _APART else ""
    if not row.found:
        turned = apart = ""
    return say("{}: {}{}{} ({} [{}]; {} is expected).", what, outcome_text(row), turned, apart, *value)


def _about(row: MetricRow) -> Text:
    return "" if row.about is None else say(", {}", title(row.about))


def _sizes(row: MetricRow) -> Text:
    return join(count(size) for size in row.group_sizes or (row.n_x, row.n_y, row.n_a, row.n_b))


def _settings(row: MetricRow) -> Text:
    return ", ".join(f"{option.name} {option.value}" for option in row.options) or NOTHING


def agreement_blocks(rows: Sequence[MetricAgreementRow]) -> Iterator[Block]:
    """Show which metrics say the same."""
    caption = say("Do metrics say the same on {}?", title(rows[0].embedding))
    directions = Field("n_same_direction", cell=lambda row: _share(row.n_same_direction, row.n_directed))
    outcomes = Field("n_same_outcome", cell=lambda row: _share(row.n_same_outcome, row.n_judged))
    columns = ("metric", "other_metric", "n_tests", directions, outcomes, "rank_correlation")
    yield table(MetricAgreementRow, caption, rows, columns)
    yield footnote(
        "Tests share words, so the rank correlation has no p-value. It compares values less what is expected, in the "
        "predicted direction, and needs four tests. A metric without a direction is compared by its size."
    )


def _share(same: int, asked: int) -> Cell:
    return Cell(say("{} of {}", count(same), count(asked)) if asked else NOTHING, order=same if asked else None)


METRIC = Kind(
    row=MetricRow,
    part=METRIC_PART,
    blocks=blocks,
    sentences=lambda rows: map(_said, rows),
    claims=claims,
    aliases={"p": "p_value"},
    card=True,
    opens=3,
    method="Metrics of other works were measured as published, with 99.5 % intervals over words. Their p-values come "
    "from exchanging the labels of words. Where that is not a fair comparison, they come from random words of the "
    "same frequencies.",
)
METRIC_AGREEMENT = Kind(
    row=MetricAgreementRow,
    part=METRIC_PART,
    blocks=agreement_blocks,
    aliases={"r": "rank_correlation"},
    rank=1,
)
