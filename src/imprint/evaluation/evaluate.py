"""Every benchmark on one embedding, or on two with the difference between them.

What debiasing costs, as in Bolukbasi et al. (2016), section 5 and table 2: the same benchmarks before and after.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from functools import partial
from typing import TYPE_CHECKING

from imprint.embeddings.embedding import Embedding
from imprint.errors import VocabularyError
from imprint.evaluation.analogy import MOST_WORDS, AnalogyResult, analogies_answered
from imprint.evaluation.benchmarks import PUBLISHED, Benchmark, PairBenchmark, bundled_benchmarks
from imprint.evaluation.resampling import RESAMPLES, Estimate
from imprint.evaluation.similarity import SimilarityResult, flatten, similarities
from imprint.finding import Finding, Findings, Skipped
from imprint.types import Report

if TYPE_CHECKING:
    import pandas as pd

BenchmarkResult = SimilarityResult | AnalogyResult


@dataclass(frozen=True)
class BenchmarkRow:
    """A benchmark: the result and, against another embedding, that one's on the same pairs or questions.

    `change` is the result's measures less the other's, resampled together.
    """

    result: BenchmarkResult
    against: BenchmarkResult | None
    change: Mapping[str, Estimate] = field(hash=False)

    @property
    def published(self) -> tuple[float, float] | None:
        """What Bolukbasi et al. print for Google News vectors before and after debiasing."""
        return PUBLISHED.get(self.result.benchmark)

    def finding(self) -> Finding:
        """Return the row of data."""
        before = {}
        if self.against is not None:
            before = {
                "against": self.against.embedding,
                "against_sha256": self.against.embedding_sha256,
                **flatten(self.against.measures, "against_"),
                **flatten(self.change, "change_"),
                "against_missing": self.against.missing,
            }
        return self.result.finding(**before, published=self.published)


@dataclass(frozen=True, repr=False)
class Evaluation(Findings):
    """All benchmarks that could be run, and why the others could not."""

    rows: tuple[BenchmarkRow, ...]
    skipped: tuple[Skipped, ...]

    def findings(self) -> list[Finding]:
        """Return one row a benchmark, those that could not be run last."""
        rows = [row.finding() for row in self.rows]
        return rows + [one.finding((rows[0].embedding, rows[0].embedding_sha256)) for one in self.skipped]

    def to_frame(self) -> "pd.DataFrame":
        """Return one row a benchmark that ran, without the sections of analogies."""
        import pandas as pd

        rows = [row.finding().to_dict() for row in self.rows]
        return pd.DataFrame([{key: value for key, value in row.items() if key != "sections"} for row in rows])

    def __repr__(self) -> str:
        return f"Evaluation({len(self.rows)} benchmarks, {len(self.skipped)} skipped)"


def evaluate(
    embedding: Embedding,
    benchmarks: Sequence[Benchmark] | None = None,
    *,
    against: Embedding | None = None,
    most_words: int = MOST_WORDS,
    resamples: int = RESAMPLES,
    seed: int = 0,
    report: Report | None = None,
) -> Evaluation:
    """Run benchmarks (all bundled ones by default); one without pairs or questions in the vocabulary is skipped."""
    benchmarks = bundled_benchmarks() if benchmarks is None else benchmarks
    embeddings = [embedding] if against is None else [against, embedding]
    rows: list[BenchmarkRow] = []
    skipped: list[Skipped] = []
    for benchmark in benchmarks:
        try:
            rows.append(_run(embeddings, benchmark, most_words, resamples, seed, report))
        except VocabularyError as error:
            skipped.append(Skipped("benchmarks", benchmark.name, benchmark.name, str(error)))
    if not rows:
        reason = f"for one, {skipped[0].reason}" if skipped else "none was asked for"
        raise VocabularyError(f"none of {len(benchmarks)} benchmarks can be run on {embedding.name}; {reason}")
    return Evaluation(tuple(rows), tuple(skipped))


def _run(
    embeddings: list[Embedding],
    benchmark: Benchmark,
    most_words: int,
    resamples: int,
    seed: int,
    report: Report | None,
) -> BenchmarkRow:
    results: Sequence[BenchmarkResult]
    if isinstance(benchmark, PairBenchmark):
        results, change = similarities(embeddings, benchmark)
    else:
        results, change = analogies_answered(
            embeddings,
            benchmark,
            most_words=most_words,
            resamples=resamples,
            seed=seed,
            progress=None if report is None else partial(report, f"answering {benchmark.name}"),
        )
    against = results[0] if len(results) > 1 else None
    return BenchmarkRow(results[-1], against, change if against is not None else {})
