"""How well a linear classifier reads the group off vectors of sentences, of words it was not trained on.

Two questions: of a classifier trained on other words in other sentences, and of one trained anew on the vectors as
they are, whose penalty is chosen by folds within the training words (nested cross-validation). No word is in both
parts of a fold. Classifiers are least-squares ones, and each group has the same weight.
"""

import warnings

import numpy as np

from imprint.evaluation.recovering import FOLDS, RecoveryAttempt, share_right
from imprint.threads import single_threaded
from imprint.types import Flags, Floats, Indices

_FOLDINGS = 2
_INNER = 4
_ROUNDING = 1e-6  # of scores that lie between -1 and 1
_PENALTIES = (0.1, 1.0, 10.0)  # of rows scaled to unit mean square


def recover_anew(rows: Floats, labels: Indices, owners: Indices, seed: int) -> RecoveryAttempt:
    """Train and try on folds of words; return how often each word was put right, and the accuracy of every fold."""
    scaled, of_owners = _scaled(rows), owner_labels(labels, owners)
    rights, accuracies = [], []
    with single_threaded():
        for folding in np.random.SeedSequence(seed).spawn(_FOLDINGS):
            rng = np.random.default_rng(folding)
            outer, right = _folds(of_owners, FOLDS, rng)[owners], np.zeros(len(rows), dtype=bool)
            for fold in range(FOLDS):
                train, test = outer != fold, outer == fold
                inner = np.where(train, _folds(of_owners, _INNER, rng)[owners], _INNER)
                right[test] = _classify(scaled, labels, train, test, _best_penalty(scaled, labels, inner))
                accuracies.append(share_right(right[test], labels[test]))
            rights.append(right)
    return RecoveryAttempt(_by_owner(np.mean(rights, axis=0), owners), np.array(accuracies))


def _best_penalty(rows: Floats, labels: Indices, folds: Indices) -> float:
    """Return the penalty that puts most right on the inner folds; rows of none of them are left out."""

    def accuracy(penalty: float) -> float:
        shares = []
        for fold in range(_INNER):
            train, test = (folds != fold) & (folds < _INNER), folds == fold
            shares.append(share_right(_classify(rows, labels, train, test, penalty), labels[test]))
        return float(np.mean(shares))

    return max(_PENALTIES, key=accuracy)


def _classify(rows: Floats, labels: Indices, train: Flags, test: Flags, penalty: float) -> Flags:
    """Return which rows a classifier puts right."""
    from sklearn.linear_model import RidgeClassifier

    machine = RidgeClassifier(alpha=penalty, class_weight="balanced").fit(rows[train], labels[train])
    right: Flags = machine.predict(rows[test]) == labels[test]
    return right


def recover_by_others(
    trained: tuple[Floats, Indices], rows: Floats, labels: Indices, owners: Indices
) -> RecoveryAttempt:
    """Train on other rows; return how often each word was put right."""
    from sklearn.linear_model import RidgeClassifier

    with single_threaded(), warnings.catch_warnings():
        warnings.simplefilter("ignore")  # rows from which a concept was erased are of less than full rank
        machine = RidgeClassifier(alpha=1.0, class_weight="balanced").fit(*trained)
        # Where the group was erased, all it learned is a constant; what is left of its weights is rounding.
        learned = float(np.ptp(machine.decision_function(trained[0]), axis=0).max()) > _ROUNDING
        right = (machine.predict(rows) if learned else np.zeros(len(rows))) == labels
    return RecoveryAttempt(_by_owner(right.astype(np.float64), owners), None)


def _folds(labels: Indices, folds: int, rng: np.random.Generator) -> Indices:
    """Deal the words of each group to folds at random, as many to each."""
    dealt = np.empty(len(labels), dtype=np.intp)
    for label in np.unique(labels):
        own = rng.permutation(np.flatnonzero(labels == label))
        dealt[own] = np.arange(len(own)) % folds
    return dealt


def _by_owner(right: Floats, owners: Indices) -> Floats:
    return np.bincount(owners, right) / np.bincount(owners)


def _scaled(rows: Floats) -> Floats:
    centred = rows - rows.mean(axis=0)
    size = np.sqrt((centred**2).sum(axis=1).mean())
    scaled: Floats = centred / size if size > 0 else centred
    return scaled


def owner_labels(labels: Indices, owners: Indices) -> Indices:
    """Return the label of each owner."""
    found = np.zeros(owners.max() + 1, dtype=np.intp)
    found[owners] = labels
    return found
