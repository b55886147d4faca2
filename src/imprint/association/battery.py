"""Many tests on one embedding: one family, corrected together, nothing left out without a reason."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from imprint.association.topics import topic_rows
from imprint.association.verdicts import check_alpha, count_found, judge_all
from imprint.association.weat import WeatResult, find_test, measure
from imprint.association.wefat import WefatResult
from imprint.association.wefat import measure as measure_wefat
from imprint.checks import Alternative
from imprint.embeddings.embedding import Embedding
from imprint.errors import StimulusError, VocabularyError
from imprint.rows import Result, Row, SkippedRow, skipped
from imprint.stimuli.definition import Test, WeatTest
from imprint.subjects.opening import EmbeddingLike, load
from imprint.types import Progress


@dataclass(frozen=True, repr=False)
class Battery(Result):
    """The result of many tests on one embedding, its WEATs corrected together by Holm.

    Attributes
    ----------
    weats
        WEATs, those about people judged together.
    wefats
        WEFATs, judged together.
    skipped
        Tests that could not be run, with the reason.
    alpha
        Chance of any false discovery in a family.
    """

    weats: tuple[WeatResult, ...]
    wefats: tuple[WefatResult, ...]
    skipped: tuple[SkippedRow, ...]
    alpha: float

    @property
    def languages(self) -> set[str]:
        """The languages of the tests that were run."""
        return {*(one.test.language for one in self.weats), *(one.test.language for one in self.wefats)}

    def findings(self) -> list[Row]:
        """Return one row per test, then one per topic if there are several, and tests that could not be run last."""
        weats, wefats = self.weats, self.wefats
        tests = [*(one.finding() for one in weats), *(one.finding() for one in wefats)]
        judged = [result for result in weats if result.sized is None]
        return [*tests, *(topic_rows(judged, self.skipped) if len(judged) > 1 else ()), *self.skipped]

    def __repr__(self) -> str:
        found = count_found(self.weats)
        return f"Battery({len(self.weats)} WEATs: {found}; {len(self.wefats)} WEFATs; {len(self.skipped)} skipped)"


def run_battery(
    embedding: EmbeddingLike,
    tests: Sequence[Test],
    *,
    alternative: Alternative = "greater",
    alpha: float = 0.05,
    draws: int | None = None,
    seed: int = 0,
    skip: bool = True,
    foreign: Mapping[str, Embedding] | None = None,
    progress: Progress | None = None,
) -> Battery:
    """Run many tests on one embedding and correct their p-values together.

    Parameters
    ----------
    embedding
        A file, `default` or an object, as `load` accepts it.
    tests
        WEATs and WEFATs, from the catalogue or your own.
    alternative
        "greater" tests whether x is associated with a and y with b, "less" the reverse, "two-sided" either.
    alpha
        Chance of any false discovery among the tests about people of one kind (Holm's correction).
    draws
        Estimate p-values from this many random partitions instead of counting.
    seed
        Seed of everything random.
    skip
        Skip a test that lacks words or its property; if False, raise.
    foreign
        Vectors for tests in other languages, by language, where an encoder is asked in their sentences.
    progress
        Called with the tests done and the total number of tests.

    Returns
    -------
    Battery
        One result per test, and the tests that were skipped.

    Examples
    --------
    >>> imprint.run_battery("default", imprint.catalogue()[:3])
    Battery(3 WEATs: 1 limited; 0 WEFATs; 0 skipped)
    """
    check_alpha(alpha)
    embedding = load(embedding)
    weats: list[WeatResult] = []
    wefats: list[WefatResult] = []
    not_run: list[SkippedRow] = []
    measured = (embedding.name, embedding.sha256)
    for done, test in enumerate(tests):
        asked = (foreign or {}).get(test.language, embedding)
        try:
            if isinstance(test, WeatTest):
                weats.append(measure(asked, find_test(test), alternative=alternative, draws=draws, seed=seed))
            else:
                wefats.append(measure_wefat(asked, test, seed=seed))
        except (VocabularyError, StimulusError) as error:
            if not skip:
                raise
            part = "weat" if isinstance(test, WeatTest) else "wefat"
            not_run.append(skipped(measured, test.id, test.title, error, part=part, seed=seed, topics=test.topics))
        if progress is not None:
            progress(done + 1, len(tests))
    if not weats and not wefats:
        reason = f"for example, {not_run[0].test}: {not_run[0].reason}" if not_run else "no tests were given"
        raise VocabularyError(f"none of {len(tests)} tests can be run ({reason})", where=embedding.name)
    answered = [result for result in weats if result.sized is not None]
    judged = judge_all([result for result in weats if result.sized is None], alpha)
    return Battery((*answered, *judged), tuple(judge_all(wefats, alpha)), tuple(not_run), alpha)
