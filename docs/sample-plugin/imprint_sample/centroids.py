"""A metric: it computes its value alone; imprint adds p-values, an interval over words, an outcome and tables."""

from dataclasses import dataclass

import numpy as np

from imprint.metrics.metric import Metric, MetricWords
from imprint.significance.relabelled import Chosen
from imprint.types import Flags, Floats


@dataclass(frozen=True)
class Centroids(Metric):
    """Cosine of two differences of means: X less Y, and A less B. It has no settings."""

    title = "Cosine of centroids"
    summary = "Cosine of the means' difference of X and Y with that of A and B"
    source = "a sample"
    orientation = "positive: X is nearer to A, and Y to B"
    bounds = (-1.0, 1.0)

    def values(self, words: MetricWords, chosen: Chosen) -> Floats:
        """Return one value per choice of words: rows of flags say which words are in which set."""
        targets = _mean(chosen.x, words.targets) - _mean(chosen.y, words.targets)
        attributes = _mean(chosen.a, words.attributes) - _mean(chosen.b, words.attributes)
        lengths = np.linalg.norm(targets, axis=1) * np.linalg.norm(attributes, axis=1)
        return np.asarray((targets * attributes).sum(axis=1) / lengths)


def _mean(flags: Flags, rows: Floats) -> Floats:
    return np.asarray(flags @ rows / flags.sum(axis=1, keepdims=True))
