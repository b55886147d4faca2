"""What several metrics need of a test's sets, for many choices of words, or many draws of random ones, at once."""

from collections.abc import Iterator

import numpy as np

from imprint.metrics.metric import MetricPart, MetricWords
from imprint.significance.relabelled import Chosen
from imprint.stimuli.definition import WeatTest
from imprint.types import Flags, Floats


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


def shares(side: Flags) -> Floats:
    """Return the weight of each word in the mean of those that are in, one choice a row."""
    return np.asarray(side / side.sum(axis=1, keepdims=True))


def pooled(sizes: tuple[int, int], first: Flags, second: Flags) -> Floats:
    """Return the weight of each word in the mean of two sets together.

    A set keeps its weight when one of its words is left out, or an interval over words would be too narrow.
    """
    sides = [size * shares(side) for size, side in zip(sizes, (first, second), strict=True) if size]
    return np.asarray(sum(sides) / sum(sizes))


def weighted(weights: Floats, table: Floats) -> Floats:
    """Return the sum of a table's rows by weight, one choice a row; there may be one table per choice."""
    return np.asarray(weights @ table if table.ndim == 2 else (weights[:, None] @ table)[:, 0])


def length(weights: Floats, words: MetricWords) -> Floats:
    """Return the length of the sum of targets by weight, one choice a row, as a column."""
    return np.asarray(np.sqrt(np.maximum((weighted(weights, words.gram) * weights).sum(axis=1, keepdims=True), 0.0)))


def signs(words: MetricWords, chosen: Chosen) -> Floats:
    """Return for each pair 1, or -1 where its words are exchanged, or 0 where they are left out."""
    return np.asarray(chosen.x[:, : words.n_x].astype(np.float64) - chosen.x[:, words.n_x :])


def pair_differences(words: MetricWords) -> tuple[Floats, Floats]:
    """Return the inner products of the pairs' differences, x - y, with each other and with every attribute."""
    n = words.n_x
    halved = words.gram[..., :n, :] - words.gram[..., n:, :]
    return halved[..., :n] - halved[..., n:], words.products[..., :n, :] - words.products[..., n:, :]


def along_component(words: MetricWords, chosen: Chosen) -> Floats:
    """Return every attribute's inner product with the first principal component of the pairs' differences.

    The component has unit length and points from Y to X, as the differences do on average.
    """
    way = signs(words, chosen)
    squares, products = pair_differences(words)
    values, vectors = np.linalg.eigh(squares * (way[:, :, None] * way[:, None, :]))
    top = vectors[..., -1] * np.where(vectors[..., -1].sum(axis=1, keepdims=True) < 0, -1.0, 1.0)
    with np.errstate(divide="ignore", invalid="ignore"):
        return weighted(top * way / np.sqrt(np.maximum(values[:, -1:], 0.0)), products)
