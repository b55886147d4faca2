"""Neighbour test: are the nearest neighbours of a word of its own group?

Gonen and Goldberg (2019), "Lipstick on a pig": the share of a word's nearest neighbours that are of its own group. The
neighbours are sought among the targets of the test, as EmbeddingBiasScores does; the paper seeks 100 among the words
of a vocabulary whose group follows from an axis.
"""

from dataclasses import dataclass

import numpy as np

from imprint.checks import check_whole
from imprint.metrics.groups import GroupMetric, by_words
from imprint.metrics.metric import MetricWords
from imprint.significance.relabelled import Chosen
from imprint.types import Floats


@dataclass(frozen=True)
class NeighbourTest(GroupMetric):
    """The neighbour test; `count` neighbours are asked about, and fewer of few words."""

    count: int = 5

    title = "Neighbour test"
    summary = "Share of each target's nearest neighbours among the targets that are of its own group"
    source = "Gonen and Goldberg (2019)"
    orientation = (
        "1: all neighbours are of a word's own group; about 0.5 for two groups: neighbours are mixed; that groups can "
        "be distinguished is not bias by itself"
    )
    tail = "high"
    bounds = (0.0, 1.0)
    sampled = ("targets",)

    def __post_init__(self) -> None:
        check_whole("count", self.count)

    def values(self, words: MetricWords, chosen: Chosen) -> Floats:
        """Return the mean over words of the share of neighbours that are of their group."""
        values = np.empty(len(chosen.targets))
        count = min(self.count, len(words.targets) - 2)
        for choices, used in by_words(chosen.targets):
            rows = words.targets[used]
            near = rows @ rows.T
            np.fill_diagonal(near, -np.inf)
            nearest = np.argsort(-near, axis=1, kind="stable")[:, :count]
            numbers = chosen.targets[np.ix_(choices, used)]
            values[choices] = (numbers[:, nearest] == numbers[:, :, None]).mean(axis=(1, 2))
        return values
