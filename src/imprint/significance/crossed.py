"""How a difference of means would vary over other words of the same kinds: targets and attributes both random.

Clark (1973), "The language-as-fixed-effect fallacy": a claim about kinds of words must count the words as drawn. A
table of cosines, targets by attributes, has four sets of words. The variance of the mean difference is the sum of what
each set's words contribute, less the interaction, which that sum counts twice; the degrees of freedom are
Satterthwaite's. Words of one unit, such as king and kings, count once.
"""

import math
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from imprint.significance.student import quantile
from imprint.types import Floats, Ints

FEWEST_UNITS = 4  # in a set; with fewer, the interval is too narrow

_MISSED = 0.2  # share of samples in which a detectable difference is not found


@dataclass(frozen=True)
class OverWords:
    """A mean difference with its interval over words, its degrees of freedom and its error."""

    difference: float
    low: float
    high: float
    df: float
    error: float


@dataclass(frozen=True)
class Spread:
    """Variance and degrees of freedom of mean differences, one of each a table."""

    variance: Floats
    df: Floats

    def interval(self, difference: float, confidence: float) -> OverWords | None:
        """Return the interval of the first table's difference; None where its words do not vary."""
        variance, df = float(self.variance[0]), float(self.df[0])
        if not variance > 0 or not math.isfinite(df):
            return None
        error = math.sqrt(variance)
        half = quantile(1 - confidence, df) * error
        return OverWords(difference, difference - half, difference + half, df, error)


def smallest_detectable(error: float, df: float, confidence: float) -> float:
    """Return the smallest difference, either way, whose interval would exclude 0 four times in five."""
    return (quantile(1 - confidence, df) + quantile(2 * _MISSED, df)) * error


def over_words(
    cosines: Floats, n_x: int, n_a: int, *, units: tuple[Sequence[int], Sequence[int]] | None = None, confidence: float
) -> OverWords | None:
    """Return the interval over words of one table; None where a set has fewer than four units, or none varies.

    The first n_x rows are X and the first n_a columns A. `units` numbers the units that rows and columns belong to.
    """
    rows, columns = (
        np.arange(size) if units is None else np.asarray(units[axis]) for axis, size in enumerate(cosines.shape)
    )
    if fewest_units(rows, n_x, columns, n_a) < FEWEST_UNITS:
        return None
    blocks = cosines.reshape(1, *cosines.shape)
    difference = float(mean_differences(blocks, n_x, n_a)[0])
    return spread(blocks, n_x, n_a, rows, columns).interval(difference, confidence)


def mean_differences(tables: Floats, n_x: int, n_a: int) -> Floats:
    """Return the mean difference of each table: of X less Y, in the mean cosine with A less that with B."""
    scores = row_scores(tables, n_a)
    return np.asarray(scores[:, :n_x].mean(axis=1) - scores[:, n_x:].mean(axis=1))


def row_scores(tables: Floats, n_a: int) -> Floats:
    """Return each row's mean with A less that with B, in every table."""
    return np.asarray(tables[:, :, :n_a].mean(axis=2) - tables[:, :, n_a:].mean(axis=2))


def fewest_units(rows: Ints, n_x: int, columns: Ints, n_a: int) -> int:
    """Return how many units the smallest of the four sets has."""
    return min(len(set(side.tolist())) for side in (rows[:n_x], rows[n_x:], columns[:n_a], columns[n_a:]))


def spread(tables: Floats, n_x: int, n_a: int, rows: Ints, columns: Ints) -> Spread:
    """Return the variance of each table's mean difference over words, and its degrees of freedom."""
    scores = row_scores(tables, n_a)
    contrasts = tables[:, :n_x].mean(axis=1) - tables[:, n_x:].mean(axis=1)
    sides = [
        (scores[:, :n_x], rows[:n_x]),
        (scores[:, n_x:], rows[n_x:]),
        (contrasts[:, :n_a], columns[:n_a]),
        (contrasts[:, n_a:], columns[n_a:]),
    ]
    terms = np.stack([_variance_of_mean(values, units) for values, units in sides])
    degrees = np.array([len(set(units.tolist())) - 1 for _, units in sides], dtype=np.float64)
    twice = sum(
        _interaction(tables[:, of_rows, of_columns], rows[of_rows], columns[of_columns])
        for of_rows in (slice(None, n_x), slice(n_x, None))
        for of_columns in (slice(None, n_a), slice(n_a, None))
    )
    variance = np.maximum(terms.sum(axis=0) - twice, terms.max(axis=0))
    with np.errstate(divide="ignore", invalid="ignore"):
        df = terms.sum(axis=0) ** 2 / (terms**2 / degrees[:, None]).sum(axis=0)
    return Spread(variance, df)


def sample_quantile(values: Floats, share: float) -> float:
    """Return what numpy.quantile does, to the last bit, without the 20 ms it takes to load masked arrays."""
    place = (len(values) - 1) * share
    below = math.floor(place)
    ends = [below, min(below + 1, len(values) - 1)]
    low, high = np.partition(values, ends)[ends]
    part = place - below
    return float(low + (high - low) * part if part < 0.5 else high - (high - low) * (1 - part))


def _variance_of_mean(values: Floats, units: Ints) -> Floats:
    """Return the variance of each row's mean, with units as what was drawn."""
    sums = (values - values.mean(axis=1, keepdims=True)) @ _members(units)
    count = sums.shape[1]
    return np.asarray((sums**2).sum(axis=1) * count / (count - 1) / values.shape[1] ** 2)


def _interaction(block: Floats, rows: Ints, columns: Ints) -> Floats:
    """Return what the interaction of rows and columns contributes to the variance of each block's mean."""
    residuals = (
        block
        - block.mean(axis=2, keepdims=True)
        - block.mean(axis=1, keepdims=True)
        + block.mean(axis=(1, 2), keepdims=True)
    )
    sums = _members(rows).T @ residuals @ _members(columns)
    n, m = sums.shape[1:]
    scale = n / (n - 1) * m / (m - 1) / (block.shape[1] * block.shape[2]) ** 2
    return np.asarray((sums**2).sum(axis=(1, 2)) * scale)


def _members(units: Ints) -> Floats:
    _, place = np.unique(units, return_inverse=True)
    return np.asarray(np.eye(place.max() + 1)[place])
