"""Stereotype analogies, nearest words, and names ranked by a query, as kinds (Bolukbasi et al., 2016)."""

from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING

from imprint.checks import PairScore
from imprint.directions.analogies import AnalogyRow
from imprint.directions.axis import show_end
from imprint.directions.neighbours import NameRankingRow, NeighboursRow
from imprint.kinds import Kind, Part, terms
from imprint.rows import Row, WordValue
from imprint.tables import Columns, Field, table
from imprint.view import Block, Details, Prose, Text, count, footnote, number, percent, probability, say, title, words

if TYPE_CHECKING:
    from imprint.jobs.job import Job
    from imprint.types import Progress

STEREOTYPES = Part(
    "analogies",
    "Stereotypes as analogies",
    50,
    offensive=True,
    english=True,
    asks=("embedding",),
    why_not="analogies are searched in an embedding's vocabulary, and a sentence encoder has none",
    terms=(terms.AXIS,),
)

_SCORES: dict[PairScore, str] = {
    "difference": "cosine between the pair's difference and the axis, 1 at most.",
    "3cosmul": "product of similarities (3CosMul): each word to its own end over the other end, and to its partner.",
}
_BEST = 50
_FIRST = 12  # pairs on a page that are read without being asked for


def run(job: "Job", progress: "Progress") -> Sequence[Row]:
    """Find what is to each other as he is to she, without first names and listed words gendered by meaning."""
    from imprint.directions.analogies import analogies

    words = job.plan.analogy_words
    found = analogies(job.embedding, job.axis, k=_BEST, words=words, no_names=True, neutral=True, progress=progress)
    return found.findings()


def say_analogies(rows: Sequence[AnalogyRow]) -> Iterator[Text]:
    """Say what the pairs are."""
    template = (
        "Pairs of words that differ as {} and {} do. Some are correct by meaning; others are stereotypes that an "
        "application would repeat. Only people can say which is which."
    )
    yield say(template, *_ends(rows[0]))


def _ends(row: AnalogyRow) -> tuple[Text, ...]:
    return tuple(title(show_end(side)) for side in (row.positive, row.negative))


def show_analogies(rows: Sequence[AnalogyRow]) -> Iterator[Block]:
    """List the pairs, the best first."""
    first = rows[0]
    ends = _ends(first)
    score = Field("score", meaning=_SCORES[first.score_by])
    columns = ("rank", Field("first", ends[0]), Field("second", ends[1]), score, "distance")
    caption = say("{} is to {} as … (among {} words of {})", *ends, count(first.n_words), title(first.embedding))
    if len(rows) <= _FIRST:
        yield table(AnalogyRow, caption, rows, columns)
    else:
        yield table(AnalogyRow, caption, rows[:_FIRST], columns, media=("page",))
        yield Details("All pairs", (table(AnalogyRow, caption, rows, columns, filtered=True),))
    yield from _left_out(first)
    yield Prose(
        f"Score: {_SCORES[first.score_by]} Distance: between the two words at unit length. No word is first in two "
        "pairs, and none is second in two: a pair depends on those above it.",
        "note",
        ("terminal",),
    )
    if first.missing:
        yield Prose(say("Missing words of the axis: {}", words(first.missing)), "note", ("terminal",))


def _left_out(row: AnalogyRow) -> Iterator[Block]:
    """Say which lists were left out, and how many of their words; the list of words gendered by meaning has gaps."""
    lists = (
        (row.neutral, row.gendered_left_out, "words of the axis or of the list of words gendered by meaning"),
        (not row.with_names, row.names_left_out, "US first names"),
    )
    said = [say("{} {}", count(left), name) if left is not None else name for out, left, name in lists if out]
    if said:
        gaps = " The list (Bolukbasi et al., 2016) has gaps, such as mr and mrs: such pairs may remain."
        text = say("Left out: {}; {}.{}" if len(said) > 1 else "Left out: {}.{}", *said, gaps if row.neutral else "")
        yield footnote(text)


ANALOGY = Kind(
    row=AnalogyRow,
    part=STEREOTYPES,
    blocks=show_analogies,
    sentences=say_analogies,
    run=run,
    seconds=5.0,
    quick_seconds=1.0,
)

NEAREST = Part("neighbours", "Nearest words", 35, offensive=True)

_COSINE = Field("value", "Cosine", "Of the word with the query.")


def show_nearest(rows: Sequence[NeighboursRow]) -> Iterator[Block]:
    """List the nearest words of each word."""
    for row in rows:
        caption = say("Nearest to {} in {}", title(row.token), title(row.embedding))
        yield table(WordValue, caption, row.nearest, (_rank(row.nearest), "word", _COSINE))
        if row.missing:
            yield Prose(say("Missing words of {}: {}", title(row.word), words(row.missing)), "warning", ("terminal",))


def show_ranking(rows: Sequence[NameRankingRow]) -> Iterator[Block]:
    """List the names in their order."""
    for row in rows:
        caption = say("Pages that differ in a name only, ranked by {}", title(row.query))
        yield table(WordValue, caption, row.scores, _ranked(row))
        yield from (Prose(text, "plain", ("terminal",)) for text in say_ranking([row]))
        if row.missing:
            yield Prose(say("Missing names: {}", words(row.missing)), "warning", ("terminal",))


def _ranked(row: NameRankingRow) -> Columns:
    first = set(row.names_x)
    return (
        _rank(row.scores),
        Field("word", "Name"),
        Field(
            title="Set",
            meaning="Whether the name is of the first set or the second.",
            cell=lambda score: "first" if score.word in first else "second",
        ),
        Field(
            "value",
            "Cosine",
            "Of the query with the document that has this name.",
            cell=lambda score: number(score.value, 4),
        ),
    )


def _rank(scores: Sequence[WordValue]) -> Field:
    """Return the column of each word's place among these, which are in order."""
    ranks = {score.word: rank for rank, score in enumerate(scores, start=1)}
    return Field(title="Rank", meaning="1 is the nearest.", cell=lambda score: count(ranks[score.word]), numeric=True)


def say_ranking(rows: Sequence[NameRankingRow]) -> Iterator[Text]:
    """Say how often a name of the first set ranks above one of the second."""
    for row in rows:
        yield say(
            "Query {}: pages with a name of the first set ({}) are compared with the same pages with one of the "
            "second ({}). The first ranks higher in {} of pairs (p = {}, two-sided, names as the unit).",
            title(row.query),
            words(row.names_x[:3]),
            words(row.names_y[:3]),
            percent(row.share_higher),
            probability(row.p_value),
        )


NEIGHBOURS = Kind(row=NeighboursRow, part=NEAREST, blocks=show_nearest)
NAME_RANKING = Kind(
    row=NameRankingRow,
    part=NEAREST,
    blocks=show_ranking,
    sentences=say_ranking,
    cannot="That a search engine ranks so: it weighs more than mean vectors.",
    opens=1,
    rank=1,
)
