"""WEAT for any number of groups: the statistic g of Swinger et al. (2019), section 2.

g(X_1, A_1, ..., X_n, A_n) = sum_i (mean X_i - mu) . (mean A_i - mean of all attributes), over unit vectors,
with mu the mean of the groups' means, or of all targets for a single group. Groups weigh the same whatever
their size. Lemmas 1-3 of the paper tie it to WEAT, and are its tests.
"""

from collections.abc import Sequence

import numpy as np

from imprint.association.wordrows import find_rows
from imprint.embeddings.embedding import Embedding
from imprint.errors import SettingError
from imprint.stimuli.definition import WordSet
from imprint.subjects.opening import EmbeddingLike, load
from imprint.types import Floats

AttributeGroup = tuple[Sequence[str], Sequence[str]]


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
