"""Every debiaser on one embedding: the bias and the groups it leaves, and what it costs.

Settings are chosen on the professions to fit on, results are judged on held-out professions, other words and held-out
names. The classifier that reads gender off names is trained anew after debiasing (Gonen and Goldberg 2019).
"""

import math
import time
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, replace
from functools import cache
from itertools import product
from typing import NamedTuple

import msgspec
import numpy as np

from imprint.debiasing import DEBIASERS
from imprint.debiasing.debiaser import GENDER, Debiaser, LabelledDebiaser
from imprint.debiasing.folds import choose, draw_background
from imprint.debiasing.frontier import stereotype_variances
from imprint.debiasing.labelled import LabelledRows, labelled_words
from imprint.debiasing.rows import Fact, MeasuredVariances, facts_of
from imprint.debiasing.transform import Transform
from imprint.directions.axis import Axis, pair_axis
from imprint.embeddings.embedding import Embedding
from imprint.errors import ImprintError, VocabularyError
from imprint.evaluation.benchmarks import PairBenchmark, bundled_benchmarks
from imprint.evaluation.leakage import FEWEST_PER_LABEL, names_by_sex
from imprint.evaluation.nested import OwnedRows, recover_group
from imprint.evaluation.recovering import RecoveryAttempt, estimate_recovery
from imprint.evaluation.resampling import flatten
from imprint.evaluation.similarity import similarity
from imprint.rows import Result, Row, SkippedRow, skipped
from imprint.stimuli import seeds as catalogue
from imprint.subjects.opening import EmbeddingLike, load
from imprint.types import Indices, Report

PART = "debiasers"

_BENCHMARKS = ("rg-65", "ws-353", "men")
_CHANCE = 0.5
_AFFORDABLE = 0.01  # of Spearman's correlation that a method may cost to be recommended
_ALIKE = 0.05  # of the variance: methods that leave so little more than the best compete by what can be recovered
_SHOWN = 3  # digits within which two methods are equally good


class BenchmarkChange(msgspec.Struct, frozen=True):
    """What a benchmark's Spearman correlation changed by, with its interval."""

    benchmark: str
    change: float
    low: float | None
    high: float | None


class DebiasComparisonRow(Row, frozen=True, kw_only=True, tag="debias-comparison"):
    """What one debiaser leaves and costs, among several on one embedding.

    `bias_left` is the share of their variance along the axis that held-out professions keep, and `background_left`
    that of other words, both along the original axis. `recovered` is the share of held-out names whose gender a
    classifier trained after debiasing finds, the mean over both genders; None where names are too few.
    `quality_change` is the mean change over `benchmarks`. An `efficient` method leaves less bias than every method
    that costs no more.
    """

    method: str
    fitted: tuple[Fact, ...]
    bias_left: float | None
    bias_left_low: float | None
    bias_left_high: float | None
    background_left: float | None
    variances: MeasuredVariances | None
    recovered: float | None
    recovered_low: float | None
    recovered_high: float | None
    recovered_before: float | None
    chance: float
    n_judged: int
    quality_change: float | None
    benchmarks: tuple[BenchmarkChange, ...]
    seconds: float
    efficient: bool = False
    recommended: bool = False


@dataclass(frozen=True, repr=False)
class DebiaserComparison(Result):
    """All debiasers that could be fitted, and why the others could not."""

    rows: tuple[DebiasComparisonRow, ...]
    skipped: tuple[SkippedRow, ...]

    @property
    def recommended(self) -> str | None:
        """The method to take, if any can be recommended."""
        return next((row.method for row in self.rows if row.recommended), None)

    def findings(self) -> list[Row]:
        """Return one row per debiaser, those that could not be fitted last."""
        return [*self.rows, *self.skipped]

    def __repr__(self) -> str:
        return f"DebiaserComparison({len(self.rows)} methods, recommended: {self.recommended})"


def compare_debiasers(
    embedding: EmbeddingLike, methods: Sequence[str] | None = None, *, seed: int = 0, report: Report | None = None
) -> DebiaserComparison:
    """Fit debiasers of gender on one embedding, and compare what they leave and what they cost on held-out words.

    Parameters
    ----------
    embedding
        A file, `default` or an object, as `load` accepts it.
    methods
        Names of debiasers; by default all, those of plug-ins too.
    seed
        Seed of everything random.
    report
        Called with the name of the step, the work done and the total work.

    Returns
    -------
    DebiaserComparison
        One row per method; `recommended` is the method to take.

    Examples
    --------
    >>> imprint.compare_debiasers("default", ["linear", "hard"]).recommended
    'hard'
    """
    embedding = load(embedding)
    axis = pair_axis(embedding, GENDER)
    names = _Names.of(embedding)
    first = names.recover(embedding, seed)
    kinds = {method: DEBIASERS.get(method) for method in (DEBIASERS.names() if methods is None else methods)}

    @cache
    def labelled() -> LabelledRows:
        return _without(labelled_words(embedding), names.judged)

    def fit(debiaser: Debiaser) -> Transform:
        if isinstance(debiaser, LabelledDebiaser):  # the only ones that are fitted on names
            return debiaser.fit_rows(labelled())
        return debiaser.fit_gender(embedding)

    rows: list[DebiasComparisonRow] = []
    refused: list[SkippedRow] = []
    for place, (method, kind) in enumerate(kinds.items()):
        if report is not None:
            report("comparing debiasers", place, len(kinds))
        try:
            start = time.perf_counter()
            transform = fit(_settled(embedding, kind, fit, axis, seed))
            after = transform.apply(embedding)
            seconds = time.perf_counter() - start
            rows.append(_row(method, embedding, after, transform, axis, names, (first, seed), seconds))
        except ImprintError as error:
            measured = (embedding.name, embedding.sha256)
            refused.append(skipped(measured, method, f"Debiasing with {method}", error, part=PART, seed=seed))
    if not rows:
        raise VocabularyError("no debiaser could be fitted", where=embedding.name, hint="use a larger embedding")
    if report is not None:
        report("comparing debiasers", len(kinds), len(kinds))
    return DebiaserComparison(tuple(_judge(rows)), tuple(refused))


class _Names(NamedTuple):
    """First names and their sex: every second one of each sex is held out from debiasers."""

    words: list[str]
    labels: Indices
    held_out: Indices  # places among them

    @classmethod
    def of(cls, embedding: Embedding) -> "_Names":
        words, labels = names_by_sex(embedding)
        sides = [np.flatnonzero(labels == label)[1::2] for label in np.unique(labels)]
        return cls(words, labels, np.sort(np.concatenate([np.empty(0, dtype=np.intp), *sides])))

    @property
    def judged(self) -> set[str]:
        return {self.words[place] for place in self.held_out}

    def recover(self, embedding: Embedding, seed: int) -> RecoveryAttempt | None:
        """Try to read the sex off held-out names, or return None where they are too few."""
        labels = self.labels[self.held_out]
        if len(np.unique(labels)) < 2 or np.bincount(labels).min() < FEWEST_PER_LABEL:
            return None
        found = embedding.lookup(self.words).vectors.astype(np.float64)
        lengths = np.linalg.norm(found, axis=1, keepdims=True)
        rows = found / np.where(lengths > 0.0, lengths, 1.0)
        others = np.setdiff1d(np.arange(len(self.words)), self.held_out)
        parts = [OwnedRows(rows[one], self.labels[one], np.arange(len(one))) for one in (self.held_out, others)]
        return recover_group(parts[0], parts[1], seed)


def _settled(
    embedding: Embedding, kind: type[Debiaser], fit: Callable[[Debiaser], Transform], axis: Axis, seed: int
) -> Debiaser:
    """Return the debiaser with the settings that suit the professions to fit on best.

    A debiaser with candidates is not fitted on these professions, so that all of them are unseen. Linear debiasing,
    which is, chooses on folds of them by itself.
    """
    every = [kind(**dict(zip(kind.candidates, values, strict=True))) for values in product(*kind.candidates.values())]
    if len(every) == 1:
        return every[0]
    apart = {*catalogue.fitted(), *axis.positive, *axis.negative}
    background = draw_background(embedding, apart, np.random.default_rng(seed))
    measured = []
    for one in every:
        after = fit(one).apply(embedding)
        known = MeasuredVariances.of(
            stereotype_variances(embedding, after, axis, held_out=catalogue.fitted(), background=background)
        )
        measured.append((1 / known.held_out_left if known.held_out_left else math.inf, known.background_left or 0.0))
    return every[choose(measured)]


def _without(labelled: LabelledRows, words: set[str]) -> LabelledRows:
    """Leave words out of labelled vectors."""
    listed = [word for group in labelled.groups for word in group]
    kept = np.array([word not in words for word in listed])
    places = np.cumsum(kept) - 1
    pairs = labelled.pairs.reshape(-1, 2)
    return replace(
        labelled,
        rows=labelled.rows[kept],
        labels=labelled.labels[kept],
        owners=np.arange(kept.sum()),
        groups=tuple(tuple(word for word in group if word not in words) for group in labelled.groups),
        pairs=places[pairs[kept[pairs].all(axis=1)]],
    )


def _row(
    method: str,
    before: Embedding,
    after: Embedding,
    transform: Transform,
    axis: Axis,
    names: _Names,
    attack: tuple[RecoveryAttempt | None, int],
    seconds: float,
) -> DebiasComparisonRow:
    variances = MeasuredVariances.of(stereotype_variances(before, after, axis))
    first, seed = attack
    labels = names.labels[names.held_out]
    last = None if first is None else names.recover(after, seed)
    found = dict.fromkeys(("recovered", "recovered_low", "recovered_high"))
    benchmarks = tuple(_benchmarks(before, after))
    return DebiasComparisonRow(
        test=method,
        embedding=before.name,
        embedding_sha256=before.sha256,
        seed=seed,
        missing=transform.card.missing,
        method=method,
        fitted=facts_of(transform),
        bias_left=variances.held_out_left,
        bias_left_low=variances.left_low,
        bias_left_high=variances.left_high,
        background_left=variances.background_left,
        variances=variances,
        **(found if last is None else flatten({"recovered": estimate_recovery(last, labels, seed)})),
        recovered_before=None if first is None else estimate_recovery(first, labels, seed).value,
        chance=_CHANCE,
        n_judged=0 if first is None else len(labels),
        quality_change=float(np.mean([one.change for one in benchmarks])) if benchmarks else None,
        benchmarks=benchmarks,
        seconds=seconds,
    )


def _benchmarks(before: Embedding, after: Embedding) -> Iterator[BenchmarkChange]:
    for benchmark in bundled_benchmarks(*_BENCHMARKS):
        assert isinstance(benchmark, PairBenchmark)
        try:
            row = similarity(after, benchmark, against=before)
        except VocabularyError:
            continue
        change, low, high = row.measured("spearman", "change_")
        if change is not None:
            yield BenchmarkChange(benchmark.name, change, low, high)


def _judge(rows: Sequence[DebiasComparisonRow]) -> Iterator[DebiasComparisonRow]:
    """Mark the efficient rows, and the one to recommend."""
    efficient = [row for row in rows if _is_efficient(row, rows)]
    affordable = [row for row in efficient if _lost(row) <= _AFFORDABLE] or efficient
    least = min((_left(row) for row in affordable), default=math.inf)
    alike = [row for row in affordable if _left(row) <= least + _ALIKE]
    best = min(alike, key=_then, default=None)
    for row in rows:
        yield msgspec.structs.replace(row, efficient=row in efficient, recommended=row is best)


def _is_efficient(row: DebiasComparisonRow, rows: Sequence[DebiasComparisonRow]) -> bool:
    own = _left(row), _lost(row)
    others = [(_left(one), _lost(one)) for one in rows]
    better = [one for one in others if one != own and one[0] <= own[0] and one[1] <= own[1]]
    return math.isfinite(sum(own)) and not better


def _left(row: DebiasComparisonRow) -> float:
    return math.inf if row.bias_left is None else round(row.bias_left, _SHOWN)


def _lost(row: DebiasComparisonRow) -> float:
    """Return what a method costs; what it gains is not counted."""
    return math.inf if row.quality_change is None else max(0.0, round(-row.quality_change, _SHOWN))


def _then(row: DebiasComparisonRow) -> tuple[float, float, float]:
    """Order methods that leave alike: what can be recovered, in percent, then the change of other words."""
    recovered = 0.0 if row.recovered is None else round(row.recovered, 2)
    return recovered, abs((row.background_left or 0.0) - 1.0), _left(row)
