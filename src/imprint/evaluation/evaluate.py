"""Every benchmark on one embedding, or on two with the difference between them.

What debiasing costs, as in Bolukbasi et al. (2016), section 5 and table 2: the same benchmarks before and after.
"""

from collections.abc import Sequence
from functools import partial

from imprint.encoders.cache import EncodingStore
from imprint.errors import VocabularyError
from imprint.evaluation.analogy import MOST_WORDS, analogy
from imprint.evaluation.benchmarks import PART, Benchmark, BenchmarkRow, PairBenchmark, bundled_benchmarks, pair_words
from imprint.evaluation.resampling import RESAMPLES
from imprint.evaluation.similarity import similarity
from imprint.rows import Rows, SkippedRow, skipped
from imprint.subjects.framed import word_vectors
from imprint.subjects.opening import EncoderLike
from imprint.types import Report


def evaluate(
    embedding: EncoderLike,
    benchmarks: Sequence[Benchmark] | None = None,
    *,
    against: EncoderLike | None = None,
    most_words: int = MOST_WORDS,
    resamples: int = RESAMPLES,
    cache: EncodingStore | None = None,
    seed: int = 0,
    report: Report | None = None,
) -> Rows[BenchmarkRow | SkippedRow]:
    """Run benchmarks of word similarity and analogy on an embedding, or on two with the difference between them.

    Parameters
    ----------
    embedding
        An embedding or an encoder, as `open_subject` accepts it; an encoder is asked about similarity alone.
    benchmarks
        Benchmarks to run; by default all bundled ones. One without known words is skipped.
    against
        A second embedding, measured on the same pairs and questions; changes are the first's less this one's.
    most_words
        How many of the most frequent words are searched for answers to analogies.
    resamples
        How many resamples are behind each interval of an analogy's accuracy.
    cache
        Where encodings are kept between runs.
    seed
        Seed of the resamples.
    report
        Called with the name of the step, the work done and the total work.

    Returns
    -------
    Rows of BenchmarkRow and SkippedRow
        One row per benchmark, and those that could not be run last, with the reason.

    Examples
    --------
    >>> imprint.evaluate("default")
    Rows(3 similarity; 1 analogy_benchmark)
    """
    benchmarks = bundled_benchmarks() if benchmarks is None else benchmarks
    words = pair_words(benchmarks)
    embedding = word_vectors(embedding, words, cache=cache)
    against = None if against is None else word_vectors(against, words, cache=cache)
    rows: list[BenchmarkRow] = []
    not_run: list[SkippedRow] = []
    for benchmark in benchmarks:
        try:
            if isinstance(benchmark, PairBenchmark):
                rows.append(similarity(embedding, benchmark, against=against))
                continue
            progress = None if report is None else partial(report, f"answering {benchmark.name}")
            options = {"most_words": most_words, "resamples": resamples, "seed": seed}
            rows.append(analogy(embedding, benchmark, against=against, progress=progress, **options))
        except VocabularyError as error:
            measured = (embedding.name, embedding.sha256)
            not_run.append(skipped(measured, benchmark.name, benchmark.name, error, part=PART, seed=seed))
    if not rows:
        reason = f"for example, {not_run[0].reason}" if not_run else "no benchmarks were given"
        raise VocabularyError(f"none of {len(benchmarks)} benchmarks can be run ({reason})", where=embedding.name)
    return Rows([*rows, *not_run])
