"""Every debiaser on one embedding: the bias and the groups it leaves, and what it costs.

Settings are chosen on the professions to fit on, results are judged on held-out professions, other words and held-out
names, along a gender axis of pairs that give no method its direction. The linear classifier that reads gender off
names is trained anew after debiasing (Gonen and Goldberg 2019).
"""

import math
import time
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from typing import Annotated

import msgspec
import numpy as np

from imprint.debiasing import DEBIASERS
from imprint.debiasing.rows import Fact, LeftRow, facts_of
from imprint.debiasing.transform import Transform
from imprint.directions.axis import Axis
from imprint.embeddings.embedding import Embedding
from imprint.errors import ImprintError, VocabularyError
from imprint.evaluation.benchmarks import PairBenchmark, bundled_benchmarks
from imprint.evaluation.left import JudgingNames, fit_gender, judging_axis, measure_left, words_that_judge
from imprint.evaluation.recovering import RecoveryAttempt, estimate_recovery
from imprint.evaluation.resampling import flatten
from imprint.evaluation.similarity import similarity
from imprint.rows import HighEnd, LowEnd, Rows, SkippedRow, shown, skipped
from imprint.subjects.opening import EmbeddingLike, load
from imprint.types import Report

PART = "debiasers"
UNTREATED = "none"  # the row of the embedding as it is

_BENCHMARKS = ("rg-65", "ws-353", "men")
_CHANCE = 0.5
_AFFORDABLE = 0.01  # of Spearman's correlation that a method may cost to be recommended
_ALIKE = 0.05  # of bias left and of names recovered: methods that are so little worse than the best count alike
_SHOWN = 3  # digits within which two methods are equally good


class BenchmarkChange(msgspec.Struct, frozen=True):
    """What a benchmark's Spearman correlation changed by."""

    benchmark: Annotated[str, shown("Benchmark")]
    change: Annotated[float, shown("Change", "Change of Spearman's correlation.", digits=3, ends="")]
    low: LowEnd
    high: HighEnd


class DebiasComparisonRow(LeftRow, frozen=True, kw_only=True, tag="debias-comparison"):
    """What one debiaser leaves and costs, among several on one embedding; the method `none` is before debiasing.

    All rows have unit length, and the gender axis is the one before debiasing.
    """

    method: Annotated[str, shown("Method")]
    fitted: Annotated[tuple[Fact, ...], shown("Settings")]
    recovered: Annotated[
        float | None,
        shown(
            "Gender recovered",
            "Share of held-out names whose gender a linear classifier trained after debiasing finds, averaged over "
            "both genders, with 95 % interval.",
            shape="percent",
        ),
    ]
    recovered_low: LowEnd
    recovered_high: HighEnd
    recovered_before: Annotated[float | None, shown("Recovered before", "The same before debiasing.", shape="percent")]
    chance: Annotated[float, shown("Chance", "What random labels give.", shape="percent")]
    n_judged: Annotated[int, shown("Names", "Held-out names; none where they are too few.")]
    quality_change: Annotated[
        float | None,
        shown("Similarity changed", "Mean change of Spearman's correlation over the similarity benchmarks.", digits=3),
    ]
    benchmarks: Annotated[
        tuple[BenchmarkChange, ...], shown("Benchmarks", "Change of Spearman's correlation, with 95 % interval.")
    ]
    seconds: Annotated[float, shown("Seconds", "To choose settings, fit and apply, on this machine.", digits=1)]
    efficient: Annotated[
        bool, shown("Efficient", "No other method leaves less bias without losing more similarity.")
    ] = False
    recommended: Annotated[bool, shown("Recommended", "Whether it is the method to take.")] = False

    @property
    def treated(self) -> bool:
        """Whether a debiaser was applied; the other row is of the embedding as it is."""
        return self.method != UNTREATED

    @property
    def selective(self) -> bool:
        """Whether it clearly removes more from professions than from other words: the interval is below 0."""
        return self.difference_high is not None and self.difference_high < 0.0


class DebiaserComparison(Rows[DebiasComparisonRow | SkippedRow]):
    """The embedding as it is, all debiasers that could be fitted, and why the others could not."""

    @property
    def recommended(self) -> str | None:
        """The method to take, if any can be recommended."""
        return next((row.method for row in self.of(DebiasComparisonRow) if row.recommended), None)


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
        A row before debiasing, `none`, and one per method; `recommended` is the method to take.

    Examples
    --------
    >>> imprint.compare_debiasers("default", ["linear", "hard"]).recommended
    'hard'
    """
    embedding = load(embedding)
    names = JudgingNames.of(embedding)
    before = _Before(embedding, judging_axis(embedding), names, names.recover(embedding, seed), seed)
    chosen = DEBIASERS.names() if methods is None else methods
    for method in chosen:
        DEBIASERS.get(method)
    judging = words_that_judge(embedding)
    rows = [before.row(UNTREATED, embedding, None, 0.0)]
    refused: list[SkippedRow] = []
    for done, method in enumerate(chosen):
        if report is not None:
            report("comparing debiasers", done, len(chosen))
        try:
            start = time.perf_counter()
            transform, _ = fit_gender(embedding, method, leave_out=judging, seed=seed)
            after = transform.apply(embedding)
            rows.append(before.row(method, after, transform, time.perf_counter() - start))
        except ImprintError as error:
            measured = (embedding.name, embedding.sha256)
            refused.append(skipped(measured, method, f"Debiasing with {method}", error, part=PART, seed=seed))
    if len(rows) == 1:
        raise VocabularyError("no debiaser could be fitted", where=embedding.name, hint="use a larger embedding")
    if report is not None:
        report("comparing debiasers", len(chosen), len(chosen))
    return DebiaserComparison([*_judge(rows), *refused])


@dataclass(frozen=True)
class _Before:
    """An embedding before debiasing, and what judges debiasers of it: an axis, and names whose sex is recovered."""

    embedding: Embedding
    axis: Axis
    names: JudgingNames
    recovered: RecoveryAttempt | None
    seed: int

    def row(self, method: str, after: Embedding, transform: Transform | None, seconds: float) -> DebiasComparisonRow:
        """Return what a method leaves and costs; without a transform, what there is before."""
        first, labels = self.recovered, self.names.labels[self.names.held_out]
        last = first if first is None or transform is None else self.names.recover(after, self.seed)
        unrecovered = dict.fromkeys(("recovered", "recovered_low", "recovered_high"))
        benchmarks = () if transform is None else tuple(_benchmarks(self.embedding, after))
        changes = [0.0] if transform is None else [benchmark.change for benchmark in benchmarks]
        return DebiasComparisonRow(
            test=method,
            embedding=self.embedding.name,
            embedding_sha256=self.embedding.sha256,
            seed=self.seed,
            missing=() if transform is None else transform.card.missing,
            method=method,
            fitted=() if transform is None else facts_of(transform),
            **flatten(measure_left(self.embedding, after, self.axis)),
            n_pairs=len(self.axis.positive),
            **(unrecovered if last is None else flatten({"recovered": estimate_recovery(last, labels)})),
            recovered_before=None if first is None else estimate_recovery(first, labels).value,
            chance=_CHANCE,
            n_judged=0 if first is None else len(labels),
            quality_change=float(np.mean(changes)) if changes else None,
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
    """Mark the efficient rows, and the one to recommend.

    It is affordable and leaves the least bias; of several alike, one that is selective, then one from which least is
    recovered, then the one that keeps other words, then similarity.
    """
    methods = [row for row in rows if row.treated]
    candidates = _least([row for row in methods if _lost(row) <= _AFFORDABLE and math.isfinite(_left(row))], _left)
    candidates = _least([row for row in candidates if row.selective] or candidates, lambda row: row.recovered or 0.0)
    best = min(candidates, key=lambda row: (_moved(row), _left(row), -(row.quality_change or 0.0)), default=None)
    for row in rows:
        efficient = row in methods and _is_efficient(row, methods)
        yield msgspec.structs.replace(row, efficient=efficient, recommended=row is best)


def _least(
    rows: Sequence[DebiasComparisonRow], measure: Callable[[DebiasComparisonRow], float]
) -> list[DebiasComparisonRow]:
    """Return the rows of the least value, and those that are alike."""
    least = min(map(measure, rows), default=math.inf)
    return [row for row in rows if measure(row) <= least + _ALIKE]


def _is_efficient(row: DebiasComparisonRow, rows: Sequence[DebiasComparisonRow]) -> bool:
    costs = _left(row), _lost(row)
    others = [(_left(other), _lost(other)) for other in rows]
    better = [other for other in others if other != costs and other[0] <= costs[0] and other[1] <= costs[1]]
    return math.isfinite(sum(costs)) and not better


def _left(row: DebiasComparisonRow) -> float:
    return math.inf if row.bias_left is None else round(row.bias_left, _SHOWN)


def _lost(row: DebiasComparisonRow) -> float:
    """Return what a method costs; what it gains is not counted."""
    return math.inf if row.quality_change is None else max(0.0, round(-row.quality_change, _SHOWN))


def _moved(row: DebiasComparisonRow) -> float:
    """Return by how much other words' variance changes."""
    return math.inf if row.background_left is None else round(abs(row.background_left - 1.0), _SHOWN)
