"""Group association: does each group go with its own attributes? WEAT for any number of groups.

Swinger et al. (2019), "What are the biases in my word embedding?", section 2: g = sum over groups of
(mean X_i - mu) . (mean A_i - mean of the A_i), with mu the mean of the groups' means. For two groups it is half of
WEAT's mean difference (their Lemmas 1 and 2).
"""

from dataclasses import dataclass

import numpy as np

from imprint.metrics.groups import GroupMetric, group_means
from imprint.metrics.metric import MetricWords
from imprint.types import Floats, Ints


@dataclass(frozen=True)
class GroupAssociation(GroupMetric):
    """The statistic g of the UBE paper."""

    title = "Group association"
    summary = "Does each group go with its own attributes? WEAT for any number of groups"
    source = "Swinger et al. (2019)"
    orientation = "positive: groups go with their own attributes"
    stacked = True
    crossed = True
    attributed = True
    directed = True

    def of_groups(self, words: MetricWords, targets: Ints, attributes: Ints) -> Floats:
        """Return g."""
        of_targets = group_means(targets)  # choices, groups, targets
        of_attributes = group_means(attributes)
        of_targets = of_targets - of_targets.mean(axis=1, keepdims=True)
        return np.asarray(np.sum((of_targets @ words.products) * of_attributes, axis=(1, 2)))

    def additive(self, words: MetricWords) -> Floats | None:
        """Return half of WEAT's score of each target."""
        near = words.products
        return np.asarray((near[:, : words.n_a].mean(axis=1) - near[:, words.n_a :].mean(axis=1)) / 2)
