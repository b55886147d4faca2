"""The row of a whole audit and its kind: what was audited, how, and whether it can be judged."""

from collections.abc import Iterable
from typing import Annotated

import msgspec

from imprint.evaluation.controls import ControlsRow
from imprint.kinds import Kind
from imprint.kinds.controls import ABOUT, blocks, claims, judgement
from imprint.rows import Label, Row, shown
from imprint.subjects.sources import SourceKind


class AuditSettings(msgspec.Struct, frozen=True):
    """How an audit was run."""

    language: Annotated[str, shown("Language", "Language of the tests (ISO 639), or all.")]
    alpha: Annotated[float, shown("Alpha", "Chance of any false discovery in a family of tests.", digits=3)]
    rotations: Annotated[int, shown("Rotations", "Rotations of names behind the enumeration's p-values.")]
    quick: Annotated[bool, shown("Quick", "Whether slow parts were left out or shortened.")]
    debias: Annotated[str | None, shown("Debiaser", "The debiaser that was tried.")]
    seed: Annotated[int, shown("Seed", "Seed of everything random.")]
    fdr: Annotated[
        float, shown("False discovery rate", "Share of false discoveries that the enumeration allows.", digits=3)
    ]
    against: Annotated[str | None, shown("Compared with", "The other model.")]
    encoder: Annotated[str | None, shown("Encoder", "The encoder of words in sentences.")]
    policy_sha256: Annotated[
        str | None, shown("Policy", "Hash of the policy that the audit was held to.", shape="word")
    ] = None
    topics: Annotated[tuple[str, ...], shown("Topics", "Topics that the tests were limited to.")] = ()


class AuditRow(ControlsRow, frozen=True, kw_only=True, tag="audit"):
    """What was audited, how, with which versions, and whether it can be judged."""

    settings: Annotated[AuditSettings, shown("Settings", "How the audit was run.")]
    versions: Annotated[tuple[Label, ...], shown("Versions", "Versions of Python and of libraries.")]
    n_words: Annotated[int, shown("Words", "Words that have a vector.")]
    dimension: Annotated[int, shown("Dimensions", "Numbers of a vector.")]
    subject: Annotated[SourceKind, shown("Type", "Whether it is an embedding or an encoder.")] = "embedding"
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


AUDIT = Kind(
    "audit", row=AuditRow, part=ABOUT, blocks=blocks, sentences=judgement, claims=claims, card=True, measured=False
)
