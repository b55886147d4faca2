"""Dot products rounded once, and many counts of the same numbers, compiled. Imported only when first needed."""

from typing import Any

import numpy as np

from imprint.compiled import compiled
from imprint.types import Floats, Floats32, Ints

_ROUNDING = 2.0**-53
_BUCKETS = 2**16


@compiled()
def rounded_dots(rows: Floats, columns: Floats) -> Any:
    """Return (dots, sure): every row's product with every column of `columns`, (dimensions, count).

    Entries are float32 numbers, so their products are exact. Two running sums a column hold the sum and, by
    Knuth's two-sum, what its rounding lost; `sure` tells where the two added are certainly the exact sum
    rounded once: where it is further from the middle between two floats than the second sum's own rounding.
    """
    dimensions, count = columns.shape
    dots = np.empty((len(rows), count))
    sure = np.empty((len(rows), count), dtype=np.bool_)
    high = np.empty(count)
    low = np.empty(count)
    size = np.empty(count)
    for i in range(len(rows)):
        high[:] = 0.0
        low[:] = 0.0
        size[:] = 0.0
        for k in range(dimensions):
            entry = rows[i, k]
            for j in range(count):
                product = entry * columns[k, j]
                total = high[j] + product
                added = total - high[j]
                low[j] += (high[j] - (total - added)) + (product - added)
                high[j] = total
                size[j] += abs(product)
        for j in range(count):
            total = high[j] + low[j]
            lost = abs((high[j] - total) + low[j])
            gap = abs(total - np.nextafter(total, 0.0))
            error = 4.0 * dimensions * dimensions * _ROUNDING * _ROUNDING * size[j]
            dots[i, j] = total
            sure[i, j] = (lost == 0.0 and error == 0.0) or lost + error < 0.5 * gap
    return dots, sure


@compiled()
def in_buckets(values: Floats32) -> Any:
    """Return numbers that are not negative by buckets of equal width, where each ends, and buckets per unit.

    It takes a tenth of the time of sorting them. A number without a bucket, such as NaN, is a ValueError.
    """
    for value in values:
        if not 0 <= value < np.inf:  # it would be written outside of the arrays
            raise ValueError("numbers must be finite and not negative")
    scale = (_BUCKETS - 1) / max(values.max(), 1e-30)
    ends = np.zeros(_BUCKETS + 1, dtype=np.int64)
    for value in values:
        ends[int(value * scale) + 1] += 1
    for bucket in range(_BUCKETS):
        ends[bucket + 1] += ends[bucket]
    ordered = np.empty_like(values)
    for value in values:
        bucket = int(value * scale)
        ordered[ends[bucket]] = value
        ends[bucket] += 1
    return ordered, ends, scale


@compiled()
def count_reaching(ordered: Floats32, ends: Ints, scale: float, thresholds: Floats) -> Any:
    """Count, for each threshold, which is not negative, how many of the numbers `in_buckets` reach it."""
    counts = np.zeros(len(thresholds), dtype=np.int64)
    for place in range(len(thresholds)):
        if not thresholds[place] >= 0:
            raise ValueError("thresholds must be numbers that are not negative")
        bucket = int(min(thresholds[place] * scale, _BUCKETS))
        counts[place] = len(ordered) - ends[bucket]
        for i in range(ends[bucket - 1] if bucket else 0, ends[bucket]):
            counts[place] += ordered[i] >= thresholds[place]
    return counts
