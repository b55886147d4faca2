"""What findings let a reader conclude, and what they do not: claims made from the rows."""

from collections.abc import Iterator, Sequence
from typing import Any

from imprint.evaluation.controls import controls_among
from imprint.kinds import Kind, kind_of, part_of, parts_of
from imprint.kinds.sections import by_part_and_kind
from imprint.reports.summary import people, refused
from imprint.rows import PartRow, Row, SkippedRow
from imprint.view import Claim, Text, join, say, title

_NO_CONTROLS = "Whether the subject can be judged at all: these findings have no controls."


def claims(rows: Sequence[Row]) -> list[Claim]:
    """Return what can be said, each with what cannot; of a subject that cannot be judged, nothing can."""
    asked = controls_among(rows)
    failed = [row for row in asked if row.judged is False]
    left = {row.embedding_sha256 for row in failed}
    counted = [row for row in rows if row.embedding_sha256 not in left or row in failed]
    if refused(rows):
        counted = list[Row](failed)
    said = [claim for kind, own in by_part_and_kind(counted) for claim in kind.claims(own)]
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
    return [text for kind, own in known if not list(kind.claims(own)) for text in kind.sentences(own)]


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
        named = title(", ".join(answered) or "none")
        spoken = say(" (language: {})", title(", ".join(sorted(languages)))) if languages else ""
        none = say(" No answer: {}.", title(", ".join(without))) if without else ""
        said = say("Topics with an answer: {}{}.{}", named, spoken, none)
        yield said, "Anything about other people, topics or languages."
    left = [row for row in rows if isinstance(row, PartRow) and not row.ran and row.why is None]
    if left:
        yield say("Not measured: {}.", join((title(row.title) for row in left), "; ")), "Anything about these."
