"""Every benchmark on one embedding, or on two with the difference between them.

What debiasing costs, as in Bolukbasi et al. (2016), section 5 and table 2: the same benchmarks before and after.
"""

from collections.abc import Sequence
from dataclasses import KW_ONLY, dataclass
from functools import partial
from typing import Annotated

from imprint.encoders.base import Encoder as Encoder  # EncoderLike names it
from imprint.encoders.cache import EncodingStore
from imprint.errors import VocabularyError
from imprint.evaluation.analogy import analogy
from imprint.evaluation.benchmarks import (
    PART,
    Benchmark,
    BenchmarkRow,
    EvaluationSettings,
    PairBenchmark,
    bundled_benchmarks,
    pair_words,
)
from imprint.evaluation.similarity import similarity
from imprint.rows import Rows, SkippedRow, skipped
from imprint.settings import CACHE, REPORT, option, settable
from imprint.subjects.framed import word_vectors
from imprint.subjects.opening import EncoderLike
from imprint.types import Report


@dataclass(frozen=True)
class EvaluationArguments(EvaluationSettings):
    """All that an evaluation is given."""

    benchmarks: Annotated[
        Sequence[Benchmark] | None,
        option("Benchmarks to run; by default all bundled ones. One without known words is skipped."),
    ] = None
    _: KW_ONLY
    against: Annotated[
        EncoderLike | None,
        option(
            "A second embedding, measured on the same pairs and questions; changes are the first's less this one's."
        ),
    ] = None
    cache: Annotated[EncodingStore | None, CACHE] = None
    report: Annotated[Report | None, REPORT] = None


@settable(EvaluationArguments)
def evaluate(embedding: EncoderLike, asked: EvaluationArguments) -> Rows[BenchmarkRow | SkippedRow]:
    """Run benchmarks of word similarity and analogy on an embedding, or on two with the difference between them.

    Parameters
    ----------
    embedding
        An embedding or an encoder, as `open_subject` accepts it; an encoder is asked about similarity alone.

    Returns
    -------
    Rows of BenchmarkRow and SkippedRow
        One row per benchmark, and those that could not be run last, with the reason.

    Examples
    --------
    >>> imprint.evaluate("default")
    Rows(3 similarity; 1 analogy_benchmark)
    """
    benchmarks = bundled_benchmarks() if asked.benchmarks is None else asked.benchmarks
    words = pair_words(benchmarks)
    embedding = word_vectors(embedding, words, cache=asked.cache)
    against = None if asked.against is None else word_vectors(asked.against, words, cache=asked.cache)
    rows: list[BenchmarkRow] = []
    not_run: list[SkippedRow] = []
    for benchmark in benchmarks:
        try:
            if isinstance(benchmark, PairBenchmark):
                rows.append(similarity(embedding, benchmark, against=against))
                continue
            progress = None if asked.report is None else partial(asked.report, f"answering {benchmark.name}")
            rows.append(analogy(embedding, benchmark, asked, against=against, progress=progress))
        except VocabularyError as error:
            measured = (embedding.name, embedding.sha256)
            not_run.append(skipped(measured, benchmark.name, benchmark.name, error, part=PART, seed=asked.seed))
    if not rows:
        reason = f"for example, {not_run[0].reason}" if not_run else "no benchmarks were given"
        raise VocabularyError(f"none of {len(benchmarks)} benchmarks can be run ({reason})", where=embedding.name)
    return Rows([*rows, *not_run])
