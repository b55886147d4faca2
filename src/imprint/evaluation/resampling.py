"""Percentile intervals from resampling with repeats: words, or pairs of an analogy, drawn again from themselves."""

import math
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from itertools import chain
from typing import Any

import numpy as np

from imprint.types import Floats, Indices

FEWEST_DRAWN = 10  # things below which resamples of them say little

_CHUNK = 50  # resamples drawn from one seed
_FLAT = 1e-12  # share of the variance below which resampled values are one value repeated


@dataclass(frozen=True)
class Estimate:
    """A number and its 95 % interval, whose ends are NaN where the data cannot tell."""

    value: float
    low: float
    high: float


def flatten(measures: Mapping[str, Estimate], prefix: str = "") -> dict[str, Any]:
    """Return each estimate as three fields of a row; an end that does not exist is None.

    No name in Python begins with a digit, so that 3cosadd is `cosadd`.
    """
    return {
        f"{prefix}{name}{end}".removeprefix("3"): None if math.isnan(number) else number
        for name, estimated in measures.items()
        for end, number in (("", estimated.value), ("_low", estimated.low), ("_high", estimated.high))
    }


def draw_counts(things: int, resamples: int, seed: int) -> Iterator[Floats]:
    """Draw how often each thing occurs in each resample: (resamples, things), some rows at a time."""
    chunks = np.random.SeedSequence(seed).spawn(-(-resamples // _CHUNK))
    for chunk, seed_of_chunk in enumerate(chunks):
        rows = min(_CHUNK, resamples - chunk * _CHUNK)
        rng = np.random.default_rng(seed_of_chunk)
        yield rng.multinomial(things, np.full(things, 1 / things), size=rows).astype(np.float64)


def estimate(value: float, draws: Floats, things: int, *, difference: bool = False) -> Estimate:
    """Put an interval around a value of so many things; resamples in which it does not exist (NaN) are left out.

    There is none where the things are few, and none where all resamples agree, as on a share of 1: that does not
    make it certain. Only a difference of nothing, as of an embedding from itself, is nothing in every resample.
    """
    finite = draws[np.isfinite(draws)]
    if things >= FEWEST_DRAWN and len(finite):
        low, high = np.quantile(finite, [0.025, 0.975])
        if low < high or (difference and low == value == 0):
            return Estimate(value, float(low), float(high))
    return Estimate(value, math.nan, math.nan)


def correlate_resampled(x: Floats, y: Floats, owners: Indices, resamples: int, seed: int) -> dict[str, Estimate]:
    """Return both correlations with their intervals; `owners` numbers the word that each point belongs to."""
    words = int(owners.max()) + 1
    draws: dict[str, list[Floats]] = {"pearson": [], "spearman": []}
    # The first draw counts every word once: it is the value itself.
    for drawn in chain([np.ones((1, words))], draw_counts(words, resamples, seed)):
        counts = drawn[:, owners]
        draws["pearson"].append(weighted_correlation(x, y, counts))
        draws["spearman"].append(weighted_correlation(midranks(x, counts), midranks(y, counts), counts))
    rows = {name: np.concatenate(parts) for name, parts in draws.items()}
    return {name: estimate(float(values[0]), values[1:], words) for name, values in rows.items()}


def midranks(values: Floats, counts: Floats) -> Floats:
    """Rank values that occur `counts` times (resamples, values); equal ones share the mean of their ranks.

    Nothing is sorted again: values keep their order in every resample, and ranks are sums of counts along it.
    """
    _, position = np.unique(values, return_inverse=True)
    order = np.argsort(position, kind="stable")
    starts = np.flatnonzero(np.diff(position[order], prepend=-1))
    together = np.add.reduceat(counts[:, order], starts, axis=1)
    ranks: Floats = (np.cumsum(together, axis=1) - (together - 1) / 2)[:, position]
    return ranks


def weighted_correlation(x: Floats, y: Floats, counts: Floats) -> Floats:
    """Return Pearson's correlation in each resample; NaN where a resample repeats one value."""
    total = counts.sum(axis=1, keepdims=True)
    x, y = (
        side - (counts * side).sum(axis=1, keepdims=True) / total for side in np.broadcast_arrays(x, y, counts)[:2]
    )
    xx, yy, xy = ((counts * product).sum(axis=1) for product in (x * x, y * y, x * y))
    flat = (xx <= _FLAT * xx.max()) | (yy <= _FLAT * yy.max())
    with np.errstate(invalid="ignore", divide="ignore"):
        return np.where(flat, np.nan, xy / np.sqrt(xx * yy))
