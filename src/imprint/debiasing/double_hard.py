"""Double-Hard debiasing: a component of word frequency is dropped from all words, then they are debiased hard.

Wang et al. (2020), "Double-Hard Debias: tailoring word embeddings for gender bias mitigation", algorithm 1. Words are
centred. Each of the first principal components is dropped in turn, the words are debiased hard, and the most biased
ones put into two clusters; the component after which clusters tell least about the bias is the one dropped.
"""

from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass, replace
from typing import ClassVar

import numpy as np

from imprint.checks import check_whole
from imprint.debiasing.debiaser import GENDER, Debiaser
from imprint.debiasing.hard import LABELS, HardDebiaser
from imprint.debiasing.linear import default_axes
from imprint.debiasing.transform import Card, DoubleHardTransform
from imprint.directions.axis import Axis, Pairs, orthonormal, pair_axis
from imprint.embeddings.embedding import Embedding
from imprint.embeddings.vocabulary import rows_by_frequency
from imprint.enumeration.groups import cluster
from imprint.errors import VocabularyError
from imprint.stimuli import seeds as catalogue
from imprint.subjects.opening import EmbeddingLike, load
from imprint.threads import single_threaded
from imprint.types import Floats

_FREQUENT = 50_000  # words among which the most biased are looked for
_FEWEST = 4  # words to make clusters of
_BLOCK_ROWS = 16_384


@dataclass(frozen=True)
class DoubleHardDebiaser(Debiaser):
    """Double-Hard debiasing of Wang et al. (2020): drops a component of frequency, then debiases hard.

    Parameters
    ----------
    tried
        How many principal components are tried; 0 drops none and is hard debiasing.
    words
        How many of the most biased words of each side are put into clusters.

    Examples
    --------
    >>> imprint.debiaser("double-hard", tried=4)
    DoubleHardDebiaser(tried=4, words=1000)
    """

    summary: ClassVar[str] = (
        "drops a principal component of all words, chosen so that clusters tell least, and then debiases hard"
    )
    labels: ClassVar[Mapping[str, str]] = LABELS

    tried: int = 20
    words: int = 1000

    def __post_init__(self) -> None:
        check_whole("tried", self.tried, least=0)
        check_whole("words", self.words)

    def fit(
        self,
        embedding: EmbeddingLike,
        *,
        axis: Axis | Sequence[Axis] | None = None,
        pairs: Pairs | None = None,
        specific: Sequence[str] | None = None,
    ) -> DoubleHardTransform:
        """Fit along one or more axes; options are those of hard debiasing.

        Parameters
        ----------
        embedding
            A file, `default` or an object, as `load` accepts it.
        axis
            The axis to remove, or several. By default the first principal component of the pairs, or of the
            catalogue's ten definitional pairs, after the component was dropped.
        pairs
            Pairs to equalise; by default the catalogue's.
        specific
            Words that keep their gender, as in hard debiasing.
        """
        embedding = load(embedding)
        embedding.check_finite()
        dimension, count = embedding.dimension, min(self.tried, embedding.dimension)
        centre, ways = _principal(embedding, count) if count else (np.zeros(dimension), np.empty((0, dimension)))

        def dropping(dropped: Floats) -> DoubleHardTransform:
            card = Card(embedding.name, embedding.sha256, (), (), ())
            return DoubleHardTransform("double-hard", card, np.empty((0, dimension)), frozenset(), (), dropped, centre)

        def debiased(dropped: Floats, measured: dict[str, float]) -> DoubleHardTransform:
            prepared = replace(dropping(dropped).apply(embedding), name=embedding.name)
            hard = HardDebiaser().fit(prepared, axis=axis, pairs=pairs, specific=specific)
            settings = {**hard.card.settings, **asdict(self)}
            card = replace(hard.card, embedding_sha256=embedding.sha256, settings=settings, measured=measured)
            return DoubleHardTransform("double-hard", card, hard.basis, hard.kept, hard.pairs, dropped, centre)

        if not count:
            return debiased(ways, {})
        specific_words = HardDebiaser().fit(embedding, axis=axis, pairs=pairs, specific=specific).kept
        rows = _most_biased(embedding, _along(embedding, axis, pairs), self.words, specific_words)
        defining = catalogue.definitional_pairs() if pairs is None else pairs
        ends = _part(embedding, [word for pair in defining for word in pair])
        scores = []
        for dropped in (ways[:0], *ways[:, None]):
            first = dropping(dropped)
            axes = pair_axis(first.apply(ends), defining, method="pca") if axis is None else axis
            basis = orthonormal(default_axes(embedding, axes))
            moved = first.move(rows)
            scores.append(_alignment(moved - moved @ basis.T @ basis))
        best = int(np.argmin(scores[1:]))
        alone, dropping_one = scores[0], scores[best + 1]
        measured = {"clustered_right_by_hard_alone": alone, "clustered_right": dropping_one}
        return debiased(ways[best : best + 1], {"component_dropped": best + 1, **measured})


def _principal(embedding: Embedding, count: int) -> tuple[Floats, Floats]:
    """Return the mean of all rows and their first principal components."""
    total, gram = np.zeros(embedding.dimension), np.zeros((embedding.dimension, embedding.dimension))
    with single_threaded():
        for _, rows in embedding.blocks(_BLOCK_ROWS):
            total += rows.sum(axis=0)
            gram += rows.T @ rows
        mean = total / len(embedding)
        _, ways = np.linalg.eigh(gram / len(embedding) - np.outer(mean, mean))
    return mean, np.ascontiguousarray(ways.T[::-1][:count])


def _along(embedding: Embedding, axis: Axis | Sequence[Axis] | None, pairs: Pairs | None) -> Axis:
    """Return the axis by which words are called biased: the first given, that of the pairs, or he - she."""
    if axis is None:
        return pair_axis(embedding, GENDER if pairs is None else pairs)
    return default_axes(embedding, axis)[0]


def _most_biased(embedding: Embedding, axis: Axis, count: int, kept: frozenset[str]) -> Floats:
    """Return the rows of as many frequent words at either end of an axis, without those kept."""
    frequent = rows_by_frequency(embedding)
    rows = np.array([row for row in frequent.tolist() if embedding.words[row] not in kept][:_FREQUENT], dtype=np.intp)
    rows = rows[embedding.norms[rows] > 0.0]
    if len(rows) < _FEWEST:
        raise VocabularyError(
            f"has {len(rows)} words besides those kept", expected=f"at least {_FEWEST}", where=embedding.name
        )
    order = rows[np.argsort(axis.project(embedding.unit[rows]), kind="stable")]
    each = min(count, len(rows) // 2)
    return np.asarray(embedding.vectors[np.concatenate([order[:each], order[-each:]])], dtype=np.float64)


def _alignment(rows: Floats) -> float:
    """Return the share of words that two clusters put on the right side; the first half are of one side."""
    clusters = cluster(rows.astype(np.float32), 2, what="words", seed=np.random.SeedSequence(0))
    right = float(np.mean(clusters == (np.arange(len(rows)) >= len(rows) // 2)))
    return max(right, 1.0 - right)


def _part(embedding: Embedding, words: Sequence[str]) -> Embedding:
    """Return the embedding of these words alone."""
    lookup = embedding.lookup(dict.fromkeys(words))
    return Embedding(embedding.name, list(lookup.words), lookup.vectors)
