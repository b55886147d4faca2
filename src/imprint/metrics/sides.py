"""What several metrics need of a test's sets: means of many choices at once, and one attribute set at a time."""

from collections.abc import Iterator

import numpy as np

from imprint.metrics.metric import MetricPart, MetricWords
from imprint.significance.relabelled import Chosen
from imprint.stimuli.definition import WeatTest
from imprint.types import Flags, Floats


def means(rows: Floats, *chosen: Flags) -> Iterator[Floats]:
    """Return the mean row of each choice, one choice a row."""
    for side in chosen:
        yield np.asarray(side @ rows / side.sum(axis=1, keepdims=True))


def by_attributes(words: MetricWords, test: WeatTest, *, sign: int) -> Iterator[MetricPart]:
    """Return the test with A alone, whose predicted sign is given, and with B alone, which has the other."""
    targets = range(len(words.target_words))
    for own, one, places in (
        (sign, test.a, range(words.n_a)),
        (-sign, test.b, range(words.n_a, len(words.attribute_words))),
    ):
        yield MetricPart(words.only(targets, places), own, one.name)


def standardised(cosines: Floats, chosen: Chosen) -> Floats:
    """Return SC-WEAT's d of each target (column) with each choice of attributes (row); NaN where cosines are equal."""
    in_a, in_b = (side @ cosines.T / side.sum(axis=1, keepdims=True) for side in (chosen.a, chosen.b))
    every = chosen.a | chosen.b
    size = every.sum(axis=1, keepdims=True)
    centred = cosines - cosines.mean(axis=1, keepdims=True)
    spread = (every @ (centred**2).T - (every @ centred.T) ** 2 / size) / (size - 1)
    with np.errstate(invalid="ignore", divide="ignore"):
        return np.asarray((in_a - in_b) / np.sqrt(np.where(spread > 0, spread, np.nan)))
