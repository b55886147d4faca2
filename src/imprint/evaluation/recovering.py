"""Telling words of groups apart by their vectors alone: by classifiers, and by clusters found without labels.

Support vector machines are tried on words they were not trained on, over several foldings. Folds share most of what
they were trained on, so intervals are Nadeau and Bengio's (2003). Clusters have none: other words would be clustered
otherwise, and resampling those that are there leaves that out.

A linear classifier reads the group off vectors of sentences. It is trained on the words a debiaser was fitted on and
on four fifths of the held-out words, and judged on the other held-out words. Its penalty is chosen by folds within the
training words (nested cross-validation). No word is in two parts. The classifier is ridge regression on the labels,
and each group has the same weight.
"""

import math
from collections.abc import Callable
from typing import NamedTuple

import numpy as np

from imprint.evaluation.resampling import Estimate
from imprint.significance.learners import Kernel, held_out_labels, k_means, stratified_folds
from imprint.threads import single_threaded
from imprint.types import Flags, Floats, Floats32, Indices

FOLDS = 5
CLUSTERS = "two clusters"

_FOLDINGS = 5  # of words
_STARTS = 10  # of clusters
_SHUFFLES = 200  # random labels behind the chance of clusters
_SENTENCE_FOLDINGS = 2
_INNER = 4  # folds within the training words
_PENALTIES = (0.01, 0.1, 1.0, 10.0)  # of rows scaled to unit mean square


class RecoveryAttempt(NamedTuple):
    """How often each word was put right and, of a method that is trained, the accuracy in every fold."""

    right: Floats
    folds: Floats | None


class OwnedRows(NamedTuple):
    """Vectors of sentences, the group of each and the number of its word."""

    rows: Floats
    labels: Indices
    owners: Indices

    def of_words(self) -> Indices:
        """Return the group of each word."""
        labels = np.zeros(self.owners.max() + 1, dtype=np.intp)
        labels[self.owners] = self.labels
        return labels


def recovery_methods(seed: int) -> dict[str, Callable[[Floats32, Indices], RecoveryAttempt]]:
    """Return what tells, of each word, how often it was put right."""

    def classify(kernel: Kernel) -> Callable[[Floats32, Indices], RecoveryAttempt]:
        def recover(vectors: Floats32, labels: Indices) -> RecoveryAttempt:
            foldings = [stratified_folds(labels, FOLDS, seed + n) for n in range(_FOLDINGS)]
            rights = [held_out_labels(vectors, labels, folding, kernel) == labels for folding in foldings]
            folds = [
                share_right(right[tried], labels[tried])
                for folding, right in zip(foldings, rights, strict=True)
                for tried in folding
            ]
            return RecoveryAttempt(np.mean(rights, axis=0), np.array(folds))

        return recover

    def cluster(vectors: Floats32, labels: Indices) -> RecoveryAttempt:
        right = k_means(vectors, 2, seed=seed, starts=_STARTS) == labels
        return RecoveryAttempt((right == (share_right(right, labels) >= 0.5)).astype(np.float64), None)

    return {"linear classifier": classify("linear"), "RBF classifier": classify("rbf"), CLUSTERS: cluster}


def recover_group(judged: OwnedRows, others: OwnedRows, seed: int) -> RecoveryAttempt:
    """Train on other words and four fifths of the judged ones; return how often each of these was put right."""
    rows = _scaled(np.concatenate([judged.rows, others.rows]))
    labels = np.concatenate([judged.labels, others.labels])
    of_judged, of_others = judged.of_words(), others.of_words()
    owners = np.concatenate([judged.owners, others.owners + len(of_judged)])
    of_words = np.concatenate([of_judged, of_others])
    rights, accuracies = [], []
    with single_threaded():
        for folding in np.random.SeedSequence(seed).spawn(_SENTENCE_FOLDINGS):
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


def estimate_recovery(one: RecoveryAttempt, labels: Indices) -> Estimate:
    """Return the mean over labels of what was put right, with its interval."""
    return _over_foldings(share_right(one.right, labels), one.folds)


def estimate_change(first: RecoveryAttempt, last: RecoveryAttempt, labels: Indices) -> Estimate:
    """Return by how much more the last try puts right than the first, on the same words and folds."""
    before, after = (share_right(attempt.right, labels) for attempt in (first, last))
    folds = None if first.folds is None or last.folds is None else last.folds - first.folds
    return _over_foldings(after - before, folds, difference=True)


def rarer_label_count(labels: Indices) -> int:
    """Return how many words the rarer label has."""
    return int(np.unique(labels, return_counts=True)[1].min()) if len(np.unique(labels)) > 1 else 0


def share_right(right: Floats | Flags, labels: Indices) -> float:
    """Return the mean over labels of the share of words put right."""
    return float(np.mean([right[labels == label].mean() for label in np.unique(labels)]))


def chance_of_clusters(right: Floats, labels: Indices, seed: int) -> float:
    """Return what the same clusters give on average for shuffled labels."""
    guessed = np.where(right == 1, labels, 1 - labels)
    rng = np.random.default_rng(seed)
    shuffled = [rng.permutation(labels) for _ in range(_SHUFFLES)]
    shares = [share_right(guessed == drawn, drawn) for drawn in shuffled]
    return float(np.mean([max(share, 1 - share) for share in shares]))


def _over_foldings(value: float, folds: Floats | None, *, difference: bool = False) -> Estimate:
    """Put an interval around a mean over folds, which share most of what they were trained on.

    Nadeau and Bengio (2003): the variance between folds counts once for their number and once for the words tried as a
    share of those trained on, since other words to train on would have moved all of them together.
    """
    if folds is None:
        return Estimate(value, math.nan, math.nan)
    from scipy.special import stdtrit

    error = math.sqrt((1 / len(folds) + 1 / (FOLDS - 1)) * float(np.var(folds, ddof=1)))
    if not error and (value or not difference):
        return Estimate(value, math.nan, math.nan)  # all right or all wrong is no certainty; two tries alike are alike
    reach = float(stdtrit(len(folds) - 1, 0.975)) * error
    return Estimate(value, max(-1.0 if difference else 0.0, value - reach), min(1.0, value + reach))


class _Ridge(NamedTuple):
    centre: Floats
    weights: Floats

    def right(self, rows: Floats, labels: Indices) -> float:
        """Return the mean over groups of the share of rows put right."""
        return share_right(self.guess(rows) == labels, labels)

    def guess(self, rows: Floats) -> Indices:
        guessed: Indices = ((rows - self.centre) @ self.weights).argmax(axis=1)
        return guessed


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
        members = rng.permutation(np.flatnonzero(labels == label))
        dealt[members] = np.arange(len(members)) % folds
    return dealt


def _scaled(rows: Floats) -> Floats:
    centred = rows - rows.mean(axis=0)
    size = np.sqrt((centred**2).sum(axis=1).mean())
    scaled: Floats = centred / size if size > 0 else centred
    return scaled
