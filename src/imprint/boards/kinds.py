"""The rows of a board as kinds: the table of models by questions, what differs, and bias against quality."""

from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Sequence
from typing import TYPE_CHECKING

from imprint.association.rows import outcome_counts
from imprint.boards.rows import (
    PART,
    BoardDifferenceRow,
    BoardRow,
    BoardTestRow,
    BoardTopicDifferenceRow,
    BoardTopicRow,
)
from imprint.kinds import Kind, Part
from imprint.kinds.tests import NAME, OUTCOME, REASONS, TENTH, by_chance, outcome_notes
from imprint.rows import Row
from imprint.significance.outcomes import FOUND, OUTCOMES, SizeOutcome
from imprint.tables import Columns, Field, table
from imprint.view import (
    NOTHING,
    Block,
    Cell,
    Chart,
    Claim,
    Details,
    Span,
    Text,
    count,
    estimate,
    first_claim,
    footnote,
    join,
    number,
    percent,
    points,
    say,
    title,
)

if TYPE_CHECKING:
    from imprint.masking import Words

BOARD_PART = Part(PART, "Board of models", 1, controlled=False)

DifferenceRow = BoardDifferenceRow | BoardTopicDifferenceRow

_SHOWN = 4  # columns of sizes; the rest is shown on request
_MOST_GROUPS = 3  # of models with less bias than the same others, which the page says in sentences
_MARKS: dict[SizeOutcome, str] = {"substantial": "◆", "present": "◐", "small": "■", "cannot tell": "○"}
_DIFFER: dict[SizeOutcome, str] = {
    "substantial": "differ substantially",
    "present": "differ",
    "small": f"equal within {TENTH}",
    "cannot tell": "cannot tell",
}


def show_board(rows: Sequence[Row]) -> Iterator[Block]:
    """Show every model with its quality and its size in each question, those with differences first."""
    models = [row for row in rows if isinstance(row, BoardRow)]
    cells = {(row.embedding, row.test): row for row in counted([row for row in rows if isinstance(row, BoardTestRow)])}
    differing = Counter(row.test for row in rows if isinstance(row, BoardDifferenceRow) and row.found)
    headings = {row.test: row for row in cells.values()}
    ordered = sorted(headings, key=lambda test: -differing[test])
    columns = [
        Field(title=_pairing(headings[test]), meaning=headings[test].title, cell=_size_in(cells, test), numeric=False)
        for test in ordered
    ]
    about = (Field("embedding", meaning="Opens the model's own page.", cell=_model), Field("quality", cell=_quality))
    shown, more = (*about, *columns[:_SHOWN]), columns[_SHOWN:]
    yield table(BoardRow, "Models by questions", models, shown, more=more, main=True)
    yield footnote(
        "Sizes are shares of the distance between the two kinds of words, with their 99.5 % intervals over words. "
        f"Quality is Spearman's correlation with people's ratings in {_benchmark(models)}, with its 95 % interval."
    )
    yield Details("What the outcomes mean", tuple(outcome_notes(cells.values())))


def counted(rows: Sequence[BoardTestRow]) -> Sequence[BoardTestRow]:
    """Return the questions; the tests where no question was asked, or none has the words it needs."""
    questions = [row for row in rows if row.is_question]
    return questions if any(row.size_low is not None for row in questions) else rows


def _pairing(row: BoardTestRow) -> Text:
    return say("{} \N{RIGHTWARDS ARROW} {}, {} \N{RIGHTWARDS ARROW} {}", *map(title, map(row.set_name, "xayb")))


def _model(row: BoardRow) -> Cell:
    return Cell(title(row.embedding), link=row.page or "", below=row.subject)


def _quality(row: BoardRow) -> Cell:
    text = estimate(row.quality, row.quality_low, row.quality_high)
    lacks = row.quality_pairs is not None and row.quality_pairs != row.quality_asked
    pairs = say("{} of {} pairs", count(row.quality_pairs), count(row.quality_asked)) if lacks else ""
    return Cell(text, order=row.quality, below=pairs)


def _size_in(cells: dict[tuple[str, str], BoardTestRow], test: str) -> Callable[[BoardRow], Cell]:
    def draw(model: BoardRow) -> Cell:
        row = cells.get((model.embedding, test))
        return Cell(NOTHING, below="not run") if row is None or row.outcome is None else _sized(row)

    return draw


def _sized(row: BoardTestRow) -> Cell:
    outcome = row.outcome or "cannot tell"
    said = say("{} {}", _MARKS[outcome], outcome)
    if row.size is None or row.size_low is None or row.size_high is None:
        return Cell(said, below=REASONS[row.reason] if row.reason else "", outcome=outcome)
    ends = say("{} to {}", points(row.size_low), points(row.size_high))
    below = say("{}, {}", ends, REASONS[row.reason]) if row.reason else ends
    span = Span(row.size, row.size_low, row.size_high)
    return Cell(say("{} {}", said, percent(row.size)), order=abs(row.size), span=span, below=below, outcome=outcome)


def _benchmark(rows: Sequence[BoardRow]) -> str:
    return next((row.benchmark.upper() for row in rows if row.benchmark), "a benchmark")


def say_board(rows: Sequence[BoardRow]) -> Iterator[Text]:
    """Say which models cannot be judged, and whether two are left."""
    failed = [row for row in rows if row.judged is False]
    if len(rows) - len(failed) < 2:
        yield "There is nothing to compare: fewer than two models can be judged."
    if failed:
        yield say(
            "Not compared, because they fail controls that every usable model passes, or lack their words: {}.",
            _names(row.embedding for row in failed),
        )


def best_quality(rows: Sequence[BoardRow], _: Sequence[Row]) -> Iterator[Text]:
    """Say which model has the best quality, by the estimate."""
    rated = [row for row in rows if row.quality is not None and row.judged is not False]
    if len(rated) > 1:
        best = max(rated, key=lambda row: row.quality or 0.0)
        yield say("{} has the highest quality: {}.", title(best.embedding), _quality(best).text)


def claim_board(rows: Sequence[BoardRow]) -> Iterator[Claim]:
    """Pair what sizes are with what they are not."""
    yield (
        "How large each association is, for words like those tested.",
        "That the model with the smallest size is fair, or does less harm: that depends on its use.",
    )


def show_tests(rows: Sequence[BoardTestRow]) -> Iterator[Block]:
    """Show every test of every model."""
    columns: Columns = (NAME, Field("embedding", cell=_linked), "size", OUTCOME)
    listed = table(BoardTestRow, "Questions and tests", rows, columns, filtered=True)
    yield Details("Every question and test of every model", (listed,))


def show_topics(rows: Sequence[Row]) -> Iterator[Block]:
    """Draw each topic's size against quality, and list the sizes."""
    topics = [row for row in rows if isinstance(row, BoardTopicRow)]
    rated = {row.embedding: row for row in rows if isinstance(row, BoardRow) and row.quality is not None}
    charts = [
        chart
        for topic in dict.fromkeys(row.topic for row in topics)
        if (chart := _chart([row for row in topics if row.topic == topic], rated)) is not None
    ]
    yield from charts[:1]
    columns: Columns = ("topic", Field("embedding", cell=_linked), "size", OUTCOME, "tests")
    listed = table(BoardTopicRow, "One size per topic", topics, columns)
    yield Details("Bias against quality in other topics, and one size per topic", (*charts[1:], listed))


def _linked(row: BoardTestRow | BoardTopicRow) -> Cell:
    return Cell(title(row.embedding), link=row.page or "")


def _chart(rows: Sequence[BoardTopicRow], models: dict[str, BoardRow]) -> Chart | None:
    """Draw size against quality in a topic; nothing where fewer than two models have both."""
    drawn = [
        (row, models[row.embedding].quality or 0.0)
        for row in rows
        if row.size is not None and row.reason != "controls" and row.embedding in models
    ]
    if len(drawn) < 2:
        return None
    topic = title(drawn[0][0].topic)

    def draw(words: "Words", width: int) -> dict[str, object]:
        from imprint.render.charts.plane import scatter
        from imprint.render.charts.points import Point

        dots = [
            Point(
                words.plain(row.embedding),
                quality,
                100 * (row.size or 0.0),
                "shows a difference" if row.found else row.outcome or "cannot tell",
                low=None if row.size_low is None else 100 * row.size_low,
                high=None if row.size_high is None else 100 * row.size_high,
            )
            for row, quality in drawn
        ]
        quality_title = f"quality (Spearman, {_benchmark([*models.values()])})"
        size_title = "size, percent of the distance"
        return scatter(dots, x_title=quality_title, y_title=size_title, from_zero=True, width=width)

    listed = table(
        BoardTopicRow,
        "The chart's numbers",
        drawn,
        (
            Field("embedding", of=lambda pair: pair[0]),
            Field(title="Quality", cell=lambda pair: Cell(number(pair[1], 3), order=pair[1]), numeric=True),
            Field("size", of=lambda pair: pair[0]),
            Field("outcome", of=lambda pair: pair[0]),
        ),
    )
    return Chart(
        f"board-{drawn[0][0].topic}".replace(" ", "-"),
        say("Bias against quality: {}", topic),
        say("A dot with its interval for each of {} models.", f"{len(drawn)}"),
        draw,
        listed,
        note="The best place is at the right, near zero: good quality, small size. Bars are 99.5 % intervals.",
    )


def show_differences(rows: Sequence[DifferenceRow]) -> Iterator[Block]:
    """Show how every two models differ, the largest differences first."""
    ordered = sorted(rows, key=lambda row: (OUTCOMES.index(row.outcome or "cannot tell"), -abs(row.size or 0.0)))
    by, first = ("question", NAME) if isinstance(rows[0], BoardDifferenceRow) else ("topic", Field("topic"))
    caption = f"How every two models differ, by {by}"
    reading = footnote(
        "Two models are compared on the words that both have, so a difference may not be the difference of their "
        f"sizes. Equal within {TENTH}: the whole interval of the difference lies within {TENTH} of the distance. Less "
        "bias: the other model shows a difference itself, and both the difference and the sum of the two sizes "
        "exclude zero. Frequency must not explain it in lists that are not matched."
    )
    listed = table(type(rows[0]), caption, ordered, (first, *_COLUMNS), more=_MORE, filtered=True)
    yield Details(caption, (listed, reading))


def _compared(row: DifferenceRow) -> Text:
    said = _DIFFER[row.outcome or "cannot tell"]
    if row.less is not None:
        return say("{}: less bias in {}", said, title(row.less))
    return f"{said}: {REASONS[row.reason]}" if row.reason else said


_COLUMNS: Columns = (
    Field("change_from", "One model"),
    Field("change_to", "Another model"),
    Field("size", "Difference", "Size of the other less that of the one, with its 99.5 % interval over words."),
    Field("outcome", "Do they differ?", cell=_compared),
)
_MORE: Columns = (Field("size_before", "Size of the one"), Field("size_after", "Size of the other"), "less")


def say_topic_differences(rows: Sequence[BoardTopicDifferenceRow]) -> Iterator[Text]:
    """Say which model to take or to avoid in which topic, or that the words do not decide it."""
    same: dict[str, list[str]] = {}
    for topic in dict.fromkeys(row.topic for row in rows):
        pairs = [row for row in rows if row.topic == topic]
        exceeding = _exceeding(pairs)
        left = [name for name in _models(pairs) if name not in exceeding]
        if not exceeding or not left:
            same.setdefault(_undecided(pairs), []).append(topic)
        elif len(left) == 1 and all(left[0] in smaller for smaller in exceeding.values()):
            yield say("On {}, take {}: it has less bias than each of the others.", title(topic), title(left[0]))
        else:
            yield say("On {}, avoid {}: more bias than in another model.", title(topic), _names(exceeding))
            if rest := [row for row in pairs if row.change_from in left and row.change_to in left]:
                yield f"Among the others, {_undecided(rest)}."
    for said, topics in same.items():
        yield say("On {}, {}.", _names(topics), said)


def order_models(rows: Sequence[BoardTopicDifferenceRow], _: Sequence[Row]) -> Iterator[Text]:
    """Say which models have less bias than which; those with more than the same models share a sentence."""
    for topic in dict.fromkeys(row.topic for row in rows):
        together: dict[tuple[str, ...], list[str]] = {}
        for larger, smaller in _exceeding([row for row in rows if row.topic == topic]).items():
            together.setdefault(tuple(smaller), []).append(larger)
        for less, more in list(together.items())[:_MOST_GROUPS]:
            yield say("{}: less bias in {} than in {}.", title(topic.capitalize()), _names(less), _names(more))


def _exceeding(pairs: Sequence[BoardTopicDifferenceRow]) -> dict[str, list[str]]:
    """Return the models with more bias than others, and these."""
    found: dict[str, list[str]] = {}
    for row in pairs:
        if row.less is not None:
            found.setdefault(row.change_to if row.less == row.change_from else row.change_from, []).append(row.less)
    return {name: found[name] for name in _models(pairs) if name in found}


def _models(rows: Sequence[DifferenceRow]) -> list[str]:
    return list(dict.fromkeys(name for row in rows for name in (row.change_from, row.change_to)))


def _undecided(pairs: Sequence[BoardTopicDifferenceRow]) -> str:
    if all(row.outcome == "small" for row in pairs):
        return f"all are equal within {TENTH}"
    return "the words do not decide"


def _names(names: Iterable[str]) -> Text:
    """Return names in a row; a name may have a comma in it."""
    listed = [title(name) for name in names]
    return say("{} and {}", join(listed[:-1], "; "), listed[-1]) if len(listed) > 1 else listed[0]


def say_untopical(rows: Sequence[BoardDifferenceRow]) -> Iterator[Text]:
    """Count what was found in tests without a topic, of which no topic says anything."""
    if without := [row for row in rows if not row.topics]:
        yield say("Differences in tests without a topic: {}.", outcome_counts(without))


def count_differences(rows: Sequence[BoardDifferenceRow], _: Sequence[Row]) -> Iterator[Text]:
    """Say what the pairs come to, how much of it is due to chance, and the largest difference."""
    counts = Counter(row.outcome or "cannot tell" for row in rows)
    said = join((say("{} {}", count(counts[one]), _DIFFER[one]) for one in OUTCOMES if counts[one]), ", ")
    yield say(
        "Of {} comparisons of two models in a question or test: {}. Differences expected by chance: {}.",
        count(len(rows)),
        said,
        by_chance(rows),
    )
    found = [row for row in rows if row.found]
    if found:
        row = max(found, key=lambda one: (one.outcome == FOUND[0], abs(one.size or 0.0)))
        yield say(
            "The largest difference: {}, {} in {} and {} in {}.",
            title(row.title),
            percent(row.size_before),
            title(row.change_from),
            percent(row.size_after),
            title(row.change_to),
        )


BOARD = Kind(
    "board",
    row=BoardRow,
    part=BOARD_PART,
    blocks=show_board,
    sentences=say_board,
    claims=claim_board,
    certainty=best_quality,
    joins=("board-test", "board-difference"),
    rank=-3,
    opens=2,
    method="Models were compared on the words that both have. A difference is that of two sizes, each a share of the "
    "model's own distance, with a 99.5 % interval over words. A model has less bias than another where the other "
    "shows a difference itself, which frequency does not explain, and the intervals of both, the difference and the "
    "sum of their sizes, exclude zero.",
)
BOARD_TEST = Kind("board-test", row=BoardTestRow, part=BOARD_PART, blocks=show_tests)
BOARD_TOPIC = Kind("board-topic", row=BoardTopicRow, part=BOARD_PART, blocks=show_topics, joins=("board",), rank=-1)
BOARD_DIFFERENCE = Kind(
    "board-difference",
    row=BoardDifferenceRow,
    part=BOARD_PART,
    blocks=show_differences,
    sentences=say_untopical,
    certainty=count_differences,
    rank=-2,
    opens=1,
)
BOARD_TOPIC_DIFFERENCE = Kind(
    "board-topic-difference",
    row=BoardTopicDifferenceRow,
    part=BOARD_PART,
    blocks=show_differences,
    sentences=say_topic_differences,
    certainty=order_models,
    claims=lambda rows: first_claim(
        say_topic_differences(rows), "That models without a clear difference are equal: there may be too few words."
    ),
    rank=-4,
    opens=9,
)
