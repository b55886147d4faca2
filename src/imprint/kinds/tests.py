"""What the kinds of association tests show alike: names, p-values, counts, missing words, published figures."""

from collections.abc import Callable, Iterable, Iterator, Sequence
from typing import TYPE_CHECKING, TypeVar

from imprint.association.rows import AssociationRow, TestRow
from imprint.view import (
    NOTHING,
    Block,
    Cell,
    Chart,
    Column,
    Number,
    Prose,
    Table,
    Text,
    count,
    estimate,
    interval,
    number,
    probability,
    say,
    title,
    words,
)

if TYPE_CHECKING:
    from imprint.masking import Words

Tested = TypeVar("Tested", bound=AssociationRow)

TEST = Column("Test")
EFFECT = Column(
    "d", "Difference of the two sets' mean scores, in standard deviations of all scores; at most about two.", True
)
_SIDES = {
    "greater": "one-sided: only an association in the predicted direction counts",
    "less": "one-sided: only an association against the predicted direction counts",
    "two-sided": "two-sided: either direction counts",
}
_NAMED = 3  # sets of a family named in a note


def name_cell(row: TestRow) -> Cell:
    """Return a test's id and what it is called; a neutral test is not about people, and checks the method."""
    return Cell(say("{}: {}{}", title(row.test), title(row.title), "" if row.about_people else " (neutral)"))


def p_cell(row: AssociationRow) -> Cell:
    """Return p, with a sign before it where it is a bound or an estimate."""
    return Cell(probability(row.p_value, row.p_method), order=row.p_value)


def equals(p: Number) -> Text:
    """Return a p-value as it reads in a sentence: a bound has its own sign."""
    return p if p.sign else say("= {}", p)


def corrected_cell(row: AssociationRow) -> Cell:
    """Return p after correction, with the same sign."""
    return Cell(probability(row.p_holm, row.p_method), order=row.p_holm)


def difference_cell(row: AssociationRow) -> Cell:
    """Return the mean difference with its interval."""
    return Cell(estimate(row.mean_difference, row.interval_low, row.interval_high, 3), order=row.mean_difference)


def verdict_cell(row: AssociationRow) -> Text:
    """Return the verdict; where nothing was found, with the smallest effect that would have been."""
    if row.verdict == "cannot reach":
        return say("too few words to tell (p ≥ {})", probability(row.p_floor))
    if row.verdict == "not significant" and row.detectable_shift is not None:
        return say("not significant (smallest detectable difference {})", number(row.detectable_shift, 3))
    return row.verdict or NOTHING


def counts_cell(row: AssociationRow) -> Cell:
    """Return the partitions behind p: those at least as extreme, of all."""
    if row.p_method == "sampled":
        return Cell(say("sampled of {}", count(row.partitions)))
    if row.extreme is None:
        ends = (count(row.extreme_low, 4), count(row.extreme_high, 4), count(row.partitions))
        return Cell(say("{} to {} of {}", *ends))
    return Cell(say("{} of {}", count(row.extreme), count(row.partitions)), order=row.p_value)


def missing_cell(row: TestRow) -> Cell:
    """Count the missing words, of all words of the test, and name them on hover."""
    text = say("{} of {}", count(len(row.missing)), f"{row.asked:,}")
    return Cell(text, hint=words(row.missing), order=len(row.missing))


def published_cell(row: TestRow) -> Text:
    """Return the first figure that the test's source prints; figures for other words than ours do not compare."""
    figure = next((one for one in row.published if one.effect is not None), None)
    return NOTHING if figure is None or row.adapted else say("{} ({})", number(figure.effect), figure.embedding)


def one_sided(rows: Iterable[AssociationRow]) -> str:
    """Say in which direction p-values count."""
    return " or ".join(dict.fromkeys(_SIDES[row.alternative] for row in rows))


def missing_notes(rows: Sequence[TestRow]) -> Iterator[Block]:
    """Name the missing words, and warn of tests that lost so many that they ask another question."""
    for row in rows:
        if row.missing:
            text = say("missing words of {}: {}", title(row.test), words(row.missing))
            yield Prose(text, "warning", ("terminal", "card"))
        for name, kept, asked in row.sparse():
            yield Prose(
                say(
                    "{} keeps {} of {} words of {}; is this the right language and embedding for it?",
                    title(row.test),
                    count(kept),
                    count(asked),
                    title(name),
                ),
                "warning",
                ("terminal", "card"),
            )


def forest_chart(
    name: str,
    heading: str,
    rows: Sequence[Tested],
    ends: Callable[[Tested], tuple[float | None, float | None]],
    *,
    label: Callable[[Tested], str],
    axis: str,
    band: str,
) -> Chart:
    """Draw one line per test: d, a band around it, and what papers print."""

    def draw(shown: "Words") -> dict[str, object]:
        from imprint.render.charts.forest import ForestRow, forest

        return forest(
            [
                ForestRow(
                    label=shown.text(label(row)),
                    estimate=row.effect_size,
                    low=ends(row)[0],
                    high=ends(row)[1],
                    significant=row.verdict == "significant",
                    reachable=row.verdict != "cannot reach",
                    published=()
                    if row.adapted
                    else [one.effect for one in row.published[:1] if one.effect is not None],
                )
                for row in rows
                if row.effect_size is not None
            ],
            x_title=axis,
            band=band,
        )

    found = sum(row.verdict == "significant" for row in rows)
    strongest = max(rows, key=lambda row: row.effect_size or 0.0)
    alt = say(
        "A dot for each of {} tests at its effect size; the bar shows the {}. {} are significant. The largest is {}.",
        f"{len(rows):,}",
        band,
        f"{found:,}",
        title(label(strongest)),
    )
    lines = tuple((title(label(row)), number(row.effect_size), interval(*ends(row))) for row in rows)
    table = Table("Effect sizes of the chart", (TEST, EFFECT, Column(band.capitalize(), numeric=True)), lines)
    return Chart(name, heading, alt, draw, table)
