"""Word frequency, which shapes every embedding: does a group stand for people, or for frequent words?

Common names lie near common words. A group of the commonest names therefore "associates" with the most frequent words
of every category; that is word frequency speaking, and the output has to say so.
"""

from dataclasses import replace

import numpy as np
import numpy.typing as npt

from imprint.embeddings.embedding import Embedding
from imprint.enumeration.clustering import category_centres
from imprint.enumeration.settings import Centre
from imprint.significance.rotations import Cells

Floats = npt.NDArray[np.float32]
Doubles = npt.NDArray[np.float64]
Rows = npt.NDArray[np.intp]

ROTATIONS = 1_000  # of the null without frequency: enough to see whether an association is still there
EXPLAINED = 0.5  # a group is flagged when fewer of its associations than this share survive


def log_frequency(embedding: Embedding, rows: Rows) -> Doubles:
    """Return a proxy for log frequency: minus the logarithm of the rank, as Zipf's law has it."""
    ranks = rows if embedding.ranks is None else embedding.ranks[rows]
    return -np.log(np.asarray(ranks, dtype=np.float64) + 1)


def frequency_direction(words: Floats, frequency: Doubles) -> Doubles:
    """Return the unit direction along which frequency changes most: that of the regression of frequency on words."""
    centred = words.astype(np.float64) - words.mean(axis=0)
    slope = np.linalg.lstsq(centred, frequency - frequency.mean(), rcond=None)[0]
    return np.asarray(slope / np.linalg.norm(slope))


def without_direction(vectors: Floats, direction: Doubles) -> Floats:
    """Remove a direction from unit rows and scale them to unit length again."""
    rest = vectors - np.outer(vectors @ direction, direction)
    lengths = np.maximum(np.linalg.norm(rest, axis=1, keepdims=True), 1e-12)
    return np.asarray(rest / lengths, dtype=np.float32)


def correlation_with_frequency(words: Floats, directions: Doubles, frequency: Doubles) -> Doubles:
    """Return, for each group's direction, the rank correlation of words' products with it and their frequency."""
    from scipy.stats import rankdata

    ranks = np.column_stack([rankdata(column) for column in (words @ directions.T).T])
    return np.asarray(np.corrcoef(ranks.T, rankdata(frequency))[-1, :-1])


def cells_without_frequency(cells: Cells, frequency: Doubles, centre: Centre) -> Cells:
    """Return the same groups and categories in the space that is left without the direction of frequency."""
    direction = frequency_direction(cells.words, frequency)
    words = without_direction(cells.words, direction)
    return replace(
        cells,
        words=words,
        directions=cells.directions - np.outer(cells.directions @ direction, direction),
        centres=category_centres(words, cells.offsets, centre),
    )
