"""WEFAT as a kind: associations beside a number from the world (Caliskan, Bryson and Narayanan, 2016)."""

from collections.abc import Iterator, Sequence
from statistics import linear_regression
from typing import TYPE_CHECKING

from imprint.association.verdicts import Evidence
from imprint.association.wefat import WefatRow, wefat
from imprint.errors import SettingError
from imprint.kinds import Kind, Part
from imprint.kinds.tests import (
    CORRECTED,
    EVIDENCE,
    OVER_WORDS,
    TEST,
    corrected_cell,
    evidence_cell,
    evidence_notes,
    in_family,
    level_of,
    missing_cell,
    missing_notes,
    name_cell,
    published_figures,
)
from imprint.masking import Words
from imprint.rows import Row
from imprint.view import (
    Block,
    Cell,
    Chart,
    Column,
    Details,
    Given,
    Prose,
    Table,
    Text,
    estimate,
    first_claim,
    interval,
    number,
    probability,
    say,
    title,
)

if TYPE_CHECKING:
    from imprint.kinds.job import Job
    from imprint.types import Progress

WORLD = Part("wefat", "Beside numbers from the world", 20)

_COLUMNS = (
    TEST,
    Column("r", f"Pearson's correlation of each word's score with the number known, with its {OVER_WORDS}.", True),
    EVIDENCE,
    CORRECTED,
    Column("Missing", "Words the embedding does not have, of all words of the test.", True),
    Column("p", "As published: two-sided, of the slope.", True, folded=True),
    Column("Spearman", "Correlation of ranks, with 95 % interval.", True, folded=True),
)
_EXTRA = (
    Column("p, frequency", "Share of random words of the same frequencies that correlate as much.", True, extra=True),
    Column("For these attributes", "95 % interval of r over words, with these attributes.", True, extra=True),
    Column("Regression line", "The number predicted from the score.", extra=True),
)
_LEVELS: dict[Evidence, str] = {
    "moderate": "holds for other words of the same kinds and is not explained by word frequency; it is the strongest "
    "that a correlation can show here",
    "limited": "statistically significant for these words; a stricter check failed, so the choice of words or their "
    "frequency may be the reason",
    "none shown": "not the same as absent",
    "too few words": "a set keeps fewer than four or half of its words",
}


def run(job: "Job", progress: "Progress") -> list[Row]:
    """Run the WEFATs of the language."""
    from imprint.association.battery import run_battery
    from imprint.stimuli.definition import WefatTest
    from imprint.stimuli.framed import foreign_vectors

    plan = job.plan
    tests = [test for test in plan.asked if isinstance(test, WefatTest)]
    if not tests:
        raise SettingError("the catalogue has no WEFAT in this language", option="language", got=plan.language)
    return run_battery(
        job.embedding,
        tests,
        alpha=plan.alpha,
        seed=plan.seed,
        foreign=foreign_vectors(job.subject, tests, cache=job.encodings),
        progress=progress,
    ).findings()


def blocks(rows: Sequence[WefatRow]) -> Iterator[Block]:
    """Show the strongest correlation as a chart, one table, and the other charts one click away."""
    first, *others = sorted(rows, key=lambda row: -abs(row.r or 0.0))
    yield _chart(first)
    caption = say("WEFAT on {}{}", title(rows[0].embedding), in_family(rows))
    published, figures = published_figures(rows, "r", lambda one: one.r)
    lines = tuple((*_cells(row), *figure, *_extra(row)) for row, figure in zip(rows, figures, strict=True))
    yield Table(caption, (*_COLUMNS, *published, *_EXTRA), lines)
    if others:
        yield Details("The other charts", tuple(_chart(row) for row in others))
    reading = Prose(
        "Each word has a score: how strongly it is associated with one set of words rather than another, such as "
        "female rather than male terms. The score is shown beside a number from the world. Where the two rise "
        "together, the embedding reflects the world as it was counted, inequality included."
    )
    yield Details("How to read this", (reading, *evidence_notes(rows, _LEVELS), *missing_notes(rows)))


def sentences(rows: Sequence[WefatRow]) -> Iterator[Text]:
    """Say every correlation, the strongest first."""
    for row in sorted(rows, key=lambda row: -abs(row.r or 0.0)):
        size = (number(row.r), interval(row.words_low, row.words_high), f"{level_of(row)}")
        yield say("{}: r = {} [{}], evidence {}.", title(row.title), *size)


def _cells(row: WefatRow) -> tuple[Cell | Text, ...]:
    return (
        name_cell(row),
        Cell(estimate(row.r, row.words_low, row.words_high), order=row.r),
        evidence_cell(row),
        corrected_cell(row),
        missing_cell(row),
        Cell(probability(row.r_p_value), order=row.r_p_value),
        Cell(estimate(row.spearman, row.spearman_low, row.spearman_high), order=row.spearman),
    )


def _extra(row: WefatRow) -> tuple[Cell | Text, ...]:
    return (
        Cell(probability(row.p_frequency), order=row.p_frequency),
        interval(row.r_low, row.r_high),
        say("{} + {} × score", number(row.intercept, 1), number(row.slope, 1)),
    )


def _fitted(points: Sequence[tuple[float, float]]) -> tuple[float, float] | None:
    """Return slope and intercept of the least-squares line through the points as they are drawn.

    The row's own slope predicts the number from the score, as in the paper: another line unless r is 1.
    """
    try:
        return linear_regression(*zip(*points, strict=True))
    except (ValueError, TypeError, OverflowError):  # too few points, all in one place, or too far apart
        return None


def _chart(row: WefatRow) -> Chart:
    scores = {one.word: one.value for one in row.scores}
    points = [(one.word, one.value, scores[one.word]) for one in row.values if one.word in scores]
    line = _fitted([(x, y) for _, x, y in points if x is not None and y is not None])

    def draw(shown: Words, width: int) -> dict[str, object]:
        from imprint.render.charts.plane import scatter
        from imprint.render.charts.points import Point

        return scatter(
            [Point(shown.plain(word), x, y) for word, x, y in points if x is not None and y is not None],
            x_title=shown.text(row.property),
            y_title=shown.text(f"association with {row.set_name('a')}, in standard deviations"),
            line=line,
            width=width,
        )

    columns = (
        Column("Word"),
        Column(title(row.property[:1].upper() + row.property[1:]), numeric=True),
        Column(say("Association with {}", title(row.set_name("a"))), numeric=True),
    )
    lines = tuple((Given(word), number(x, 1), number(y)) for word, x, y in points)
    alt = say(
        "A dot for each of {} words: {} from left to right, association with {} from bottom to top, and the least-"
        "squares line.",
        f"{len(points)}",
        title(row.property),
        title(row.set_name("a")),
    )
    table = Table(say("{}: every word", title(row.title)), columns, lines, filtered=True)
    return Chart(f"wefat-{row.test}", title(row.title), alt, draw, table)


WEFAT = Kind(
    "wefat",
    row=WefatRow,
    part=WORLD,
    blocks=blocks,
    sentences=sentences,
    claims=lambda rows: first_claim(
        sentences(rows), "That the vectors cause what was counted, or the other way round."
    ),
    run=run,
    measure=wefat,
    seconds=1.0,
    aliases={"p": "p_label", "r": "effect_size"},
    card=True,
    method="The Word Embedding Factual Association Test (Caliskan, Bryson and Narayanan, 2017) correlated the "
    "association of words with numbers about the world.",
)
