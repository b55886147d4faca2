"""Topics and interactions as kinds: one estimate per topic, and two groups among women's and among men's names."""

from collections.abc import Iterator, Sequence

from imprint.association.rows import TopicRow, outcome_counts, outcomes_text
from imprint.association.topics import InteractionRow
from imprint.kinds import Kind, NamedTests
from imprint.kinds.tests import NAME, OUTCOME, by_chance, by_subject, outcome_notes, test_names
from imprint.kinds.weat import ASSOCIATIONS
from imprint.rows import Row
from imprint.stimuli.definition import Test
from imprint.tables import Columns, Field, table
from imprint.view import Block, Cell, Details, Prose, Text, count, footnote, join, say, title

_COLUMNS: Columns = (NAME, "size_women", "size_men", "size", OUTCOME)
_MORE: Columns = (
    "group_size",
    "gender_size",
    Field("cell_sizes", cell=lambda row: join([count(number) for number in row.cell_sizes], ", ")),
    "left_out",
)


def _tests(row: TopicRow) -> Cell:
    return Cell(count(len(row.tests)), hint=title(", ".join(row.tests)))


TESTS = Field("tests", cell=_tests, numeric=True)


def _answers(row: TopicRow) -> Cell:
    return Cell(outcomes_text(row.test_outcomes), hint=title(", ".join(row.tests)))


_ANSWERS = Field("test_outcomes", cell=_answers, numeric=False)


def show_topics(rows: Sequence[TopicRow]) -> Iterator[Block]:
    """Show one line per topic, unless one test is all there is."""
    if one_test(rows):
        return
    several = len({row.embedding_sha256 for row in rows}) > 1
    models = [Field("embedding", "Encoder")] if several else []
    columns: Columns = ["topic", *models, "size", OUTCOME, _ANSWERS, "n_words"]
    left_out = (
        say("{}: {} left out, without a size or not run.", title(row.topic), title(", ".join(row.tests_left_out)))
        for row in rows
        if row.tests_left_out
    )
    notes: tuple[Text, ...] = (
        "The size is the mean of the questions' signed sizes; every word counts once. It is not a verdict on the "
        "topic: opposite signs cancel, and one question may be substantial.",
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


def show_interactions(rows: Sequence[InteractionRow]) -> Iterator[Block]:
    """Show the size among women's names, among men's, and the difference."""
    for of_subject in by_subject(rows):
        caption = say("By gender, on {}, with 99.5 % intervals", title(of_subject[0].embedding))
        yield table(InteractionRow, caption, of_subject, _COLUMNS, more=_MORE)
    explained = (
        "The names of both groups are split by the gender of their bearers. The interaction is the size among women's "
        "names less that among men's. It is zero where the effects of group and gender just add up; its interval is "
        "about twice as wide as that of a size."
    )
    yield Details("What an interaction is", (Prose(explained), *outcome_notes(rows)))


def say_interactions(rows: Sequence[InteractionRow]) -> Iterator[Text]:
    """Count the outcomes."""
    yield say("Interactions with gender: {}. By chance alone: {} present.", outcome_counts(rows), by_chance(rows))


TOPIC = Kind(
    row=TopicRow,
    part=ASSOCIATIONS,
    blocks=show_topics,
    card=True,
    rank=1,
    names=topic_names,
    of_encoder=("topic", "seat"),
)
INTERACTION = Kind(
    row=InteractionRow,
    part=ASSOCIATIONS,
    blocks=show_interactions,
    sentences=say_interactions,
    card=True,
    rank=2,
    names=test_names,
    of_encoder=("interaction", "seat"),
)
