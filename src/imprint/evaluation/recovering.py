"""Telling words of groups apart by their vectors alone: by classifiers, and by clusters found without labels.

Support vector machines are tried on words they were not trained on, over several foldings. Folds share most of what
they were trained on, so intervals are Nadeau and Bengio's (2003); clusters are not trained, and words are resampled.
"""

import math
from collections.abc import Callable
from typing import NamedTuple

import numpy as np

from imprint.evaluation.resampling import RESAMPLES, Estimate, draw_counts, estimate
from imprint.significance.learners import Kernel, held_out_labels, k_means, stratified_folds
from imprint.types import Flags, Floats, Floats32, Indices

FOLDS = 5
CLUSTERS = "two clusters"

_FOLDINGS = 5
_STARTS = 10  # of clusters
_SHUFFLES = 200  # random labels behind the chance of clusters


class RecoveryAttempt(NamedTuple):
    """How often each word was put right and, of a method that is trained, the accuracy in every fold."""

    right: Floats
    folds: Floats | None


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


def estimate_recovery(one: RecoveryAttempt, labels: Indices, seed: int) -> Estimate:
    """Return the mean over labels of what was put right, with its interval."""
    if one.folds is not None:
        return _over_foldings(share_right(one.right, labels), one.folds)
    shares = _resampled(one.right, labels, seed)
    return estimate(float(shares[0]), shares[1:], rarer_label_count(labels))


def estimate_change(first: RecoveryAttempt, last: RecoveryAttempt, labels: Indices, seed: int) -> Estimate:
    """Return by how much more the last try puts right than the first, on the same words and folds."""
    if first.folds is not None and last.folds is not None:
        values = [share_right(one.right, labels) for one in (first, last)]
        return _over_foldings(values[1] - values[0], last.folds - first.folds, difference=True)
    shares = _resampled(last.right, labels, seed) - _resampled(first.right, labels, seed)
    return estimate(float(shares[0]), shares[1:], rarer_label_count(labels), difference=True)


def _over_foldings(value: float, folds: Floats, *, difference: bool = False) -> Estimate:
    """Put an interval around a mean over folds, which share most of what they were trained on.

    Nadeau and Bengio (2003): the variance between folds counts once for their number and once for the words tried as a
    share of those trained on, since other words to train on would have moved all of them together.
    """
    from scipy.special import stdtrit

    error = math.sqrt((1 / len(folds) + 1 / (FOLDS - 1)) * float(np.var(folds, ddof=1)))
    if not error and (value or not difference):
        return Estimate(value, math.nan, math.nan)  # all right or all wrong is no certainty; two tries alike are alike
    reach = float(stdtrit(len(folds) - 1, 0.975)) * error
    return Estimate(value, max(-1.0 if difference else 0.0, value - reach), min(1.0, value + reach))


def _resampled(right: Floats, labels: Indices, seed: int) -> Floats:
    """Return the mean over labels of what was put right, of the words and of resamples of them."""
    sides = [np.flatnonzero(labels == one) for one in np.unique(labels)[::-1]]
    draws = [
        np.concatenate([np.ones((1, len(side))), *draw_counts(len(side), RESAMPLES, seed + place)])
        for place, side in enumerate(sides)
    ]
    shares = [counts @ right[side] / len(side) for counts, side in zip(draws, sides, strict=True)]
    return np.asarray(np.mean(shares, axis=0))


def rarer_label_count(labels: Indices) -> int:
    """Return how many words the rarer label has."""
    return int(np.unique(labels, return_counts=True)[1].min()) if len(np.unique(labels)) > 1 else 0


def share_right(right: Floats | Flags, labels: Indices) -> float:
    """Return the mean over labels of the share of words put right."""
    return float(np.mean([right[labels == one].mean() for one in np.unique(labels)]))


def chance_of_clusters(right: Floats, labels: Indices, seed: int) -> float:
    """Return what the same clusters give on average for shuffled labels."""
    found = np.where(right == 1, labels, 1 - labels)
    rng = np.random.default_rng(seed)
    shuffled = [rng.permutation(labels) for _ in range(_SHUFFLES)]
    shares = [share_right(found == one, one) for one in shuffled]
    return float(np.mean([max(share, 1 - share) for share in shares]))
