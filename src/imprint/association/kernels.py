"""Dot products rounded once, compiled. Imported only when first needed."""

from typing import Any

import numpy as np

from imprint.compiled import compiled
from imprint.types import Floats

_ROUNDING = 2.0**-53


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
