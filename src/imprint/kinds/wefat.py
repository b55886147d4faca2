"""WEFAT as a kind: associations beside a number from the world (Caliskan, Bryson and Narayanan, 2016)."""

from collections.abc import Iterable, Iterator, Sequence
from statistics import linear_regression
from typing import TYPE_CHECKING

from imprint.association.wefat import WefatRow
from imprint.errors import SettingError
from imprint.kinds import Kind, Part, terms
from imprint.kinds.tests import MISSING, NAME, missing_notes, published_figures, test_names
from imprint.masking import Words
from imprint.render.charts.plane import scatter
from imprint.render.charts.points import Point
from imprint.rows import Row, WordPoint
from imprint.significance.outcomes import Reason
from imprint.tables import Columns, Field, table
from imprint.view import Block, Chart, Details, Given, Prose, Text, interval, number, say, title

if TYPE_CHECKING:
    from imprint.jobs.job import Job
    from imprint.types import Progress

WORLD = Part("wefat", "Beside numbers from the world", 20, asks_tests=True, terms=terms.TESTED)

_REASONS: dict[Reason | None, str] = {
    "few words": "too few of its words were found",
    "frequency": "word frequency may be the reason, or is not known",
    None: "other words of these kinds may show no correlation",
}


def run(job: "Job", progress: "Progress") -> Iterable[Row]:
    """Run the WEFATs of the language."""
    from imprint.association.battery import run_battery
    from imprint.stimuli.definition import WefatTest
    from imprint.subjects.framed import foreign_vectors

    plan = job.plan
    tests = [test for test in plan.asked if isinstance(test, WefatTest)]
    if not tests:
        raise SettingError("the catalogue has no WEFAT in this language", option="language", got=plan.language)
    return run_battery(
        job.embedding,
        tests,
        seed=plan.seed,
        foreign=foreign_vectors(job.subject, tests, cache=job.encodings),
        progress=progress,
    )


def blocks(rows: Sequence[WefatRow]) -> Iterator[Block]:
    """Show the strongest correlation as a chart, one table, and the other charts one click away."""
    first, *others = sorted(rows, key=lambda row: -abs(row.r or 0.0))
    yield _chart(first)
    caption = say("WEFAT on {}, with 99.5 % intervals over words", title(rows[0].embedding))
    more: Columns = ["mirrored", "p_value", "spearman", *published_figures(rows, "r", lambda figure: figure.r)]
    line = Field(title="Regression line", meaning="The number predicted from the score.", cell=_predicted)
    yield Details(
        "All correlations", (table(WefatRow, caption, rows, _ANSWER, more=more, extra=("p_frequency", line)),)
    )
    if others:
        yield Details("The other charts", tuple(_chart(row) for row in others))
    reading = Prose(
        "Each word has a score: how strongly it is associated with one set of words rather than another, such as "
        "female rather than male terms. The score is shown beside a number from the world. Where the two rise "
        "together, the embedding reflects the world as it was counted, inequality included."
    )
    outcomes = Prose(
        "Present: other words of these kinds show the correlation, too, and word frequency does not explain it. "
        "Cannot tell does not mean that there is no correlation."
    )
    yield Details("How to read this", (reading, outcomes, *missing_notes(rows)))


def sentences(rows: Sequence[WefatRow]) -> Iterator[Text]:
    """Say every correlation, the strongest first."""
    for row in sorted(rows, key=lambda row: -abs(row.r or 0.0)):
        yield say(
            "{}: r = {} [{}], {}.",
            title(row.title),
            number(row.r),
            interval(row.words_low, row.words_high),
            _said(row),
        )


def _said(row: WefatRow) -> str:
    """Return the outcome, and why nothing can be told."""
    return row.outcome or "" if row.found else f"cannot tell: {_REASONS.get(row.reason, row.reason)}"


def _predicted(row: WefatRow) -> Text:
    return say("{} + {} × score", number(row.intercept, 1), number(row.slope, 1))


def _fitted(points: Sequence[tuple[float, float]]) -> tuple[float, float] | None:
    """Return slope and intercept of the least-squares line through the points as they are drawn.

    The row's own slope predicts the number from the score, as in the paper: another line unless r is 1.
    """
    try:
        return linear_regression(*zip(*points, strict=True))
    except (ValueError, TypeError, OverflowError):  # too few points, all in one place, or too far apart
        return None


def _chart(row: WefatRow) -> Chart:
    scores = {score.word: score.value for score in row.scores}
    points = [(value.word, value.value, scores[value.word]) for value in row.values if value.word in scores]
    drawn = [(word, x, y) for word, x, y in points if x is not None and y is not None]
    line = _fitted([(x, y) for _, x, y in drawn])

    def draw(shown: Words, width: int) -> dict[str, object]:
        return scatter(
            [Point(shown.plain(word), x, y) for word, x, y in drawn],
            x_title=shown.text(row.property),
            y_title=shown.text(f"association with {row.set_name('a')}, in standard deviations"),
            line=line,
            width=width,
        )

    columns = (
        Field("word", cell=lambda point: Given(point[0])),
        Field(
            title=title(row.property[:1].upper() + row.property[1:]),
            cell=lambda point: number(point[1], 1),
            numeric=True,
        ),
        Field(
            title=say("Association with {}", title(row.set_name("a"))),
            cell=lambda point: number(point[2]),
            numeric=True,
        ),
    )
    alt = say(
        "A dot for each of {} words: {} from left to right, association with {} from bottom to top, and the least-"
        "squares line.",
        f"{len(points)}",
        title(row.property),
        title(row.set_name("a")),
    )
    listed = table(WordPoint, say("{}: every word", title(row.title)), points, columns, filtered=True)
    return Chart(f"wefat-{row.test}", title(row.title), alt, draw, listed)


_ANSWER: Columns = (NAME, "r", Field("outcome", cell=_said), MISSING)

WEFAT = Kind(
    row=WefatRow,
    part=WORLD,
    blocks=blocks,
    sentences=sentences,
    cannot="That the vectors cause what was counted, or the other way round.",
    run=run,
    seconds=1.0,
    aliases={"p": "p_value"},
    card=True,
    method="The Word Embedding Factual Association Test (Caliskan, Bryson and Narayanan, 2017) correlated the "
    "association of words with numbers about the world.",
    names=test_names,
)
