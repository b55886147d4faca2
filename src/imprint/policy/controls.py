"""Which findings count: those of subjects that can be judged, in a language that has controls."""

from collections.abc import Iterable
from dataclasses import dataclass

from imprint.evaluation.controls import ControlsRow, controlled_in, controls_among
from imprint.rows import Row

UNJUDGED = "the subject cannot be judged"
NO_CONTROLS = (
    "the subject has no controls here; imprint audit, weat and seat write them, and imprint.controls(subject)"
)
NO_LANGUAGE = "there are no controls in its language"


@dataclass(frozen=True)
class Known:
    """What findings say of their subjects, by hash: the controls' rows, and the language of each test."""

    controls: tuple[ControlsRow, ...]
    languages: dict[tuple[str, str], str]

    @classmethod
    def of(cls, findings: Iterable[Row]) -> "Known":
        """Gather what findings say."""
        listed = list(findings)
        languages = {(row.audited_sha256, row.test): row.language for row in listed if row.language is not None}
        return cls(tuple(controls_among(listed)), languages)

    def why_not(self, finding: Row, *, controlled: bool = True) -> str | None:
        """Say why a finding neither passes nor fails; one that is not `controlled` counts without any controls."""
        subject = finding.audited_sha256
        judged = {one.language: one.judged for one in self.controls if one.embedding_sha256 == subject}
        spoken = {controlled_in(self.languages.get((subject, test), "en")) for test in finding.tests_asked}
        answers = {judged.get(language) for language in spoken}
        if False in answers:
            return UNJUDGED
        if not controlled:
            return None
        if not judged:
            return NO_CONTROLS
        return NO_LANGUAGE if None in answers else None
