"""K-means: Lloyd's algorithm from the starts of K-means++ (Arthur and Vassilvitskii, 2007)."""

import math
from itertools import count

import numpy as np

from imprint.checks import check_finite
from imprint.threads import single_threaded
from imprint.types import Floats, Floats32, Indices

_MOST_STEPS = 300
_TOLERANCE = 1e-4  # of the rows' variance: centres that move less in a step have arrived
_ROUNDING = 1e-5  # of the squared lengths: what squared distances in single precision may be wrong by


def k_means(rows: Floats32, clusters: int, *, seed: int, starts: int = 1, weights: Floats32 | None = None) -> Indices:
    """Label each row with its cluster: the tightest of several starts.

    One thread: with more, sums are rounded in another order and a row between two clusters may change sides.
    """
    check_finite("vectors", rows)
    rows = rows - rows.mean(axis=0)
    weights = np.ones(len(rows), dtype=np.float32) if weights is None else weights
    random = np.random.RandomState(seed)  # as scikit-learn draws
    with single_threaded():
        found = [_lloyd(rows, weights, _spread_centres(rows, weights, clusters, random)) for _ in range(starts)]
    return min(found, key=lambda one: one[1])[0]


def _spread_centres(rows: Floats32, weights: Floats32, clusters: int, random: np.random.RandomState) -> Floats32:
    """Choose rows far from each other: each of a few drawn by weight and squared distance, the best of them kept."""
    exact = rows.astype(np.float64)
    lengths = np.einsum("rd,rd->r", exact, exact)

    def squares(places: Indices) -> Floats32:
        found = lengths[places, None] + lengths - 2 * (exact[places] @ exact.T)
        return np.asarray(np.maximum(found, 0), dtype=np.float32)

    chosen = [random.choice(len(rows), p=weights / weights.sum())]
    nearest = squares(np.array(chosen))[0]
    total = nearest @ weights
    for _ in range(1, clusters):
        draws = random.uniform(size=2 + int(math.log(clusters))) * total
        drawn = np.searchsorted(np.cumsum(weights * nearest), draws)
        drawn = np.minimum(drawn, len(rows) - 1)  # the sum of all is rounded too
        left = np.minimum(nearest, squares(drawn))
        totals = left @ weights[:, None]
        best = int(totals.argmin())
        nearest, total = left[best], totals[best, 0]
        chosen.append(drawn[best])
    return rows[chosen]


def _lloyd(rows: Floats32, weights: Floats32, centres: Floats32) -> tuple[Indices, float]:
    """Move centres to the means of the rows nearest to them until they stay: each row's cluster, and the spread.

    Only rows that may have changed sides are compared with all centres (Hamerly, 2010): the distance to the own
    centre grew by its move at most, and that to any other shrank by the largest move at most.
    """
    from imprint.learning.kernels import nearest_two

    lengths = np.einsum("rd,rd->r", rows, rows)
    enough = _TOLERANCE * float(rows.var(axis=0).mean())
    labels = np.full(len(rows), -1)
    own, other = np.full(len(rows), np.inf), np.full(len(rows), -np.inf)  # bounds of distances
    moves = np.full(len(centres), np.inf)
    for step in count():
        asked = np.flatnonzero(own >= other)
        reach = np.einsum("cd,cd->c", centres, centres)
        away = reach - 2 * (rows[asked] @ centres.T)  # squared distances, without the row's own length
        nearest, first, second = np.empty(len(asked), dtype=np.intp), *np.empty((2, len(asked)), dtype=np.float32)
        nearest_two(away, nearest, first, second)
        wrong = _ROUNDING * (lengths[asked] + reach.max())
        own[asked] = np.sqrt(np.maximum(lengths[asked] + first + wrong, 0))
        other[asked] = np.sqrt(np.maximum(lengths[asked] + second - wrong, 0))
        settled = np.array_equal(labels[asked], nearest)
        labels[asked] = nearest
        if settled or step == _MOST_STEPS or moves @ moves <= enough:
            break
        moved = _means(rows, weights, labels, centres)
        moves = np.linalg.norm(moved - centres, axis=1)
        centres = moved
        own += moves[labels]
        other -= moves.max()
    return labels, float(weights @ ((rows - centres[labels]) ** 2).sum(axis=1))


def _means(rows: Floats32, weights: Floats32, labels: Indices, centres: Floats32) -> Floats32:
    """Return the mean of each cluster; one without rows gets the row that is farthest from its own centre."""
    from imprint.learning.kernels import add_rows

    sizes = np.bincount(labels, weights, len(centres))
    empty = np.flatnonzero(sizes == 0)
    if len(empty):
        away: Floats = ((rows - centres[labels]) ** 2).sum(axis=1)
        labels = labels.copy()
        labels[np.argsort(-away, kind="stable")[: len(empty)]] = empty
        sizes = np.bincount(labels, weights, len(centres))
    sums = np.zeros_like(centres)
    add_rows(rows, weights, labels, sums)
    # a row that was alone leaves an empty cluster behind, at the mean of all rows
    return sums * (1 / np.where(sizes > 0, sizes, 1)).astype(np.float32)[:, None]
