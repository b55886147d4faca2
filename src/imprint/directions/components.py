"""Pairs of words in two dimensions: do their differences run side by side?

Caliskan, Bryson and Narayanan (2016), Figure 3: the first two principal components of words that differ in gender.
"""

from typing import Annotated

import msgspec
import numpy as np

from imprint.directions.axis import Pairs, pair_axis
from imprint.embeddings.embedding import Embedding
from imprint.errors import VocabularyError
from imprint.rows import Row, WordPoint, shown
from imprint.threads import single_threaded
from imprint.types import Floats

_FEWEST = 2  # pairs: the middle of one has nothing to lie beside
_DIMENSIONS = 2


class PairOfWords(msgspec.Struct, frozen=True):
    """Two words that differ in one meaning."""

    first: Annotated[str, shown("First", shape="word")]
    second: Annotated[str, shown("Second", shape="word")]


class PairsRow(Row, frozen=True, kw_only=True, tag="pairs"):
    """Where the words of pairs lie, at unit length, along their first two principal components."""

    pairs: Annotated[tuple[PairOfWords, ...], shown("Pairs")]
    points: Annotated[tuple[WordPoint, ...], shown("Points", "Where each word lies along both components.")]
    explained_shares: Annotated[
        tuple[float, float], shown("Variance explained", "Shares of the words' variance along the components.")
    ]
    agreement: Annotated[
        float, shown("Cosine between pairs", "Mean cosine between the pairs' differences, in the whole space.")
    ]


def pair_components(embedding: Embedding, pairs: Pairs) -> PairsRow:
    """Place the words of pairs; a pair of which a word is missing is left out and named.

    Both components point the way the pairs do on average, from second words to first.
    """
    axis = pair_axis(embedding, pairs)
    known = tuple(zip(axis.positive, axis.negative, strict=True))
    if len(known) < _FEWEST or embedding.dimension < _DIMENSIONS:
        raise VocabularyError(
            f"has {len(known)} of the pairs in {embedding.dimension} dimensions",
            expected=f"at least {_FEWEST} in {_DIMENSIONS}",
            where=embedding.name,
        )
    assert axis.agreement is not None
    words = tuple(dict.fromkeys(word for pair in known for word in pair))
    with single_threaded():
        coordinates, shares = _two_components(embedding.lookup(words).unit, axis.direction)
    return PairsRow(
        test="principal components",
        embedding=embedding.name,
        embedding_sha256=embedding.sha256,
        statistic=axis.agreement,
        missing=axis.missing,
        pairs=tuple(PairOfWords(*pair) for pair in known),
        points=tuple(map(WordPoint, words, *coordinates.T.tolist())),
        explained_shares=shares,
        agreement=axis.agreement,
    )


def _two_components(rows: Floats, way: Floats) -> tuple[Floats, tuple[float, float]]:
    """Return the coordinates around the middle and the shares of variance; a component's sign follows `way`."""
    centred = rows - rows.mean(axis=0)
    _, lengths, components = np.linalg.svd(centred, full_matrices=False)
    first_two = components[:_DIMENSIONS] * np.where(components[:_DIMENSIONS] @ way < 0, -1.0, 1.0)[:, None]
    shares = lengths**2 / (lengths**2).sum()
    return centred @ first_two.T, (float(shares[0]), float(shares[1]))
