"""The row of a whole audit and its kind: what was audited, how, and whether it can be judged."""

from collections.abc import Iterable
from typing import Annotated

import msgspec

from imprint.evaluation.controls import ControlsRow
from imprint.jobs.settings import AuditSettings
from imprint.kinds import Kind
from imprint.kinds.controls import ABOUT, blocks, claims, judgement
from imprint.rows import Label, Row, shown
from imprint.subjects.sources import SourceKind
from imprint.view import Column, Table, Text, count, number, title


class AuditedSettings(AuditSettings, frozen=True, kw_only=True):
    """How an audit was run, and with what."""

    fdr: Annotated[
        float, shown("False discovery rate", "Share of false discoveries that the enumeration allows.", digits=3)
    ]
    against: Annotated[str | None, shown("Compared with", "The other model.")] = None
    encoder: Annotated[str | None, shown("Encoder", "The encoder of words in sentences.")] = None
    policy_sha256: Annotated[
        str | None, shown("Policy", "Hash of the policy that the audit was held to.", shape="word")
    ] = None


class AuditRow(ControlsRow, frozen=True, kw_only=True, tag="audit"):
    """What was audited, how, with which versions, and whether it can be judged."""

    settings: Annotated[AuditedSettings, shown("Settings", "How the audit was run.")]
    versions: Annotated[tuple[Label, ...], shown("Versions", "Versions of Python and of libraries.")]
    n_words: Annotated[int, shown("Words", "Words that have a vector.")]
    dimension: Annotated[int, shown("Dimensions", "Numbers of a vector.")]
    subject: Annotated[SourceKind, shown("Type", "Whether it is an embedding or an encoder.")] = "embedding"
    given: Annotated[
        str | None, shown("Given as", "What the audit was asked to open: a file, a name or an address.")
    ] = None
    embedding_notes: Annotated[tuple[str, ...], shown("Notes", "What was noted when it was opened.")]

    @property
    def tests_language(self) -> str:
        """The language of the tests, or "all"."""
        return self.settings.language

    @property
    def only_topics(self) -> tuple[str, ...]:
        """The topics that the tests were limited to."""
        return self.settings.topics


def audit_row(rows: Iterable[Row]) -> AuditRow | None:
    """Return the first row of a whole audit among findings, None where they are of single measurements."""
    return next((row for row in rows if isinstance(row, AuditRow)), None)


def _settings(row: AuditRow) -> Table:
    """List how an audit was run, and with which versions."""
    lines: list[tuple[Text, Text]] = [("words", count(row.n_words)), ("dimensions", count(row.dimension))]
    lines += [(key, _value(value)) for key, value in msgspec.structs.asdict(row.settings).items()]
    lines += [(f"{one.name}, version", title(one.value)) for one in row.versions]
    lines += [("note", title(note)) for note in row.embedding_notes]
    return Table("Settings and versions", (Column("Setting"), Column("Value")), tuple(lines), folded=True)


def _value(value: object) -> Text:
    if isinstance(value, bool):
        return "yes" if value else "no"
    if isinstance(value, int):
        return count(value)
    if isinstance(value, float):
        return number(value, 3)
    if isinstance(value, tuple):
        return title(", ".join(value) or "all")
    return "none" if value is None else title(str(value))


AUDIT = Kind(
    row=AuditRow,
    part=ABOUT,
    blocks=blocks,
    sentences=judgement,
    claims=claims,
    card=True,
    measured=False,
    settings=lambda rows: map(_settings, rows),
)
