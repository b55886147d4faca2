"""Direct bias: how much of words that should be neutral lies along the axis from Y to X?

Bolukbasi, Chang, Zou, Saligrama and Kalai (2016), "Man is to computer programmer as woman is to homemaker?", section
5.2: the mean over neutral words w of |cos(w, g)|^c, where g is the first principal component of pairs around their
middles. The pairs are those of X and Y, and the neutral words are the attributes.
"""

from dataclasses import dataclass

import numpy as np

from imprint.errors import SettingError
from imprint.metrics.metric import Metric, MetricWords, along_component, pooled
from imprint.significance.relabelled import Chosen
from imprint.types import Floats


@dataclass(frozen=True)
class DirectBias(Metric):
    """Direct bias; `c` is how strictly it is measured: near 0, any overlap with the axis counts alike."""

    c: float = 1.0

    title = "Direct bias"
    summary = "Mean absolute cosine of the attributes with the axis of the pairs of X and Y"
    source = "Bolukbasi et al. (2016)"
    orientation = "0: the attributes are neutral; 1: they lie on the axis from Y to X, at either end"
    tail = "high"
    permuted = None
    paired = True
    directed = False
    stacked = True
    crossed = True
    bounds = (0.0, 1.0)

    def __post_init__(self) -> None:
        if not self.c > 0:
            raise SettingError(option="c", got=self.c, expected="a number above 0")

    def values(self, words: MetricWords, chosen: Chosen) -> Floats:
        """Return the mean over attributes of the absolute cosine to the power of c."""
        weights = pooled((words.n_a, words.n_b), chosen.a, chosen.b)
        return np.asarray((np.abs(along_component(words, chosen)) ** self.c * weights).sum(axis=1))
