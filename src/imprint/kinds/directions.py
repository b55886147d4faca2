"""Axes of bias as kinds: words along he - she, how that agrees with other numbers, and pairs in two components.

Bolukbasi et al. (2016), section 2 and Figure 1; Caliskan, Bryson and Narayanan (2016), Figure 3.
"""

from collections.abc import Iterator, Sequence
from itertools import zip_longest
from typing import TYPE_CHECKING

from imprint.directions.axis import PairsRow, show_end
from imprint.directions.projection import ProjectionComparisonRow, ProjectionRow
from imprint.kinds import Kind, Part, terms
from imprint.masking import Words
from imprint.render.charts.axis import strip
from imprint.render.charts.plane import arrows, scatter
from imprint.render.charts.points import Point
from imprint.rows import Row, WordPoint, WordValue
from imprint.tables import Field, table
from imprint.view import (
    NOTHING,
    Block,
    Cell,
    Chart,
    Column,
    Details,
    Given,
    Prose,
    Table,
    Text,
    count,
    footnote,
    join,
    number,
    percent,
    say,
    title,
    words,
)

if TYPE_CHECKING:
    from imprint.jobs.job import Job
    from imprint.types import Progress

ALONG = Part("directions", "Words between he and she", 30, english=True, terms=(terms.AXIS,))

CROWD = "the crowd's gender stereotype scores"
TOP = 10  # words shown at each end and in the middle

_NAMED = 3  # words of each end in a sentence


def run(job: "Job", progress: "Progress") -> list[Row]:
    """Project professions on he - she, compare that with a crowd, and place the pairs that define gender."""
    from imprint.directions.axis import pair_components
    from imprint.directions.projection import compare_with_scores, project
    from imprint.evaluation.leakage import leakage
    from imprint.jobs.job import Attempt
    from imprint.jobs.progress import by_label, stretch
    from imprint.stimuli.seeds import definitional_pairs, professions

    scores = {profession.word: profession.stereotype for profession in professions()}

    def placed() -> ProjectionRow:
        return project(job.embedding, job.axis, tuple(scores))

    def crowd() -> list[Row]:
        return [compare_with_scores(placed(), scores, name=CROWD)]

    def pairs() -> list[Row]:
        return [pair_components(job.embedding, definitional_pairs())]

    def recovered() -> Sequence[Row]:
        report = by_label(stretch(progress, 0.1, 1.0), (1.0,))
        return leakage(job.embedding, job.axis, seed=job.plan.seed, report=report).findings()

    attempts = [
        Attempt("projection", "Professions on he - she", lambda: [placed()]),
        Attempt("crowd", "Professions and what a crowd thinks of them", crowd),
        Attempt("pairs", "Gender pairs in two dimensions", pairs),
    ]
    if job.kind == "encoder":  # of an embedding, it is asked before and after debiasing
        attempts.append(Attempt("leakage", "Gender of names and professions", recovered, slow=True))
    rows = job.gather(ALONG, attempts)
    progress(1, 1)
    return rows


def show_projections(rows: Sequence[ProjectionRow], top: int = TOP) -> Iterator[Block]:
    """Show every word along its axis, the `top` words of both ends and the middle, and how good the axis is."""
    for place, row in enumerate(rows):
        yield _strip(row, place)
    yield _ends(rows, top)
    reading = footnote(
        "Each dot is a word. Coordinates lie between -1 and 1. The further a word lies to one side, the more its "
        "vector points to that end of the axis. Zero is as close to one end as to the other; it does not mean "
        "unbiased."
    )
    axis = table(
        ProjectionRow,
        "The axis, and how far the words spread along it",
        rows,
        (
            Field("test", cell=lambda row: say("{} in {}", title(row.test), title(row.embedding))),
            Field("positive", "Pairs", "Pairs of words that the axis was made of.", _pair_count, numeric=True),
            "explained",
            "agreement",
            Field("n_words", cell=_word_count),
            "variance",
        ),
        more=["mean"],
    )
    yield Details("About the axis", (axis, reading))
    for row in rows:
        if lost := dict.fromkeys((*row.axis_missing, *row.missing)):
            text = say("missing words in {}: {}", title(row.embedding), words(lost))
            yield Prose(text, "warning", ("terminal",))


def show_comparisons(rows: Sequence[ProjectionComparisonRow]) -> Iterator[Block]:
    """Show the words' places along the axis against what else is known of them."""
    note = footnote(
        "p is two-sided, as if the words had been drawn at random. They were chosen, so take p as a scale, not as "
        "an error rate."
    )
    charts = (_comparison(row, place) for place, row in enumerate(rows))
    columns = ("other", "n_words", "pearson", "pearson_p_value", "spearman", "spearman_p_value")
    agreement = table(ProjectionComparisonRow, "Who agrees", rows, columns)
    yield Details("Do other numbers agree?", (*charts, agreement, note))


def show_pairs(rows: Sequence[PairsRow]) -> Iterator[Block]:
    """Show each pair as two dots and the line between them."""
    yield Details("Is there one direction for gender?", tuple(_pair_blocks(rows)))


def _pair_blocks(rows: Sequence[PairsRow]) -> Iterator[Block]:
    yield Prose(
        "Words that differ by gender alone, such as he and she, should differ in the same direction. Here they are in "
        "the two directions in which these words vary most. Parallel lines mean one direction for gender."
    )
    for place, row in enumerate(rows):
        yield _pairs(row, place)
        yield footnote(
            say(
                "The mean cosine between the pairs' differences is {}: 1 if all point the same way, about 0 if they "
                "have no direction in common. The two components explain {} and {} of the variance.",
                number(row.agreement),
                *(percent(share) for share in row.explained_shares),
            )
        )


def say_ends(rows: Sequence[ProjectionRow]) -> Iterator[Text]:
    """Name the words furthest out."""
    for row in rows:
        ends = ((row.positive, row.most_positive(_NAMED)), (row.negative, row.most_negative(_NAMED)))
        told = (say("towards {}: {}", title(show_end(end)), _first(side)) for end, side in ends)
        yield say("Of {} words, furthest {}.", count(row.n_words), join(told, "; furthest "))


def say_agreement(rows: Sequence[ProjectionComparisonRow]) -> Iterator[Text]:
    """Say each correlation."""
    for row in rows:
        template = "Correlation of positions on {} with {}: {}."
        yield say(template, title(_axis_name(row)), title(row.other), number(row.pearson))


def _first(side: Sequence[WordValue]) -> Text:
    return words(placed.word for placed in side) if side else "none"


def _axis_name(row: ProjectionComparisonRow) -> str:
    return row.test.removesuffix(f" and {row.other}")


def _numbered(name: str, place: int) -> str:
    return f"{name}-{place + 1}" if place else name


def _ends(rows: Sequence[ProjectionRow], top: int) -> Table:
    """Put the ends and the middle of the first row side by side, with the other rows' coordinates of these words."""
    row, *others = rows
    places = [{word.word: word.value for word in other.coordinates} for other in others]
    high, low, placed = title(show_end(row.positive)), title(show_end(row.negative)), row.ordered()
    if len(placed) < 3 * top:  # the same words would be in several columns
        sides = {say("from {} to {}", high, low): placed}
    else:
        sides = {
            say("most {}", high): row.most_positive(top),
            say("nearest zero"): row.nearest_zero(top),
            say("most {}", low): row.most_negative(top),
        }

    def cells(one: WordValue | None) -> tuple[Text, Text]:
        if one is None:  # fewer words lie on this side
            return NOTHING, NOTHING
        values = (one.value, *(other.get(one.word) for other in places))
        return Given(one.word), join((number(value, 3) for value in values), " / ")

    caption = say("{} in {}", title(row.test), join((title(projection.embedding) for projection in rows), " and in "))
    columns = tuple(column for side in sides for column in (Column(side), Column("Coordinate", numeric=True)))
    lines = tuple(tuple(cell for word in line for cell in cells(word)) for line in zip_longest(*sides.values()))
    return Table(caption, columns, lines, media=("terminal",))


def _pair_count(row: ProjectionRow) -> Text:
    return NOTHING if row.method == "sets" else count(len(row.positive))


def _word_count(row: ProjectionRow) -> Cell:
    text = say("{} of {}", count(row.n_words), f"{row.n_words + len(row.missing):,}")
    return Cell(text, hint=words(row.missing), order=row.n_words)


def _strip(row: ProjectionRow, place: int) -> Chart:
    placed = row.ordered()
    high, low = show_end(row.positive), show_end(row.negative)

    def draw(shown: Words, width: int) -> dict[str, object]:
        points = [Point(shown.plain(word.word), word.value) for word in placed if word.value is not None]
        return strip(points, x_title="coordinate", ends=(shown.text(low), shown.text(high)), width=width)

    alt = say(
        "{} words along the axis. Furthest towards {}: {}. Furthest towards {}: {}.",
        f"{len(placed):,}",
        title(low),
        _first(row.most_negative(_NAMED)),
        title(high),
        _first(row.most_positive(_NAMED)),
    )
    coordinate = Field("value", "Coordinate", "Above zero: towards the axis' first word.")
    listed = table(WordValue, "Every word's coordinate", placed, ("word", coordinate), filtered=True)
    heading = say("Words from {} to {} in {}", title(low), title(high), title(row.embedding))
    return Chart(_numbered("direction-words", place), heading, alt, draw, listed)


def _comparison(row: ProjectionComparisonRow, place: int) -> Chart:
    here = f"{_axis_name(row)} in {row.embedding}"

    def draw(shown: Words, width: int) -> dict[str, object]:
        points = [Point(shown.plain(point.word), point.x, point.y) for point in row.points]
        return scatter(points, x_title=shown.text(here), y_title=shown.text(row.other), width=width)

    alt = say(
        "A dot for each of {} words: the coordinate along the axis from left to right, {} from bottom to top.",
        f"{len(row.points):,}",
        title(row.other),
    )
    columns = ("word", Field("x", title(here)), Field("y", title(row.other)))
    listed = table(WordPoint, "Both numbers of every word", row.points, columns, filtered=True)
    heading = say("{} and {}", title(here), title(row.other))
    return Chart(_numbered("direction-comparison", place), heading, alt, draw, listed)


def _pairs(row: PairsRow, place: int) -> Chart:
    def draw(shown: Words, width: int) -> dict[str, object]:
        return arrows(
            [(shown.plain(pair.first), shown.plain(pair.second)) for pair in row.pairs],
            [Point(shown.plain(point.word), point.x, point.y) for point in row.points],
            x_title="first component",
            y_title="second component",
            ends=("men's word", "women's word"),
            width=width,
        )

    alt = say(
        "{} pairs, each joined by a line from the man's word to the woman's: {}.",
        f"{len(row.pairs):,}",
        join(say("{} and {}", Given(pair.first), Given(pair.second)) for pair in row.pairs[:_NAMED]),
    )
    columns = ("word", Field("x", "Component one"), Field("y", "Component two"))
    listed = table(WordPoint, "Coordinates of the pairs' words", row.points, columns)
    return Chart(_numbered("direction-pairs", place), "Gender pairs in two principal components", alt, draw, listed)


PAIRS = Kind(row=PairsRow, part=ALONG, blocks=show_pairs, rank=1)
PROJECTION = Kind(row=ProjectionRow, part=ALONG, blocks=show_projections, sentences=say_ends, run=run, seconds=0.5)
COMPARISON = Kind(
    row=ProjectionComparisonRow,
    part=ALONG,
    blocks=show_comparisons,
    sentences=say_agreement,
    aliases={"p": "p_value", "r": "effect_size"},
)
