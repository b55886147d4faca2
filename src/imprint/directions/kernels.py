"""The compiled loops behind the search for analogies; plain arrays in and out. Imported only when first needed.

Every number of a row or of a pair is summed in one fixed order, wherever it stands: equal rows score equally.
"""

import math
from typing import Any

import numpy as np

from imprint.compiled import compiled
from imprint.types import Floats, Floats32, Ints32

_STRIDE = 16  # coordinates added between two looks at whether a pair is out already


@compiled()
def normalise(rows: Floats32) -> Any:
    """Return the rows, none of them zero, at length one in float64."""
    unit = np.empty(rows.shape, dtype=np.float64)
    for i in range(rows.shape[0]):
        square = 0.0
        for k in range(rows.shape[1]):
            square += np.float64(rows[i, k]) * np.float64(rows[i, k])
        length = math.sqrt(square)
        for k in range(rows.shape[1]):
            unit[i, k] = rows[i, k] / length
    return unit


@compiled()
def project(unit: Floats, direction: Floats) -> Any:
    """Return each row's product with the direction."""
    products = np.empty(len(unit))
    for i in range(len(unit)):
        product = 0.0
        for k in range(len(direction)):
            product += unit[i, k] * direction[k]
        products[i] = product
    return products


@compiled()
def distance(a: Floats, b: Floats) -> float:
    """Return how far apart two rows are."""
    square = 0.0
    for k in range(len(a)):
        square += (a[k] - b[k]) * (a[k] - b[k])
    return math.sqrt(square)


@compiled()
def scan(
    products: Floats32,
    corner: tuple[int, int],
    order: Ints32,
    unit: Floats,
    projections: Floats,
    coarse: Floats32,
    across: Floats32,
    squares: Floats32,
    limits: tuple[float, float, float],
    found: tuple[Ints32, Ints32, Floats],
    count: int,
) -> int:
    """Append the pairs of a tile with a score of at least `least` and a distance of at most `delta`; return how many.

    y being what of a row is across the axis, `across` are its coordinates, `squares` |y|², `coarse` the projections,
    all rounded to float32; `products` are at least y_i·y_j. `limits` are (least, delta, margin): rounding changes
    |y_i - y_j|² by less than `margin`. Of each pair the row further along the axis comes first; rows are called by
    their numbers in `order`. `found` (firsts, seconds, scores) has room for the tile.
    """
    least, delta, margin = limits
    height, width = products.shape
    firsts, seconds, scores = found
    # S >= least is |y_i - y_j|² least² <= (p_i - p_j)² (1 - least²): no root, nothing to divide by.
    weight = np.float32(least * least)
    rise = np.float32(1.0 - least * least)
    reach = np.float32(delta * delta + margin)
    slack = np.float32(margin)
    ends = coarse[corner[1] : corner[1] + width]
    heights = squares[corner[1] : corner[1] + width]
    for row in range(height):
        i = corner[0] + row
        start = coarse[i]
        here = products[row]
        height_of_row = squares[i]
        hits = 0
        for column in range(width):
            step = start - ends[column]
            square = step * step
            bound = height_of_row + heights[column] - here[column] - here[column]
            hits += (weight * bound <= rise * square + slack) & (bound + square <= reach)
        if hits == 0:
            continue
        for column in range(width):
            step = start - ends[column]
            square = step * step
            allowed = min((rise * square + slack) / weight if weight > 0 else reach, reach - square)
            if height_of_row + heights[column] - here[column] - here[column] > allowed:
                continue
            j = corner[1] + column
            higher = projections[i] - projections[j]
            if higher <= 0.0 or not _nearer(across[i], across[j], allowed):
                continue
            apart = distance(unit[i], unit[j])
            score = higher / apart
            if apart <= delta and score >= least:
                firsts[count] = order[i]
                seconds[count] = order[j]
                scores[count] = score
                count += 1
    return count


@compiled()
def scan_products(
    cosines: Floats32,
    corner: tuple[int, int],
    orders: tuple[Ints32, Ints32],
    unit: Floats,
    factors: tuple[Floats, Floats],
    limits: tuple[float, float, float],
    found: tuple[Ints32, Ints32, Floats],
    count: int,
) -> int:
    """Append the pairs of a tile whose product of factors and similarity is at least `least`; return how many.

    `cosines` are rounded by less than `margin`. Rows and columns of the tile are numbered by the two `orders`; a score
    is f_a g_b (1 + cos) / 2, and only pairs with f_a g_b above 1, those that lie along the axis, count.
    """
    least, delta, margin = limits
    first_order, second_order = orders
    f, g = factors
    firsts, seconds, scores = found
    nearest = 1.0 - delta * delta / 2.0 - margin
    for row in range(cosines.shape[0]):
        a = first_order[corner[0] + row]
        for column in range(cosines.shape[1]):
            cosine = cosines[row, column]
            b = second_order[corner[1] + column]
            both = f[a] * g[b]
            if a == b or both <= 1.0 or cosine < nearest or both * (1.0 + cosine + margin) / 2.0 < least:
                continue
            apart = distance(unit[a], unit[b])
            score = both * (1.0 - apart * apart / 4.0)
            if apart <= delta and score >= least:
                firsts[count], seconds[count], scores[count] = a, b, score
                count += 1
    return count


@compiled()
def thin(firsts: Ints32, seconds: Ints32, scores: Floats, words: int, k: int) -> Any:
    """Choose greedily among pairs in their order, and move to the front, in place, those that can still matter.

    Return (places of the pairs chosen, pairs kept). After 2k choices the rest is dropped. A pair whose first word has
    k better pairs, or whose second has, cannot be one of the first k choices: it would take k to bar those.
    """
    as_first = np.zeros(words, dtype=np.int32)
    as_second = np.zeros(words, dtype=np.int32)
    taken_first = np.zeros(words, dtype=np.bool_)
    taken_second = np.zeros(words, dtype=np.bool_)
    chosen = np.empty(min(2 * k, words), dtype=np.int64)
    choices = 0
    left = 0
    for index in range(len(firsts)):
        a, b = firsts[index], seconds[index]
        if as_first[a] >= k or as_second[b] >= k:
            continue
        as_first[a] += 1
        as_second[b] += 1
        firsts[left], seconds[left], scores[left] = a, b, scores[index]
        if not (taken_first[a] or taken_second[b]):
            taken_first[a] = True
            taken_second[b] = True
            chosen[choices] = left
            choices += 1
        left += 1
        if choices == len(chosen):
            break
    return chosen[:choices], left


@compiled()
def _nearer(a: Floats32, b: Floats32, allowed: float) -> bool:
    square = np.float32(0.0)
    for start in range(0, len(a), _STRIDE):
        for k in range(start, min(start + _STRIDE, len(a))):
            square += (a[k] - b[k]) * (a[k] - b[k])
        if square > allowed:
            return False
    return True
