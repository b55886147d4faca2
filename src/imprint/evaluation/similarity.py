"""Do cosines agree with what people say about how similar words are?

The similarity benchmarks of Bolukbasi et al. (2016), section 5: Spearman's correlation of the cosine of two words with
people's scores of the pair, and Pearson's beside it.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

import numpy as np

from imprint.association.measured import Measured
from imprint.association.wordrows import require_embedding
from imprint.embeddings.embedding import Embedding
from imprint.errors import VocabularyError
from imprint.evaluation.benchmarks import PairBenchmark
from imprint.evaluation.resampling import Estimate
from imprint.finding import Finding
from imprint.significance.dyads import Dyads, pearson, spearman
from imprint.stimuli.definition import quote
from imprint.types import Floats

if TYPE_CHECKING:
    import pandas as pd

FEWEST_PAIRS = 4

_DECIMALS = 12


@dataclass(frozen=True, repr=False)
class SimilarityResult(Measured):
    """One benchmark on one embedding: `measures` has spearman and pearson, each with its interval.

    `missing` names the words without a vector; a pair that has one is left out, and `words` counts those of the rest.
    """

    benchmark: str
    embedding: str
    embedding_sha256: str
    measures: Mapping[str, Estimate] = field(hash=False)
    found: int
    asked: int
    words: int
    missing: tuple[str, ...]

    def finding(self, **more: Any) -> Finding:
        """Return the row; its effect size is Spearman's correlation."""
        return Finding(
            kind="similarity",
            test=self.benchmark,
            embedding=self.embedding,
            embedding_sha256=self.embedding_sha256,
            effect_size=self.measures["spearman"].value,
            statistic=None,
            p_value=None,
            seed=0,  # nothing is random
            missing=self.missing,
            details={
                **flatten(self.measures),
                "found": self.found,
                "asked": self.asked,
                "words": self.words,
                **more,
            },
        )

    def to_frame(self) -> "pd.DataFrame":
        """Return the row as a table of one row."""
        import pandas as pd

        return pd.DataFrame([self.to_dict()])

    def __repr__(self) -> str:
        return (
            f"SimilarityResult({self.benchmark!r} on {self.embedding}: "
            f"Spearman {self.measures['spearman'].value:.3f}, {self.found:,} of {self.asked:,} pairs)"
        )


def similarity(embedding: Embedding, benchmark: PairBenchmark) -> SimilarityResult:
    """Correlate the cosines of the benchmark's pairs with people's scores."""
    ((result,), _) = similarities([embedding], benchmark)
    return result


def similarities(
    embeddings: Sequence[Embedding], benchmark: PairBenchmark
) -> tuple[tuple[SimilarityResult, ...], Mapping[str, Estimate]]:
    """Measure embeddings on the same pairs, those that all have.

    The second value is the last embedding's measures less the first one's.
    """
    looked = [_cosines(embedding, benchmark) for embedding in embeddings]
    shared = np.all([~np.isnan(cosines) for cosines, _ in looked], axis=0)
    people = np.array(benchmark.scores)[shared]
    if len(people) < FEWEST_PAIRS:
        missing = tuple(dict.fromkeys(word for _, words in looked for word in words))
        raise VocabularyError(
            f"{benchmark.name}: {len(people)} of {len(shared)} pairs are in "
            f"{' and '.join(embedding.name for embedding in embeddings)} ({quote(missing)} missing); "
            f"at least {FEWEST_PAIRS} are needed: use a larger embedding"
        )
    sides = [cosines[shared] for cosines, _ in looked]
    for side, embedding in zip((people, *sides), ("people", *(one.name for one in embeddings)), strict=True):
        if np.all(side == side[0]):
            raise VocabularyError(f"{benchmark.name}: the pairs left are all alike to {embedding}; nothing correlates")
    words, places = np.unique(np.array(benchmark.pairs)[shared], return_inverse=True)
    measured, change = correlate(people, sides, Dyads(*places.reshape(-1, 2).T))
    results = tuple(
        SimilarityResult(
            benchmark=benchmark.name,
            embedding=embedding.name,
            embedding_sha256=embedding.sha256,
            measures=measures,
            found=len(people),
            asked=len(shared),
            words=len(words),
            missing=missing,
        )
        for embedding, (_, missing), measures in zip(embeddings, looked, measured, strict=True)
    )
    return results, change


def correlate(
    people: Floats, sides: Sequence[Floats], dyads: Dyads
) -> tuple[list[dict[str, Estimate]], dict[str, Estimate]]:
    """Return both correlations of every side with people, and the last side's less the first one's."""
    measured: list[dict[str, Estimate]] = [{} for _ in sides]
    change = {}
    for name, correlation in (("spearman", spearman), ("pearson", pearson)):
        found = [correlation(people, side) for side in sides]
        for measures, one in zip(measured, found, strict=True):
            measures[name] = Estimate(one.value, *dyads.interval(one))
        change[name] = Estimate(found[-1].value - found[0].value, *dyads.difference(found[-1], found[0]))
    return measured, change


def flatten(measures: Mapping[str, Estimate], prefix: str = "") -> dict[str, float]:
    """Return each estimate as three named numbers."""
    return {
        f"{prefix}{name}{end}": number
        for name, one in measures.items()
        for end, number in (("", one.value), ("_low", one.low), ("_high", one.high))
    }


def _cosines(embedding: Embedding, benchmark: PairBenchmark) -> tuple[Floats, tuple[str, ...]]:
    """Return the cosine of each pair, NaN where a word is missing, and the words that are."""
    require_embedding(embedding)
    found = embedding.lookup(dict.fromkeys(word for pair in benchmark.pairs for word in pair))
    rows: Floats = found.vectors.astype(np.float64)
    rows /= np.linalg.norm(rows, axis=1, keepdims=True)
    place = {word: row for row, word in enumerate(found.words)}
    cosines = np.full(len(benchmark.pairs), np.nan)
    for at, (first, second) in enumerate(benchmark.pairs):
        if first in place and second in place:
            cosines[at] = rows[place[first]] @ rows[place[second]]
    # Cosines that only rounding tells apart, as of two words with themselves, are to share a rank.
    return cosines.round(_DECIMALS), found.missing
