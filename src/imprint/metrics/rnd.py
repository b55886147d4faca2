"""Relative norm distance: which of two groups' mean vectors is nearer to the attributes?

Garg, Schiebinger, Jurafsky and Zou (2018), "Word embeddings quantify 100 years of gender and ethnic stereotypes":
the mean over attributes a of |mean X - a| less |mean Y - a|.
"""

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Literal, get_args

import numpy as np

from imprint.checks import check_choice
from imprint.metrics.metric import Metric, MetricPart, MetricWords, by_attributes, length, shares, weighted
from imprint.significance.relabelled import Chosen
from imprint.stimuli.definition import WeatTest
from imprint.types import Floats

Distance = Literal["norm", "cos"]


@dataclass(frozen=True)
class Rnd(Metric):
    """Relative norm distance.

    `distance` "cos" takes the cosine with each mean vector in place of the distance, as WEFE does. This turns the
    sign. `normalize` scales vectors to length one first.
    """

    distance: Distance = "norm"
    normalize: bool = True

    title = "Relative norm distance"
    summary = "Distance of the attributes from the mean of X less that from the mean of Y"
    source = "Garg et al. (2018)"
    stacked = True
    crossed = True

    def __post_init__(self) -> None:
        check_choice("distance", self.distance, get_args(Distance))

    @property
    def orientation(self) -> str:
        """What a large and a small value mean."""
        near, far = ("negative", "positive") if self.distance == "norm" else ("positive", "negative")
        return f"{near}: the attributes are nearer to X; {far}: nearer to Y"

    def parts(self, words: MetricWords, test: WeatTest) -> Iterator[MetricPart]:
        """Ask about A, and about B."""
        return by_attributes(words, test, sign=-1 if self.distance == "norm" else 1)

    def values(self, words: MetricWords, chosen: Chosen) -> Floats:
        """Return the mean over attributes of the difference of distances."""
        first, second = (self._distances(shares(side), words) for side in (chosen.x, chosen.y))
        return np.asarray(((first - second) * shares(chosen.a | chosen.b)).sum(axis=1))

    def _distances(self, weights: Floats, words: MetricWords) -> Floats:
        """Return the distance of every attribute from the mean, or its cosine with it."""
        products, lengths = weighted(weights, words.products), length(weights, words)
        if self.distance == "cos":
            with np.errstate(divide="ignore", invalid="ignore"):
                return np.asarray(products / (lengths * np.sqrt(words.attribute_squares)))
        return np.asarray(np.sqrt(np.maximum(lengths**2 + words.attribute_squares - 2 * products, 0.0)))
