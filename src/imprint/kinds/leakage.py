"""Leakage as a kind: what classifiers and clusters still find of gender (Gonen and Goldberg, 2019)."""

from collections.abc import Iterator, Sequence

from imprint.evaluation.leakage import NAMES, LeakageRow
from imprint.kinds import Kind
from imprint.kinds.benchmarks import named
from imprint.kinds.debiasing import BEFORE_AFTER
from imprint.view import Block, Cell, Column, Number, Prose, Table, Text, count, percent, points, say, title


def blocks(rows: Sequence[LeakageRow]) -> Iterator[Block]:
    """Show how often gender is recovered from each list of words, by each method."""
    yield Prose(
        "A bias that was removed from one axis may remain in other directions. Can the gender of words still be "
        "recovered from their vectors? Chance is about one half."
    )
    first = rows[0]
    columns = [
        Column("Words"),
        Column("Women, men", "How many words of each there are."),
        Column("Method"),
        Column("Chance", "What random labels give.", True),
    ]
    if first.against is None:
        columns += [Column("Recovered", "With its 95 % interval.", True)]
    else:
        columns += [
            Column("A", "Share recovered.", True),
            Column("B", "Share recovered, with its 95 % interval.", True),
            Column("B - A", "In percentage points, with its 95 % interval.", True),
        ]
    lines = tuple(_line(row)[: len(columns)] for row in rows)
    caption = say("Gender recovered from vectors: {}", named(first.embedding, first.against))
    yield Table(caption, tuple(columns), lines)
    yield Prose(
        "Recovered is the mean share of women's and men's words that are classified correctly, on words that were not "
        "used for training, or by two clusters. Brackets are 95 % intervals: over other training words for "
        "classifiers, over resampled words for clusters. A number without brackets has no interval.",
        "note",
        ("page", "terminal"),
    )
    yield Prose(
        "Gender that is gone from an axis and still recovered here was hidden, not removed. The words furthest out "
        "were chosen by the axis, so that nearly all are recovered before debiasing. A debiaser that was fitted on "
        "some of these words does better on them than on others.",
        "note",
        ("page", "terminal"),
    )


def sentences(rows: Sequence[LeakageRow]) -> Iterator[Text]:
    """Say how many first names can still be classified: debiasing does not aim at them, and applications meet them."""
    names = [row for row in rows if row.word_list == NAMES and row.against is not None]
    if names:
        worst = max(names, key=lambda row: row.accuracy)
        yield say(
            "In {}, {} of women's and men's first names can still be classified by gender ({}; chance {}), {} in {}.",
            title(worst.embedding),
            percent(worst.accuracy),
            worst.method,
            percent(worst.chance),
            percent(worst.against_accuracy),
            title(str(worst.against)),
        )


def _line(row: LeakageRow) -> tuple[Cell | Text, ...]:
    recovered = _bracketed(percent(row.accuracy, 1), row.accuracy_low, row.accuracy_high)
    compared = (
        percent(row.against_accuracy, 1),
        recovered,
        _bracketed(points(row.change), row.change_low, row.change_high),
    )
    return (
        title(row.word_list),
        say("{}, {}", count(row.women), count(row.men)),
        title(row.method),
        percent(row.chance, 1),
        *((recovered,) if row.against is None else compared),
    )


def _bracketed(shown: Number, low: float | None, high: float | None) -> Cell:
    without = low is None or high is None
    return Cell(shown if without else say("{} [{} to {}]", shown, points(low), points(high)), order=shown.value)


LEAKAGE = Kind("leakage", row=LeakageRow, part=BEFORE_AFTER, blocks=blocks, sentences=sentences, rank=20)
