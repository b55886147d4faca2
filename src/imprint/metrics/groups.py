"""Metrics on any number of groups, such as races or religions: p-values, intervals and outcomes as for two.

The labels of targets are exchanged between all groups; random words of like frequency take the place of all words; the
interval leaves out one word of one set after another.
"""

from abc import abstractmethod
from collections.abc import Iterator
from itertools import combinations
from typing import ClassVar

import numpy as np

from imprint.association.vectors import find_rows, refuse_overlap
from imprint.embeddings.embedding import Embedding
from imprint.errors import SettingError, StimulusError
from imprint.metrics import METRICS
from imprint.metrics.metric import Metric, MetricWords, is_metric
from imprint.metrics.run import BATCH, MetricRow, frequency_test, lacks_words, measured, obstacle_of_frequency
from imprint.significance.crossed import FEWEST_UNITS
from imprint.significance.outcomes import Reason
from imprint.significance.relabelled import Chosen, Jackknifed, group_relabellings, place_among, squares_left_out
from imprint.stimuli.definition import GroupsTest
from imprint.stimuli.inflection import units
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


def measure_groups(embedding: Embedding, test: GroupsTest, name: str, metric: Metric, *, seed: int = 0) -> MetricRow:
    """Measure a metric on groups."""
    if not isinstance(metric, GroupMetric):
        raise SettingError(
            f"{name} does not take groups",
            option="metric",
            got=name,
            hint=f"use one of {', '.join(group_metrics())}",
        )
    if metric.attributed and not test.attributes:
        raise StimulusError(f"{metric.title} needs attributes of each group", where=test.id, hint="give them")
    words, targets, attributes = _find(embedding, test)
    value = float(metric.of_groups(words, targets[None], attributes[None])[0])
    of_labels, of_words = np.random.SeedSequence([seed, 0x6E0]).spawn(2)
    labels, exact = group_relabellings(targets, of_labels)
    label = place_among(_values(metric, words, labels, attributes[None]), exact=exact, tail=metric.tail)
    frequency = frequency_test(
        metric,
        words,
        value,
        label.expected,
        of_words,
        lambda random: metric.of_groups(random, targets[None], attributes[None]),
    )
    jackknifed = _jackknife(metric, words, targets, attributes)
    sides = [(targets, words.target_ranks, test.groups), (attributes, words.attribute_ranks, test.attributes)]
    compared = sides if metric.attributed else sides[:1]
    ranks = [[known[numbers == group] for group in np.unique(numbers)] for numbers, known, _ in compared]
    lacking = lacks_words(jackknifed, ranks, [len(group) for _, _, sets in compared for group in sets])
    obstacle: Reason | None = "few words" if lacking else obstacle_of_frequency(frequency, ranks)
    return measured(name, metric, test, metric.whole(words), value, label, frequency, jackknifed, obstacle, seed)


def _find(embedding: Embedding, test: GroupsTest) -> tuple[MetricWords, Ints, Ints]:
    """Return the words that have a vector, and the number of the group of each target and attribute."""
    found = find_rows(embedding, (*test.groups, *test.attributes))
    groups, own = found.sets[: len(test.groups)], found.sets[len(test.groups) :]
    for sets, rows in ((test.groups, groups), (test.attributes, own)):
        for (one, left), (two, right) in combinations(zip(sets, rows, strict=True), 2):
            refuse_overlap(embedding, one, two, (left, right))
    sizes = [[len(one.words) for one in side] for side in (groups, own)]
    words = MetricWords.of_lookups(
        embedding,
        groups,
        own,
        embedding=embedding,
        missing=found.missing,
        lowered=found.lowered,
        from_subwords=found.from_subwords,
        group_sizes=tuple(sizes[0]),
    )
    targets, attributes = (np.repeat(np.arange(len(side)), side).astype(np.int64) for side in sizes)
    return words, targets, attributes


def _values(metric: GroupMetric, words: MetricWords, targets: Ints, attributes: Ints) -> Floats:
    """Return the value of each choice, a batch at a time; the side that does not change is given once."""
    choices = max(len(targets), len(attributes))
    whole = [np.broadcast_to(one, (choices, one.shape[1])) for one in (targets, attributes)]
    batches = (slice(start, start + BATCH) for start in range(0, choices, BATCH))
    return np.concatenate([metric.of_groups(words, *(one[batch] for one in whole)) for batch in batches])


def _jackknife(metric: GroupMetric, words: MetricWords, targets: Ints, attributes: Ints) -> Jackknifed | None:
    """Leave out one word, with its inflections, after another of each set; None where a set has fewer than four."""
    value = float(metric.of_groups(words, targets[None], attributes[None])[0])
    terms, degrees = [], []
    sides = [(targets, words.target_words), (attributes, words.attribute_words)]
    for side, (numbers, listed) in enumerate(sides if metric.attributed else sides[:1]):
        for group in np.unique(numbers):
            own = np.flatnonzero(numbers == group)
            parts = np.array(units([listed[place] for place in own]))
            members = np.unique(parts)
            if len(members) < FEWEST_UNITS:
                return None
            left = np.tile(numbers, (len(members), 1))
            left[:, own] = np.where(parts == members[:, None], LEFT_OUT, group)
            chosen = (left, attributes[None]) if side == 0 else (targets[None], left)
            terms.append(squares_left_out(_values(metric, words, *chosen)))
            degrees.append(len(members) - 1)
    return Jackknifed.of(value, np.array(terms), np.array(degrees), 0.0)
