"""Support vector machines: a plane for many rows, and kernels for few."""

from collections.abc import Sequence
from itertools import combinations
from typing import Literal

import numpy as np

from imprint.checks import check_finite
from imprint.threads import single_threaded
from imprint.types import Flags, Floats, Floats32, Indices

Kernel = Literal["linear", "rbf"]

_MOST_STEPS = 100
_GRADIENT = 1e-8  # of the plane's loss, at most
_GAP = 1e-6  # between what the best two pulls leave; LIBSVM stops at 1e-3, where a few labels still depend on it


def separating_plane(rows: Floats32, positive: Indices) -> Floats:
    """Return a plane's weights, then its intercept: least squared hinge loss plus half of their squared length.

    By Newton's method, for rows of about unit length: the loss is quadratic while the same rows are inside the margin.
    """
    check_finite("vectors", rows)
    known = np.column_stack([rows, np.ones(len(rows))]) * np.where(positive, 1.0, -1.0)[:, None]
    plane = np.zeros(known.shape[1])

    def loss(plane: Floats) -> float:
        return float(plane @ plane / 2 + np.sum(np.maximum(0, 1 - known @ plane) ** 2))

    for _ in range(_MOST_STEPS):
        missing = 1 - known @ plane
        inside = known[missing > 0]
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
        own = np.repeat(np.arange(count), [(in_order[fold::count] == rank).sum() for fold in range(count)])
        random.shuffle(own)
        folds[ranks == rank] = own
    return [np.flatnonzero(folds == fold) for fold in range(count)]


def held_out_labels(rows: Floats32, labels: Indices, folds: Sequence[Indices], kernel: Kernel) -> Indices:
    """Return the label of each row as learned from the rows of the other folds.

    A rare label weighs as much as a common one. Each pair of labels has a machine, and the label with most votes wins,
    the first of equals. The kernel of `rbf` is as wide as the rows that it learns from are spread.
    """
    check_finite("vectors", rows)
    exact = rows.astype(np.float64)
    found = np.empty_like(labels)
    with single_threaded():
        for tried in folds:
            trained = np.setdiff1d(np.arange(len(labels)), tried)
            width = rows.shape[1] * float(exact[trained].var()) if kernel == "rbf" else None
            found[tried] = _by_votes(exact[trained], labels[trained], exact[tried], width)
    return found


def _by_votes(rows: Floats, labels: Indices, tried: Floats, width: float | None) -> Indices:
    """Let the machine of each pair of labels vote on every tried row."""
    names, sizes = np.unique(labels, return_counts=True)
    most = len(rows) / (len(names) * sizes)
    votes = np.zeros((len(tried), len(names)), dtype=int)
    for one, other in combinations(range(len(names)), 2):
        pair = np.isin(labels, names[[one, other]])
        own, first = rows[pair], labels[pair] == names[one]
        bounds = np.where(first, most[one], most[other])
        scores = _scores(_similar(own, own, width), _similar(tried, own, width), first, bounds)
        votes[np.arange(len(tried)), np.where(scores > 0, one, other)] += 1
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
    from imprint.learning.kernels import solve_dual

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
