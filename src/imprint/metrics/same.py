"""SAME: how near do words lie to the direction from one group's mean to the other's?

Schroeder, Schulz, Kenneweg, Feldhans, Hinder and Hammer (2021), "Evaluating metrics for bias in word embeddings": the
cosine of a word with mean X - mean Y of unit vectors, so that what the groups have in common does not count. The score
is the mean of absolute cosines; skew is the mean of cosines and stereotype their standard deviation.
"""

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Literal, get_args

import numpy as np

from imprint.checks import check_choice
from imprint.metrics.metric import Metric, MetricPart, MetricWords, by_attributes, length, pooled, shares, weighted
from imprint.significance.relabelled import BiasedTail, Chosen
from imprint.stimuli.definition import WeatTest
from imprint.types import Floats

Score = Literal["mean", "skew", "stereotype"]


@dataclass(frozen=True)
class Same(Metric):
    """SAME; `score` is the mean of absolute cosines, their skew to one group, or stereotype, their spread."""

    score: Score = "mean"

    title = "SAME"
    summary = "Mean absolute cosine of the attributes with the direction from the mean of Y to that of X"
    source = "Schroeder et al. (2021)"
    stacked = True
    bounds = (-1.0, 1.0)

    def __post_init__(self) -> None:
        check_choice("score", self.score, get_args(Score))

    @property
    def orientation(self) -> str:
        """What a large and a small value mean."""
        return {
            "mean": "0: the attributes are as near to X as to Y; above the expected value: they lean to either",
            "skew": "positive: the attributes are nearer to X; negative: nearer to Y",
            "stereotype": "0: all attributes lean alike; above the expected value: some lean to X and some to Y",
        }[self.score]

    @property
    def crossed(self) -> bool:  # type: ignore[override]
        """Whether the interaction is taken off the variance; a standard deviation's interval would be too narrow."""
        return self.score != "stereotype"

    @property
    def tail(self) -> BiasedTail:
        """Which values mean bias: those on either side for skew alone."""
        return "both" if self.score == "skew" else "high"

    def parts(self, words: MetricWords, test: WeatTest) -> Iterator[MetricPart]:
        """Ask about all attributes; skew, which has a direction, about A and about B."""
        if self.score == "skew":
            return by_attributes(words, test, sign=1)
        return iter([MetricPart(words, 0)])

    def values(self, words: MetricWords, chosen: Chosen) -> Floats:
        """Return the score of the cosines with the direction."""
        way = shares(chosen.x) - shares(chosen.y)
        with np.errstate(divide="ignore", invalid="ignore"):
            cosines = weighted(way, words.products) / length(way, words)
        weights = pooled((words.n_a, words.n_b), chosen.a, chosen.b)
        mean = ((np.abs(cosines) if self.score == "mean" else cosines) * weights).sum(axis=1, keepdims=True)
        if self.score == "stereotype":
            return np.asarray(np.sqrt(((cosines - mean) ** 2 * weights).sum(axis=1)))
        return np.asarray(mean[:, 0])
