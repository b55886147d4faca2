"""Any statistic of labelled words: its p-value over other labels or signs, and its interval over words.

The statistic is given as a function of which words are in which group, many choices at a time. Labels are exchanged in
all ways where these are few, and otherwise at random. The interval is a jackknife within sets: V is the sum over sets
of (m - 1) / m times the squared deviations with one of its m units left out, less the interaction of targets and
attributes, with Satterthwaite's degrees of freedom. Of a difference of mean cosines it is the
interval of `crossed`, where all units have equally many words.

The sign test asks whether a sum of terms t is larger than random signs make it: P(|sum of +-t| >= |sum of t|).
"""

import math
from collections.abc import Callable, Collection, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from itertools import product
from typing import Literal, get_args

import numpy as np
import numpy.typing as npt

from imprint.significance.crossed import FEWEST_UNITS, quantile
from imprint.significance.partitions import CONFIDENCE, CountMethod, binomial_interval
from imprint.significance.rotations import chunks
from imprint.types import Flags, Floats, Ints

BiasedTail = Literal["both", "low", "high"]
Role = Literal["targets", "attributes"]
Labels = npt.NDArray[np.int16]  # the number of each word's group, in many choices

ROLES: tuple[Role, ...] = get_args(Role)
LEFT_OUT = -1  # the number of no group

MOST_LABELLINGS = 20_000  # that are all tried; of more, DRAWS are drawn
DRAWS = 9_999
MOST_PAIRS_OF_HALF = 17

_CHUNK = 1_000  # labellings from one seed
_SAME = 1e-12  # relative: what rounding may take off a statistic
_CELLS = 131_072  # of the grid of sums with random signs, from zero to the largest
_UNSEEN = 1e-12  # chance that rounding to the grid hides more than is allowed for


@dataclass(frozen=True, eq=False)
class Chosen:
    """The group that each target and each attribute is in, by its number: one choice a row, `LEFT_OUT` for none.

    Of two groups the first are X and A, the second Y and B.
    """

    targets: Labels
    attributes: Labels

    @classmethod
    def of(cls, targets: Sequence[int], attributes: Sequence[int]) -> "Chosen":
        """Return the one choice that is observed: so many words of each group, group after group."""
        return cls(*(np.repeat(np.arange(len(sizes), dtype=np.int16), sizes)[None] for sizes in (targets, attributes)))

    @cached_property
    def x(self) -> Flags:
        """Which targets are in X."""
        return np.asarray(self.targets == 0)

    @cached_property
    def y(self) -> Flags:
        """Which targets are in Y."""
        return np.asarray(self.targets == 1)

    @cached_property
    def a(self) -> Flags:
        """Which attributes are in A."""
        return np.asarray(self.attributes == 0)

    @cached_property
    def b(self) -> Flags:
        """Which attributes are in B."""
        return np.asarray(self.attributes == 1)

    def whole(self) -> "Chosen":
        """Return it with as many rows of targets as of attributes: those that do not change are given once."""
        choices = max(len(self.targets), len(self.attributes))
        return Chosen(*(np.broadcast_to(side, (choices, side.shape[1])) for side in (self.targets, self.attributes)))


@dataclass(frozen=True)
class NullTest:
    """Where an observed value lies among those without a difference.

    `expected` is their mean. `p_low` and `p_high` bound the exact p-value: they are it where all labels were tried,
    and None where bounds were not asked for. So many labellings were `tried`.
    """

    p_value: float
    p_low: float | None
    p_high: float | None
    p_floor: float
    expected: float
    tried: int
    p_method: CountMethod = "exact"


def relabellings(observed: Labels, seed: np.random.SeedSequence) -> tuple[Labels, bool]:
    """Return ways to exchange words, given the number of each one's group: these first, and whether they are all."""
    sizes = np.bincount(observed).tolist()
    if math.prod(math.comb(sum(sizes[group:]), size) for group, size in enumerate(sizes)) > MOST_LABELLINGS:
        drawn = [
            np.random.default_rng(child).permuted(np.tile(observed, (count, 1)), axis=1)
            for count, child in chunks(DRAWS, seed, _CHUNK)
        ]
        return np.vstack([observed, *drawn]), False
    orders, left = np.empty((1, 0), dtype=observed.dtype), np.array([sizes])
    for _ in observed:
        rows, groups = np.nonzero(left)
        orders, left = np.column_stack([orders[rows], groups.astype(observed.dtype)]), left[rows]
        left[np.arange(len(rows)), groups] -= 1
    return orders, True


def exchanges(pairs: int, seed: np.random.SeedSequence) -> tuple[Flags, bool]:
    """Return ways to exchange the words of pairs, none exchanged first, and whether they are all there are."""
    if 2**pairs <= MOST_LABELLINGS:
        numbers = np.arange(2**pairs)[:, None]
        return (numbers >> np.arange(pairs) & 1).astype(bool), True
    drawn = [np.random.default_rng(child).random((count, pairs)) < 0.5 for count, child in chunks(DRAWS, seed, _CHUNK)]
    return np.vstack([np.zeros((1, pairs), dtype=bool), *drawn]), False


def exchange_test(scores: Floats) -> NullTest | None:
    """Count the signs of scores, one per pair, that give as large a mean on either side; None of more than 34 pairs.

    The sums of one half of the pairs are looked up among those of the other, so all 2^n signs are counted.
    """
    if len(scores) > 2 * MOST_PAIRS_OF_HALF:
        return None
    first, second = (_signed_sums(half) for half in (scores[::2], scores[1::2]))
    size = float(np.abs(scores).sum())
    reached = abs(float(scores.sum())) - _SAME * size
    second = np.sort(second)
    above = int((len(second) - np.searchsorted(second, reached - first)).sum())
    p_value = 1.0 if reached <= 0 else min(1.0, 2 * above / 2 ** len(scores))  # signs turned give the other side
    floor = min(1.0, 2.0 ** (1 + int(np.sum(np.abs(scores) <= _SAME * size)) - len(scores)))
    return NullTest(p_value, p_value, p_value, floor, 0.0, 2 ** len(scores))


def place_among(
    null: Floats, *, exact: bool, tail: BiasedTail, centre: float | None = None, bounds: bool = True
) -> NullTest:
    """Place the first of the values, the observed one, among all.

    Two-sided, values count that are as far from `centre`, or else from the mean of all, which does not change when
    labels are exchanged, so that the p-value is valid. A value that does not exist counts as reached.
    """
    expected = float(np.nanmean(null)) if centre is None or tail != "both" else centre
    null = np.where(np.isnan(null), null[0], null)
    away = {"both": np.abs(null - expected), "low": -null, "high": null}[tail]
    slack = _SAME * float(np.abs(null).max())
    reached, tried = int(np.sum(away >= away[0] - slack)), len(null)
    p_value = reached / tried
    if exact:
        floor = int(np.sum(away >= away.max() - slack)) / tried
        return NullTest(p_value, p_value, p_value, floor, expected, tried)
    if not bounds:
        return NullTest(p_value, None, None, 1 / tried, expected, tried, "sampled")
    low, high = binomial_interval(reached - 1, tried - 1, CONFIDENCE)
    return NullTest(p_value, low, high, 1 / tried, expected, tried, "sampled")


def jackknife(
    statistic: Callable[[Chosen], Floats],
    observed: Chosen,
    units: tuple[Sequence[int], Sequence[int]],
    *,
    paired: bool = False,
    crossed: bool = False,
    sampled: Collection[Role] = ROLES,
) -> "Jackknifed | None":
    """Leave out one unit after another of each group; None where a group that counts has fewer than four.

    `units` numbers the units of targets and of attributes, such as a word and its inflections. A group without words
    does not count, nor do roles that are not `sampled`. Of pairs, the words of X and of Y are left out together.
    Targets and attributes are both drawn, so the sum over groups counts their interaction twice; where `crossed`, one
    of each is left out to take it off once.
    """
    targets = _without_each(observed.targets[0], units[0], together=paired) if "targets" in sampled else []
    attributes = _without_each(observed.attributes[0], units[1]) if "attributes" in sampled else []
    counts = np.array([len(left) for left in targets + attributes])
    if (counts < FEWEST_UNITS).any():
        return None
    choices = [replace(observed, targets=left) for left in targets]
    choices += [replace(observed, attributes=left) for left in attributes]
    terms = np.array([squares_left_out(statistic(chosen.whole())) for chosen in choices])
    twice = 0.0
    if crossed:
        for left, other in product(targets, attributes):
            both = Chosen(np.repeat(left, len(other), axis=0), np.tile(other, (len(left), 1)))
            twice += squares_left_out(statistic(both).reshape(len(left), len(other)))
    return Jackknifed.of(float(statistic(observed)[0]), terms, counts - 1, twice)


def squares_left_out(values: Floats) -> float:
    """Return (m - 1) / m times the squared deviations along every axis of m values with a unit left out."""
    scale = 1.0
    for axis, size in enumerate(values.shape):
        values = values - values.mean(axis=axis, keepdims=True)
        scale *= (size - 1) / size
    return scale * float((values**2).sum())


@dataclass(frozen=True)
class Jackknifed:
    """A value with its standard error over words and the degrees of freedom behind that."""

    value: float
    error: float
    df: float

    @classmethod
    def of(cls, value: float, terms: Floats, degrees: Ints, twice: float = 0.0) -> "Jackknifed":
        """Add up what sets contribute, less what they count twice."""
        total = float(terms.sum())
        variance = max(total - twice, float(terms.max(initial=0.0))) if math.isfinite(twice) else total
        with np.errstate(divide="ignore", invalid="ignore"):
            return cls(value, float(np.sqrt(variance)), float(total**2 / np.sum(terms**2 / degrees)))

    def interval(self, confidence: float) -> tuple[float, float] | tuple[None, None]:
        """Return the ends of the value's interval; None where no word matters, or a value does not exist."""
        if not (math.isfinite(self.value) and math.isfinite(self.error) and self.error > 0):
            return None, None
        half = quantile(1 - confidence, self.df) * self.error
        return self.value - half, self.value + half


def exact_sign_test(terms: Floats) -> float:
    """Return the chance over all signs, at most a little too large.

    The sum's distribution is built term by term on a grid; what the grid may hide counts as reached.
    """
    sizes = np.abs(np.asarray(terms, dtype=np.float64))
    total = float(sizes.sum())
    if total == 0:
        return 1.0
    steps = np.rint(sizes * (_CELLS / total)).astype(np.int64)
    # Terms are rounded by half a cell at most. With random signs these errors pass `slack` with a chance of at most
    # `_UNSEEN` (Hoeffding 1963), which is added.
    slack = min(len(sizes) / 2, math.sqrt(len(sizes) * math.log(2 / _UNSEEN) / 2))
    reached = abs(float(np.sum(terms))) * _CELLS / total - slack
    reach = int(steps.sum())
    chances = np.ones(1)
    for step in steps.tolist():
        half = 0.5 * chances
        chances = np.zeros(len(half) + 2 * step)
        chances[2 * step :] = half
        chances[: len(half)] += half
    distance = np.abs(np.arange(-reach, reach + 1))
    return float(min(1.0, chances[distance >= reached].sum() + _UNSEEN))


def _without_each(numbers: Labels, units: Sequence[int], *, together: bool = False) -> list[Labels]:
    """Return the numbers without each unit in turn, for each group that has words, or for all groups together."""
    listed = np.asarray(units)
    groups = [numbers != LEFT_OUT] if together else [numbers == group for group in np.unique(numbers)]
    return [np.where(listed == np.unique(listed[members])[:, None], LEFT_OUT, numbers) for members in groups]


def _signed_sums(scores: Floats) -> Floats:
    sums = np.zeros(1)
    for score in scores.tolist():
        sums = np.concatenate([sums + score, sums - score])
    return sums
