"""Neighbours, and names ranked by a query, as kinds (Bolukbasi et al., 2016, section 1)."""

from collections.abc import Iterator, Sequence

from imprint.directions.neighbours import NameRankingRow, NeighboursRow
from imprint.kinds import Kind, Part
from imprint.view import (
    Block,
    Column,
    Given,
    Prose,
    Table,
    Text,
    count,
    first_claim,
    number,
    percent,
    probability,
    say,
    title,
    words,
)

NEAREST = Part("neighbours", "Nearest words", 35, offensive=True)

_RANK = Column("Rank", "1 is the nearest.", True)
_COLUMNS = (_RANK, Column("Word"), Column("Cosine", "Of the word with the query.", True))
_RANKED = (
    _RANK,
    Column("Name"),
    Column("Set", "Whether the name is of the first set or the second."),
    Column("Cosine", "Of the query with the document that has this name.", True),
)


def blocks(rows: Sequence[NeighboursRow]) -> Iterator[Block]:
    """List the nearest words of each word."""
    for row in rows:
        lines = tuple(
            (count(rank), Given(one.word), number(one.value, 3)) for rank, one in enumerate(row.nearest, start=1)
        )
        yield Table(say("Nearest to {} in {}", title(row.token), title(row.embedding)), _COLUMNS, lines)
        if row.missing:
            yield Prose(say("Missing words of {}: {}", title(row.word), words(row.missing)), "warning", ("terminal",))


def ranking_blocks(rows: Sequence[NameRankingRow]) -> Iterator[Block]:
    """List the names in their order."""
    for row in rows:
        first = set(row.names_x)
        lines = tuple(
            (count(rank), Given(one.word), "first" if one.word in first else "second", number(one.value, 4))
            for rank, one in enumerate(row.scores, start=1)
        )
        caption = say("Pages that differ in a name only, ranked by {}", title(row.query))
        yield Table(caption, _RANKED, lines)
        yield from (Prose(text, "plain", ("terminal",)) for text in ranking_sentences([row]))
        if row.missing:
            yield Prose(say("Missing names: {}", words(row.missing)), "warning", ("terminal",))


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


NEIGHBOURS = Kind("neighbours", row=NeighboursRow, part=NEAREST, blocks=blocks)
NAME_RANKING = Kind(
    "name-ranking",
    row=NameRankingRow,
    part=NEAREST,
    blocks=ranking_blocks,
    sentences=ranking_sentences,
    claims=lambda rows: first_claim(
        ranking_sentences(rows), "That a search engine ranks so: it weighs more than mean vectors."
    ),
    opens=True,
    rank=1,
)
