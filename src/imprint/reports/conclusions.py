"""What findings let a reader conclude, what they do not, and how they were made: claims, limits and the methods."""

from collections.abc import Iterator, Sequence
from typing import Any

from imprint.evaluation.controls import controls_among
from imprint.kinds import Kind, by_kind, kind_of, part_of, parts_of, tests_of_people
from imprint.kinds.audit import settings_tables
from imprint.kinds.sections import by_part_and_kind
from imprint.kinds.terms import LIMITS, TERMS, needed
from imprint.kinds.verdict import METHOD
from imprint.reports.summary import people, refused
from imprint.rows import PartRow, RawRow, Row, SkippedRow
from imprint.view import (
    Block,
    Claim,
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

SOURCES = (
    "Associations: Caliskan, Bryson and Narayanan, Semantics derived automatically from language corpora (2016; in "
    "Science, 2017).",
    "Groups of names: Swinger, De-Arteaga and others, What are the biases in my word embedding? (2019).",
    "Sentences: May, Wang and others, On measuring social biases in sentence encoders (2019).",
    "Directions, analogies and debiasing: Bolukbasi, Chang and others, Quantifying and reducing stereotypes (2016).",
    "Charts: Vega, Vega-Lite and Vega-Embed, University of Washington Interactive Data Lab, BSD 3-Clause licence.",
)

_LISTED = 20  # missing words that the paragraph names
_NO_CONTROLS = "Whether the subject can be judged at all: these findings have no controls."


def claims(rows: Sequence[Row]) -> list[Claim]:
    """Return what can be said, each with what cannot; of a subject that cannot be judged, nothing can."""
    asked = controls_among(rows)
    failed = [row for row in asked if row.judged is False]
    left = {row.embedding_sha256 for row in failed}
    counted = [row for row in rows if row.embedding_sha256 not in left or row in failed]
    if refused(rows):
        counted = list[Row](failed)
    said = [claim for kind, own in by_part_and_kind(counted) for claim in kind.concluded(own)]
    if not any(row.about_people for row in rows):
        said.append(("Nothing about bias.", "Whether it is biased: these findings have no test about people."))
    if not asked and any(kind.part.controlled for kind, _ in by_part_and_kind(_measurements(rows))):
        said.append(("What these rows say, if the subject is usable.", _NO_CONTROLS))
    return [*said, *_scope(rows)]


def measured(rows: Sequence[Row]) -> list[Text]:
    """Return what else was measured: the sentences of kinds that make no claim."""
    if refused(rows):
        return []
    known = by_part_and_kind(_measurements(rows))
    return [text for kind, own in known if not list(kind.concluded(own)) for text in kind.sentences(own)]


def _measurements(rows: Sequence[Row]) -> list[Row]:
    """Return rows without those that say what was not run."""
    return [row for row in rows if not isinstance(row, PartRow | SkippedRow)]


def not_run(rows: Sequence[Row]) -> list[Text]:
    """Return what was not run, and why."""
    failed: dict[tuple[str, str], None] = {}
    asking = {None, *(part.name for part in parts_of(rows) if part.asks_tests)}
    for row in rows:
        if isinstance(row, PartRow) and not row.ran and row.why is not None:
            failed[row.title, row.why] = None
        elif isinstance(row, SkippedRow) and row.part in asking:
            failed[row.title, row.reason] = None
    return [say("{}: {}", title(name), title(why)) for name, why in failed]


def tabled(rows: Sequence[Row]) -> list[tuple[Kind, list[Any]]]:
    """Return the rows whose tables a card has: what was measured of the subject itself, by words.

    Of a subject that cannot be judged, a card has its controls, and what needs none.
    """
    unusable = refused(rows)
    own = (row for row in rows if row.by_words)
    return [
        (kind, listed)
        for kind, listed in by_part_and_kind(row for row in own if not unusable or row in unusable or _stays(row))
        if kind.card and part_of(listed[0]) == kind.part.name
    ]


def _stays(row: Row) -> bool:
    """Tell whether a row counts whatever controls say."""
    kind = kind_of(row)
    return kind is not None and not kind.part.controlled


def _scope(rows: Sequence[Row]) -> Iterator[Claim]:
    """Say which topics were asked about, in which language, and which parts were not asked for."""
    judged, about = people(rows), [row for row in rows if row.about_people]
    answered: list[str] = []
    without: list[str] = []
    for topic in sorted({topic for row in about for topic in row.topics}):
        asked = [row for row in judged if topic in row.topics] or [row for row in about if topic in row.topics]
        said_more = any(row.outcome != "cannot tell" and not isinstance(row, SkippedRow) for row in asked)
        (answered if said_more else without).append(topic)
    languages = {row.tests_language for row in rows if row.tests_language is not None} - {"all"}
    if answered or without:
        of = " about some models" if len({row.embedding_sha256 for row in about}) > 1 else ""
        spoken = say(" (language: {})", title(", ".join(sorted(languages)))) if languages else ""
        none = say(" No answer: {}.", title(", ".join(without))) if without else ""
        said = say("Topics with an answer{}: {}{}.{}", of, title(", ".join(answered) or "none"), spoken, none)
        yield said, "Anything about other people, topics or languages."
    left = [row for row in rows if isinstance(row, PartRow) and not row.ran and row.why is None]
    if left:
        yield say("Not measured: {}.", join((title(row.title) for row in left), "; ")), "Anything about these."


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
    return needed(LIMITS, parts_of(rows), "limits")


def method(rows: Sequence[Row]) -> Section:
    """Return the section."""
    return Section("method", "Method, settings and limits", tuple(_blocks(rows)))


def _blocks(rows: Sequence[Row]) -> Iterator[Block]:
    yield Prose("What these numbers cannot show:")
    yield Listing(tuple(limits(rows)))
    yield Details("Terms used on this page", (Listing(tuple(needed(TERMS, parts_of(rows), "terms"))),))
    yield Details("A paragraph for the methods section of a paper", (Prose(methods_paragraph(rows)),))
    yield from settings_tables(rows)
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
    if {part.alone for part in parts_of(rows)} != {True}:  # what is alone says which command writes the numbers
        yield Prose("Every measured number is, unrounded, in the findings beside this page (a .jsonl file).", "note")
