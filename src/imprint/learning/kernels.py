"""The compiled loops of clusters and support vector machines; plain arrays in and out."""

import numpy as np

from imprint.compiled import compiled
from imprint.types import Floats, Floats32, Indices

MOST_STEPS = 10_000_000
_FLAT = 1e-12  # the least curve of a pair, where two rows are one


@compiled()
def nearest_two(away: Floats32, nearest: Indices, first: Floats32, second: Floats32) -> None:
    """Write the column of the smallest number of each row, that number and the next larger one."""
    for row in range(away.shape[0]):
        least = next_least = np.float32(np.inf)
        place = 0
        for column in range(away.shape[1]):
            value = away[row, column]
            if value < least:
                next_least, least, place = least, value, column
            elif value < next_least:
                next_least = value
        nearest[row], first[row], second[row] = place, least, next_least


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
    for _ in range(MOST_STEPS):
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
