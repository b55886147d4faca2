"""Embedding coherence test: do the two groups' mean vectors rank the attributes alike?

Dev and Phillips (2019), "Attenuating bias in word vectors", section 3.1: Spearman's correlation over attributes a of
cos(mean X, a) and cos(mean Y, a).
"""

from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np

from imprint.metrics.metric import Metric, MetricPart, MetricWords, by_attributes, shares, weighted
from imprint.significance.ranks import midranks
from imprint.significance.relabelled import Chosen
from imprint.stimuli.definition import WeatTest
from imprint.types import Floats


@dataclass(frozen=True)
class Ect(Metric):
    """Embedding coherence test; `normalize` scales vectors to length one before their mean is taken."""

    normalize: bool = False

    title = "Embedding coherence test"
    summary = "Rank correlation of the attributes' cosines with the mean of X and with the mean of Y"
    source = "Dev and Phillips (2019)"
    orientation = "1: both groups rank the attributes alike; below the expected value: they rank them differently"
    tail = "low"
    stacked = True
    bounds = (-1.0, 1.0)

    def parts(self, words: MetricWords, test: WeatTest) -> Iterator[MetricPart]:
        """Ask about A, and about B; it has no direction."""
        return by_attributes(words, test, sign=0)

    def values(self, words: MetricWords, chosen: Chosen) -> Floats:
        """Return the correlation of ranks; the length of a mean vector does not change them."""
        used = chosen.a | chosen.b
        lengths = np.sqrt(words.attribute_squares)
        with np.errstate(divide="ignore", invalid="ignore"):
            first, second = (
                midranks(np.where(used, weighted(shares(side), words.products) / lengths, np.inf))
                for side in (chosen.x, chosen.y)
            )
            weights = shares(used)
            first, second = (ranks - (ranks * weights).sum(axis=1, keepdims=True) for ranks in (first, second))
            together, *alone = (
                (x * y * weights).sum(axis=1) for x, y in ((first, second), (first, first), (second, second))
            )
            return np.asarray(together / np.sqrt(alone[0] * alone[1]))
