"""What findings let a reader conclude, and what they do not: sentences made from the rows."""

from collections.abc import Iterator, Sequence
from typing import Any

from imprint.association.rows import JudgedRow
from imprint.evaluation.controls import ControlsRow
from imprint.kinds import Kind, part_of
from imprint.kinds.audit import AuditRow, judgement
from imprint.kinds.sections import by_part_and_kind
from imprint.report.method import LIMITS
from imprint.rows import PartRow, Row, SkippedRow
from imprint.stimuli.definition import CONTROL
from imprint.view import Text, count, join, say, title

_NOT_SAID = (PartRow, SkippedRow)  # what did not run is no conclusion
_LESS = (
    ("limited", "with limited evidence", "The words chosen, or their frequency, may be the reason."),
    ("none shown", "that show no evidence", "This does not mean that there is no bias."),
    ("too few words", "with too few words", "Nothing is known about what they ask."),
    (None, "without a level of evidence", "Their checks were not made; p alone is not enough."),
)


def concluded(rows: Sequence[Row]) -> list[Text]:
    """Return what can be concluded: whether the subject can be judged, the evidence, and what chance shows."""
    asked = [row for row in rows if isinstance(row, ControlsRow)]
    refused = [row for row in asked if row.judged is False]
    said: list[Text] = [
        *judgement(refused),
        *(
            say("{} passes all {} controls, so it can be judged.", title(row.embedding), count(len(row.controls)))
            for row in asked
            if row.judged
        ),
    ]
    if any(isinstance(row, AuditRow) for row in refused) or (refused and len(refused) == len(asked)):
        return said
    left = {row.embedding_sha256 for row in refused}
    counted = [row for row in rows if row.embedding_sha256 not in left and not isinstance(row, ControlsRow)]
    known = by_part_and_kind(counted)
    told = [text for kind, own in known for text in kind.opening(own)]
    told += [text for kind, own in known if _is_judged(kind) for text in kind.sentences(own)]
    if not any(isinstance(row, JudgedRow) and row.about_people for row in counted):
        told.append("Nothing about bias: these findings have no test about people.")
    return said + told


def measured(rows: Sequence[Row]) -> list[Text]:
    """Return what else was measured: numbers without a level of evidence."""
    known = by_part_and_kind([row for row in rows if not isinstance(row, _NOT_SAID)])
    return [text for kind, own in known if not _is_judged(kind) for text in kind.sentences(own)]


def not_concluded(rows: Sequence[Row]) -> list[Text]:
    """Return what cannot be concluded: what was not judged, not shown, not run and not asked."""
    return [*_unjudged(rows), *_not_shown(rows), *_not_asked(rows), *LIMITS]


def tabled(rows: Sequence[Row]) -> list[tuple[Kind, list[Any]]]:
    """Return the rows whose tables a card has: what was measured of the subject itself, by words."""
    own = [row for row in rows if getattr(row, "unit", None) != "sentence"]
    known = by_part_and_kind(own)
    return [(kind, listed) for kind, listed in known if kind.card and part_of(listed[0]) == kind.part.name]


def _is_judged(kind: Kind) -> bool:
    return issubclass(kind.row, JudgedRow)


def _unjudged(rows: Sequence[Row]) -> Iterator[Text]:
    asked = [row for row in rows if isinstance(row, ControlsRow)]
    for row in asked:
        if row.judged is False:
            yield say("Neither that {} is biased nor that it is not: it fails controls.", title(row.embedding))
        elif row.judged is None:
            yield say("Whether {} can be judged: there are no controls in its language.", title(row.embedding))
    if not asked:
        yield "Whether the subject can be judged at all: these findings have no controls."


def _not_shown(rows: Sequence[Row]) -> Iterator[Text]:
    """Count the tests about people that show less than they might seem to."""
    tests = [row for kind, own in tabled(rows) if _is_judged(kind) for row in own if row.about_people]
    for level, named, meaning in _LESS:
        if found := sum(row.evidence == level for row in tests):
            yield say("Tests about people {}: {}. {}", named, count(found), meaning)


def _not_asked(rows: Sequence[Row]) -> Iterator[Text]:
    """Say which groups were asked about, in which language, and which parts did not run."""
    topics = {topic for row in rows if isinstance(row, JudgedRow) for topic in row.topics} - {CONTROL}
    if topics:
        yield say("Anything about people whom no test asks about. Topics asked: {}.", title(", ".join(sorted(topics))))
    languages = {row.settings.language for row in rows if isinstance(row, AuditRow)} - {"all"}
    if languages:
        yield say("Anything about other languages. Language of the tests: {}.", title(", ".join(sorted(languages))))
    left = [row for row in rows if isinstance(row, PartRow) and not row.ran and row.why is None]
    if left:
        yield say("Not asked for: {}.", join(title(row.title) for row in left))
    failed: dict[tuple[str, str], None] = {}
    for row in rows:
        if isinstance(row, PartRow) and not row.ran and row.why is not None:
            failed[row.title, row.why] = None
        elif isinstance(row, SkippedRow) and row.part in (None, "weat", "wefat", "seat"):
            failed[row.title, row.reason] = None
    yield from (say("Not run: {}. {}", title(name), title(why)) for name, why in failed)
