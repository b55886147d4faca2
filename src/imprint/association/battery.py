"""Many tests on one embedding: one family, corrected together, nothing left out without a reason."""

from collections.abc import Iterable, Sequence
from dataclasses import asdict, dataclass
from typing import TYPE_CHECKING

from imprint.association.measured import PER_WORD
from imprint.association.verdicts import Verdict, check_alpha, judge
from imprint.association.weat import Progress, WeatResult, weat
from imprint.association.wefat import WefatResult, wefat
from imprint.embeddings.embedding import Embedding
from imprint.errors import StimulusError, VocabularyError
from imprint.finding import Finding, Findings, Skipped
from imprint.significance.partitions import Alternative
from imprint.stimuli.definition import Test, WeatTest

if TYPE_CHECKING:
    import pandas as pd


@dataclass(frozen=True)
class WeatRow:
    """A result within its family.

    `detectable_shift` is given where the result is not significant: the smallest shift of X's scores the test
    would have found with 80 % power.
    """

    result: WeatResult
    p_holm: float
    verdict: Verdict
    detectable_shift: float | None


@dataclass(frozen=True, repr=False)
class Battery(Findings):
    """WEATs corrected together by Holm, WEFATs as they are, and the tests that could not be run."""

    weats: tuple[WeatRow, ...]
    wefats: tuple[WefatResult, ...]
    skipped: tuple[Skipped, ...]
    alpha: float

    def findings(self) -> list[Finding]:
        """Return one row a test, those that could not be run last."""
        first = self.weats[0].result if self.weats else self.wefats[0]
        measured = (first.embedding, first.embedding_sha256)
        return self._results() + [one.finding(measured, first.seed) for one in self.skipped]

    def _results(self) -> list[Finding]:
        rows = [
            row.result.finding(
                p_holm=row.p_holm,
                alpha=self.alpha,
                verdict=row.verdict,
                detectable_shift=row.detectable_shift,
                published=[asdict(figure) for figure in row.result.test.published if figure.context == "word"],
                human=asdict(row.result.test.human) if row.result.test.human else None,
                adapted=row.result.test.adapted,
            )
            for row in self.weats
        ]
        return rows + [
            result.finding(published=[asdict(figure) for figure in result.test.published], adapted=result.test.adapted)
            for result in self.wefats
        ]

    def to_frame(self) -> "pd.DataFrame":
        """Return one row a test that ran, without the scores of single words."""
        import pandas as pd

        rows = [finding.to_dict() for finding in self._results()]
        return pd.DataFrame([{key: value for key, value in row.items() if key not in PER_WORD} for row in rows])

    def __repr__(self) -> str:
        found = sum(row.verdict == "significant" for row in self.weats)
        return (
            f"Battery({len(self.weats)} WEATs, {found} significant after Holm at {self.alpha}; "
            f"{len(self.wefats)} WEFATs; {len(self.skipped)} skipped)"
        )


def run_battery(
    embedding: Embedding,
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
    weats: list[WeatResult] = []
    wefats: list[WefatResult] = []
    skipped = []
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
            skipped.append(Skipped(part, test.id, test.title, str(error)))
        if progress is not None:
            progress(done + 1, len(tests))
    if not weats and not wefats:
        reason = f"{skipped[0].test}, for one: {skipped[0].reason}" if skipped else "no test was asked for"
        raise VocabularyError(f"none of {len(tests)} tests can be run on {embedding.name}; {reason}")
    return Battery(tuple(_judge(weats, alpha)), tuple(wefats), tuple(skipped), alpha)


def _judge(results: list[WeatResult], alpha: float) -> Iterable[WeatRow]:
    for result, judged in zip(results, judge([result.significance for result in results], alpha), strict=True):
        found = judged.verdict == "significant"
        shift = None if found else result.smallest_detectable_shift(judged.level)
        yield WeatRow(result, judged.p_holm, judged.verdict, shift)
