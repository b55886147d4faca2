"""Metrics of any number of groups: those of X and Y are the same with two."""

from abc import abstractmethod
from collections.abc import Iterator
from typing import ClassVar

import numpy as np

from imprint.metrics import METRICS
from imprint.metrics.metric import Metric, MetricWords, is_metric
from imprint.significance.relabelled import Chosen
from imprint.types import Flags, Floats, Ints

LEFT_OUT = -1  # the number of no group


class GroupMetric(Metric):
    """A metric of any number of groups; if `attributed`, it needs attributes of each group.

    If `directed`, a large value means that groups go with their own attributes; otherwise it has no direction.
    """

    attributed: ClassVar[bool] = False
    directed = False

    @abstractmethod
    def of_groups(self, words: MetricWords, targets: Ints, attributes: Ints) -> Floats:
        """Return the value for each choice: the number of each word's group, one choice a row."""

    def values(self, words: MetricWords, chosen: Chosen) -> Floats:
        """Return the value with two groups."""
        whole = chosen.whole()
        return self.of_groups(words, numbered(whole.x, whole.y), numbered(whole.a, whole.b))


def group_metrics() -> list[str]:
    """Return the names of the metrics of any number of groups."""
    return [name for name in METRICS.names() if is_metric(METRICS.get(name), GroupMetric)]


def numbered(*groups: Flags) -> Ints:
    """Return the number of the group that each word is in."""
    numbers = np.full(groups[0].shape, LEFT_OUT, dtype=np.int64)
    for number, own in enumerate(groups):
        numbers[own] = number
    return numbers


def group_means(numbers: Ints) -> Floats:
    """Return the weights that make each group's mean: choices, groups, words."""
    own = numbers[:, None, :] == np.arange(numbers.max() + 1)[:, None]
    return np.asarray(own / own.sum(axis=2, keepdims=True))


def by_words(numbers: Ints) -> Iterator[tuple[Ints, Ints]]:
    """Return choices of the same words together: their places, and the places of their words."""
    kept, which = np.unique(numbers != LEFT_OUT, axis=0, return_inverse=True)
    for number, words in enumerate(kept):
        yield np.flatnonzero(which == number), np.flatnonzero(words)
