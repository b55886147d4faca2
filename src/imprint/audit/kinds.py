"""The row of a whole audit and its kind: what was audited, how, and whether it can be judged."""

from collections.abc import Iterable

import msgspec

from imprint.evaluation.controls import ControlsRow
from imprint.kinds import Kind
from imprint.kinds.controls import ABOUT, blocks, claims, judgement
from imprint.rows import Label, Row
from imprint.subjects.sources import SourceKind


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


AUDIT = Kind(
    "audit", row=AuditRow, part=ABOUT, blocks=blocks, sentences=judgement, claims=claims, card=True, measured=False
)
