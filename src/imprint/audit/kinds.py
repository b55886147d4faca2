"""The row of a whole audit and its kind: what was audited, how, and whether it can be judged."""

from collections.abc import Iterable, Iterator

import msgspec

from imprint.evaluation.controls import ControlsRow
from imprint.kinds import Kind
from imprint.kinds.controls import ABOUT, blocks, claims, judgement
from imprint.rows import Label, Row
from imprint.subjects.sources import SourceKind
from imprint.view import Column, Table, Text, count, number, title


class AuditSettings(msgspec.Struct, frozen=True):
    """How an audit was run."""

    language: str
    alpha: float
    rotations: int
    quick: bool
    debias: str | None
    seed: int
    fdr: float
    against: str | None
    encoder: str | None
    policy_sha256: str | None = None
    topics: tuple[str, ...] = ()


class AuditRow(ControlsRow, frozen=True, kw_only=True, tag="audit"):
    """What was audited, how, with which versions, and whether it can be judged."""

    settings: AuditSettings
    versions: tuple[Label, ...]
    n_words: int
    dimension: int
    subject: SourceKind = "embedding"
    embedding_notes: tuple[str, ...]

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


def settings(rows: Iterable[AuditRow]) -> Iterator[Table]:
    """List how audits were run, and with which versions."""
    for row in rows:
        yield _settings(row)


def _settings(row: AuditRow) -> Table:
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
    return "none" if value is None else title(str(value))


AUDIT = Kind(
    "audit",
    row=AuditRow,
    part=ABOUT,
    blocks=blocks,
    sentences=judgement,
    claims=claims,
    card=True,
    measured=False,
    settings=settings,
)
