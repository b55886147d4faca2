"""Topics as a kind: one estimate per topic, above the tests that it is made of."""

from collections.abc import Iterator, Sequence

from imprint.association.topics import TopicRow
from imprint.kinds import Kind, NamedTests
from imprint.kinds.tests import OUTCOME
from imprint.kinds.weat import ASSOCIATIONS
from imprint.rows import Row
from imprint.stimuli.definition import Test
from imprint.tables import Columns, Field, table
from imprint.view import Block, Cell, Details, Text, count, footnote, say, title


def _tests(row: TopicRow) -> Cell:
    return Cell(count(len(row.tests)), hint=title(", ".join(row.tests)))


TESTS = Field("tests", cell=_tests, numeric=True)


def show_topics(rows: Sequence[TopicRow]) -> Iterator[Block]:
    """Show one line per topic, unless one test is all there is."""
    if one_test(rows):
        return
    several = len({row.embedding_sha256 for row in rows}) > 1
    models = [Field("embedding", "Encoder")] if several else []
    columns: Columns = ["topic", *models, "size", OUTCOME, TESTS, "n_words"]
    left_out = (
        say("{}: {} left out, without a size or not run.", title(row.topic), title(", ".join(row.tests_left_out)))
        for row in rows
        if row.tests_left_out
    )
    notes: tuple[Text, ...] = (
        "Questions of one topic share words, so they are not independent. Each topic has the mean of their sizes, "
        "with an interval that counts every word once.",
        *left_out,
    )
    yield Details(
        "One size per topic",
        (
            table(TopicRow, "One size per topic", rows, columns),
            *map(footnote, notes),
        ),
    )


def one_test(rows: Sequence[TopicRow]) -> bool:
    """Tell whether all topics have the same one test, whose own row says the same."""
    return len({test for row in rows for test in (*row.tests, *row.tests_left_out)}) == 1


def topic_names(tests: Sequence[Test], rows: Sequence[Row]) -> NamedTests:
    """Return every topic; of findings, those that they lack may come with others, but one of neither is misspelt."""
    asked = {topic for source in (*tests, *rows) for topic in source.topics}
    return NamedTests("topic", sorted(asked | {row.test for row in rows if row.kind == TOPIC.name}), fixed=True)


TOPIC = Kind(
    "topic",
    row=TopicRow,
    part=ASSOCIATIONS,
    blocks=show_topics,
    card=True,
    rank=1,
    names=topic_names,
    of_encoder=("topic", "seat"),
)
