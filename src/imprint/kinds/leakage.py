"""Leakage as a kind: what classifiers and clusters still find of gender (Gonen and Goldberg, 2019)."""

from collections.abc import Iterator, Sequence

from imprint.evaluation.leakage import NAMES, LeakageRow
from imprint.kinds import Kind
from imprint.kinds.benchmarks import named
from imprint.kinds.debiasing import BEFORE_AFTER
from imprint.view import Block, Cell, Column, Details, Number, Prose, Table, Text, count, percent, points, say, title


def blocks(rows: Sequence[LeakageRow]) -> Iterator[Block]:
    """Show how often gender is recovered from each list of words, by each method."""
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
    table = Table(caption, tuple(columns), lines)
    notes = (
        "Can the gender of words still be recovered from their vectors? Recovered is the mean share of women's and "
        "men's words that are classified correctly, on words that were not used for training, or by two clusters. "
        "Chance is about one half. Brackets are 95 % intervals: over other training words for classifiers, over "
        "resampled words for clusters.",
        "Gender that is gone from an axis and still recovered here was hidden, not removed. The words furthest out "
        "were chosen by the axis, so nearly all are recovered before debiasing. A debiaser that was fitted on some of "
        "these words does better on them than on others.",
    )
    prose = (Prose(note, "note", ("page", "terminal")) for note in notes)
    yield Details("Can gender still be recovered?", (table, *prose))


def sentences(rows: Sequence[LeakageRow]) -> Iterator[Text]:
    """Say how many first names can still be classified: debiasing does not aim at them, and applications meet them."""
    names = [row for row in rows if row.word_list == NAMES]
    if names:
        worst = max(names, key=lambda row: row.accuracy)
        if worst.against is None:
            yield say(
                "A {} classifies {} of first names by gender from sentences such as “This is Emma.” (chance {}).",
                worst.method,
                percent(worst.accuracy),
                percent(worst.chance),
            )
            return
        yield say(
            "A {} still classifies {} of first names by gender after debiasing ({} before; chance {}).",
            worst.method,
            percent(worst.accuracy),
            percent(worst.against_accuracy),
            percent(worst.chance),
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
