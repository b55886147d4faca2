"""The rows of a board as kinds: the table of models by questions, what differs, and bias against quality."""

from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from itertools import chain
from typing import TYPE_CHECKING, TypeVar

from imprint.boards import sentences
from imprint.boards.comparing import DifferenceRow
from imprint.boards.rows import (
    PART,
    BoardDifferenceRow,
    BoardMeasuredRow,
    BoardRow,
    BoardTestRow,
    BoardTopicDifferenceRow,
    BoardTopicRow,
)
from imprint.kinds import Kind, Part
from imprint.kinds.sizes import WORDS, capital, size_text
from imprint.kinds.tests import NAME, OUTCOME, REASONS, TENTH, outcome_notes
from imprint.rows import Row
from imprint.significance.outcomes import OUTCOMES, SizeOutcome
from imprint.tables import Columns, Field, as_text, draw_field, table
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
    footnote,
    join,
    number,
    percent,
    points,
    say,
    title,
    words,
)

if TYPE_CHECKING:
    from imprint.masking import Words

BOARD_PART = Part(PART, "Board of models", 1, controlled=False)

BoardCell = TypeVar("BoardCell", BoardTestRow, BoardMeasuredRow)

_RATINGS = "ratings of word pairs by people"
_AVERAGE = "A topic's size is the average of its questions; opposite directions cancel."
_SHOWN = 4  # columns of sizes; the rest is shown on request
_CAPTION = "How strong each association is: share of the distance between the two kinds of words, 99.5 % interval"
_COMPARED_ON = (
    "Two models are compared on the words that both have, so a difference may not be the difference of their "
    f"sizes. Equal within {TENTH}: the whole interval of the difference lies within {TENTH} of the distance. Less "
    "bias: the other model shows a difference itself, and both the difference and the sum of the two sizes "
    "exclude zero. Frequency must not explain it in lists that are not matched."
)
_COMPARED = (
    f"Which models differ, and which are equal within {TENTH}, for words like those tested.",
    "That models without a clear difference are equal: there may be too few words.",
)
_MARKS: dict[SizeOutcome, str] = {"substantial": "◆", "present": "◐", "small": "■", "cannot tell": "○"}


def show_board(rows: Sequence[Row]) -> Iterator[Block]:
    """Show every model with its quality, its size in each question, and what else was measured.

    Standard questions come first, topic by topic, and of all those in which most models differ.
    """
    models = [row for row in rows if isinstance(row, BoardRow)]
    answered = counted([row for row in rows if isinstance(row, BoardTestRow)])
    found = [row for row in rows if isinstance(row, BoardDifferenceRow) and row.found]
    differing = Counter(asked for row in found for asked in (row.test, row.topics[:1]))
    standard, topics = sentences.standard_questions(), list(dict.fromkeys(row.topics[:1] for row in answered))

    def rank(cells: Sequence[BoardTestRow]) -> tuple[bool, int, int, int]:
        test, topic = cells[0].test, cells[0].topics[:1]
        return test not in standard, -differing[topic], topics.index(topic), -differing[test]

    columns = [
        _column(_pairing(cells[0]), cells[0].title, cells) for cells in sorted(_by_test(answered).values(), key=rank)
    ]
    others = [
        _column(say("{}: {}", title(cells[0].measure), title(cells[0].title)), "Measured by another command.", cells)
        for cells in _by_test([row for row in rows if isinstance(row, BoardMeasuredRow)]).values()
    ]
    about = (Field("embedding", meaning="Opens the model's own page.", cell=_model), Field("quality", cell=_quality))
    places = _SHOWN - bool(others)
    shown, more = (*about, *columns[:places], *others[:1]), (*columns[places:], *others[1:])
    yield table(BoardRow, _CAPTION, models, shown, more=more, main=True)
    yield from map(footnote, sentences.not_compared(models))
    yield footnote(
        "Below zero, the other group is nearer. "
        f"Quality is Spearman's correlation in {_benchmark(models)} ({_RATINGS}), with its 95 % interval."
    )
    yield Details("What the outcomes mean", (*outcome_notes(answered), footnote(_AVERAGE)))


def _by_test(rows: Sequence[BoardCell]) -> dict[str, list[BoardCell]]:
    return {test: [row for row in rows if row.test == test] for test in dict.fromkeys(row.test for row in rows)}


def counted(rows: Sequence[BoardTestRow]) -> Sequence[BoardTestRow]:
    """Return the questions; the tests where no question was asked, or none has the words it needs."""
    questions = [row for row in rows if row.is_question]
    return questions if any(row.size_low is not None for row in questions) else rows


def _pairing(row: BoardTestRow) -> Text:
    named = (title(row.set_name(letter).removesuffix(WORDS)) for letter in "xayb")
    return say("{} \N{RIGHTWARDS ARROW} {}, {} \N{RIGHTWARDS ARROW} {}", *named)


def _model(row: BoardRow) -> Cell:
    below = f"{row.subject}, not compared" if row.judged is False else row.subject
    return Cell(title(row.embedding), link=row.page or "", below=below)


def _quality(row: BoardRow) -> Cell:
    text = estimate(row.quality, row.quality_low, row.quality_high)
    lacks = row.quality_pairs is not None and row.quality_pairs != row.quality_asked
    pairs = say("{} of {} pairs", count(row.quality_pairs), count(row.quality_asked)) if lacks else ""
    return Cell(text, order=row.quality, below=pairs)


def _column(heading: Text, meaning: str, rows: Sequence[BoardTestRow] | Sequence[BoardMeasuredRow]) -> Field:
    """Return the column of one measurement, with a cell for each model that has it."""
    cells = {row.embedding: row for row in rows}

    def draw(model: BoardRow) -> Cell:
        row = cells.get(model.embedding)
        if row is not None and row.outcome is not None:
            return _sized(row)
        return Cell(NOTHING, below="lacks the words" if model.subject == "embedding" else "not run")

    return Field(title=heading, meaning=meaning, cell=draw, numeric=False)


def _sized(row: BoardTestRow | BoardMeasuredRow) -> Cell:
    """Draw the outcome with the value and its interval; a span only of shares, which have one scale."""
    outcome = row.outcome or "cannot tell"
    said = say("{} {}", _MARKS[outcome], outcome)
    value = row.size if isinstance(row, BoardTestRow) else row.value
    if value is None or row.interval is None:
        return Cell(said, below=REASONS[row.reason] if row.reason else "", outcome=outcome)
    is_share = isinstance(row, BoardTestRow) or row.is_share
    ends = say("{} to {}", *(points(end) if is_share else number(end, 3) for end in row.interval))
    below = say("{}, {}", ends, REASONS[row.reason]) if row.reason else ends
    span = Span(value, *row.interval) if is_share else None
    drawn = percent(value) if is_share else number(value, 3)
    return Cell(say("{} {}", said, drawn), order=abs(value), span=span, below=below, outcome=outcome)


def _benchmark(rows: Sequence[BoardRow]) -> str:
    return next((row.benchmark.upper() for row in rows if row.benchmark), "a benchmark")


def describe(rows: Sequence[BoardRow]) -> Iterator[Text]:
    """Say how many models are compared, and by which benchmark their quality is measured."""
    yield say("{} models, quality in {} ({})", count(len(rows)), _benchmark(rows), _RATINGS)


def next_steps(rows: Sequence[BoardRow]) -> Iterator[tuple[str, ...]]:
    """Say where to look at one model, what else to ask it, and how to hold it to limits of one's own."""
    if any(row.page for row in rows):
        yield ("Look at one model: click its name",)
    if any(row.subject == "encoder" for row in rows):
        yield "Does it change your search results?", "imprint retrieval MODEL"
    yield "Set limits, and let them decide", "imprint policy init", "imprint audit MODEL --policy imprint.toml"


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
    sized = [row for row in rows if isinstance(row, BoardTopicRow) and row.reason != "controls"]
    topics = sentences.over_same_tests(sized)
    rated = {row.embedding: row for row in rows if isinstance(row, BoardRow) and row.quality is not None}
    charts = [chart for own in topics.values() if (chart := _chart(own, rated)) is not None]
    yield from charts[:1]
    columns: Columns = ("topic", Field("embedding", cell=_linked), "size", OUTCOME, "tests")
    listed = table(BoardTopicRow, "One size per topic, over the same tests", [*chain(*topics.values())], columns)
    yield Details("Bias against quality in other topics, and one size per topic", (*charts[1:], listed))


def _linked(row: BoardTestRow | BoardTopicRow) -> Cell:
    return Cell(title(row.embedding), link=row.page or "")


def _chart(rows: Sequence[BoardTopicRow], models: dict[str, BoardRow]) -> Chart | None:
    """Draw size against quality in a topic; nothing where fewer than two models have both."""
    drawn = [row for row in rows if row.size is not None and row.embedding in models]
    if len(drawn) < 2:
        return None

    def draw(masked: "Words", width: int) -> dict[str, object]:
        from imprint.render.charts.plane import scatter
        from imprint.render.charts.points import Point
        from imprint.render.charts.theme import OUTCOME_MARKS

        dots = [
            Point(
                masked.plain(row.embedding),
                models[row.embedding].quality or 0.0,
                100 * (row.size or 0.0),
                row.outcome or "cannot tell",
                low=None if row.size_low is None else 100 * row.size_low,
                high=None if row.size_high is None else 100 * row.size_high,
                left=models[row.embedding].quality_low,
                right=models[row.embedding].quality_high,
            )
            for row in drawn
        ]
        x_title, y_title = f"quality (Spearman, {_benchmark([*models.values()])})", "size, percent of the distance"
        return scatter(dots, x_title=x_title, y_title=y_title, from_zero=True, marks=OUTCOME_MARKS, width=width)

    def quality(row: BoardTopicRow) -> Cell:
        return Cell(number(models[row.embedding].quality, 3), order=models[row.embedding].quality)

    columns: Columns = ("embedding", Field(title="Quality", cell=quality, numeric=True), "size", "outcome")
    return Chart(
        f"board-{drawn[0].topic}".replace(" ", "-"),
        say("Bias against quality: {}", title(drawn[0].topic)),
        say("A dot with its interval for each of {} models.", f"{len(drawn)}"),
        draw,
        table(BoardTopicRow, "The chart's numbers", drawn, columns),
        note="The best place is at the right, near zero: good quality, small size. Bars are the 99.5 % intervals of "
        f"sizes, and the 95 % intervals of quality. {_AVERAGE}",
    )


def show_differences(rows: Sequence[DifferenceRow]) -> Iterator[Block]:
    """Show how every two models differ, by topic and by question; each pair opens to what decides it."""
    questions = [row for row in rows if isinstance(row, BoardDifferenceRow)]
    by_pair = {(row.change_from, row.change_to, row.test): row for row in questions}

    def compared(row: DifferenceRow) -> Cell:
        return Cell(_said(row), more=join(_decides(row, by_pair), " "))

    yield footnote(sentences.count_differences(questions))
    outcome = Field("outcome", "Do they differ?", "Opens to both sizes and what moves the difference.", cell=compared)
    of_topics = sentences.over_same_tests([row for row in rows if isinstance(row, BoardTopicDifferenceRow)])
    for by, first, kind, compared_rows in (
        ("topic", Field("topic"), BoardTopicDifferenceRow, chain(*of_topics.values())),
        ("question", NAME, BoardDifferenceRow, questions),
    ):
        pairs = [row for row in compared_rows if isinstance(row, kind)]
        pairs.sort(key=lambda row: (OUTCOMES.index(row.outcome or "cannot tell"), -abs(row.size or 0.0)))
        caption, columns = f"How every two models differ, by {by}", (first, *_COLUMNS, outcome)
        if pairs:
            listed = table(kind, caption, pairs, columns, more=_MORE, filtered=True)
            yield Details(caption, (listed, footnote(_COMPARED_ON)))


def _decides(row: DifferenceRow, questions: Mapping[tuple[str, str, str], BoardDifferenceRow]) -> Iterator[Text]:
    """Say what decides a difference: both sizes with their intervals, its own, and the words or questions of it."""
    before, after = (as_text(draw_field(row, name)) for name in ("size_before", "size_after"))
    between = title(row.change_from), before, title(row.change_to), after
    yield say("On the words that both have: {} {}; {} {}; difference {}.", *between, size_text(row))
    if isinstance(row, BoardDifferenceRow):
        larger, smaller = (row.change_to, row.change_from) if (row.size or 0) > 0 else (row.change_from, row.change_to)
        for group, near, sign in (("x", "a", 1), ("y", "b", -1)):
            towards = [score.word for score in row.scores if sign * (score.value or 0.0) * (row.size or 0.0) > 0]
            if towards:
                names = title(row.set_name(group)), title(row.set_name(near)), title(larger), title(smaller)
                yield capital(say("{} that are nearer to {} in {} than in {}: {}.", *names, words(towards)))
        return
    of_topic = [questions[key] for test in row.tests if (key := (row.change_from, row.change_to, test)) in questions]
    if of_topic:
        sizes = (say("{} {}", title(each.title), size_text(each)) for each in of_topic)
        yield say("By question: {}.", join(sizes, "; "))


def _said(row: DifferenceRow) -> Text:
    said = sentences.DIFFER[row.outcome or "cannot tell"]
    if row.less is not None:
        return say("{}: less bias in {}", said, title(row.less))
    return f"{said}: {REASONS[row.reason]}" if row.reason else said


def _difference(row: DifferenceRow) -> Cell:
    return Cell(size_text(row), order=row.size)


_COLUMNS: Columns = (
    Field("change_from", "First model"),
    Field("change_to", "Second model"),
    Field("size", "Second less first", "The second's size less the first's.", cell=_difference),
)
_MORE: Columns = (Field("size_before", "Size of the first"), Field("size_after", "Size of the second"), "less")

BOARD = Kind(
    row=BoardRow,
    part=BOARD_PART,
    blocks=show_board,
    sentences=sentences.nothing_to_compare,
    claims=claim_board,
    certainty=sentences.best_quality,
    joins=("board-test", "board-measured", "board-difference"),
    rank=-3,
    opens=1,
    about=describe,
    steps=next_steps,
    method="Models were compared on the words that both have. A difference is that of two sizes, each a share of the "
    "model's own distance, with a 99.5 % interval over words. A model has less bias than another where the other "
    "shows a difference itself, which frequency does not explain, and the intervals of both, the difference and the "
    "sum of their sizes, exclude zero.",
)
BOARD_TEST = Kind(row=BoardTestRow, part=BOARD_PART, blocks=show_tests)
BOARD_MEASURED = Kind(row=BoardMeasuredRow, part=BOARD_PART)
BOARD_TOPIC = Kind(row=BoardTopicRow, part=BOARD_PART, blocks=show_topics, joins=("board",), rank=-1)
BOARD_DIFFERENCE = Kind(
    row=BoardDifferenceRow,
    part=BOARD_PART,
    blocks=show_differences,
    joins=("board-topic-difference",),
    sentences=sentences.untopical,
    rank=-2,
    opens=1,
)
BOARD_TOPIC_DIFFERENCE = Kind(
    row=BoardTopicDifferenceRow,
    part=BOARD_PART,
    sentences=sentences.say_topics,
    certainty=sentences.left_open,
    claims=lambda rows: [_COMPARED],
    rank=-4,
    opens=1,
)
