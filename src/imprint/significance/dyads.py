"""Correlations over pairs of things, and how sure they are where pairs share things.

MEN has 3,000 pairs of 751 words. Pairs that share a word go wrong together, and an interval that takes them for
independent is too narrow. Here each pair's influence on the correlation is multiplied with those of all pairs that
share a thing with it (the delta method with the dyadic variance of Fafchamps and Gubert 2007, and of Aronow, Samii and
Assenova 2015). Nothing is drawn at random.
"""

import math
from dataclasses import dataclass

import numpy as np

from imprint.significance.ranks import midranks
from imprint.types import Floats, Ints

FEWEST_PAIRS = 10  # below, the influences of so few pairs say little of their spread

_LEVEL = 0.95
_NOTHING = 1e-9


@dataclass(frozen=True)
class Influences:
    """A correlation, and its derivative by the weight of each pair, times their number."""

    value: float
    each: Floats


class Dyads:
    """Which pairs share things: pair i is of the things first[i] and second[i], numbered from 0."""

    def __init__(self, first: Ints, second: Ints) -> None:
        self._first, self._second = first, second
        self._things = len(np.unique([first, second]))
        self._are_few = len(first) < FEWEST_PAIRS
        low, high = np.minimum(first, second), np.maximum(first, second)
        kinds, self._kind = np.unique(low * (high.max() + 1) + high, return_inverse=True)
        self._of_two = (kinds // (high.max() + 1)) != (kinds % (high.max() + 1))

    def standard_error(self, each: Floats) -> float:
        """Return the standard error of a value with these influences.

        Summing by thing counts two pairs of the same two things twice, so these are taken off once. By chance what is
        left may be less than the variance of independent pairs: then the larger one is used.
        """
        by_thing = np.bincount(self._first, each, minlength=int(self._second.max()) + 1)
        apart = self._first != self._second
        by_thing += np.bincount(self._second[apart], each[apart], minlength=len(by_thing))
        by_kind = np.bincount(self._kind, each)
        independent = float(by_kind @ by_kind)
        sharing = float(by_thing @ by_thing) - float(by_kind[self._of_two] @ by_kind[self._of_two])
        return math.sqrt(max(independent, sharing)) / len(each)

    def interval(self, one: Influences) -> tuple[float, float]:
        """Return the correlation's 95 % interval, on Fisher's scale, where its spread hardly depends on its value.

        NaN of fewer than ten pairs, and where no pair seems to matter, as in a perfect correlation: not certainty.
        """
        left, error = 1 - one.value**2, self.standard_error(one.each)
        if self._are_few or min(left, error) < _NOTHING:
            return math.nan, math.nan
        middle, reach = math.atanh(one.value), self._quantile() * error / left
        return math.tanh(middle - reach), math.tanh(middle + reach)

    def difference(self, one: Influences, other: Influences) -> tuple[float, float]:
        """Return the 95 % interval of the first correlation less the second, over the same pairs; NaN as above."""
        middle, each = one.value - other.value, one.each - other.each
        error = self.standard_error(each)
        if self._are_few or (error < _NOTHING and max(abs(middle), np.abs(each).max()) > _NOTHING):
            return math.nan, math.nan
        reach = self._quantile() * error
        return middle - reach, middle + reach

    def _quantile(self) -> float:
        from scipy.special import stdtrit  # scipy.stats takes half a second to import

        # As many independent terms as things, or pairs where these are fewer: Student's t, as is usual for clusters.
        return float(stdtrit(min(self._things, len(self._first)) - 1, (1 + _LEVEL) / 2))


def pearson(x: Floats, y: Floats) -> Influences:
    """Return Pearson's correlation; neither side may be constant."""
    x, y = ((side - side.mean()) / side.std() for side in (x, y))
    value = float(np.clip(np.mean(x * y), -1, 1))
    return Influences(value, x * y - value * (x * x + y * y) / 2)


def spearman(x: Floats, y: Floats) -> Influences:
    """Return Spearman's correlation: Pearson's of the ranks, in which every pair moves the ranks of all others too."""
    places = [np.unique(side, return_inverse=True)[1] for side in (x, y)]
    ranks = midranks(np.stack([x, y]))
    by_rank = pearson(*ranks)
    each = by_rank.each.copy()
    left, right = ((side - side.mean()) / side.std() for side in ranks)
    for steps, rank, mine, theirs in ((places[0], ranks[0], left, right), (places[1], ranks[1], right, left)):
        # What one step up of each rank does, summed over the ranks that lie above: ties move half a step.
        slope = (theirs - by_rank.value * mine) / rank.std()
        together = np.bincount(steps, slope)
        above = np.cumsum(together[::-1])[::-1] - together / 2
        each += above[steps]
    return Influences(by_rank.value, each)
