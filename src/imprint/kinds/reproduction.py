"""Published figures as a kind: what the five works print, what we compute, and how the two compare."""

from collections import Counter
from collections.abc import Iterator, Sequence

from imprint.kinds import Kind, Part
from imprint.masking import Words
from imprint.reproduction.rows import FigureOutcome, RemovedNamesRow, ReproductionRow
from imprint.stimuli.published import papers
from imprint.view import (
    Block,
    Cell,
    Chart,
    Claim,
    Column,
    Details,
    Given,
    Prose,
    Table,
    Text,
    count,
    number,
    say,
    title,
)

FIGURES = Part("reproduction", "Published figures beside ours", 95, controlled=False)

_MOST_TENFOLDS = 99.0  # a file may say more than a float can hold
_SHOWN: tuple[FigureOutcome, ...] = ("equal", "differs", "other model")
_COLUMNS = (
    Column("Source", folded=True),
    Column("Figure"),
    Column("Measured on", "The model that the figure is published for."),
    Column("Published", "As printed.", True),
    Column("Ours", "With as many digits.", True),
    Column("Verdict", "Equal to the printed rounding, or why not."),
)
_LEFT = (
    Column("Work"),
    Column("Measured on"),
    Column("Figures", "How many figures of the work these are.", True),
    Column("Cannot be computed because"),
    Column("How to get it"),
)


def blocks(rows: Sequence[ReproductionRow]) -> Iterator[Block]:
    """Show a chart of all effects, a table per work, and what cannot be computed."""
    if chart := _chart(rows):
        yield chart
    computed = [row for row in rows if row.outcome in _SHOWN]
    for paper in dict.fromkeys(row.paper for row in computed):
        own = [row for row in computed if row.paper == paper]
        yield Table(title(_work(paper)), _COLUMNS, tuple(_line(row) for row in own), filtered=len(own) > 12)
    yield from _left_out([row for row in rows if row.outcome not in _SHOWN])
    yield Prose(
        "Equal: to the printed rounding. Other model: our figure is for a bundled relative of the paper's model, and "
        "is shown for orientation. It says nothing about whether the published figure holds.",
        "note",
        ("page", "terminal"),
    )
    yield from (Prose(text, "plain", ("terminal",)) for text in sentences(rows))


def sentences(rows: Sequence[ReproductionRow]) -> Iterator[Text]:
    """Say how many figures come out, and which do not."""
    counts = Counter(row.outcome for row in rows)
    yield say(
        "Of {} published figures: {} equal to their rounding, {} different, {} beside ours of another model, {} that "
        "cannot be computed here.",
        *(count(value) for value in (len(rows), *(counts[one] for one in _SHOWN), counts["cannot be computed"])),
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


def _line(row: ReproductionRow) -> tuple[Cell | Text, ...]:
    said: Text = row.outcome
    if row.outcome == "other model":
        said = say("{}: {}", row.outcome, title(row.embedding))
    elif row.reason:
        said = say("{}; {}" if row.outcome == "equal" else "{}: {}", row.outcome, title(row.reason))
    verdict = Cell(said, hint=title(" ".join(filter(None, (row.reason, row.get)))))
    return (*map(title, (row.source, row.title, row.model, row.printed, row.ours or "")), verdict)


def _left_out(rows: Sequence[ReproductionRow]) -> Iterator[Block]:
    if not rows:
        return
    groups = Counter((row.paper, row.model, row.reason, row.get) for row in rows)
    lines = tuple(
        (title(_work(paper)), title(model), count(figures), title(reason), title(get))
        for (paper, model, reason, get), figures in groups.items()
    )
    yield Table("Not computed here", _LEFT, lines)
    columns = (*_COLUMNS[:4], Column("Why"), Column("How to get it"))
    whole = tuple(tuple(map(title, (r.source, r.title, r.model, r.printed, r.reason, r.get))) for r in rows)
    table = Table("Every figure that is not computed", columns, whole, filtered=True, media=("page",))
    yield Details("Every figure that is not computed", (table,), media=("page",))


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
        from imprint.render.charts.plane import scatter
        from imprint.render.charts.points import Point

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
    columns = (Column("Figure"), Column("Published", numeric=True), Column("Ours", numeric=True), Column("Verdict"))
    lines = tuple((title(row.test), number(row.printed_value), number(row.value), row.outcome) for row in drawn)
    table = Table("Published effect sizes and ours", columns, lines, filtered=True)
    return Chart("reproduction", "Published effect sizes and ours", alt, draw, table, main=True)


def name_blocks(rows: Sequence[RemovedNamesRow]) -> Iterator[Block]:
    """Draw how frequent names are as words, against how many people bear them (Swinger et al., figure 1)."""
    for row in rows:
        yield _names_chart(row)


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
    marked = [("removed", point) for point in row.removed] + [("kept", point) for point in row.kept]

    def draw(shown: Words, width: int) -> dict[str, object]:
        from imprint.render.charts.plane import scatter
        from imprint.render.charts.points import Point

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
        Column("Surname"),
        Column("Rank, log10", numeric=True),
        Column("Share, log10", numeric=True),
        Column(""),
    )
    lines = tuple((Given(point.word), number(point.x), number(point.y), group) for group, point in marked)
    table = Table("Surnames of the chart", columns, lines, filtered=True, media=("page",))
    heading = say("Surnames that cleaning removes from {}", title(row.embedding))
    return Chart("removed-names", heading, alt, draw, table)


REPRODUCTION = Kind(
    "reproduction",
    row=ReproductionRow,
    part=FIGURES,
    blocks=blocks,
    sentences=sentences,
    claims=claims,
    opens=1,
    card=True,
)
REMOVED_NAMES = Kind(
    "removed-names", row=RemovedNamesRow, part=FIGURES, blocks=name_blocks, sentences=name_sentences, rank=1
)
