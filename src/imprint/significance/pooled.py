"""The mean of several mean differences whose tables share words, and how it would vary over other words.

Tests of one topic ask about the same names, so they are not independent findings. What one unit, a word with its
inflections, contributes to the mean is summed over every table and set it is in. The squares of these sums add up to
the jackknife's variance, without leaving anything out. They count the interaction of two words twice, once with each
of them, so it is taken off once. For one table, the interval is that of `crossed`.

A jackknife within strata, words with the same memberships, would measure how words vary around their stratum's mean.
It loses a degree of freedom per stratum: a stratum of one word, such as the one name that two tests share,
contributes nothing, and one of three contributes less than half of its share. Here words vary around the mean of the
set they were drawn for, however many strata it falls into. Strata only decide how many degrees of freedom there are
(Satterthwaite). In simulations of the catalogue's topics, 95 % intervals hold the truth 93 to 97 times in a hundred;
those of the jackknife within strata 93 to 100 times, since it does not take interactions off.
"""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from imprint.significance.crossed import FEWEST_UNITS, OverWords, Spread, mean_differences
from imprint.types import Floats, Ints

_Side = tuple[slice, Ints]  # where a set is in rows or columns, and the units of its words

_SIGNS = (1, -1, 1, -1)  # of X, Y, A and B in the mean difference


@dataclass(frozen=True, eq=False)
class UnitTable:
    """A table of cosines, X above Y and A left of B, with the number of the unit of each row and column.

    One number is one unit in all tables.
    """

    cosines: Floats
    n_x: int
    n_a: int
    rows: Ints
    columns: Ints

    def sides(self) -> tuple[_Side, _Side, _Side, _Side]:
        """Return where X, Y, A and B are in rows or columns, and the units of their words."""
        return (
            (slice(None, self.n_x), self.rows[: self.n_x]),
            (slice(self.n_x, None), self.rows[self.n_x :]),
            (slice(None, self.n_a), self.columns[: self.n_a]),
            (slice(self.n_a, None), self.columns[self.n_a :]),
        )

    def margins(self) -> tuple[Floats, Floats, Floats, Floats]:
        """Return the targets' scores and the attributes' differences, twice each: once per side."""
        scores = self.cosines[:, : self.n_a].mean(axis=1) - self.cosines[:, self.n_a :].mean(axis=1)
        contrasts = self.cosines[: self.n_x].mean(axis=0) - self.cosines[self.n_x :].mean(axis=0)
        return scores, scores, contrasts, contrasts

    def blocks(self) -> tuple[tuple[_Side, _Side, int], ...]:
        """Return the four blocks of targets and attributes, each with its sign in the mean difference."""
        x, y, a, b = self.sides()
        return (x, a, 1), (x, b, -1), (y, a, -1), (y, b, 1)

    @property
    def fewest(self) -> int:
        """How many units the smallest set has."""
        return min(len(np.unique(units)) for _, units in self.sides())


def pooled(tables: Sequence[UnitTable], *, confidence: float) -> OverWords | None:
    """Return the interval over words of the mean of the tables' mean differences.

    None where a set has fewer than four units, or no word varies.
    """
    if min(table.fewest for table in tables) < FEWEST_UNITS:
        return None
    number = 1 + max(int(max(table.rows.max(), table.columns.max())) for table in tables)
    influences = np.zeros(number)
    pairs, interactions = [], []
    for table in tables:
        for (where, units), values, sign in zip(table.sides(), table.margins(), _SIGNS, strict=True):
            own = values[where]
            np.add.at(influences, units, sign * _unbiased(units) * (own - own.mean()) / len(own))
        for rows, columns, sign in table.blocks():
            block = table.cosines[rows[0], columns[0]]
            left = block - block.mean(axis=1, keepdims=True) - block.mean(axis=0) + block.mean()
            scale = sign * _unbiased(rows[1]) * _unbiased(columns[1]) / block.size
            # A pair of words is one, whichever of the two is the target.
            ends = (rows[1][:, None], columns[1])
            pairs.append((np.minimum(*ends) * number + np.maximum(*ends)).ravel())
            interactions.append((scale * left).ravel())
    _, place = np.unique(np.concatenate(pairs), return_inverse=True)
    twice = (np.bincount(place, weights=np.concatenate(interactions)) ** 2).sum()
    terms, degrees = _by_strata(influences**2, tables)
    variance = max(terms.sum() - twice, terms.max()) / len(tables) ** 2
    df = terms.sum() ** 2 / (terms**2 / degrees).sum() if terms.any() else np.nan
    difference = np.mean([mean_differences(table.cosines[None], table.n_x, table.n_a)[0] for table in tables])
    return Spread(np.array([variance]), np.array([df])).interval(float(difference), confidence)


def _unbiased(units: Ints) -> float:
    """Return what makes up for deviations being taken from the mean of the units themselves."""
    count = len(np.unique(units))
    return float(np.sqrt(count / (count - 1)))


def _by_strata(squares: Floats, tables: Sequence[UnitTable]) -> tuple[Floats, Floats]:
    """Return the sum of squares of each stratum, and its degrees of freedom: a set of n units has n - 1 in all."""
    memberships: dict[int, list[int]] = {}
    share: dict[int, float] = {}
    for place, (_, units) in enumerate(side for table in tables for side in table.sides()):
        own = np.unique(units).tolist()
        for unit in own:
            memberships.setdefault(unit, []).append(place)
            share[unit] = min(share.get(unit, 1.0), 1 - 1 / len(own))
    strata: dict[tuple[int, ...], list[int]] = {}
    for unit, places in memberships.items():
        strata.setdefault(tuple(places), []).append(unit)
    terms = [squares[units].sum() for units in strata.values()]
    degrees = [sum(share[unit] for unit in units) for units in strata.values()]
    return np.array(terms), np.array(degrees)
