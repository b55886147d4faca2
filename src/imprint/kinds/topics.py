"""Topics as a kind: one estimate per topic, above the tests that it is made of."""

from collections.abc import Iterator, Sequence

from imprint.association.topics import TopicRow
from imprint.kinds import Kind
from imprint.kinds.weat import ASSOCIATIONS
from imprint.view import (
    Block,
    Cell,
    Column,
    Details,
    Prose,
    Table,
    Text,
    count,
    estimate,
    probability,
    say,
    title,
)

TOPIC_COLUMN = Column("Topic")
TESTS = Column("Tests", "Tests about people that ask about the topic.", True)
_WORDS = Column("Words", "Different words of these tests; a word and its inflections count once.", True)
P_WORDS = Column("p, words", "Two-sided p against no difference among all words of these kinds.", True)
_TOPICS = (
    TOPIC_COLUMN,
    Column(
        "Mean difference",
        "Mean of the tests' mean differences, with its 95 % interval over words and any sentences.",
        True,
    ),
    P_WORDS,
    TESTS,
    _WORDS,
)


def show_topics(rows: Sequence[TopicRow]) -> Iterator[Block]:
    """Show one line per topic, unless one test is all there is."""
    if one_test(rows):
        return
    several = len({row.embedding_sha256 for row in rows}) > 1
    columns = (TOPIC_COLUMN, Column("Encoder"), *_TOPICS[1:]) if several else _TOPICS
    lines = tuple((title(row.topic), *([title(row.embedding)] if several else []), *topic_cells(row)) for row in rows)
    left_out = (
        say("{}: {} left out, with too few words or not run.", title(row.topic), title(", ".join(row.tests_left_out)))
        for row in rows
        if row.tests_left_out
    )
    notes: tuple[Text, ...] = (
        "The tests of one topic share words, so they are not independent. Each topic has the mean of its tests, with "
        "an interval that counts every word and every template once. These estimates are not corrected for the number "
        "of topics.",
        *left_out,
    )
    yield Details(
        "One estimate per topic",
        (
            Table("One estimate per topic", columns, lines),
            *(Prose(note, "note", ("page", "terminal")) for note in notes),
        ),
    )


def one_test(rows: Sequence[TopicRow]) -> bool:
    """Tell whether all topics have the same one test, whose own row says the same."""
    return len({test for row in rows for test in (*row.tests, *row.tests_left_out)}) == 1


def size_of(row: TopicRow) -> Text:
    """Return a topic's mean difference with its interval."""
    return estimate(row.mean_difference, row.words_low, row.words_high, 3)


def topic_cells(row: TopicRow) -> tuple[Cell | Text, ...]:
    """Return the cells that topics have before and after a change."""
    return (
        Cell(size_of(row), order=row.mean_difference),
        Cell(probability(row.p_words), order=row.p_words),
        Cell(count(len(row.tests)), hint=title(", ".join(row.tests))),
        count(row.n_words),
    )


TOPIC = Kind(
    "topic",
    row=TopicRow,
    part=ASSOCIATIONS,
    blocks=show_topics,
    aliases={"p": "p_words"},
    card=True,
    rank=1,
)
