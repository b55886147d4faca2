"""Learners that tell rows apart by their numbers alone: K-means, and support vector machines.

Ours because scikit-learn, with what it needs, adds 60 MB and half a second to an audit. It is their oracle in the
tests, and random numbers are drawn in its order. K-means is Lloyd's algorithm from the starts of K-means++ (Arthur and
Vassilvitskii, 2007); support vector machines are a plane for many rows, and kernels for few.
"""

import math
from collections.abc import Sequence
from itertools import combinations, count
from typing import Literal

import numpy as np

from imprint.checks import check_finite
from imprint.threads import single_threaded
from imprint.types import Flags, Floats, Floats32, Indices

Kernel = Literal["linear", "rbf"]

_MOST_MOVES = 300  # of the centres
_TOLERANCE = 1e-4  # of the rows' variance: centres that move less in a step have arrived
_ROUNDING = 1e-5  # of the squared lengths: what squared distances in single precision may be wrong by
_MOST_NEWTON_STEPS = 100
_GRADIENT = 1e-8  # of the plane's loss, at most
_GAP = 1e-6  # between what the best two pulls leave; LIBSVM stops at 1e-3, where a few labels still depend on it


def k_means(rows: Floats32, clusters: int, *, seed: int, starts: int = 1, weights: Floats32 | None = None) -> Indices:
    """Label each row with its cluster: the tightest of several starts.

    One thread: with more, sums are rounded in another order and a row between two clusters may change sides.
    """
    check_finite("vectors", rows)
    rows = rows - rows.mean(axis=0)
    weights = np.ones(len(rows), dtype=np.float32) if weights is None else weights
    random = np.random.RandomState(seed)  # as scikit-learn draws
    with single_threaded():
        labelled = [_lloyd(rows, weights, _spread_centres(rows, weights, clusters, random)) for _ in range(starts)]
    return min(labelled, key=lambda labels_and_spread: labels_and_spread[1])[0]


def separating_plane(rows: Floats32, positive: Indices) -> Floats:
    """Return a plane's weights, then its intercept: least squared hinge loss plus half of their squared length.

    By Newton's method, for rows of about unit length: the loss is quadratic while the same rows are inside the margin.
    """
    check_finite("vectors", rows)
    signed = np.column_stack([rows, np.ones(len(rows))]) * np.where(positive, 1.0, -1.0)[:, None]
    plane = np.zeros(signed.shape[1])

    def loss(plane: Floats) -> float:
        return float(plane @ plane / 2 + np.sum(np.maximum(0, 1 - signed @ plane) ** 2))

    for _ in range(_MOST_NEWTON_STEPS):
        missing = 1 - signed @ plane
        inside = signed[missing > 0]
        gradient = plane - 2 * missing[missing > 0] @ inside
        if np.abs(gradient).max() < _GRADIENT:
            break
        step = np.linalg.solve(np.eye(len(plane)) + 2 * inside.T @ inside, -gradient)
        share, before = 1.0, loss(plane)
        while share > _GRADIENT and loss(plane + share * step) > before + 1e-4 * share * (gradient @ step):
            share /= 2
        plane = plane + share * step
    return plane


def stratified_folds(labels: Indices, count: int, seed: int) -> list[Indices]:
    """Return the rows of each fold; each has its share of every label, to one row."""
    random = np.random.RandomState(seed)  # as scikit-learn draws
    _, firsts, codes = np.unique(labels, return_index=True, return_inverse=True)
    ranks = np.argsort(np.argsort(firsts))[codes]  # labels are numbered in the order in which they appear
    in_order, folds = np.sort(ranks), np.empty(len(labels), dtype=np.intp)
    for rank in range(len(firsts)):
        folds_of_rank = np.repeat(np.arange(count), [(in_order[fold::count] == rank).sum() for fold in range(count)])
        random.shuffle(folds_of_rank)
        folds[ranks == rank] = folds_of_rank
    return [np.flatnonzero(folds == fold) for fold in range(count)]


def held_out_labels(rows: Floats32, labels: Indices, folds: Sequence[Indices], kernel: Kernel) -> Indices:
    """Return the label of each row as learned from the rows of the other folds.

    A rare label weighs as much as a common one. Each pair of labels has a machine, and the label with most votes wins,
    the first of equals. The kernel of `rbf` is as wide as the rows that it learns from are spread.
    """
    check_finite("vectors", rows)
    exact = rows.astype(np.float64)
    learned = np.empty_like(labels)
    with single_threaded():
        for tried in folds:
            trained = np.setdiff1d(np.arange(len(labels)), tried)
            width = rows.shape[1] * float(exact[trained].var()) if kernel == "rbf" else None
            learned[tried] = _by_votes(exact[trained], labels[trained], exact[tried], width)
    return learned


def _spread_centres(rows: Floats32, weights: Floats32, clusters: int, random: np.random.RandomState) -> Floats32:
    """Choose rows far from each other: each of a few drawn by weight and squared distance, the best of them kept."""
    exact = rows.astype(np.float64)
    lengths = np.einsum("rd,rd->r", exact, exact)

    def squares(places: Indices) -> Floats32:
        distances = lengths[places, None] + lengths - 2 * (exact[places] @ exact.T)
        return np.asarray(np.maximum(distances, 0), dtype=np.float32)

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
    from imprint.significance.kernels import nearest_two

    lengths = np.einsum("rd,rd->r", rows, rows)
    enough = _TOLERANCE * float(rows.var(axis=0).mean())
    labels = np.full(len(rows), -1)
    own, other = np.full(len(rows), np.inf), np.full(len(rows), -np.inf)  # bounds of distances
    moves = np.full(len(centres), np.inf)
    for step in count():
        moving = np.flatnonzero(own >= other)
        reach = np.einsum("cd,cd->c", centres, centres)
        away = reach - 2 * (rows[moving] @ centres.T)  # squared distances, without the row's own length
        nearest, first, second = np.empty(len(moving), dtype=np.intp), *np.empty((2, len(moving)), dtype=np.float32)
        nearest_two(away, nearest, first, second)
        wrong = _ROUNDING * (lengths[moving] + reach.max())
        own[moving] = np.sqrt(np.maximum(lengths[moving] + first + wrong, 0))
        other[moving] = np.sqrt(np.maximum(lengths[moving] + second - wrong, 0))
        settled = np.array_equal(labels[moving], nearest)
        labels[moving] = nearest
        if settled or step == _MOST_MOVES or moves @ moves <= enough:
            break
        moved = _means(rows, weights, labels, centres)
        moves = np.linalg.norm(moved - centres, axis=1)
        centres = moved
        own += moves[labels]
        other -= moves.max()
    return labels, float(weights @ ((rows - centres[labels]) ** 2).sum(axis=1))


def _means(rows: Floats32, weights: Floats32, labels: Indices, centres: Floats32) -> Floats32:
    """Return the mean of each cluster; one without rows gets the row that is farthest from its own centre."""
    from imprint.significance.kernels import add_rows

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


def _by_votes(rows: Floats, labels: Indices, tried: Floats, width: float | None) -> Indices:
    """Let the machine of each pair of labels vote on every tried row."""
    names, sizes = np.unique(labels, return_counts=True)
    most = len(rows) / (len(names) * sizes)
    votes = np.zeros((len(tried), len(names)), dtype=int)
    for index, other in combinations(range(len(names)), 2):
        pair = np.isin(labels, names[[index, other]])
        own, first = rows[pair], labels[pair] == names[index]
        bounds = np.where(first, most[index], most[other])
        scores = _scores(_similar(own, own, width), _similar(tried, own, width), first, bounds)
        votes[np.arange(len(tried)), np.where(scores > 0, index, other)] += 1
    return np.asarray(names[votes.argmax(axis=1)])


def _similar(rows: Floats, others: Floats, width: float | None) -> Floats:
    """Return inner products, or a bell curve of distances as wide as given; the table is the only large array."""
    found: Floats = rows @ others.T
    if width is None:
        return found
    found *= 2
    found -= np.einsum("rd,rd->r", rows, rows)[:, None]
    found -= np.einsum("rd,rd->r", others, others)
    np.minimum(found, 0, out=found)
    found /= width or 1.0
    return np.exp(found, out=found)


def _scores(inner: Floats, tried: Floats, positive: Flags, most: Floats) -> Floats:
    """Return the scores of rows, given by their products with the rows that the machine learns from."""
    from imprint.significance.kernels import solve_dual

    signs = np.where(positive, 1.0, -1.0)
    pulls, left = np.zeros(len(signs)), signs.copy()
    solve_dual(inner, np.minimum(signs * most, 0), np.maximum(signs * most, 0), _GAP, pulls, left)
    free = (pulls != 0) & (np.abs(pulls) != most)
    if free.any():
        intercept = left[free].mean()
    else:
        rising = pulls < np.maximum(signs * most, 0)
        intercept = (left[rising].max() + left[~rising].min()) / 2
    return np.asarray(tried @ pulls + intercept)
