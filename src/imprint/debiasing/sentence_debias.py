"""SentenceDebias: the first principal components of pairs that differ in the group alone are projected out.

Liang et al. (2020), "Towards debiasing sentence representations", section 2: words that define the bias are put into
many sentences; the components of the sentences, less the mean of their pair, span the subspace that is removed. With
one component and words alone it is the first step of hard debiasing.
"""

from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass
from typing import ClassVar

import numpy as np

from imprint.checks import check_whole
from imprint.debiasing.debiaser import LabelledDebiaser
from imprint.debiasing.labelled import LabelledRows
from imprint.debiasing.transform import LinearTransform
from imprint.threads import single_threaded

_NOTHING = 1e-12  # of the largest component's variance


@dataclass(frozen=True)
class SentenceDebiaser(LabelledDebiaser):
    """SentenceDebias of Liang et al. (2020): projects out principal components of differences of pairs.

    Parameters
    ----------
    components
        How many components to project out.

    Examples
    --------
    >>> imprint.debiaser("sentence-debias", components=1).fit("default").method
    'sentence-debias'
    """

    summary: ClassVar[str] = "projects out the principal components of differences of pairs, from every vector alike"
    labels: ClassVar[Mapping[str, str]] = {
        "components": "components removed",
        "pairs_variance": "share of the pairs' variance in them",
    }
    compared = ("components",)
    takes_groups = False  # it needs pairs
    candidates: ClassVar[Mapping[str, Sequence[int]]] = {"components": (1, 2, 3, 5)}

    components: int = 3

    def __post_init__(self) -> None:
        check_whole("components", self.components)

    def fit_rows(self, labelled: LabelledRows) -> LinearTransform:
        """Fit on pairs of labelled vectors."""
        halves = labelled.differences() / 2.0  # each row of a pair lies half the difference from their mean
        with single_threaded():
            _, lengths, ways = np.linalg.svd(halves, full_matrices=False)
        strong = (lengths**2 > _NOTHING * lengths[0] ** 2)[: self.components]
        basis = ways[: self.components][strong]
        matrix = np.eye(halves.shape[1]) - basis.T @ basis
        share = float((lengths[: len(basis)] ** 2).sum() / (lengths**2).sum()) if lengths.any() else 0.0
        return labelled.removing("sentence-debias", matrix, asdict(self), pairs_variance=share)
