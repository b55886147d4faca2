"""LEACE: the smallest affine change after which linear predictors of the group do no better than a constant.

Belrose et al. (2023), "LEACE: Perfect linear concept erasure in closed form", theorem 4.3: the cross-covariance of the
erased rows with the labels is zero, and among all affine maps that do it the mean squared change is least. Then, by
their section 3, no affine predictor has a smaller mean loss on these rows than the best constant, for any convex
loss (squared, logistic, hinge). Counting errors is no convex loss: a linear rule may still put more than half of the
rows on the right side, and other rows, or predictors that are not linear, are not covered.
"""

from dataclasses import dataclass
from typing import ClassVar

import numpy as np

from imprint.debiasing.debiaser import LabelledDebiaser
from imprint.debiasing.labelled import LabelledRows
from imprint.debiasing.transform import LinearTransform
from imprint.threads import single_threaded
from imprint.types import Floats

_RANK = 1e-10  # variances this much smaller than the largest are rounding


@dataclass(frozen=True)
class LeaceDebiaser(LabelledDebiaser):
    """Least-squares concept erasure: no linear predictor is then better than a constant; it has no settings.

    Examples
    --------
    >>> imprint.LeaceDebiaser().fit("default").method
    'leace'
    """

    summary: ClassVar[str] = (
        "makes the smallest change after which no linear predictor, judged by a convex loss on the labelled words, "
        "does better than a constant"
    )

    def fit_rows(self, labelled: LabelledRows) -> LinearTransform:
        """Fit on labelled vectors, of two groups or more."""
        with single_threaded():
            matrix = erasure(labelled.rows - labelled.centre, labelled.one_hot())
        return labelled.removing("leace", matrix, centre=labelled.centre)


def erasure(rows: Floats, labels: Floats) -> Floats:
    """Return I - W+ Q W: W whitens the centred rows, Q projects on the whitened cross-covariance with the labels."""
    variances, axes = np.linalg.eigh(rows.T @ rows / len(rows))
    spanned = variances > _RANK * variances[-1]
    axes, deviations = axes[:, spanned], np.sqrt(variances[spanned])
    cross = (axes.T @ (rows.T @ (labels - labels.mean(axis=0)))) / deviations[:, None]
    ways, lengths, _ = np.linalg.svd(cross, full_matrices=False)
    ways = ways[:, lengths > _RANK * lengths.max(initial=0.0)]
    matrix: Floats = np.eye(rows.shape[1]) - (axes * deviations) @ ways @ (ways.T @ (axes / deviations).T)
    return matrix
