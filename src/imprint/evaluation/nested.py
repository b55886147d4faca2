"""How well a linear classifier reads the group off vectors of sentences, of words it was not trained on.

Two questions: of a classifier trained on other words in other sentences, and of one trained anew on the vectors as
they are, whose penalty is chosen by folds within the training words (nested cross-validation). No word is in both
parts of a fold. Classifiers are least-squares ones, and each group has the same weight.
"""

import warnings

import numpy as np

from imprint.evaluation.recovering import FOLDS, RecoveryAttempt, share_right
from imprint.threads import single_threaded
from imprint.types import Floats, Indices

_FOLDINGS = 2
_INNER = 4
_ROUNDING = 1e-6  # of scores that lie between -1 and 1
_PENALTIES = (0.1, 1.0, 10.0)  # of rows scaled to unit mean square


def recover_anew(rows: Floats, labels: Indices, owners: Indices, seed: int) -> RecoveryAttempt:
    """Train and try on folds of words; return how often each word was put right, and the accuracy of every fold."""
    from sklearn.linear_model import RidgeClassifier
    from sklearn.model_selection import GridSearchCV, StratifiedGroupKFold

    scaled = _scaled(rows)
    rights, accuracies = [], []
    with single_threaded():
        for folding in np.random.SeedSequence(seed).generate_state(_FOLDINGS):
            right = np.zeros(len(rows))
            outer = StratifiedGroupKFold(FOLDS, shuffle=True, random_state=int(folding))
            for train, test in outer.split(scaled, labels, owners):
                machine = GridSearchCV(
                    RidgeClassifier(class_weight="balanced"),
                    {"alpha": list(_PENALTIES)},
                    scoring="balanced_accuracy",
                    cv=StratifiedGroupKFold(_INNER),
                )
                machine.fit(scaled[train], labels[train], groups=owners[train])
                right[test] = machine.predict(scaled[test]) == labels[test]
                accuracies.append(share_right(right[test], labels[test]))
            rights.append(right)
    return RecoveryAttempt(_by_owner(np.mean(rights, axis=0), owners), np.array(accuracies))


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
