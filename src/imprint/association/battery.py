"""Many tests on one embedding: one family, corrected together, nothing left out without a reason."""

from collections.abc import Sequence
from dataclasses import dataclass

from imprint.association.verdicts import InFamily, check_alpha, judge
from imprint.association.weat import WeatResult, weat
from imprint.association.wefat import WefatResult, wefat
from imprint.choices import Alternative
from imprint.errors import StimulusError, VocabularyError
from imprint.rows import Result, Row, SkippedRow, skipped
from imprint.stimuli.definition import Test, WeatTest
from imprint.subjects.opening import EmbeddingLike, load
from imprint.types import Progress


@dataclass(frozen=True, repr=False)
class Battery(Result):
    """WEATs corrected together by Holm, WEFATs as they are, and the tests that could not be run."""

    weats: tuple[InFamily[WeatResult], ...]
    wefats: tuple[WefatResult, ...]
    skipped: tuple[SkippedRow, ...]
    alpha: float

    def findings(self) -> list[Row]:
        """Return one row per test, those that could not be run last."""
        weats = [
            one.result.finding(
                **one.fields(self.alpha),
                published=tuple(figure for figure in one.result.test.published if figure.context == "word"),
            )
            for one in self.weats
        ]
        wefats = [
            result.finding(published=result.test.published, adapted=result.test.adapted) for result in self.wefats
        ]
        return [*weats, *wefats, *self.skipped]

    def __repr__(self) -> str:
        found = sum(one.verdict == "significant" for one in self.weats)
        return (
            f"Battery({len(self.weats)} WEATs, {found} significant after Holm at {self.alpha}; "
            f"{len(self.wefats)} WEFATs; {len(self.skipped)} skipped)"
        )


def run_battery(
    embedding: EmbeddingLike,
    tests: Sequence[Test],
    *,
    alternative: Alternative = "greater",
    alpha: float = 0.05,
    draws: int | None = None,
    seed: int = 0,
    skip: bool = True,
    progress: Progress | None = None,
) -> Battery:
    """Run every test; one that lacks words or its property is skipped, or raises where `skip` is False."""
    check_alpha(alpha)
    embedding = load(embedding)
    weats: list[WeatResult] = []
    wefats: list[WefatResult] = []
    not_run: list[SkippedRow] = []
    measured = (embedding.name, embedding.sha256)
    for done, test in enumerate(tests):
        try:
            if isinstance(test, WeatTest):
                weats.append(weat(embedding, test, alternative=alternative, draws=draws, seed=seed))
            else:
                wefats.append(wefat(embedding, test, seed=seed))
        except (VocabularyError, StimulusError) as error:
            if not skip:
                raise
            part = "weat" if isinstance(test, WeatTest) else "wefat"
            not_run.append(skipped(measured, test.id, test.title, error, part=part, seed=seed))
        if progress is not None:
            progress(done + 1, len(tests))
    if not weats and not wefats:
        reason = f"for example, {not_run[0].test}: {not_run[0].reason}" if not_run else "no tests were given"
        raise VocabularyError(f"none of {len(tests)} tests can be run ({reason})", where=embedding.name)
    judged = judge([result.significance for result in weats], alpha)
    return Battery(tuple(map(InFamily.of, weats, judged)), tuple(wefats), tuple(not_run), alpha)
