"""The Word Embedding Association Test: are X and Y associated differently with A and B?

Caliskan, Bryson and Narayanan (2016), Methods: s(w, A, B) = mean cos(w, a) - mean cos(w, b); the statistic is
the sum of s over X less that over Y; the effect divides the difference of means by the spread of all scores.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

import numpy as np

from imprint.association.cosines import cosines, mean
from imprint.association.effects import Effect
from imprint.association.rows import AssociationRow
from imprint.association.wordrows import find_rows, refuse_overlap, require_embedding, require_pair
from imprint.choices import Alternative
from imprint.embeddings.embedding import Embedding
from imprint.errors import SettingError
from imprint.rows import Result, word_values
from imprint.significance.intervals import Interval, shift_interval
from imprint.significance.partitions import PermutationTest, permutation_test
from imprint.significance.power import smallest_detectable_shift
from imprint.significance.sampled import sampled_test
from imprint.significance.stability import Stability, word_choice_stability
from imprint.stimuli import catalog
from imprint.stimuli.definition import UNDETERMINED, WeatTest, WordSet, described, validate
from imprint.types import Floats, Progress

WordSets = tuple[Sequence[str], Sequence[str]]

_ROUNDING = float(np.finfo(np.float32).eps)  # how far cosines of one direction, kept in single precision, lie apart


class WeatRow(AssociationRow, frozen=True, kw_only=True, tag="weat"):
    """One test on one embedding; beside a second one, with the change of the effect from `change_from` to `change_to`."""

    stability_low: float | None
    stability_high: float | None
    stability_same_sign: float | None
    left_out: tuple[str, ...] = ()
    change_effect_size: float | None = None
    change_from: str | None = None
    change_to: str | None = None
    other: str | None = None
    other_sha256: str | None = None


@dataclass(frozen=True, repr=False)
class WeatResult(Result):
    """One test on one embedding; positive means X with A and Y with B. `Effect` explains the effect sizes."""

    test: WeatTest
    embedding: str
    embedding_sha256: str
    effect_size: float
    d_within: float
    statistic: float
    mean_difference: float
    interval: Interval
    significance: PermutationTest
    stability: Stability
    scores: Mapping[str, float] = field(hash=False)
    n_x: int
    n_y: int
    n_a: int
    n_b: int
    missing: tuple[str, ...]
    lowered: tuple[str, ...]
    from_subwords: tuple[str, ...]
    seed: int

    @property
    def p_value(self) -> float:
        """Share of partitions at least as extreme as the observed one."""
        return self.significance.p_value

    @property
    def x_scores(self) -> Floats:
        """Scores of the X words found, in the test's order."""
        return np.array(list(self.scores.values())[: self.n_x])

    @property
    def y_scores(self) -> Floats:
        """Scores of the Y words found, in the test's order."""
        return np.array(list(self.scores.values())[self.n_x :])

    def smallest_detectable_shift(self, alpha: float, *, power: float = 0.8) -> float | None:
        """Return the shift of X's scores this test would find with that power, None if p cannot reach alpha."""
        return smallest_detectable_shift(
            self.x_scores,
            self.y_scores,
            alpha=alpha,
            power=power,
            alternative=self.significance.alternative,
            seed=self.seed,
        )

    def findings(self) -> list[WeatRow]:
        """Return the one row in a list, as every result does."""
        return [self.finding()]

    def finding(self, **more: Any) -> WeatRow:
        """Return the row, with whatever the caller knows besides (a corrected p-value, a verdict)."""
        return WeatRow(
            test=self.test.id,
            embedding=self.embedding,
            embedding_sha256=self.embedding_sha256,
            effect_size=self.effect_size,
            statistic=self.statistic,
            p_value=self.p_value,
            seed=self.seed,
            missing=self.missing,
            **described(self.test),
            mean_difference=self.mean_difference,
            interval_low=self.interval.low,
            interval_high=self.interval.high,
            confidence=self.interval.confidence,
            d_within=self.d_within,
            **self.significance.details(),
            n_x=self.n_x,
            n_y=self.n_y,
            n_a=self.n_a,
            n_b=self.n_b,
            stability_low=self.stability.low,
            stability_high=self.stability.high,
            stability_same_sign=self.stability.same_sign,
            lowered=self.lowered,
            from_subwords=self.from_subwords,
            scores=word_values(self.scores),
            **more,
        )

    def __repr__(self) -> str:
        return (
            f"WeatResult({self.test.id!r} on {self.embedding}: d = {self.effect_size:.2f}, "
            f"p = {self.p_value:.3g} ({self.significance.p_method}), {len(self.missing)} missing)"
        )


def weat(
    embedding: Embedding,
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
    """Run a catalogue test (by id), a test of your own, or four lists of words.

    The p-value is exact, or rigorously bounded for large sets; `draws` asks for one estimated from that many
    random partitions instead. `seed` enters only there and in the stability bootstrap.
    """
    require_embedding(embedding)
    test = _resolve(test, targets, attributes)
    rows = find_rows(embedding, (test.x, test.y, test.a, test.b))
    x, y, a, b = rows.sets
    refuse_overlap(embedding, test.x, test.y, (x, y))
    refuse_overlap(embedding, test.a, test.b, (a, b))
    vectors = np.concatenate([x.vectors, y.vectors])
    cosines_a, cosines_b = (_without_noise(cosines(vectors, side.vectors)) for side in (a, b))
    scores = np.array([mean(to_a) - mean(to_b) for to_a, to_b in zip(cosines_a, cosines_b, strict=True)])
    of_x, of_y = scores[: len(x.words)], scores[len(x.words) :]
    effect = Effect.of(of_x, of_y)
    if draws is None:
        significance = permutation_test(of_x, of_y, alternative=alternative)
    else:
        significance = sampled_test(of_x, of_y, alternative=alternative, draws=draws, seed=seed, progress=progress)
    return WeatResult(
        test=test,
        embedding=embedding.name,
        embedding_sha256=embedding.sha256,
        effect_size=effect.effect_size,
        d_within=effect.d_within,
        statistic=effect.statistic,
        mean_difference=effect.mean_difference,
        interval=shift_interval(of_x, of_y, confidence=confidence),
        significance=significance,
        stability=word_choice_stability(cosines_a, cosines_b, len(of_x), seed=seed),
        scores=dict(zip(x.words + y.words, scores.tolist(), strict=True)),
        n_x=len(of_x),
        n_y=len(of_y),
        n_a=len(a.words),
        n_b=len(b.words),
        missing=rows.missing,
        lowered=rows.lowered,
        from_subwords=rows.from_subwords,
        seed=seed,
    )


def _without_noise(table: Floats) -> Floats:
    """Give target words that all point one way the same cosines: what tells these apart is rounding, no effect."""
    return np.broadcast_to(table[0], table.shape) if np.ptp(table, axis=0).max() < _ROUNDING else table


def _resolve(test: WeatTest | str | None, targets: WordSets | None, attributes: WordSets | None) -> WeatTest:
    if test is None:
        if targets is None or attributes is None:
            raise SettingError("weat needs a test, or both targets=(X, Y) and attributes=(A, B)")
        require_pair("targets", targets)
        require_pair("attributes", attributes)
        x, y, a, b = (WordSet.of(name, words) for name, words in zip("XYAB", (*targets, *attributes), strict=True))
        test = WeatTest("custom", "four lists of words", "given by the user", UNDETERMINED, x, y, a, b)
        validate(test)
        return test
    if targets is not None or attributes is not None:
        raise SettingError("weat takes a test or targets and attributes, not both")
    return find_test(test)


def find_test(test: WeatTest | str) -> WeatTest:
    """Return a test of the catalogue by its id, or one of the caller's own once it is checked."""
    if isinstance(test, str):
        found = catalog.get(test)
        if not isinstance(found, WeatTest):
            raise SettingError(f"{test} is a WEFAT; run it with wefat, or choose a WEAT")
        return found
    validate(test)
    return test
