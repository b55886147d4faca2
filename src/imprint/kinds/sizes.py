"""Sizes in a table and in a chart: each with its interval and one of four outcomes, topic by topic."""

from collections.abc import Iterable, Sequence
from typing import TYPE_CHECKING, TypeVar

from imprint.association.rows import AssociationRow, SizedRow, outcome_counts
from imprint.kinds.tests import MISSING, OUTCOME, name_cell, outcome_text
from imprint.masking import Words
from imprint.rows import grouped
from imprint.significance.outcomes import MARGIN
from imprint.stimuli.catalog import more_questions
from imprint.tables import Columns, Field, table
from imprint.view import Block, Chart, Given, Phrase, Text, count, percent, points, say, title

if TYPE_CHECKING:
    from imprint.association.rows import TopicRow
    from imprint.view import Medium

Answered = TypeVar("Answered", bound=SizedRow)

WORDS = " words"
FEWEST = 50  # words of each group of a question about more people, below which it has few
_BARS = "99.5 % interval"


def sizes_table(rows: Sequence[AssociationRow]) -> Block:
    """Return the table of sizes of one subject."""
    what = "Questions asked of" if rows[0].is_question else "Tests of"
    caption = say("{} {}, with 99.5 % intervals", what, title(rows[0].embedding))
    extra = () if rows[0].is_question else ("p_frequency",)
    columns: Columns = (*_COLUMNS, "detectable") if any(part_of(row) == "few" for row in rows) else _COLUMNS
    is_answered = rows[0].is_question and len(rows) > 1 and not lack_words(rows)  # on pages, as answers
    media: tuple[Medium, ...] = ("page", "terminal", "card")
    if is_answered and columns == _COLUMNS:
        media = ("terminal", "card")
    more = tuple(field for field in _FURTHER if field not in columns)
    return table(type(rows[0]), caption, rows, columns, more=more, extra=extra, media=media)


def by_topic(rows: Iterable[Answered]) -> dict[str, list[Answered]]:
    """Return rows by their first topic, the largest size first in each."""
    topics = grouped(rows, key=lambda row: row.topics[0] if row.topics else "other")
    return {topic: largest_first(of_topic) for topic, of_topic in topics.items()}


def largest_first(rows: Iterable[Answered]) -> list[Answered]:
    """Return rows by size, whatever its sign; equal ones by test."""
    return sorted(rows, key=lambda row: (-abs(row.size or 0.0), row.test))


def part_of(row: AssociationRow) -> str:
    """Return whether a row is shown with the standard questions, with those about more people, or with tests."""
    if not row.is_question:
        return "test"
    if row.test not in {test.id for test in more_questions()}:
        return "question"
    return "few" if min(len(words.words) for words in row.sets[:2]) < FEWEST else "more"


def lack_words(rows: Sequence[AssociationRow]) -> bool:
    """Tell whether no question has the words it needs."""
    return all(row.reason == "few words" for row in rows)


def capital(text: Text) -> Text:
    """Begin a sentence with a capital: names of sets may be written small."""
    if isinstance(text, Phrase) and text and isinstance(text[0], Given):
        first = text[0]
        return Phrase((Given(first.text[:1].upper() + first.text[1:], first.long), *text[1:]))
    return text


def size_text(row: "SizedRow | TopicRow", *, turned: bool = False) -> Text:
    """Return the size with its interval; `turned`, as that of Y against X."""
    if row.size is None or row.size_low is None or row.size_high is None:
        return "no size"
    size, low, high = (-row.size, -row.size_high, -row.size_low) if turned else (row.size, row.size_low, row.size_high)
    digits = size_digits(low, high)
    return say("{} [{} to {}]", percent(size, digits), points(low, digits), points(high, digits))


def size_digits(*ends: float) -> int:
    """Return one decimal where an end is so near to zero or the margin that rounding would hide which side it is."""
    return int(any(min(abs(end), abs(abs(end) - MARGIN)) < MARGIN / 20 for end in ends))


def counted(rows: Sequence[AssociationRow]) -> str:
    """Say how many questions, or tests, there are."""
    what = "question" if rows[0].is_question else "test"
    return f"{len(rows)} {what}{'' if len(rows) == 1 else 's'}"


def word_counts(row: AssociationRow) -> Text:
    """Say how many words of each set have a vector."""
    return say("{} and {}, {} and {}", *map(count, (row.n_x, row.n_y, row.n_a, row.n_b)))


_COLUMNS: Columns = (Field("test", meaning="Two groups and two kinds of words.", cell=name_cell), "size", OUTCOME)
_FURTHER: Columns = (
    "unrelated",
    "detectable",
    Field("n_x", "Words", "Words of X, Y, A and B that have a vector.", word_counts, numeric=False),
    MISSING,
    "mean_difference",
    "effect_size",
)


def sizes_chart(name: str, heading: Text, rows: Sequence[SizedRow], *, x_title: str, note: str) -> Chart:
    """Draw sizes topic by topic, the largest first in each, with their intervals and the band of what is small."""
    drawn = [row for of_topic in by_topic(rows).values() for row in of_topic if row.size is not None]

    def draw(shown: Words, width: int) -> dict[str, object]:
        from imprint.render.charts.forest import ForestRow, forest
        from imprint.render.numbers import plain

        lines = [
            ForestRow(
                shown.text(f"{row.set_name('x')} – {row.set_name('a')}"),
                100 * (row.size or 0.0),
                None if row.size_low is None else 100 * row.size_low,
                None if row.size_high is None else 100 * row.size_high,
                row.outcome or "cannot tell",
                shown.text(f"{row.set_name('y')} – {row.set_name('b')}"),
                {
                    "test": shown.text(row.test),
                    "outcome": plain(outcome_text(row), shown),
                    "size": plain(size_text(row, turned=row.found and (row.size or 0.0) < 0), shown),
                },
            )
            for row in drawn
        ]
        return forest(lines, x_title=x_title, band=_BARS, small=100 * MARGIN, width=width)

    alt = say(
        "A mark for each of {} sizes, with its interval; the marks show the outcome: {}.",
        f"{len(drawn)}",
        outcome_counts(rows),
    )
    listed = table(type(rows[0]), "The chart's sizes", drawn, _COLUMNS)
    return Chart(name, heading, alt, draw, listed, note=note)
