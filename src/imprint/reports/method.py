"""The end of every page: limits, glossary, settings, files, missing words and sources."""

from collections.abc import Iterator, Sequence

from imprint.kinds import by_kind, parts_of, tests_of_people
from imprint.kinds.terms import LIMITS, TERMS, needed
from imprint.kinds.verdict import METHOD
from imprint.rows import RawRow, Row
from imprint.view import (
    Block,
    Column,
    Details,
    Given,
    Listing,
    Prose,
    Section,
    Table,
    Text,
    count,
    join,
    say,
    title,
    words,
)

_LISTED = 20  # missing words that the paragraph names

SOURCES = (
    "Associations: Caliskan, Bryson and Narayanan, Semantics derived automatically from language corpora (2016; in "
    "Science, 2017).",
    "Groups of names: Swinger, De-Arteaga and others, What are the biases in my word embedding? (2019).",
    "Sentences: May, Wang and others, On measuring social biases in sentence encoders (2019).",
    "Directions, analogies and debiasing: Bolukbasi, Chang and others, Quantifying and reducing stereotypes (2016).",
    "Charts: Vega, Vega-Lite and Vega-Embed, University of Washington Interactive Data Lab, BSD 3-Clause licence.",
)


def methods_paragraph(rows: Sequence[Row]) -> Text:
    """Return how the rows were measured, as a paragraph for the methods section of a paper."""
    names = list(dict.fromkeys(row.embedding for row in rows if not isinstance(row, RawRow) and row.embedding_sha256))
    if not names:
        return "These findings were made by another version of imprint."
    sentences: list[Text] = [
        say(
            "We measured {} with imprint {} (random seed {}).",
            join(map(title, names), "; "),
            title(rows[0].version),
            count(rows[0].seed),
        ),
        *(kind.method for kind in by_kind(rows) if kind.method),
    ]
    if any(row.outcome is not None for row in tests_of_people(rows)):
        sentences.append(METHOD)
    missing = sorted({word for row in rows if row.sets for word in row.missing})
    if missing:
        listed = words(missing) if len(missing) <= _LISTED else count(len(missing))
        sentences.append(say("Words of tests without a vector were left out: {}.", listed))
    return join(sentences, " ")


def limits(rows: Sequence[Row]) -> list[str]:
    """Return what the numbers of these rows cannot show."""
    return needed(LIMITS, (text for part in parts_of(rows) for text in part.limits))


def method(rows: Sequence[Row]) -> Section:
    """Return the section."""
    return Section("method", "Method, settings and limits", tuple(_blocks(rows)))


def _blocks(rows: Sequence[Row]) -> Iterator[Block]:
    yield Prose("What these numbers cannot show:")
    yield Listing(tuple(limits(rows)))
    terms = Listing(tuple(needed(TERMS, (text for part in parts_of(rows) for text in part.terms))))
    yield Details("Terms used on this page", (terms,))
    yield Details("A paragraph for the methods section of a paper", (Prose(methods_paragraph(rows)),))
    for kind, own in by_kind(rows).items():
        yield from kind.settings(own)
    known = dict.fromkeys((row.embedding, row.embedding_sha256) for row in rows if row.embedding_sha256)
    files = tuple((title(name), Given(digest, long=True)) for name, digest in known)
    yield Table("What was measured, by its SHA-256", (Column("Name"), Column("SHA-256")), files, folded=True)
    missing = tuple(
        (title(row.embedding), Given(row.test), count(len(row.missing)), words(row.missing))
        for row in rows
        if row.missing
    )
    if missing:
        columns = (Column("Model"), Column("Test"), Column("Missing", numeric=True), Column("Words"))
        yield Table("Missing words", columns, missing, filtered=True, folded=True)
    yield Details("Where the methods and the charts come from", (Listing(SOURCES),))
    yield Prose("Every measured number on this page is, unrounded, in the findings beside it (a .jsonl file).", "note")
