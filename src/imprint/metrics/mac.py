"""Mean average cosine similarity (MAC): how far are the targets from the attributes?

Manzini, Lim, Black and Tsvetkov (2019), "Black is to criminal as Caucasian is to police", section 4: the mean over
targets and attribute sets of the mean cosine distance of the target from the words of the set. Its name says
similarity, but it is a mean of distances, there and in WEFE.
"""

from dataclasses import dataclass

import numpy as np

from imprint.metrics.metric import Metric, MetricWords, pooled, shares, weighted
from imprint.significance.relabelled import Chosen
from imprint.types import Floats


@dataclass(frozen=True)
class Mac(Metric):
    """Mean average cosine similarity; it has no settings."""

    title = "Mean average cosine similarity"
    summary = "Mean cosine distance of the targets from the words of each attribute set"
    source = "Manzini et al. (2019)"
    orientation = "below the expected value: the targets are nearer to the attributes than random words are"
    tail = "low"
    permuted = None
    directed = False
    stacked = True
    crossed = True
    bounds = (0.0, 2.0)

    def values(self, words: MetricWords, chosen: Chosen) -> Floats:
        """Return the mean distance; attribute sets count alike, whatever their sizes."""
        cosines = weighted(pooled((words.n_x, words.n_y), chosen.x, chosen.y), words.products)
        return np.asarray(1 - (cosines * (shares(chosen.a) + shares(chosen.b)) / 2).sum(axis=1))
