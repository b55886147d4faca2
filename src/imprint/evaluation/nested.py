"""How well a linear classifier reads the group off vectors of sentences, of words it was not trained on.

It is trained on the words a debiaser was fitted on and on four fifths of the held-out words, and judged on the other
held-out words. Its penalty is chosen by folds within the training words (nested cross-validation). No word is in two
parts. The classifier is ridge regression on the labels, and each group has the same weight.
"""

from typing import NamedTuple

import numpy as np

from imprint.evaluation.recovering import FOLDS, RecoveryAttempt, share_right
from imprint.threads import single_threaded
from imprint.types import Floats, Indices

_FOLDINGS = 2
_INNER = 4
_PENALTIES = (0.01, 0.1, 1.0, 10.0)  # of rows scaled to unit mean square


class OwnedRows(NamedTuple):
    """Vectors of sentences, the group of each and the number of its word."""

    rows: Floats
    labels: Indices
    owners: Indices

    def of_words(self) -> Indices:
        """Return the group of each word."""
        found = np.zeros(self.owners.max() + 1, dtype=np.intp)
        found[self.owners] = self.labels
        return found


class _Ridge(NamedTuple):
    centre: Floats
    weights: Floats

    def right(self, rows: Floats, labels: Indices) -> float:
        """Return the mean over groups of the share of rows put right."""
        return share_right(self.guess(rows) == labels, labels)

    def guess(self, rows: Floats) -> Indices:
        guessed: Indices = ((rows - self.centre) @ self.weights).argmax(axis=1)
        return guessed


def recover_group(judged: OwnedRows, others: OwnedRows, seed: int) -> RecoveryAttempt:
    """Train on other words and four fifths of the judged ones; return how often each of these was put right."""
    rows = _scaled(np.concatenate([judged.rows, others.rows]))
    labels = np.concatenate([judged.labels, others.labels])
    of_judged, of_others = judged.of_words(), others.of_words()
    owners = np.concatenate([judged.owners, others.owners + len(of_judged)])
    of_words = np.concatenate([of_judged, of_others])
    rights, accuracies = [], []
    with single_threaded():
        for folding in np.random.SeedSequence(seed).spawn(_FOLDINGS):
            rng = np.random.default_rng(folding)
            outer = np.append(_folds(of_judged, FOLDS, rng), np.full(len(of_others), FOLDS))[owners]
            right = np.zeros(len(judged.rows))
            for fold in range(FOLDS):
                tried = np.flatnonzero(outer == fold)
                inner = np.where(outer == fold, _INNER, _folds(of_words, _INNER, rng)[owners])
                right[tried] = _trained(rows, labels, inner).guess(rows[tried]) == labels[tried]
                accuracies.append(share_right(right[tried], labels[tried]))
            rights.append(right)
    counts = np.bincount(judged.owners)
    return RecoveryAttempt(np.bincount(judged.owners, np.mean(rights, axis=0)) / counts, np.array(accuracies))


def _trained(rows: Floats, labels: Indices, folds: Indices) -> _Ridge:
    """Train on the rows of inner folds, with the penalty that puts most right on each fold in turn."""
    groups = range(labels.max() + 1)
    parts = [np.flatnonzero(folds == fold) for fold in range(_INNER)]
    moments = [np.array([_moments(rows[part[labels[part] == group]]) for group in groups]) for part in parts]
    whole = np.sum(moments, axis=0)
    shares = np.zeros(len(_PENALTIES))
    for part, own in zip(parts, moments, strict=True):
        shares += [_solved(whole - own, penalty).right(rows[part], labels[part]) for penalty in _PENALTIES]
    return _solved(whole, _PENALTIES[int(shares.argmax())])


def _moments(rows: Floats) -> Floats:
    """Return sums of products of the columns and of a constant one."""
    wide = np.column_stack([np.ones(len(rows)), rows])
    return wide.T @ wide


def _solved(moments: Floats, penalty: float) -> _Ridge:
    """Return the ridge classifier of rows whose moments are given by group; it is sklearn's with balanced weights."""
    counts = moments[:, 0, 0]
    total, groups = counts.sum(), len(counts)
    weights = total / (groups * counts)
    pooled = np.tensordot(weights, moments, axes=1)
    centre = pooled[0, 1:] / total
    gram = pooled[1:, 1:] - total * np.outer(centre, centre)
    cross = (weights[:, None] * moments[:, 0, 1:] - total / groups * centre).T
    return _Ridge(centre, np.linalg.solve(gram + penalty * np.eye(len(gram)), cross))


def _folds(labels: Indices, folds: int, rng: np.random.Generator) -> Indices:
    """Deal the words of each group to folds at random, as many to each."""
    dealt = np.empty(len(labels), dtype=np.intp)
    for label in np.unique(labels):
        own = rng.permutation(np.flatnonzero(labels == label))
        dealt[own] = np.arange(len(own)) % folds
    return dealt


def _scaled(rows: Floats) -> Floats:
    centred = rows - rows.mean(axis=0)
    size = np.sqrt((centred**2).sum(axis=1).mean())
    scaled: Floats = centred / size if size > 0 else centred
    return scaled
