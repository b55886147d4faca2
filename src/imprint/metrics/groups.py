"""What metrics on any number of groups, such as races or religions, have besides."""

from collections.abc import Iterator

import numpy as np

from imprint.metrics import METRICS
from imprint.metrics.metric import Metric, is_metric
from imprint.significance.relabelled import LEFT_OUT, Labels
from imprint.types import Floats, Ints


class GroupMetric(Metric):
    """A metric of any number of groups; where attributes are `sampled`, each group needs its own.

    If `directed`, a large value means that groups go with their own attributes; otherwise it has no direction.
    """

    directed = False


def group_metrics() -> list[str]:
    """Return the names of the metrics of any number of groups."""
    return [name for name in METRICS.names() if is_metric(METRICS.get(name), GroupMetric)]


def group_means(numbers: Labels) -> Floats:
    """Return the weights that make each group's mean: choices, groups, words."""
    members = numbers[:, None, :] == np.arange(numbers.max() + 1)[:, None]
    return np.asarray(members / members.sum(axis=2, keepdims=True))


def by_words(numbers: Labels) -> Iterator[tuple[Ints, Ints]]:
    """Return choices of the same words together: their places, and the places of their words."""
    used = numbers != LEFT_OUT
    for words in {row.tobytes(): row for row in used}.values():  # few: sorting rows would take longer than a metric
        yield np.flatnonzero((used == words).all(axis=1)), np.flatnonzero(words)
