"""How a contrast of means would vary over other levels of its factors: words, names, texts, queries, documents.

Clark (1973), "The language-as-fixed-effect fallacy": a claim about kinds of words must count the words as drawn. A
table has an axis per factor: cosines have targets and attributes, scores queries, documents and names. Each factor has
groups of levels, whose means enter the contrast with a coefficient: 1 and -1 for X less Y, 1 alone for a mean, four
for a 2 x 2. The variance is the sum of what the levels of each group contribute, less the interactions of two factors,
which that sum counts twice, plus those of three, and so on; never below the largest main term. The degrees of freedom
are Satterthwaite's. Levels of one unit, such as king and kings, count once.

Student's t distribution is here without scipy, whose import takes longer than a whole test. The tail is a regularised
incomplete beta function, by its continued fraction (Lentz's method); scipy is its oracle in the tests.
"""

import math
from collections.abc import Collection, Sequence
from dataclasses import dataclass
from functools import cached_property
from itertools import combinations

import numpy as np

from imprint.types import Floats, Ints

FEWEST_UNITS = 4  # in a set; with fewer, the interval is too narrow

_MISSED = 0.2  # share of samples in which a detectable difference is not found
_TINY = 1e-300
_STEPS = 500


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


@dataclass(frozen=True, eq=False)
class Factor:
    """One axis of a table: consecutive groups of levels, each with the coefficient of its mean in the contrast.

    Parameters
    ----------
    units
        For each group, a number per level; levels with the same number are one unit, drawn together.
    coefficients
        One per group: (1.0,) for a mean, (1.0, -1.0) for a difference, (0.5, 0.5, -0.5, -0.5) for a main effect of a
        2 x 2, (1.0, -1.0, -1.0, 1.0) for its interaction.
    is_random
        Whether the contrast is about other levels, too; else about these alone.
    """

    units: tuple[Ints, ...]
    coefficients: tuple[float, ...] = (1.0,)
    is_random: bool = True

    @classmethod
    def of(cls, *sizes: int, coefficients: Sequence[float] = (1.0,), is_random: bool = True) -> "Factor":
        """Return a factor with groups of these sizes, whose levels are units."""
        return cls(tuple(np.arange(size) for size in sizes), tuple(coefficients), is_random)

    @cached_property
    def fewest(self) -> int:
        """How many units the smallest group has."""
        return min(len(set(group.tolist())) for group in self.units)

    def mean(self, tables: Floats, axis: int) -> Floats:
        """Return the contrast along an axis, which keeps the length 1."""
        weights = [np.full(len(group), part / len(group)) for group, part in self._groups]
        return np.asarray((tables.swapaxes(axis, -1) @ np.concatenate(weights)[:, None]).swapaxes(axis, -1))

    def moves(self, tables: Floats, axis: int) -> list[Floats]:
        """Return what each unit adds to the contrast along an axis, group by group, so that squares are unbiased."""
        turned, start, parts = tables.swapaxes(axis, -1), 0, []
        for group, coefficient in self._groups:
            block = turned[..., start : start + len(group)]
            start += len(group)
            sums = block - block.mean(axis=-1, keepdims=True)
            numbers, unit_of = np.unique(group, return_inverse=True)
            if len(numbers) < len(group):
                sums = sums @ np.eye(len(numbers))[unit_of]
            scale = coefficient / len(group) * math.sqrt(len(numbers) / (len(numbers) - 1))
            parts.append((sums * scale).swapaxes(axis, -1))
        return parts

    @property
    def _groups(self) -> list[tuple[Ints, float]]:
        return list(zip(self.units, self.coefficients, strict=True))


def contrast(tables: Floats, factors: Sequence[Factor]) -> Floats:
    """Return the contrast of each table; the first axis counts tables, then there is one per factor."""
    for axis, factor in enumerate(factors, 1):
        tables = factor.mean(tables, axis)
    return tables.reshape(len(tables))


def crossed_terms(
    tables: Floats, factors: Sequence[Factor], *, of_pairs: bool = False
) -> tuple[Floats, Floats, Floats]:
    """Return the main terms of each table's variance, group by group, what its interactions add, and main degrees.

    With `of_pairs` they are products of tables, all by all: the variance of a weighted sum of tables follows.
    """
    drawn = [axis for axis, factor in enumerate(factors, 1) if factor.is_random]
    mains: list[Floats] = []
    rest = np.zeros((len(tables), len(tables)) if of_pairs else len(tables))
    for size in range(1, len(drawn) + 1):
        for axes in combinations(drawn, size):
            for block in _moved(tables, factors, axes):
                flat = block.reshape(len(tables), -1)
                term = flat @ flat.T if of_pairs else np.einsum("ij,ij->i", flat, flat)
                if size == 1:
                    mains.append(term)
                else:
                    rest = rest + term if size % 2 else rest - term
    degrees = [len(np.unique(group)) - 1.0 for axis in drawn for group in factors[axis - 1].units]
    return np.array(mains), rest, np.array(degrees)


def crossed_interval(table: Floats, factors: Sequence[Factor], confidence: float) -> OverWords | None:
    """Return the contrast of one table with its interval over the levels of all random factors.

    None where a group has fewer than four units, or nothing varies.
    """
    if min((factor.fewest for factor in factors if factor.is_random), default=0) < FEWEST_UNITS:
        return None
    tables = table[None]
    return total_spread(*crossed_terms(tables, factors)).interval(float(contrast(tables, factors)[0]), confidence)


def total_spread(mains: Floats, rest: Floats, degrees: Floats) -> Spread:
    """Return the variance of main terms, groups by tables, and interactions, with its degrees of freedom."""
    total = mains.sum(axis=0)
    with np.errstate(divide="ignore", invalid="ignore"):
        df = total**2 / (mains**2 / degrees[:, None]).sum(axis=0)
    return Spread(np.maximum(total + rest, mains.max(axis=0)), df)


def smallest_detectable(error: float, df: float, confidence: float) -> float:
    """Return the smallest difference, either way, whose interval would exclude 0 four times in five."""
    return (quantile(1 - confidence, df) + quantile(2 * _MISSED, df)) * error


def sample_quantile(values: Floats, share: float) -> float:
    """Return what numpy.quantile does, to the last bit, without the 20 ms it takes to load masked arrays."""
    position = (len(values) - 1) * share
    below = math.floor(position)
    ends = [below, min(below + 1, len(values) - 1)]
    low, high = np.partition(values, ends)[ends]
    part = position - below
    return float(low + (high - low) * part if part < 0.5 else high - (high - low) * (1 - part))


def _moved(tables: Floats, factors: Sequence[Factor], axes: Collection[int]) -> list[Floats]:
    """Return what units of these axes add together, other axes being averaged; a table for each choice of groups."""
    blocks = [tables]
    for axis, factor in sorted(enumerate(factors, 1), key=lambda numbered: numbered[0] in axes):  # averages first
        blocks = [
            part
            for block in blocks
            for part in (factor.moves(block, axis) if axis in axes else [factor.mean(block, axis)])
        ]
    return blocks


def two_sided(t: float, df: float) -> float:
    """Return the chance of a value at least as far from zero as t; never exactly 0."""
    if not math.isfinite(t):
        return math.nan if math.isnan(t) else _TINY
    return max(_TINY, _incomplete_beta(df / 2, 0.5, t * t / df))


def quantile(tail: float, df: float) -> float:
    """Return the t that a two-sided test at level `tail` is held against."""
    low, high = 0.0, 1.0
    while two_sided(high, df) > tail:
        low, high = high, 2 * high
    while high - low > 1e-13 * high:
        middle = (low + high) / 2
        low, high = (middle, high) if two_sided(middle, df) > tail else (low, middle)
    return (low + high) / 2


def _incomplete_beta(a: float, b: float, odds: float) -> float:
    """Return I_x(a, b) at x = 1 / (1 + odds): odds keep what lies next to one precise."""
    x, rest = 1 / (1 + odds), odds / (1 + odds)
    if x == 0 or rest == 0:
        return float(rest == 0)
    log = math.lgamma(a + b) - math.lgamma(a) - math.lgamma(b) + a * math.log(x) + b * math.log(rest)
    if x < (a + 1) / (a + b + 2):
        return math.exp(log) * _fraction(a, b, x) / a
    return 1 - math.exp(log) * _fraction(b, a, rest) / b


def _fraction(a: float, b: float, x: float) -> float:
    c, d = 1.0, 1 / _away_from_zero(1 - (a + b) * x / (a + 1))
    value = d
    for m in range(1, _STEPS):
        for term in (
            m * (b - m) * x / ((a + 2 * m - 1) * (a + 2 * m)),
            -(a + m) * (a + b + m) * x / ((a + 2 * m) * (a + 2 * m + 1)),
        ):
            d = 1 / _away_from_zero(1 + term * d)
            c = _away_from_zero(1 + term / c)
            value *= d * c
        if abs(d * c - 1) < 1e-15:
            break
    return value


def _away_from_zero(value: float) -> float:
    return value if abs(value) > _TINY else _TINY
