"""Compiled loops behind cosines, permutation counts, rotations and learners; plain arrays in and out.

Imported only when first needed. Sums are int64 fixed point in the exact kernels, so ties are ties; the binned kernel
adds non-negative float64, so its rounding error has a simple bound (see `tails.py`).
"""

from typing import Any

import numpy as np

from imprint.compiled import compiled
from imprint.types import Floats, Floats32, Indices, Ints

ABSENT = np.float32(-1e30)  # stands where fewer than t words were found; far below any cosine

_ROWS = 8  # of counts, added up at once
_MOST_STEPS = 10_000_000  # towards the dual solution
_FLAT = 1e-12  # the least curve of a pair, where two rows are one
_ROUNDING = 2.0**-53


@compiled()
def subset_sums(costs: Ints, caps: Ints, capacity: int) -> Any:
    """List, for each k, the sums of all k-subsets of `costs` that do not exceed `caps[k]`, sorted.

    Returns (sums, offsets): those of size k are `sums[offsets[k]:offsets[k + 1]]`. `costs` are
    non-negative and descending, `caps` non-increasing in k, and at most `capacity` sums survive. An item
    is added by merging "without it" with "with it", two sorted lists, into the other of two buffers.
    """
    sizes = len(caps)
    old = np.zeros(capacity, dtype=np.int64)
    new = np.zeros(capacity, dtype=np.int64)
    old_offsets = np.ones(sizes + 1, dtype=np.int64)
    old_offsets[0] = 0  # one empty subset, of sum 0, of size 0
    new_offsets = np.zeros(sizes + 1, dtype=np.int64)
    for item in range(len(costs)):
        cost = costs[item]
        at = 0
        for k in range(sizes):
            new_offsets[k] = at
            i = old_offsets[k]
            i_end = old_offsets[k + 1]
            if k == 0:
                j = j_end = 0
            else:
                j = old_offsets[k - 1]
                j_end = old_offsets[k]
                limit = caps[k] - cost
                while j_end > j and old[j_end - 1] > limit:
                    j_end -= 1
            # The two branches below are written as arithmetic: which list is next is unpredictable, and a
            # mispredicted jump costs more than the whole step.
            while i < i_end and j < j_end:
                without = old[i]
                with_item = old[j] + cost
                first = without <= with_item
                new[at] = without if first else with_item
                i += first
                j += not first
                at += 1
            while i < i_end:
                new[at] = old[i]
                i += 1
                at += 1
            while j < j_end:
                new[at] = old[j] + cost
                j += 1
                at += 1
        new_offsets[sizes] = at
        old, new = new, old
        old_offsets, new_offsets = new_offsets, old_offsets
    return old[: old_offsets[sizes]].copy(), old_offsets


@compiled()
def count_pairs(first: Ints, second: Ints, limit: int) -> int:
    """Count the pairs, one of each sorted list, whose sum is at most `limit`."""
    total = 0
    i = 0
    j = len(second)
    while i < len(first) and j > 0:
        over = first[i] + second[j - 1] > limit
        total += 0 if over else j
        i += not over
        j -= over
    return total


@compiled()
def binned_subset_counts(bins: Ints, caps: Ints) -> Floats:
    """Count, for each k and each whole number q, the k-subsets of `bins` that sum to q <= caps[k].

    `bins` are non-negative and ascending, `caps` non-increasing in k. Returns a (len(caps), caps[0] + 1)
    table of float64 counts. Each item adds row k - 1, shifted, to row k; only the stretch of a row that can
    be non-zero is touched.
    """
    sizes = len(caps)
    table = np.zeros((sizes, caps[0] + 1))
    table[0, 0] = 1.0
    lowest = np.zeros(sizes, dtype=np.int64)  # smallest sum of k items: they come in ascending order
    for k in range(1, sizes):
        lowest[k] = lowest[k - 1] + bins[k - 1]
    highest = np.full(sizes, -1, dtype=np.int64)
    highest[0] = 0
    for item in range(len(bins)):
        shift = bins[item]
        for k in range(min(item + 1, sizes - 1), 0, -1):
            start = lowest[k - 1]
            end = min(caps[k] - shift, highest[k - 1])
            if end < start:
                continue
            source = table[k - 1, start : end + 1]
            target = table[k, start + shift : end + shift + 1]
            for q in range(len(source)):
                target[q] += source[q]
            highest[k] = max(highest[k], end + shift)
    return table


@compiled()
def add_along_rows(table: Floats) -> None:
    """Replace numbers by their sums from the start of the row on.

    Each addition waits for the one before it, so several rows are gone along at once.
    """
    rows, columns = table.shape
    for first in range(0, rows, _ROWS):
        for q in range(1, columns):
            for row in range(first, min(first + _ROWS, rows)):
                table[row, q] += table[row, q - 1]


@compiled()
def sum_pairs(counts: Floats, running: Floats, limit: int) -> float:
    """Sum, over i, counts[i] times how many of the other side come to at most limit - i (`running`)."""
    total = 0.0
    last = len(running) - 1
    for i in range(min(limit, len(counts) - 1) + 1):
        total += counts[i] * running[min(limit - i, last)]
    return total


# Scores are finite, which lets maxima compile to single instructions.
@compiled(fastmath={"nnan", "ninf", "nsz"})
def keep_largest(scores: Floats32, groups: int, overlapping: bool, largest: Floats32) -> None:
    """Merge rows of scores into the largest few of each column, in place.

    Columns go group by group and, within a group, rotation by rotation, so that every inner loop runs along
    rotations and vectorises. Unless `overlapping`, a word (row) counts only for the group that scores it highest.
    `largest` has one row a rank, descending, and starts as ABSENT.
    """
    rotations = scores.shape[1] // groups
    best = np.full(rotations, ABSENT, dtype=np.float32)
    pushed = np.empty(rotations, dtype=np.float32)
    for row in range(scores.shape[0]):
        if not overlapping:
            best[:] = scores[row, :rotations]
            for group in range(1, groups):
                # A slice, not start + r: that sum might be negative for all the compiler knows, and a negative
                # index counts from the end, so nothing would vectorise.
                here = scores[row, group * rotations : (group + 1) * rotations]
                for r in range(rotations):
                    best[r] = max(best[r], here[r])
        for group in range(groups):
            here = scores[row, group * rotations : (group + 1) * rotations]
            for r in range(rotations):
                pushed[r] = here[r] if here[r] >= best[r] else ABSENT
            for rank in range(largest.shape[0]):
                of_rank = largest[rank, group * rotations : (group + 1) * rotations]
                for r in range(rotations):
                    score = pushed[r]
                    pushed[r] = min(of_rank[r], score)
                    of_rank[r] = max(of_rank[r], score)


@compiled()
def nearest_two(away: Floats32, nearest: Indices, first: Floats32, second: Floats32) -> None:
    """Write the column of the smallest number of each row, that number and the next larger one."""
    for row in range(away.shape[0]):
        least = next_least = np.float32(np.inf)
        where = 0
        for column in range(away.shape[1]):
            value = away[row, column]
            if value < least:
                next_least, least, where = least, value, column
            elif value < next_least:
                next_least = value
        nearest[row], first[row], second[row] = where, least, next_least


@compiled()
def add_rows(rows: Floats32, weights: Floats32, labels: Indices, sums: Floats32) -> None:
    """Add each row, times its weight, to the sum of its label."""
    for row in range(rows.shape[0]):
        for column in range(rows.shape[1]):
            sums[labels[row], column] += rows[row, column] * weights[row]


@compiled()
def solve_dual(inner: Floats, least: Floats, most: Floats, gap: float, pulls: Floats, left: Floats) -> None:
    """Find the pulls of the rows of a support vector machine: each between two bounds, their sum zero.

    Two pulls at a time move by the same amount, the pair with the largest second-order gain (Fan, Chen and Lin, 2005),
    until what they leave differs by less than `gap`. `pulls` starts as zeros and `left`, signs less scores, as signs.
    """
    for _ in range(_MOST_STEPS):
        up, highest = -1, -np.inf
        for row in range(len(pulls)):
            if left[row] > highest and pulls[row] < most[row]:
                up, highest = row, left[row]
        down, lowest, best, bend = -1, np.inf, 0.0, 1.0
        for row in range(len(pulls)):
            if pulls[row] > least[row]:
                lowest = min(lowest, left[row])
                gain = highest - left[row]
                curve = max(inner[up, up] + inner[row, row] - 2 * inner[up, row], _FLAT)
                if gain > 0 and gain * gain / curve > best:
                    down, best, bend = row, gain * gain / curve, curve
        if down < 0 or highest - lowest < gap:
            return
        room, floor = most[up] - pulls[up], pulls[down] - least[down]
        step = min((highest - left[down]) / bend, room, floor)
        pulls[up] = most[up] if step == room else pulls[up] + step  # at a bound exactly, not nearly
        pulls[down] = least[down] if step == floor else pulls[down] - step
        for row in range(len(pulls)):
            left[row] -= step * (inner[row, up] - inner[row, down])


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
