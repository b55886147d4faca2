"""Any statistic of labelled words: its p-value over other labels or signs, and its interval over words.

The statistic is given as a function of which words are in which set, many choices at a time. Labels are exchanged in
all ways where these are few, and otherwise at random. The interval is a jackknife within sets: V is the sum over sets
of (m - 1) / m times the squared deviations with one of its m units left out, less the interaction of targets and
attributes, with Satterthwaite's degrees of freedom. Of a difference of mean cosines it is the
interval of `crossed`, where all units have equally many words.

The sign test asks whether a sum of terms t is larger than random signs make it: P(|sum of +-t| >= |sum of t|).
"""

import math
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, replace
from itertools import combinations, product
from typing import Any, Literal, get_args

import numpy as np
import numpy.typing as npt

from imprint.significance.crossed import FEWEST_UNITS, quantile
from imprint.significance.partitions import CONFIDENCE, CountMethod, binomial_interval
from imprint.types import Flags, Floats, Ints

BiasedTail = Literal["both", "low", "high"]
Side = Literal["x", "y", "a", "b"]

SIDES: tuple[Side, ...] = get_args(Side)

MOST_LABELLINGS = 20_000  # that are all tried; of more, DRAWS are drawn
DRAWS = 9_999
MOST_PAIRS_OF_HALF = 17

_CHUNK = 1_000  # labellings from one seed
_SAME = 1e-12  # relative: what rounding may take off a statistic
_CELLS = 131_072  # of the grid of sums with random signs, from zero to the largest
_UNSEEN = 1e-12  # chance that rounding to the grid hides more than is allowed for


@dataclass(frozen=True, eq=False)
class Chosen:
    """Which words are in X, Y, A and B: one choice a row, True where a word is in."""

    x: Flags
    y: Flags
    a: Flags
    b: Flags

    @classmethod
    def of(cls, targets: tuple[int, int], attributes: tuple[int, int]) -> "Chosen":
        """Return the one choice that is observed: the first words are in X and in A, the others in Y and in B."""
        x, a = (np.arange(sum(sizes))[None] < sizes[0] for sizes in (targets, attributes))
        return cls(x, ~x, a, ~a)

    def __len__(self) -> int:
        return max(len(side) for side in (self.x, self.y, self.a, self.b))

    def whole(self) -> "Chosen":
        """Return it with every side as long as the longest: sides that do not change are given once."""
        sides = (np.broadcast_to(side, (len(self), side.shape[1])) for side in (self.x, self.y, self.a, self.b))
        return Chosen(*sides)


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


def relabellings(first: int, size: int, seed: np.random.SeedSequence) -> tuple[Flags, bool]:
    """Return ways to choose `first` of so many words, the observed one first, and whether they are all there are."""
    observed = np.arange(size) < first
    if math.comb(size, first) <= MOST_LABELLINGS:
        chosen = np.zeros((math.comb(size, first), size), dtype=bool)
        places = np.array(list(combinations(range(size), first)), dtype=np.int64).reshape(len(chosen), first)
        np.put_along_axis(chosen, places, values=True, axis=1)
        return chosen, True
    return _drawn(observed, seed), False


def group_relabellings(numbers: Ints, seed: np.random.SeedSequence) -> tuple[Ints, bool]:
    """Return ways to exchange the words of groups, given the number of each word's group; as `relabellings` does."""
    every, left = 1, len(numbers)
    for size in np.bincount(numbers):
        every, left = every * math.comb(left, int(size)), left - int(size)
        if every > MOST_LABELLINGS:
            return _drawn(numbers, seed), False
    return np.array(list(_orders(tuple(np.bincount(numbers).tolist())))), True


def exchanges(pairs: int, seed: np.random.SeedSequence) -> tuple[Flags, bool]:
    """Return ways to exchange the words of pairs, none exchanged first, and whether they are all there are."""
    if 2**pairs <= MOST_LABELLINGS:
        numbers = np.arange(2**pairs)[:, None]
        return (numbers >> np.arange(pairs) & 1).astype(bool), True
    chunks = [
        np.random.default_rng(child).random((min(_CHUNK, DRAWS - start), pairs)) < 0.5
        for start, child in zip(range(0, DRAWS, _CHUNK), seed.spawn(-(-DRAWS // _CHUNK)), strict=True)
    ]
    return np.vstack([np.zeros((1, pairs), dtype=bool), *chunks]), False


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
    sampled: Sequence[Side] = SIDES,
) -> "Jackknifed | None":
    """Leave out one unit after another of each set; None where a set that counts has fewer than four.

    `units` numbers the units of targets and of attributes, such as a word and its inflections. A set without words
    does not count, nor does one that is not `sampled`. Of pairs, the words of X and of Y are left out together.
    Targets and attributes are both drawn, so the sum over sets counts their interaction twice; where `crossed`, one of
    each is left out to take it off once.
    """
    value = float(statistic(observed)[0])
    sides = [
        [_without(observed, names, np.asarray(units[role])) for names in of_role if names[0] in sampled]
        for role, of_role in enumerate((("xy",) if paired else ("x", "y"), ("a", "b")))
    ]
    targets, attributes = ([one for one in of_role if one is not None] for of_role in sides)
    if any(len(one) < FEWEST_UNITS for one in targets + attributes):
        return None
    terms = np.array(
        [squares_left_out(statistic(replace(observed, **one.left).whole())) for one in targets + attributes]
    )
    degrees = np.array([len(one) - 1 for one in targets + attributes])
    twice = 0.0
    if crossed:
        for one, other in product(targets, attributes):
            both = {name: np.repeat(flags, len(other), axis=0) for name, flags in one.left.items()}
            both |= {name: np.tile(flags, (len(one), 1)) for name, flags in other.left.items()}
            twice += squares_left_out(statistic(replace(observed, **both)).reshape(len(one), len(other)))
    return Jackknifed.of(value, terms, degrees, twice)


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


def _orders(left: tuple[int, ...]) -> Iterator[tuple[int, ...]]:
    """Return all orders of so many numbers of each group."""
    if not any(left):
        yield ()
    for number, size in enumerate(left):
        if size:
            fewer = (*left[:number], size - 1, *left[number + 1 :])
            yield from ((number, *rest) for rest in _orders(fewer))


def _drawn(labels: Flags | Ints, seed: np.random.SeedSequence) -> npt.NDArray[Any]:
    """Return the labels, and after them as they are in random orders."""
    chunks = [
        np.random.default_rng(child).permuted(np.tile(labels, (min(_CHUNK, DRAWS - start), 1)), axis=1)
        for start, child in zip(range(0, DRAWS, _CHUNK), seed.spawn(-(-DRAWS // _CHUNK)), strict=True)
    ]
    return np.vstack([labels, *chunks])


def _signed_sums(scores: Floats) -> Floats:
    sums = np.zeros(1)
    for score in scores.tolist():
        sums = np.concatenate([sums + score, sums - score])
    return sums


@dataclass(frozen=True, eq=False)
class _LeftOut:
    """Sides with one unit after another left out, one a row."""

    left: dict[str, Flags]

    def __len__(self) -> int:
        return len(next(iter(self.left.values())))


def _without(observed: Chosen, names: str, numbers: Ints) -> _LeftOut | None:
    """Leave units out of a side, or of two together; None where the side is empty."""
    members = np.unique(numbers[getattr(observed, names[0])[0]])
    others = numbers != members[:, None]
    return _LeftOut({name: getattr(observed, name) & others for name in names}) if len(members) else None
