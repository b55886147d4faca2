"""INLP: directions of classifiers of the group are projected out, until development words are put right by chance.

Ravfogel et al. (2020), "Null it out: guarding protected attributes by iterative nullspace projection", section 4. The
classifiers are least-squares ones. Every fifth word of each group is for development: no direction is fitted on it, it
chooses each classifier's penalty, and where it is put right no more often than by chance, the work is done.
"""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import ClassVar

import numpy as np
import numpy.typing as npt

from imprint.checks import check_whole
from imprint.debiasing.debiaser import LabelledDebiaser
from imprint.debiasing.labelled import LabelledRows
from imprint.debiasing.transform import LinearTransform
from imprint.threads import single_threaded
from imprint.types import Floats

_EVERY = 5  # every so many words are for development
_MARGIN = 0.02  # above chance, where it stops
_NOTHING = 1e-18  # of the rows' squares
_PENALTIES = (0.01, 0.1, 1.0, 10.0)  # of the mean variance along an axis


@dataclass(frozen=True)
class InlpDebiaser(LabelledDebiaser):
    """Iterative nullspace projection: removes directions until development words are classified by chance.

    Parameters
    ----------
    most
        How many classifiers may be trained.

    Examples
    --------
    >>> imprint.debiaser("inlp", most=5).fit("default").card.settings
    {'most': 5}
    """

    summary: ClassVar[str] = (
        "projects out directions of linear classifiers until a new one does no better than chance on development words"
    )
    labels: ClassVar[Mapping[str, str]] = {
        "most": "classifiers trained at most",
        "directions": "directions removed",
        "accuracy_before": "accuracy before, on words for development",
        "accuracy_left": "accuracy left, on words for development",
    }
    compared = ("directions",)

    most: int = 35

    def __post_init__(self) -> None:
        check_whole("most", self.most)

    def fit_rows(self, labelled: LabelledRows) -> LinearTransform:
        """Fit on labelled vectors, of two groups or more; the projection is orthogonal, about their mean."""
        whole, chance = labelled.rows - labelled.centre, 1.0 / len(labelled.groups)
        development = _development(labelled)
        rows, basis = whole, np.empty((0, whole.shape[1]))
        accuracies = []
        with single_threaded():
            for _ in range(self.most + 1):
                spent = np.square(rows).sum() <= _NOTHING * np.square(whole).sum()  # what is left is rounding
                accuracy, directions = (chance, basis.T) if spent else _best_classifier(rows, labelled, development)
                accuracies.append(accuracy)
                if accuracy <= chance + _MARGIN or len(accuracies) > self.most:
                    break
                basis = _joined(basis, directions.T)
                rows = whole - whole @ basis.T @ basis
        matrix = np.eye(rows.shape[1]) - basis.T @ basis
        measured = {"directions": len(basis), "accuracy_before": accuracies[0], "accuracy_left": accuracies[-1]}
        return labelled.removing("inlp", matrix, {"most": self.most}, centre=labelled.centre, **measured)


def _development(labelled: LabelledRows) -> npt.NDArray[np.bool_]:
    """Mark the rows of every fifth word of each group."""
    chosen = np.zeros(len(labelled.rows), dtype=bool)
    for label in range(len(labelled.groups)):
        members = labelled.labels == label
        chosen[members] = np.unique(labelled.owners[members], return_inverse=True)[1] % _EVERY == 0
    return chosen


def _best_classifier(rows: Floats, labelled: LabelledRows, development: npt.NDArray[np.bool_]) -> tuple[float, Floats]:
    """Return the classifier that puts most words for development right, and the mean share over groups."""
    train = ~development
    counts = np.bincount(labelled.labels[train], minlength=len(labelled.groups))
    weighted = rows[train] / counts[labelled.labels[train], None]  # every group has the same say
    gram, cross = weighted.T @ rows[train], weighted.T @ (labelled.one_hot()[train] - 1.0 / len(counts))
    best: tuple[float, Floats] = (-1.0, cross)
    for penalty in _PENALTIES:
        weights = np.linalg.solve(gram + penalty * np.trace(gram) / len(gram) * np.eye(len(gram)), cross)
        scores = rows[development] @ weights
        guess = scores.argmax(axis=1) if scores.shape[1] > 1 else (scores[:, 0] <= 0.0).astype(np.intp)
        right, labels = guess == labelled.labels[development], labelled.labels[development]
        accuracy = float(np.mean([right[labels == group].mean() for group in np.unique(labels)]))
        best = max(best, (accuracy, weights), key=lambda measured: measured[0])
    return best


def _joined(basis: Floats, more: Floats) -> Floats:
    """Return an orthonormal basis of both spans."""
    _, lengths, ways = np.linalg.svd(more - more @ basis.T @ basis, full_matrices=False)
    return np.concatenate([basis, ways[lengths > 1e-9 * lengths.max()]])
