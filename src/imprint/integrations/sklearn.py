"""LEACE as a step of scikit-learn pipelines: arrays in, arrays out."""

from typing import Any, Self

import numpy as np
import numpy.typing as npt

from imprint.debiasing.leace import erasure
from imprint.errors import SettingError, requiring
from imprint.threads import single_threaded
from imprint.types import Floats

with requiring("scikit-learn", "sklearn"):
    from sklearn.base import BaseEstimator, OneToOneFeatureMixin, TransformerMixin
    from sklearn.utils import Tags
    from sklearn.utils.multiclass import check_classification_targets
    from sklearn.utils.validation import check_consistent_length, check_is_fitted, column_or_1d, validate_data


class LeaceTransformer(OneToOneFeatureMixin, TransformerMixin, BaseEstimator):  # type: ignore[misc]
    """Erases a concept from arrays, so that no linear predictor of it is better than a constant (Belrose et al. 2023).

    `fit(X, z)` erases the labels z. In a pipeline whose target is another one, name the step's labels apart:
    `pipeline.fit(X, y, leace__z=z)`.

    Attributes
    ----------
    matrix_
        The matrix; rows become `x @ matrix_.T + bias_`.
    bias_
        What is added.
    classes_
        The labels that were erased.
    n_features_in_
        The number of columns.

    Examples
    --------
    >>> from imprint.integrations.sklearn import LeaceTransformer
    >>> LeaceTransformer().fit([[0.0, 1.0], [1.0, 1.0], [0.0, 3.0], [1.0, 3.0]], [0, 0, 1, 1]).transform([[1.0, 3.0]])
    array([[1., 2.]])
    """

    matrix_: Floats
    bias_: Floats
    classes_: npt.NDArray[Any]

    def fit(self, X: npt.ArrayLike, y: npt.ArrayLike | None = None, z: npt.ArrayLike | None = None) -> Self:  # noqa: N803
        """Fit on rows and the labels to erase: z, or y where z is not given."""
        labels = y if z is None else z
        if labels is None:
            # scikit-learn's own wording, which its checks look for.
            raise ValueError("requires y to be passed, but the target y is None")
        rows: Floats = validate_data(self, X, dtype=np.float64, ensure_min_samples=2)
        labels = column_or_1d(labels, warn=True)
        check_consistent_length(rows, labels)
        check_classification_targets(labels)
        self.classes_, numbers = np.unique(labels, return_inverse=True)
        if len(self.classes_) < 2:
            raise SettingError(option="the labels", got=len(self.classes_), expected="at least two classes")
        centre = rows.mean(axis=0)
        with single_threaded():
            self.matrix_ = erasure(rows - centre, np.eye(len(self.classes_))[numbers])
        self.bias_ = centre - self.matrix_ @ centre
        return self

    def transform(self, X: npt.ArrayLike) -> Floats:  # noqa: N803
        """Return the rows with the concept erased."""
        check_is_fitted(self)
        rows: Floats = validate_data(self, X, dtype=np.float64, reset=False)
        moved: Floats = rows @ self.matrix_.T + self.bias_
        return moved

    def __sklearn_tags__(self) -> Tags:
        tags: Tags = super().__sklearn_tags__()
        tags.target_tags.required = True
        return tags
