"""False discoveries, counted on copies in which the alignment of names with words is random.

A rotated copy turns all names by one Haar-random rotation: the null behind every p-value, so few copies should have
any association. A flipped copy multiplies the names' coordinate on each principal axis of the words by a random sign:
names keep their own geometry and how much of them lies on each axis, and words are as they are. Embeddings are not
round, names and words lie on the same strong axes, and random rotations do not keep that; flips do. Both are
orthogonal, so K-means makes the same groups of the copy, and the rotations of the original are its null too.
"""

import numpy as np

from imprint.enumeration.null import adjust
from imprint.enumeration.rows import FalseDiscoveries
from imprint.enumeration.settings import Settings
from imprint.significance.rotations import Cells, random_directions, scores_under
from imprint.threads import single_threaded
from imprint.types import Flags, Floats, Floats32

COPIES = 200  # of each kind

_NINE_OF_TEN = (0.05, 0.95)


def principal_axes(vectors: Floats32) -> Floats:
    """Return the principal axes of rows as columns, those of the largest variance first."""
    with single_threaded():
        centred = vectors - vectors.mean(axis=0, dtype=np.float64)
        return np.asarray(np.linalg.eigh(centred.T @ centred)[1][:, ::-1])


def flipped_directions(cells: Cells, count: int, seed: np.random.SeedSequence) -> Floats32:
    """Draw the directions with random signs on the words' principal axes: (count, dimension, groups)."""
    axes = principal_axes(cells.words)
    signs = np.random.default_rng(seed).choice([-1.0, 1.0], size=(count, axes.shape[1], 1))
    with single_threaded():
        return np.asarray(axes @ (signs * (axes.T @ cells.directions.T)), dtype=np.float32)


def score_copies(cells: Cells, seed: np.random.SeedSequence) -> Floats:
    """Score rotated copies, then flipped ones: (2 COPIES, categories, groups)."""
    rotating, flipping = seed.spawn(2)
    with single_threaded():
        rotated = random_directions(cells, COPIES, rotating)
        scores = scores_under(cells, np.concatenate([rotated, flipped_directions(cells, COPIES, flipping)]))
    return scores.astype(np.float64)


def count_discoveries(
    p_values: Floats, settings: Settings, limit: float | None = None
) -> tuple[FalseDiscoveries, FalseDiscoveries]:
    """Count what is significant on rotated and on flipped copies, from the p-values of `score_copies`.

    `limit` is the largest p-value that is significant in the embedding, None where none is.
    """
    found = np.array([np.sum(adjust(table, settings) <= settings.fdr) for table in p_values])

    def counted(part: slice) -> FalseDiscoveries:
        own, below = found[part], () if limit is None else _counts(p_values[part] <= limit)
        return FalseDiscoveries(COPIES, float(np.mean(own > 0)), float(np.mean(own)), *below)

    return counted(slice(COPIES)), counted(slice(COPIES, None))


def _counts(small: Flags) -> tuple[float, float, float]:
    """Return how many cells of a copy are small on average, and from and to how many in nine of ten copies."""
    counts = small.sum(axis=(1, 2))
    low, high = np.quantile(counts, _NINE_OF_TEN)
    return float(counts.mean()), float(low), float(high)
