"""Published figures as a kind: what the five works print, what we compute, and how the two compare."""

from collections import Counter
from collections.abc import Iterator, Sequence
from operator import itemgetter

from imprint.kinds import Kind, Part
from imprint.masking import Words
from imprint.render.charts.plane import scatter
from imprint.render.charts.points import Point
from imprint.reproduction.rows import FigureOutcome, RemovedNamesRow, ReproductionRow
from imprint.rows import WordPoint, grouped
from imprint.stimuli.published import papers
from imprint.tables import Field, table
from imprint.view import Block, Cell, Chart, Claim, Details, Prose, Text, count, footnote, number, say, title

FIGURES = Part("reproduction", "Published figures beside ours", 95, controlled=False)

_MOST_TENFOLDS = 99.0  # a file may say more than a float can hold
_SHOWN: tuple[FigureOutcome, ...] = ("equal", "differs", "other model")
_PRINTED = (Field("source", folded=True), "title", "model", Field("printed", numeric=True))


def blocks(rows: Sequence[ReproductionRow]) -> Iterator[Block]:
    """Show a chart of all effects, a table per work, and what cannot be computed."""
    if chart := _chart(rows):
        yield chart
    computed = [row for row in rows if row.outcome in _SHOWN]
    for paper, own in grouped(computed, key=lambda row: row.paper).items():
        columns = (*_PRINTED, Field("ours", numeric=True), Field("outcome", cell=_verdict))
        yield table(ReproductionRow, title(_work(paper)), own, columns, filtered=len(own) > 12)
    yield from _left_out([row for row in rows if row.outcome not in _SHOWN])
    yield footnote(
        "Equal: to the printed rounding. Other model: our figure is for a bundled relative of the paper's model, and "
        "is shown for orientation. It says nothing about whether the published figure holds."
    )
    yield from (Prose(text, "plain", ("terminal",)) for text in sentences(rows))


def sentences(rows: Sequence[ReproductionRow]) -> Iterator[Text]:
    """Say how many figures come out, and which do not."""
    counts = Counter(row.outcome for row in rows)
    yield say(
        "Of {} published figures: {} equal to their rounding, {} different, {} beside ours of another model, {} that "
        "cannot be computed here.",
        *(
            count(value)
            for value in (len(rows), *(counts[outcome] for outcome in _SHOWN), counts["cannot be computed"])
        ),
    )
    for row in rows:
        if row.outcome == "differs":
            yield say("{}, {} ({}): {}.", *map(title, (row.source, row.title, row.model, row.reason)))


def claims(rows: Sequence[ReproductionRow]) -> Iterator[Claim]:
    """Pair what is reproduced with what that does not show."""
    equal = sum(row.outcome == "equal" for row in rows)
    if equal:
        yield (
            say("{} published figures come out of this software to their printed rounding.", count(equal)),
            "That the published conclusions hold: the same words and vectors give the same numbers.",
        )


def _work(paper: str) -> str:
    return papers().get(paper, paper)


def _verdict(row: ReproductionRow) -> Cell:
    said: Text = row.outcome
    if row.outcome == "other model":
        said = say("{}: {}", row.outcome, title(row.embedding))
    elif row.reason:
        said = say("{}; {}" if row.outcome == "equal" else "{}: {}", row.outcome, title(row.reason))
    return Cell(said, hint=title(" ".join(filter(None, (row.reason, row.get)))))


def _left_out(rows: Sequence[ReproductionRow]) -> Iterator[Block]:
    if not rows:
        return
    groups = grouped(rows, key=lambda row: (row.paper, row.model, row.reason, row.get))
    columns = (
        Field("paper", cell=lambda group: title(_work(group[0].paper))),
        "model",
        Field(
            title="Figures",
            meaning="How many figures of the work these are.",
            cell=lambda group: count(len(group)),
            numeric=True,
        ),
        Field("reason", "Cannot be computed because"),
        "get",
    )
    yield table(ReproductionRow, "Not computed here", groups.values(), columns, of=itemgetter(0))
    heading = "Every figure that is not computed"
    listed = table(ReproductionRow, heading, rows, (*_PRINTED, "reason", "get"), filtered=True, media=("page",))
    yield Details(heading, (listed,), media=("page",))


def _chart(rows: Sequence[ReproductionRow]) -> Chart | None:
    """Draw effects and correlations: the printed one from left to right, ours from bottom to top."""
    drawn = [
        row
        for row in rows
        if row.printed_value is not None
        and row.value is not None
        and row.title.endswith(("effect size", "correlation"))
    ]
    drawn.sort(key=lambda row: _SHOWN.index(row.outcome))
    if len(drawn) < 2:
        return None

    def draw(shown: Words, width: int) -> dict[str, object]:
        return scatter(
            [Point(shown.text(row.test), row.printed_value or 0.0, row.value or 0.0, row.outcome) for row in drawn],
            x_title="published effect size or correlation",
            y_title="ours",
            line="diagonal",
            width=width,
        )

    alt = say(
        "A mark for each of {} effect sizes and correlations. From left to right: the published one. From bottom to "
        "top: ours. On the diagonal they are equal.",
        count(len(drawn)),
    )
    figure = Field(title="Figure", cell=lambda row: title(row.test))
    columns = (figure, Field("printed_value", "Published"), Field("value", "Ours"), "outcome")
    heading = "Published effect sizes and ours"
    listed = table(ReproductionRow, heading, drawn, columns, filtered=True)
    return Chart("reproduction", heading, alt, draw, listed, main=True)


def name_sentences(rows: Sequence[RemovedNamesRow]) -> Iterator[Text]:
    """Say how the removed names differ."""
    for row in rows:
        yield say(
            "Of {} surnames of {}, cleaning removes {}; as words they are on average {} times as frequent as the kept "
            "surnames with as many bearers.",
            count(row.names_kept + row.names_removed),
            title(row.embedding),
            count(row.names_removed),
            number(10.0 ** min(row.excess_removed, _MOST_TENFOLDS), 1),
        )


def _names_chart(row: RemovedNamesRow) -> Chart:
    """Draw how frequent names are as words, against how many people bear them (Swinger et al., figure 1)."""
    marked = [("removed", point) for point in row.removed] + [("kept", point) for point in row.kept]

    def draw(shown: Words, width: int) -> dict[str, object]:
        return scatter(
            [Point(shown.plain(point.word), point.x, point.y, group) for group, point in marked],
            x_title="rank as a word, log10",
            y_title="share of bearers, log10",
            line=(1.0 / row.slope, -row.intercept / row.slope) if row.slope else None,
            width=width,
        )

    alt = say(
        "A mark for each of {} surnames, a sample. From left to right: how rare it is as a word. From bottom to top: "
        "how many bear it. The line goes through the kept names. Many removed names lie to the left of it.",
        count(len(marked)),
    )
    columns = (
        Field("word", "Surname"),
        Field("x", "Rank, log10", cell=lambda mark: number(mark[1].x)),
        Field("y", "Share, log10", cell=lambda mark: number(mark[1].y)),
        Field(cell=itemgetter(0)),
    )
    listed = table(
        WordPoint, "Surnames of the chart", marked, columns, of=itemgetter(1), filtered=True, media=("page",)
    )
    heading = say("Surnames that cleaning removes from {}", title(row.embedding))
    return Chart("removed-names", heading, alt, draw, listed)


REPRODUCTION = Kind(
    row=ReproductionRow,
    part=FIGURES,
    blocks=blocks,
    sentences=sentences,
    claims=claims,
    opens=1,
    card=True,
)
REMOVED_NAMES = Kind(
    row=RemovedNamesRow,
    part=FIGURES,
    blocks=lambda rows: map(_names_chart, rows),
    sentences=name_sentences,
    rank=1,
)
