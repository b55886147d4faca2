"""A kind of finding of its own: typed rows, how an audit makes and shows them, and a metric that gives them."""

from collections.abc import Iterable, Iterator, Sequence
from typing import Annotated, Any

from imprint.errors import VocabularyError
from imprint.kinds import Kind, Part
from imprint.rows import Row, shown
from imprint.tables import table
from imprint.view import Block, Phrase, number, say


class LengthsRow(Row, frozen=True, kw_only=True, tag="lengths"):
    """The mean length of words."""

    mean_length: Annotated[float, shown("Mean length", "How many letters words have on average.", digits=1)]


def lengths(subject: Any, test: Any) -> LengthsRow:
    """Mean length of a test's target words."""
    known = subject.lookup(test.x.words).words  # also finds a name that the file has in lower case
    if not known:
        raise VocabularyError(
            f"{len(test.x)} of {len(test.x)} words are missing from {subject.name}",
            expected="at least 1 word",
            where=test.x.name,
            words=test.x.words,
            hint="use other words or a larger embedding",
        )
    return _row(test.id, subject.name, subject.sha256, known)


def run(job: Any, progress: Any) -> Iterator[LengthsRow]:
    """Measure the first words of an audit's subject."""
    name, digest = job.measured
    yield _row("lengths", name, digest, job.embedding.words[:100])


def blocks(rows: Sequence[LengthsRow]) -> Iterator[Block]:
    """Show rows as a table, on the page, in the terminal and on the card; the row describes its columns."""
    yield table(LengthsRow, "Lengths of words", rows, ("embedding", "mean_length"))


def sentences(rows: Sequence[LengthsRow]) -> Iterator[Phrase]:
    """Say what the rows mean."""
    yield say("Words have {} letters on average.", number(rows[0].mean_length, 1))


LENGTHS = Kind(
    row=LengthsRow,
    part=Part(
        "lengths",
        "Lengths",
        65,
        controlled=False,
        terms=("Mean length: how many letters words have on average.",),
        limits=("The length of words says nothing about bias.",),
    ),
    blocks=blocks,
    sentences=sentences,
    run=run,
    aliases={"length": "mean_length"},
    card=True,
    method="The letters of the words were counted.",
    brief=sentences,
)


def _row(test: str, name: str, digest: str, words: Iterable[str]) -> LengthsRow:
    sizes = [len(word) for word in words]
    mean = sum(sizes) / len(sizes)
    return LengthsRow(test=test, embedding=name, embedding_sha256=digest, statistic=mean, mean_length=mean)
