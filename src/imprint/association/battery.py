"""Many tests on one embedding, nothing left out without a reason."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from imprint.association.rows import Measured, outcome_counts
from imprint.association.topics import topic_rows
from imprint.association.weat import WeatRow, find_test, measure
from imprint.association.wefat import WefatRow
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
    """The result of many tests on one embedding.

    Attributes
    ----------
    measured
        Each WEAT: its row, and the words behind it; `weats` are the rows alone.
    wefats
        One row per WEFAT.
    skipped
        Tests that could not be run, with the reason.
    """

    measured: tuple[Measured[WeatRow], ...]
    wefats: tuple[WefatRow, ...]
    skipped: tuple[SkippedRow, ...]

    @property
    def weats(self) -> tuple[WeatRow, ...]:
        """One row per WEAT."""
        return tuple(one.row for one in self.measured)

    @property
    def languages(self) -> set[str]:
        """The languages of the tests that were run."""
        return {row.language for row in (*self.weats, *self.wefats)}

    def findings(self) -> list[Row]:
        """Return one row per test, then one per topic if there are several, and tests that could not be run last."""
        topics = topic_rows(self.measured, self.skipped) if len(self.measured) > 1 else []
        return [*self.weats, *self.wefats, *topics, *self.skipped]

    def __repr__(self) -> str:
        said = f"{len(self.weats)} WEATs: {outcome_counts(self.weats)}"
        return f"Battery({said}; {len(self.wefats)} WEFATs; {len(self.skipped)} skipped)"


def run_battery(
    embedding: EmbeddingLike,
    tests: Sequence[Test],
    *,
    alternative: Alternative = "greater",
    draws: int | None = None,
    seed: int = 0,
    skip: bool = True,
    foreign: Mapping[str, Embedding] | None = None,
    progress: Progress | None = None,
) -> Battery:
    """Run many tests on one embedding.

    Parameters
    ----------
    embedding
        A file, `default` or an object, as `load` accepts it.
    tests
        WEATs and WEFATs, from the catalogue or your own.
    alternative
        Which differences p-values count: "greater" counts x with a and y with b, "less" the reverse, "two-sided"
        either.
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
        One row per test, and the tests that were skipped.

    Examples
    --------
    >>> imprint.run_battery("default", imprint.catalogue()[:3])
    Battery(3 WEATs: 1 substantial, 2 present; 0 WEFATs; 0 skipped)
    """
    embedding = load(embedding)
    weats: list[Measured[WeatRow]] = []
    wefats: list[WefatRow] = []
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
    return Battery(tuple(weats), tuple(wefats), tuple(not_run))
