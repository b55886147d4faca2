"""Neighbours, and names ranked by a query, as kinds (Bolukbasi et al., 2016, section 1)."""

from collections.abc import Iterator, Sequence

from imprint.directions.neighbours import NameRankingRow, NeighboursRow
from imprint.kinds import Kind, Part
from imprint.rows import WordValue
from imprint.tables import Columns, Field, table
from imprint.view import Block, Prose, Text, count, first_claim, number, percent, probability, say, title, words

NEAREST = Part("neighbours", "Nearest words", 35, offensive=True)

_COSINE = Field("value", "Cosine", "Of the word with the query.")


def blocks(rows: Sequence[NeighboursRow]) -> Iterator[Block]:
    """List the nearest words of each word."""
    for row in rows:
        caption = say("Nearest to {} in {}", title(row.token), title(row.embedding))
        yield table(WordValue, caption, row.nearest, (_rank(row.nearest), "word", _COSINE))
        if row.missing:
            yield Prose(say("Missing words of {}: {}", title(row.word), words(row.missing)), "warning", ("terminal",))


def ranking_blocks(rows: Sequence[NameRankingRow]) -> Iterator[Block]:
    """List the names in their order."""
    for row in rows:
        caption = say("Pages that differ in a name only, ranked by {}", title(row.query))
        yield table(WordValue, caption, row.scores, _ranked(row))
        yield from (Prose(text, "plain", ("terminal",)) for text in ranking_sentences([row]))
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


def ranking_sentences(rows: Sequence[NameRankingRow]) -> Iterator[Text]:
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


NEIGHBOURS = Kind(row=NeighboursRow, part=NEAREST, blocks=blocks)
NAME_RANKING = Kind(
    row=NameRankingRow,
    part=NEAREST,
    blocks=ranking_blocks,
    sentences=ranking_sentences,
    claims=lambda rows: first_claim(
        ranking_sentences(rows), "That a search engine ranks so: it weighs more than mean vectors."
    ),
    opens=1,
    rank=1,
)
