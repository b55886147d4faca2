"""Subspace bias: how much of other words lies in the subspace of the groups' means?

The direct bias of Bolukbasi et al. (2016), with strictness 2, for any number of groups: the axis is the subspace that
the groups' means span around their centre. Manzini et al. (2019) span it by words of defining sets.
"""

from dataclasses import dataclass

import numpy as np

from imprint.metrics.groups import GroupMetric, group_means
from imprint.metrics.metric import MetricWords
from imprint.significance.relabelled import Chosen
from imprint.types import Floats


@dataclass(frozen=True)
class Subspace(GroupMetric):
    """Mean share of attributes' squared length in the subspace of the groups; attribute sets weigh the same."""

    title = "Subspace bias"
    summary = (
        "Share of attributes that lies in the subspace of the groups' means: direct bias for any number of groups"
    )
    source = "after Bolukbasi et al. (2016)"
    orientation = "0: attributes are neutral between the groups; 1: they lie wholly in the groups' subspace"
    tail = "high"
    bounds = (0.0, 1.0)

    def values(self, words: MetricWords, chosen: Chosen) -> Floats:
        """Return the mean squared length of attributes' projections."""
        means = group_means(chosen.targets)
        across = means[:, :-1] - means[:, -1:]  # choices, groups less one, targets
        inner = across @ (words.targets @ words.targets.T) @ across.swapaxes(1, 2)
        places = across @ (words.targets @ words.attributes.T)
        squares = (places * (np.linalg.pinv(inner, hermitian=True) @ places)).sum(axis=1)
        return np.asarray((group_means(chosen.attributes) * squares[:, None, :]).sum(axis=2).mean(axis=1))
