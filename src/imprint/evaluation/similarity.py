"""Do cosines agree with what people say about how similar words are?

The similarity benchmarks of Bolukbasi et al. (2016), section 5: Spearman's correlation of the cosine of two words with
people's scores of the pair, and Pearson's beside it.
"""

from collections.abc import Sequence
from typing import Annotated

import numpy as np

from imprint.embeddings.embedding import Embedding
from imprint.errors import VocabularyError
from imprint.evaluation.benchmarks import BenchmarkRow, OtherValue, PairBenchmark, ValueChange, benchmark_fields
from imprint.evaluation.resampling import Estimate
from imprint.rows import HighEnd, LowEnd, shown
from imprint.significance.dyads import Dyads, pearson, spearman
from imprint.stimuli.definition import quote
from imprint.types import Floats

FEWEST_PAIRS = 4

_DECIMALS = 12


class SimilarityRow(BenchmarkRow, frozen=True, kw_only=True, tag="similarity"):
    """Correlations of cosines with people's scores; the effect size is Spearman's."""

    measures = ("spearman", "pearson")

    found: Annotated[int, shown("Pairs", "Pairs all of whose words the embedding has, of all.")]
    spearman: Annotated[float, shown("Spearman", "Correlation of ranks, with its 95 % interval.", digits=3)]
    spearman_low: LowEnd
    spearman_high: HighEnd
    pearson: Annotated[float, shown("Pearson", "Pearson's correlation, with its 95 % interval.", digits=3)]
    pearson_low: LowEnd
    pearson_high: HighEnd
    against_spearman: OtherValue = None
    against_spearman_low: LowEnd = None
    against_spearman_high: HighEnd = None
    against_pearson: OtherValue = None
    against_pearson_low: LowEnd = None
    against_pearson_high: HighEnd = None
    change_spearman: ValueChange = None
    change_spearman_low: LowEnd = None
    change_spearman_high: HighEnd = None
    change_pearson: ValueChange = None
    change_pearson_low: LowEnd = None
    change_pearson_high: HighEnd = None


def similarity(embedding: Embedding, benchmark: PairBenchmark, *, against: Embedding | None = None) -> SimilarityRow:
    """Correlate the cosines of the benchmark's pairs with people's scores; of two embeddings, pairs that both have."""
    embeddings = [embedding] if against is None else [against, embedding]
    looked = [_cosines(each, benchmark) for each in embeddings]
    shared = np.all([~np.isnan(cosines) for cosines, _ in looked], axis=0)
    people = np.array(benchmark.scores)[shared]
    if len(people) < FEWEST_PAIRS:
        names = " and ".join(each.name for each in embeddings)
        missing = tuple(dict.fromkeys(word for _, words in looked for word in words))
        raise VocabularyError(
            f"{len(people)} of {len(shared)} pairs are in {names} ({quote(missing)} missing)",
            expected=f"at least {FEWEST_PAIRS}",
            where=benchmark.name,
            words=missing,
            hint="use a larger embedding",
        )
    sides = [cosines[shared] for cosines, _ in looked]
    for side, name in zip((people, *sides), ("people", *(each.name for each in embeddings)), strict=True):
        if np.all(side == side[0]):
            raise VocabularyError(
                f"the remaining pairs have the same value for {name}, so nothing can correlate",
                where=benchmark.name,
            )
    words, places = np.unique(np.array(benchmark.pairs)[shared], return_inverse=True)
    measured, change = correlate(people, sides, Dyads(*places.reshape(-1, 2).T))
    return SimilarityRow(
        **benchmark_fields(benchmark.name, embeddings, [missing for _, missing in looked], measured, change),
        found=len(people),
        asked=len(shared),
        n_words=len(words),
    )


def correlate(
    people: Floats, sides: Sequence[Floats], dyads: Dyads
) -> tuple[list[dict[str, Estimate]], dict[str, Estimate]]:
    """Return both correlations of every side with people, and the last side's less the first one's."""
    measured: list[dict[str, Estimate]] = [{} for _ in sides]
    change = {}
    for name, correlation in (("spearman", spearman), ("pearson", pearson)):
        results = [correlation(people, side) for side in sides]
        for measures, result in zip(measured, results, strict=True):
            measures[name] = Estimate(result.value, *dyads.interval(result))
        change[name] = Estimate(results[-1].value - results[0].value, *dyads.difference(results[-1], results[0]))
    return measured, change


def _cosines(embedding: Embedding, benchmark: PairBenchmark) -> tuple[Floats, tuple[str, ...]]:
    """Return the cosine of each pair, NaN where a word is missing, and the words that are."""
    lookup = embedding.lookup(dict.fromkeys(word for pair in benchmark.pairs for word in pair))
    rows = lookup.unit
    row_of = {word: row for row, word in enumerate(lookup.words)}
    cosines = np.full(len(benchmark.pairs), np.nan)
    for at, (first, second) in enumerate(benchmark.pairs):
        if first in row_of and second in row_of:
            cosines[at] = rows[row_of[first]] @ rows[row_of[second]]
    # Cosines that only rounding tells apart, as of two words with themselves, are to share a rank.
    return cosines.round(_DECIMALS), lookup.missing
