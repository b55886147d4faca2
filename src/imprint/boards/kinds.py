"""The rows of a board as kinds: the table of subjects, bias against quality, ranks and pairwise differences."""

from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING, Literal

from imprint.boards.rows import PART, BoardDifferenceRow, BoardRankingRow, BoardRow, BoardTestRow
from imprint.kinds import Kind, Part
from imprint.kinds.topics import P_WORDS, TOPIC_COLUMN, size_of
from imprint.view import (
    NOTHING,
    Block,
    Cell,
    Chart,
    Claim,
    Column,
    Details,
    Prose,
    Span,
    Table,
    Text,
    count,
    estimate,
    first_claim,
    join,
    number,
    percent,
    probability,
    say,
    title,
)

if TYPE_CHECKING:
    from imprint.masking import Words

BOARD_PART = Part(PART, "Board of models", 1, controlled=False)

_SHOWN = 6  # columns of a page's table; the rest is shown on request
_SUBJECT = Column("Model", "Opens the model's own page.")
_SAID: tuple[Literal["page", "terminal"], ...] = ("page", "terminal")
_ALIKE = 1.5  # times the smallest spread of cosines, above which sizes are not on one scale
_SIZE = "size without its sign"


def show_board(rows: Sequence[BoardRow]) -> Iterator[Block]:
    """Show every subject with its quality and its size in each topic, then size against quality."""
    topics = list(dict.fromkeys(row.topic for row in rows))
    quality = _benchmark(rows)
    columns = [_SUBJECT, Column("Quality", f"Spearman's correlation in {quality}, with its 95 % interval.", True)]
    for topic in topics:
        meaning = "Mean difference with its 95 % interval over words; the strongest evidence; possible ranks."
        columns.append(Column(title(topic.capitalize()), meaning, True, folded=len(columns) >= _SHOWN))
    names = dict.fromkeys(row.embedding for row in rows)
    lines = tuple(_line([row for row in rows if row.embedding == name], topics) for name in names)
    yield Table("Sizes of bias, and quality", tuple(columns), lines)
    unit = "cosines" if rows[0].scale == "cosine" else "standard deviations of each model's own cosines"
    yield Prose(
        f"Sizes are mean differences in {unit}, with 95 % intervals over words. Below each: the strongest evidence of "
        "the topic's tests, and the ranks that the size may have (1 is the smallest). Columns sort by the size "
        "without its sign.",
        "note",
        _SAID,
    )
    first = next((row.topic for row in rows if row.rank_best is not None), topics[0])
    for place, topic in enumerate(topics, start=1):
        own = [row for row in rows if row.topic == topic and row.quality is not None and row.judged is not False]
        if len([row for row in own if row.mean_difference is not None]) > 1:
            yield _chart(own, topic, place, main=topic == first)


def _line(rows: Sequence[BoardRow], topics: Sequence[str]) -> tuple[Cell | Text, ...]:
    first = rows[0]
    able = "" if first.judged is not False else " (cannot be judged)"
    cells: list[Cell | Text] = [
        Cell(say("{}{}", title(first.embedding), able), link=first.page or ""),
        Cell(estimate(first.quality, first.quality_low, first.quality_high), order=first.quality),
    ]
    by_topic = {row.topic: row for row in rows}
    return (*cells, *(_cell(by_topic.get(topic)) for topic in topics))


def _cell(row: BoardRow | None) -> Cell | Text:
    if row is None or row.mean_difference is None:
        return NOTHING
    ranks = [] if row.rank_best is None else [say("rank {}", _ranks(row.rank_best, row.rank_worst))]
    part = "weat" if row.subject == "embedding" else "seat"
    span = Span(row.mean_difference, row.words_low, row.words_high)
    return Cell(
        size_of(row),
        order=abs(row.mean_difference),
        link=f"{row.page}#{part}" if row.page else "",
        span=span,
        below=join([row.evidence or "not judged", *ranks], " · "),
    )


def _ranks(best: int, worst: int | None) -> Text:
    return count(best) if worst in (None, best) else say("{} to {}", count(best), count(worst))


def _benchmark(rows: Sequence[BoardRow]) -> str:
    return next((row.benchmark.upper() for row in rows if row.benchmark), "a benchmark")


def _chart(rows: Sequence[BoardRow], topic: str, place: int, *, main: bool) -> Chart:
    """Draw size against quality, the efficient subjects named first."""
    shown = [row for row in rows if row.mean_difference is not None]
    quality = f"quality (Spearman, {_benchmark(rows)})"

    def draw(words: "Words", width: int) -> dict[str, object]:
        from imprint.render.charts.points import Point
        from imprint.render.charts.scatter import scatter

        ordered = sorted(shown, key=lambda row: not row.efficient)
        points = [
            Point(
                words.plain(row.embedding),
                row.quality or 0.0,
                abs(row.mean_difference or 0.0),
                "efficient" if row.efficient else "other",
            )
            for row in ordered
        ]
        return scatter(points, x_title=quality, y_title=_SIZE, width=width)

    efficient = join((title(row.embedding) for row in shown if row.efficient), "; ")
    columns = (Column("Model"), Column("Quality", numeric=True), Column("Size", numeric=True), Column("Efficient"))
    lines = tuple(
        (
            title(row.embedding),
            Cell(number(row.quality, 3), order=row.quality),
            Cell(number(row.mean_difference, 3), order=abs(row.mean_difference or 0.0)),
            "yes" if row.efficient else "no",
        )
        for row in shown
    )
    name = title(topic)
    return Chart(
        f"board-{place}",
        say("Bias against quality: {}", name),
        say("A dot for each of {} models: further right is better, further down is less biased.", f"{len(shown)}"),
        draw,
        Table(say("Bias against quality: {}", name), columns, lines),
        note=say(
            "Efficient: {}. No other model has both a smaller size, on the words that both have, and a better "
            "quality. This compares estimates and ignores how uncertain they are. Differences are tested below.",
            efficient,
        ),
        main=main,
    )


def say_board(rows: Sequence[BoardRow]) -> Iterator[Text]:
    """Say how many subjects were asked about what, and which cannot be judged."""
    names = dict.fromkeys(row.embedding for row in rows)
    topics = dict.fromkeys(row.topic for row in rows)
    yield say("{} models, {} topics.", count(len(names)), count(len(topics)))
    failed = dict.fromkeys(row.embedding for row in rows if row.judged is False)
    if failed:
        yield say(
            "Not compared, because they fail controls that every usable subject passes: {}.",
            join(map(title, failed), "; "),
        )
    spreads = [row.spread for row in rows if row.spread is not None]
    if rows[0].scale == "cosine" and spreads and max(spreads) > _ALIKE * min(spreads):
        yield say(
            "The models' cosines spread differently (standard deviations {} to {}), so the same size means more in "
            "one model than in another: compare also with --scale spread.",
            number(min(spreads), 3),
            number(max(spreads), 3),
        )


def claim_board(rows: Sequence[BoardRow]) -> Iterator[Claim]:
    """Pair what sizes are with what they are not."""
    yield (
        "How large the measured associations are, for words of these kinds.",
        "That the model with the smallest size is fair, or does less harm: that depends on its use.",
    )


def show_rankings(rows: Sequence[BoardRankingRow]) -> Iterator[Block]:
    """Show the ranks of each topic, or that it has none."""
    columns = (
        TOPIC_COLUMN,
        Column("Ranked"),
        Column(
            "Halves agree",
            "How often two halves of the words order two models alike, in units of their spread; chance gives 50 %.",
            True,
        ),
        Column("Models by size, with their possible ranks"),
    )
    lines = tuple((title(row.topic), _has_order(row), percent(row.agreement), _order(row)) for row in rows)
    yield Table("Ranks by topic", columns, lines)
    least, splits = rows[0].least, rows[0].splits
    yield Prose(
        say(
            "The smallest size has rank 1. Ranks overlap where two models are not known to differ: that is a tie. "
            "The words are split at random into halves, {} times. Both halves must order two models alike in at "
            "least {} of cases; otherwise the topic is not ranked.",
            count(splits),
            percent(least),
        ),
        "note",
        _SAID,
    )


def _has_order(row: BoardRankingRow) -> str:
    if not row.has_order:
        return "no"
    return "yes" if any(worst < len(row.subjects) for worst in row.ranks_worst) else "no order known"


def _order(row: BoardRankingRow) -> Text:
    if not row.has_order:
        return "none"
    ranks = zip(row.subjects, row.ranks_best, row.ranks_worst, strict=True)
    return join((say("{} ({})", title(name), _ranks(best, worst)) for name, best, worst in ranks), "; ")


def say_rankings(rows: Sequence[BoardRankingRow]) -> Iterator[Text]:
    """Say which topics have an order, and why the others have none."""
    for row in rows:
        if not row.has_order:
            if row.agreement is not None:
                yield say(
                    "{} is not ranked: two halves of its words order two models alike in {} of cases only.",
                    title(row.topic.capitalize()),
                    percent(row.agreement),
                )
            continue
        last = len(row.subjects)
        first = [name for name, worst in zip(row.subjects, row.ranks_worst, strict=True) if worst < last]
        if first:
            yield say(
                "{}: {} {} a smaller size than at least one other model.",
                title(row.topic.capitalize()),
                join(map(title, first), "; "),
                "has" if len(first) == 1 else "have",
            )
        else:
            yield say("{}: no two models are known to differ in size.", title(row.topic.capitalize()))


def show_differences(rows: Sequence[BoardDifferenceRow]) -> Iterator[Block]:
    """Show the difference of each pair in each topic."""
    columns = (
        TOPIC_COLUMN,
        Column("Model"),
        Column("Minus model"),
        Column("Difference", "With the interval that holds for all pairs and topics at once.", True),
        Column("p, corrected", "Corrected for all pairs and topics of the board together.", True),
        Column("Larger size", "The model whose size, without its sign, is the larger one."),
        Column("This difference alone", "With its own 95 % interval over words.", True, folded=True),
        P_WORDS,
    )
    lines = tuple(
        (
            title(row.topic),
            title(row.embedding),
            title(row.other or ""),
            Cell(estimate(row.mean_difference, row.together_low, row.together_high, 3), order=row.mean_difference),
            Cell(probability(row.p_together), order=row.p_together),
            NOTHING if row.larger is None else title(row.larger),
            Cell(estimate(row.mean_difference, row.words_low, row.words_high, 3), order=row.mean_difference),
            Cell(probability(row.p_words), order=row.p_words),
        )
        for row in sorted(rows, key=lambda row: 2.0 if row.p_together is None else row.p_together)
    )
    folded = (*columns[:-1], Column(P_WORDS.title, P_WORDS.meaning, True, folded=True))
    reading = Prose(
        "Two models are compared on the words that both have. The intervals and p-values are corrected together, by "
        "resampling the words for all models at once. A difference whose interval contains zero is not significant.",
        "note",
        _SAID,
    )
    table = Table("Differences between two models", folded, lines, filtered=True)
    yield Details("Differences between two models", (table, reading))


def say_differences(rows: Sequence[BoardDifferenceRow]) -> Iterator[Text]:
    """Say how many differences are significant."""
    found = [row for row in rows if row.p_together is not None and row.p_together <= (row.alpha or 0.0)]
    yield say(
        "{} of {} differences between two models are significant, corrected together.",
        count(len(found)),
        count(len(rows)),
    )


def claim_differences(rows: Sequence[BoardDifferenceRow]) -> Iterator[Claim]:
    """Pair significant differences with what the others do not show."""
    return first_claim(
        say_differences(rows), "That models without a significant difference are equally biased: words may be too few."
    )


def show_tests(rows: Sequence[BoardTestRow]) -> Iterator[Block]:
    """Show every test of every subject."""
    columns = (
        Column("Test"),
        Column("Model"),
        Column("Mean difference", "With its 95 % interval over words and any sentences.", True),
        Column("Evidence", "In the model's own family of tests."),
        Column("Direction"),
    )
    lines = tuple(
        (
            say("{}: {}", title(row.test), title(row.title)),
            Cell(title(row.embedding), link=row.page or ""),
            Cell(estimate(row.mean_difference, row.words_low, row.words_high, 3), order=row.mean_difference),
            row.evidence or "not judged",
            row.direction or NOTHING,
        )
        for row in rows
    )
    yield Details("Every test of every model", (Table("Tests", columns, lines, filtered=True),), ("page",))


BOARD = Kind(
    "board",
    row=BoardRow,
    part=BOARD_PART,
    blocks=show_board,
    sentences=say_board,
    claims=claim_board,
    rank=-3,
    opens=3,
    method="Models were compared on the words that both have. Differences have intervals over words and were "
    "corrected together for all pairs and topics (max-T). Topics whose two halves of words disagree were not ranked.",
)
BOARD_RANKING = Kind(
    "board-ranking", row=BoardRankingRow, part=BOARD_PART, blocks=show_rankings, sentences=say_rankings, rank=-2
)
BOARD_DIFFERENCE = Kind(
    "board-difference",
    row=BoardDifferenceRow,
    part=BOARD_PART,
    blocks=show_differences,
    sentences=say_differences,
    claims=claim_differences,
    aliases={"p": "p_together"},
    rank=-1,
    opens=1,
)
BOARD_TEST = Kind("board-test", row=BoardTestRow, part=BOARD_PART, blocks=show_tests)
