"""The Word Embedding Association Test: are X and Y associated differently with A and B?

Caliskan, Bryson and Narayanan (2016), Methods: s(w, A, B) = mean cos(w, a) - mean cos(w, b); the statistic is
the sum of s over X less that over Y; the effect divides the difference of means by the spread of all scores.
"""

from collections.abc import Sequence
from dataclasses import asdict, dataclass
from typing import Annotated, Any

import numpy as np

from imprint.association.cosines import ROUNDING, Effect, cosines
from imprint.association.evidence import NO_CHECKS, Checks, CosineTable, SetVectors, check
from imprint.association.grammar import test_of_things, with_grammar
from imprint.association.rows import AssociationResult, AssociationRow
from imprint.association.verdicts import judge_all
from imprint.association.wordrows import WordRows, find_rows, refuse_overlap, require_pair
from imprint.checks import Alternative
from imprint.embeddings.embedding import Embedding, unit_rows
from imprint.errors import SettingError, VocabularyError
from imprint.rows import shown, word_values
from imprint.significance.crossed import Stability, word_choice_stability
from imprint.significance.partitions import PermutationTest, permutation_test
from imprint.significance.shifts import Interval, shift_interval
from imprint.stimuli import catalog
from imprint.stimuli.definition import UNDETERMINED, WeatTest, WordSet, validate
from imprint.subjects.opening import EmbeddingLike, load
from imprint.types import Floats, Progress

WordSets = tuple[Sequence[str], Sequence[str]]


class WeatRow(AssociationRow, frozen=True, kw_only=True, tag="weat"):
    """One test on one embedding."""

    stability_low: Annotated[
        float | None,
        shown(
            "If other words had been chosen",
            "95 % interval of d over resampled words.",
            shape="interval",
        ),
    ] = None
    stability_high: Annotated[float | None, shown("Stability, high", "High end of the same interval.")] = None
    stability_same_sign: Annotated[
        float | None, shown("Same sign", "Share of resamples with the sign of d.", shape="percent")
    ] = None
    left_out: Annotated[
        tuple[str, ...], shown("Left out", "Words that one of the two does not have; both are tested without them.")
    ] = ()
    other: Annotated[
        str | None, shown("Other", "An embedding that was asked the same, on the words that both have.")
    ] = None
    other_sha256: Annotated[str | None, shown("Other's SHA-256", "Its hash.", shape="word")] = None


@dataclass(frozen=True, repr=False, kw_only=True)
class WeatResult(AssociationResult):
    """The result of one WEAT on one embedding; positive if x is associated with a, and y with b.

    Attributes
    ----------
    test
        The test that was run.
    embedding
        Name of the embedding.
    embedding_sha256
        Hash of the embedding.
    effect_size
        d as published: the mean difference divided by the standard deviation of all scores.
    d_within
        The mean difference divided by the standard deviation within the sets (Cohen's d).
    statistic
        The sum of the scores of x less that of y.
    mean_difference
        The mean score of x less that of y: a difference in cosines.
    interval
        Interval of the mean difference, from the permutation test.
    significance
        The p-value and the counts behind it.
    scores
        The score of each target word.
    x_scores
        Scores of x, in the order of the test.
    y_scores
        Scores of y, in the order of the test.
    n_a
        Words of a that have a vector.
    n_b
        Words of b that have a vector.
    missing
        Words without a vector.
    seed
        Seed of everything random.
    checks
        Four p-values: of the label permutation, and of what frequency, other words and the space's axes explain.
    table
        The cosine of every target word with every attribute word.
    judged
        The level of evidence within the test's family.
    detectable_shift
        If nothing was found, the smallest detectable difference, with a power of 80 %.
    sized
        Of a question, its size with its interval, and what it says.
    stability
        How the effect changes if words are resampled.
    lowered
        Words found in lower case only.
    from_subwords
        Words whose vector was made from subwords.
    """

    interval: Interval | None
    stability: Stability | None
    lowered: tuple[str, ...]
    from_subwords: tuple[str, ...]

    def findings(self) -> list[WeatRow]:
        """Return the one row in a list, as every result does."""
        return [self.finding()]

    def finding(self, **more: Any) -> WeatRow:
        """Return the row, with whatever the caller knows besides."""
        return WeatRow(
            **self._fields(),
            stability_low=self.stability.low if self.stability else None,
            stability_high=self.stability.high if self.stability else None,
            stability_same_sign=self.stability.same_sign if self.stability else None,
            lowered=self.lowered,
            from_subwords=self.from_subwords,
            scores=word_values(self.scores),
            **more,
        )

    def __repr__(self) -> str:
        found = self._found("d")
        return f"WeatResult({self.test.id!r} on {self.embedding}: {found}, {len(self.missing)} missing)"


def weat(
    embedding: EmbeddingLike,
    test: WeatTest | str | None = None,
    *,
    targets: WordSets | None = None,
    attributes: WordSets | None = None,
    alternative: Alternative = "greater",
    confidence: float = 0.95,
    draws: int | None = None,
    seed: int = 0,
    progress: Progress | None = None,
) -> WeatResult:
    """Run a WEAT: are two sets of targets associated differently with two sets of attributes?

    The p-value is exact, or rigorously bounded for large sets.

    Parameters
    ----------
    embedding
        A file, `default` or an object, as `load` accepts it.
    test
        The id of a catalogue test, or a test of your own.
    targets
        Two lists of words, x and y, in place of a test.
    attributes
        Two lists of words, a and b, in place of a test.
    alternative
        "greater" tests whether x is associated with a and y with b, "less" the reverse, "two-sided" either.
    confidence
        Level of the interval of the mean difference.
    draws
        Estimate the p-value from this many random partitions instead.
    seed
        Seed of the draws and of the stability bootstrap.
    progress
        Called with the partitions drawn and the total number of partitions.

    Returns
    -------
    WeatResult
        Effect sizes, the p-value, and the score of each word.

    Examples
    --------
    >>> imprint.weat("default", "caliskan-6")
    WeatResult('caliskan-6' on glove.6B.100d: d = 1.72, p = 7.77e-05 (exact), 0 missing)
    """
    result = measure(
        load(embedding),
        _resolve(test, targets, attributes),
        alternative=alternative,
        confidence=confidence,
        draws=draws,
        seed=seed,
        progress=progress,
    )
    return result if result.sized else judge_all([result])[0]


def measure(
    embedding: Embedding,
    test: WeatTest,
    *,
    alternative: Alternative = "greater",
    confidence: float = 0.95,
    draws: int | None = None,
    seed: int = 0,
    progress: Progress | None = None,
) -> WeatResult:
    """Run a test whose words were checked, outside of any family."""
    rows = look_up(embedding, test)
    if test.is_question:
        return _answered(embedding, test, rows, seed)
    x, _, a, b = rows.sets
    table = _table(rows)
    cosines_a, cosines_b = np.split(table.cosines, [len(a.words)], axis=1)
    scores = table.scores()
    of_x, of_y = scores[: len(x.words)], scores[len(x.words) :]
    significance = _permuted(of_x, of_y, alternative, draws, seed, progress)
    label = significance if alternative == "two-sided" else _permuted(of_x, of_y, "two-sided", draws, seed)
    return WeatResult(
        test=test,
        embedding=embedding.name,
        embedding_sha256=embedding.sha256,
        **asdict(Effect.of(of_x, of_y)),
        interval=shift_interval(of_x, of_y, confidence=confidence),
        significance=significance,
        stability=word_choice_stability(cosines_a, cosines_b, len(of_x), seed=seed),
        scores=dict(zip(table.targets, scores.tolist(), strict=True)),
        x_scores=of_x,
        y_scores=of_y,
        n_a=len(a.words),
        n_b=len(b.words),
        missing=rows.missing,
        lowered=rows.lowered,
        from_subwords=rows.from_subwords,
        seed=seed,
        checks=_checks(embedding, test, rows, label, table, seed),
        table=table,
    )


def _answered(embedding: Embedding, test: WeatTest, rows: WordRows, seed: int) -> WeatResult:
    """Answer a question."""
    from imprint.association.questions import answer

    contrast = contrast_of(embedding, rows)
    kept = [side.words for side in rows.sets]
    answered = answer(test, kept, contrast.targets, contrast.attributes, embedding.background)
    table = answered.table
    return WeatResult(
        test=test,
        embedding=embedding.name,
        embedding_sha256=embedding.sha256,
        **asdict(answered.effect),
        interval=None,
        significance=None,
        stability=None,
        scores=dict(zip(table.targets, answered.scores.tolist(), strict=True)),
        x_scores=answered.scores[: table.n_x],
        y_scores=answered.scores[table.n_x :],
        n_a=table.n_a,
        n_b=len(table.attributes) - table.n_a,
        missing=rows.missing,
        lowered=rows.lowered,
        from_subwords=rows.from_subwords,
        seed=seed,
        checks=NO_CHECKS,
        table=table,
        sized=answered.sized,
    )


def _table(rows: WordRows) -> CosineTable:
    x, y, a, b = rows.sets
    vectors = np.concatenate([x.vectors, y.vectors])
    sides = [_without_noise(cosines(vectors, side.vectors)) for side in (a, b)]
    return CosineTable(x.words + y.words, a.words + b.words, len(x.words), len(a.words), np.hstack(sides))


def _checks(
    embedding: Embedding, test: WeatTest, rows: WordRows, label: PermutationTest, table: CosineTable, seed: int
) -> Checks:
    found = check(contrast_of(embedding, rows), embedding.background, label, table, seed)
    beside = test_of_things(test)
    if beside is None:
        return found
    try:
        of_things = _table(look_up(embedding, beside))
    except VocabularyError:
        of_things = None
    return with_grammar(found, table, of_things)


def look_up(embedding: Embedding, test: WeatTest) -> WordRows:
    """Find the words of the four sets, and refuse sets that share an entry of the vocabulary."""
    rows = find_rows(embedding, (test.x, test.y, test.a, test.b))
    x, y, a, b = rows.sets
    refuse_overlap(embedding, test.x, test.y, (x, y))
    refuse_overlap(embedding, test.a, test.b, (a, b))
    return rows


def contrast_of(embedding: Embedding, rows: WordRows) -> SetVectors:
    """Return the unit vectors of the four sets, with the frequency ranks of their words."""
    x, y, a, b = rows.sets
    return SetVectors(
        targets=unit_rows(np.concatenate([x.vectors, y.vectors])),
        attributes=unit_rows(np.concatenate([a.vectors, b.vectors])),
        n_x=len(x.words),
        n_a=len(a.words),
        target_ranks=embedding.ranks_of(x.tokens + y.tokens),
        attribute_ranks=embedding.ranks_of(a.tokens + b.tokens),
    )


def _permuted(
    x: Floats,
    y: Floats,
    alternative: Alternative,
    draws: int | None,
    seed: int,
    progress: Progress | None = None,
) -> PermutationTest:
    if draws is None:
        return permutation_test(x, y, alternative=alternative)
    from imprint.significance.partitions import sampled_test

    return sampled_test(x, y, alternative=alternative, draws=draws, seed=seed, progress=progress)


def _without_noise(table: Floats) -> Floats:
    """Give target words that all point one way the same cosines: what tells these apart is rounding, no effect."""
    return np.broadcast_to(table[0], table.shape) if np.ptp(table, axis=0).max() < ROUNDING else table


def _resolve(test: WeatTest | str | None, targets: WordSets | None, attributes: WordSets | None) -> WeatTest:
    if test is None:
        if targets is None or attributes is None:
            raise SettingError("weat needs a test, or both targets=(X, Y) and attributes=(A, B)", option="test")
        require_pair("targets", targets)
        require_pair("attributes", attributes)
        x, y, a, b = (WordSet.of(name, words) for name, words in zip("XYAB", (*targets, *attributes), strict=True))
        test = WeatTest("custom", "four lists of words", "given by the user", UNDETERMINED, x, y, a, b)
        validate(test)
        return test
    if targets is not None or attributes is not None:
        raise SettingError(
            "weat takes a test, or targets and attributes, but not both",
            option="test",
            got=test if isinstance(test, str) else test.id,
        )
    return find_test(test)


def find_test(test: WeatTest | str) -> WeatTest:
    """Return a test of the catalogue by its id, or one of the caller's own once it is checked."""
    found = catalog.get(test) if isinstance(test, str) else test
    if not isinstance(found, WeatTest):
        got = getattr(found, "id", found)
        raise SettingError(option="test", got=got, expected="a WEAT", hint="run a WEFAT with wefat")
    if not isinstance(test, str):
        validate(found)
    return found
