"""Relative norm distance: which of two groups' mean vectors is nearer to the attributes?

Garg, Schiebinger, Jurafsky and Zou (2018), "Word embeddings quantify 100 years of gender and ethnic stereotypes":
the mean over attributes a of |mean X - a| less |mean Y - a|.
"""

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Literal, get_args

import numpy as np

from imprint.checks import check_choice
from imprint.metrics.metric import Metric, MetricPart, MetricWords
from imprint.metrics.sides import by_attributes, means
from imprint.significance.relabelled import Chosen
from imprint.stimuli.definition import WeatTest
from imprint.types import Floats

Distance = Literal["norm", "cos"]


@dataclass(frozen=True)
class Rnd(Metric):
    """Relative norm distance.

    `distance` "cos" takes the cosine with each mean vector in place of the distance, as WEFE does, which turns the
    sign; `normalize` scales vectors to length one first.
    """

    distance: Distance = "norm"
    normalize: bool = True

    title = "Relative norm distance"
    summary = "Distance of the attributes from the mean of X less that from the mean of Y"
    source = "Garg et al. (2018)"
    orientation = "negative: the attributes are nearer to X"

    def __post_init__(self) -> None:
        check_choice("distance", self.distance, get_args(Distance))

    @property
    def unit(self) -> bool:
        """Whether vectors are scaled to length one first."""
        return self.normalize

    def parts(self, words: MetricWords, test: WeatTest) -> Iterator[MetricPart]:
        """Ask about A, and about B."""
        return by_attributes(words, test, sign=-1 if self.distance == "norm" else 1)

    def values(self, words: MetricWords, chosen: Chosen) -> Floats:
        """Return the mean over attributes of the difference of distances."""
        first, second = (self._distances(mean, words.attributes) for mean in means(words.targets, chosen.x, chosen.y))
        weights = chosen.a | chosen.b
        return np.asarray(((first - second) * weights).sum(axis=1) / weights.sum(axis=1))

    def _distances(self, mean: Floats, attributes: Floats) -> Floats:
        products = mean @ attributes.T
        if self.distance == "cos":
            lengths = np.linalg.norm(mean, axis=1)[:, None] * np.linalg.norm(attributes, axis=1)
            return np.asarray(products / lengths)
        squares = (mean**2).sum(axis=1)[:, None] + (attributes**2).sum(axis=1) - 2 * products
        return np.asarray(np.sqrt(np.maximum(squares, 0.0)))
