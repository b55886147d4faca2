"""Group association: does each group go with its own attributes? WEAT for any number of groups.

Swinger et al. (2019), "What are the biases in my word embedding?", section 2: g = sum over groups of
(mean X_i - mu) . (mean A_i - mean of the A_i) over unit vectors, with mu the mean of the groups' means, or of all
targets for a single group. Groups weigh the same whatever their size. For two groups it is half of WEAT's mean
difference. Lemmas 1-3 of the paper tie it to WEAT, and are its tests.
"""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from imprint.association.vectors import find_rows
from imprint.embeddings.embedding import Embedding
from imprint.errors import SettingError
from imprint.metrics.groups import GroupMetric, group_means
from imprint.metrics.metric import MetricWords
from imprint.significance.relabelled import Chosen
from imprint.stimuli.definition import WordSet
from imprint.subjects.opening import EmbeddingLike, load
from imprint.types import Floats

AttributeGroup = tuple[Sequence[str], Sequence[str]]


@dataclass(frozen=True)
class GroupAssociation(GroupMetric):
    """The statistic g of the UBE paper."""

    title = "Group association"
    summary = "Does each group go with its own attributes? WEAT for any number of groups"
    source = "Swinger et al. (2019)"
    orientation = "positive: groups go with their own attributes"
    stacked = True
    crossed = True
    directed = True

    def values(self, words: MetricWords, chosen: Chosen) -> Floats:
        """Return g."""
        of_targets = group_means(chosen.targets)  # choices, groups, targets
        of_attributes = group_means(chosen.attributes)
        of_targets = of_targets - of_targets.mean(axis=1, keepdims=True)
        return np.asarray(np.sum((of_targets @ words.products) * of_attributes, axis=(1, 2)))

    def additive(self, words: MetricWords) -> Floats | None:
        """Return half of WEAT's score of each target."""
        near = words.products
        return np.asarray((near[:, : words.n_a].mean(axis=1) - near[:, words.n_a :].mean(axis=1)) / 2)


def group_association(
    embedding: EmbeddingLike,
    groups: Sequence[AttributeGroup],
    *,
    all_targets: Sequence[str] | None = None,
    all_attributes: Sequence[str] | None = None,
) -> float:
    """Measure the association of any number of groups: the statistic g of Swinger et al. (2019).

    Parameters
    ----------
    embedding
        A file, `default` or an object, as `load` accepts it.
    groups
        Pairs of (targets, attributes), each a list of words.
    all_targets
        What a single group's targets are compared with; required for one group, not used for several.
    all_attributes
        What a single group's attributes are compared with; required for one group, not used for several.

    Returns
    -------
    float
        g; positive if targets are associated with the attributes of their own group.

    Examples
    --------
    >>> men, women = (["he", "man"], ["engineer", "pilot"]), (["she", "woman"], ["nurse", "maid"])
    >>> round(imprint.group_association("default", [men, women]), 3)
    0.1
    """
    if not groups:
        raise SettingError(option="groups", got=groups, expected="at least one pair of (targets, attributes)")
    if len(groups) == 1 and (all_targets is None or all_attributes is None):
        raise SettingError(
            "one group is compared with all words",
            option="all_targets" if all_targets is None else "all_attributes",
            hint="give all_targets and all_attributes too",
        )
    embedding = load(embedding)
    targets = np.stack([_mean_unit(embedding, f"targets {i + 1}", group[0]) for i, group in enumerate(groups)])
    attributes = np.stack([_mean_unit(embedding, f"attributes {i + 1}", group[1]) for i, group in enumerate(groups)])
    if len(groups) == 1 and all_targets is not None and all_attributes is not None:
        mu = _mean_unit(embedding, "all targets", all_targets)
        centre = _mean_unit(embedding, "all attributes", all_attributes)
    else:
        mu, centre = targets.mean(axis=0), attributes.mean(axis=0)
    return float(np.sum((targets - mu) * (attributes - centre)))


def _mean_unit(embedding: Embedding, name: str, words: Sequence[str]) -> Floats:
    vectors = find_rows(embedding, [WordSet.of(name, words)]).sets[0].vectors.astype(np.float64)
    return np.asarray((vectors / np.linalg.norm(vectors, axis=1, keepdims=True)).mean(axis=0))
