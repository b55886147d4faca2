"""INLP: classifiers of the group are trained and their directions projected out, until none does better than chance.

Ravfogel et al. (2020), "Null it out: guarding protected attributes by iterative nullspace projection", section 4. The
classifiers are least-squares ones. Unlike LEACE it stops by accuracy on words that the classifier was not trained
on, and takes out more directions.
"""

from dataclasses import dataclass
from typing import ClassVar

import numpy as np

from imprint.checks import check_whole
from imprint.debiasing.debiaser import LabelledDebiaser
from imprint.debiasing.labelled import LabelledRows
from imprint.debiasing.leace import removed_share
from imprint.debiasing.transform import LinearTransform
from imprint.threads import single_threaded
from imprint.types import Floats

_FOLDS = 5
_MARGIN = 0.02  # above chance, where it stops
_NOTHING = 1e-18  # of the rows' squares
_PENALTY = 1e-3  # of the mean variance of a row's numbers times their count


@dataclass(frozen=True)
class InlpDebiaser(LabelledDebiaser):
    """Iterative nullspace projection: removes directions until linear classifiers of the group are at chance.

    Parameters
    ----------
    most
        How many classifiers may be trained.

    Examples
    --------
    >>> imprint.debiaser("inlp", most=5).fit("default").card.settings
    {'most': 5}
    """

    summary: ClassVar[str] = "projects out directions of linear classifiers until a new one is no better than chance"

    most: int = 35

    def __post_init__(self) -> None:
        check_whole("most", self.most)

    def fit_rows(self, labelled: LabelledRows) -> LinearTransform:
        """Fit on labelled vectors, of two groups or more; the projection is orthogonal, about their mean."""
        whole, targets = labelled.rows - labelled.centre, _balanced(labelled)
        rows, basis, chance = whole, np.empty((0, whole.shape[1])), 1.0 / len(labelled.groups)
        accuracies = []
        with single_threaded():
            for _ in range(self.most + 1):
                spent = np.square(rows).sum() <= _NOTHING * np.square(whole).sum()  # what is left is rounding
                accuracies.append(chance if spent else _held_out_accuracy(rows, targets, labelled))
                if accuracies[-1] <= chance + _MARGIN or len(accuracies) > self.most:
                    break
                basis = _joined(basis, _directions(rows, *targets).T)
                rows = whole - whole @ basis.T @ basis
        matrix = np.eye(rows.shape[1]) - basis.T @ basis
        measured = {
            "directions": len(basis),
            "accuracy_before": accuracies[0],
            "accuracy_left": accuracies[-1],
            "changed": removed_share(whole, matrix),
        }
        return LinearTransform("inlp", labelled.card({"most": self.most}, **measured), matrix, labelled.centre)


def _balanced(labelled: LabelledRows) -> tuple[Floats, Floats]:
    """Return centred targets, and weights that give every group the same say."""
    counts = np.bincount(labelled.labels, minlength=len(labelled.groups))
    weights = (len(labelled.labels) / (len(counts) * counts))[labelled.labels]
    return labelled.one_hot() - 1.0 / len(counts), weights


def _directions(rows: Floats, targets: Floats, weights: Floats) -> Floats:
    """Return the columns of a least-squares classifier."""
    weighted = rows * weights[:, None]
    gram = weighted.T @ rows
    penalty = _PENALTY * np.trace(gram) / len(gram)
    found: Floats = np.linalg.solve(gram + penalty * np.eye(len(gram)), weighted.T @ targets)
    return found


def _held_out_accuracy(rows: Floats, targets: tuple[Floats, Floats], labelled: LabelledRows) -> float:
    """Return the mean over groups of the share classified correctly, each word by what was trained on others."""
    folds = labelled.owners % _FOLDS
    right = np.empty(len(rows))
    for fold in range(_FOLDS):
        train, test = folds != fold, folds == fold
        scores = rows[test] @ _directions(rows[train], targets[0][train], targets[1][train])
        guess = scores.argmax(axis=1) if scores.shape[1] > 1 else (scores[:, 0] <= 0.0).astype(np.intp)
        right[test] = guess == labelled.labels[test]
    return float(np.mean([right[labelled.labels == group].mean() for group in range(len(labelled.groups))]))


def _joined(basis: Floats, more: Floats) -> Floats:
    """Return an orthonormal basis of both spans."""
    _, lengths, ways = np.linalg.svd(more - more @ basis.T @ basis, full_matrices=False)
    return np.concatenate([basis, ways[lengths > 1e-9 * lengths.max()]])
