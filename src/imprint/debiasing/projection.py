"""Linear projection: the bias direction, or the subspace of several groups, is taken out of every word.

Dev and Phillips (2019), "Attenuating bias in word vectors", section 3: the direction is the first principal component
of the differences of pairs, or joins the means of two sets; no word is kept and none is equalised. More groups span
the subspace of their means.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import ClassVar

import numpy as np

from imprint.debiasing.debiaser import Debiaser
from imprint.debiasing.labelled import Groups, LabelledRows, check_groups
from imprint.debiasing.linear import default_axes, ends_of, missing_of
from imprint.debiasing.transform import Card, LinearTransform
from imprint.directions.axis import Axis, Pairs, group_axes, orthonormal, pair_axis
from imprint.errors import SettingError
from imprint.stimuli import seeds as catalogue
from imprint.subjects.opening import EmbeddingLike, load
from imprint.threads import single_threaded
from imprint.types import Floats

_RANK = 1e-9  # of the largest difference between means, below which one is rounding


@dataclass(frozen=True)
class ProjectionDebiaser(Debiaser):
    """Linear projection of Dev and Phillips (2019): removes the axis from every word; it has no settings.

    Examples
    --------
    >>> imprint.debiaser("projection").fit("default").method
    'projection'
    """

    summary: ClassVar[str] = "removes the axis from every word"
    labels: ClassVar[Mapping[str, str]] = {"directions": "directions removed"}
    compared = ("directions",)
    takes_groups = True

    def fit(
        self,
        embedding: EmbeddingLike,
        *,
        axis: Axis | Sequence[Axis] | None = None,
        pairs: Pairs | None = None,
        groups: Groups | None = None,
    ) -> LinearTransform:
        """Fit along one or more axes, or on groups.

        Parameters
        ----------
        embedding
            A file, `default` or an object, as `load` accepts it.
        axis
            The axis to remove, or several.
        pairs
            Pairs whose first principal component is the axis; by default the catalogue's ten definitional pairs.
        groups
            Lists of words, one per group, whose means span what is removed.
        """
        embedding = load(embedding)
        embedding.check_finite()
        given = [option for option in (axis, pairs, groups) if option is not None]
        if len(given) > 1:
            raise SettingError("more than one of axis, pairs and groups is given", option="axis", hint="give one")
        if groups is not None:
            words = [group.words for group in check_groups(groups)]
            axes = group_axes(embedding, words)
        else:
            chosen = catalogue.definitional_pairs() if pairs is None else pairs
            axes = default_axes(embedding, pair_axis(embedding, chosen, method="pca") if axis is None else axis)
            words = ends_of(axes)
        basis, missing = orthonormal(axes), missing_of(axes)
        measured = {"directions": len(basis)}
        card = Card.of(embedding.name, embedding.sha256, words, missing=missing, measured=measured)
        return LinearTransform("projection", card, _without(basis), np.zeros(basis.shape[1]))

    def fit_rows(self, labelled: LabelledRows) -> LinearTransform:
        """Remove the first principal component of the pairs' differences, or the groups' means without pairs."""
        if len(labelled.pairs):
            ways, most = labelled.differences(), 1
        else:
            means = [labelled.rows[labelled.labels == label].mean(axis=0) for label in range(len(labelled.groups))]
            ways, most = np.array(means) - np.mean(means, axis=0), len(means) - 1
        with single_threaded():
            _, lengths, basis = np.linalg.svd(ways, full_matrices=False)
        return labelled.removing("projection", _without(basis[:most][lengths[:most] > _RANK * lengths[0]]))


def _without(basis: Floats) -> Floats:
    """Return the projection that takes orthonormal rows out."""
    return np.eye(basis.shape[1]) - basis.T @ basis
