"""How much nearer X is to A than Y is, as a share of the distance between A and B, with its interval over words.

For unit rows, u = mean X - mean Y and v = mean A - mean B, the size is s = d / D: d = u.v is the mean difference, and
D = |v|^2 - tr var(A) / nA - tr var(B) / nB the squared distance without the noise of the means. A common offset
cancels, and twice the association is twice the size.

Whether a margin m is the size is tested by the contrast d - mD: the variance of `crossed`, with the attribute scores
(u - 2mv).a in place of u.a, since an attribute moves d by u and D by 2v; Satterthwaite's degrees of freedom;
Student's t. The interval is every m that is not rejected (Fieller, 1954). A delta method would fail where D is noisy.
The terms of the variance are quadratics in m, so the words are looked at once.

Several sizes share words, as two questions about the same names do, or one question before and after a change. Their
mean or difference has a jackknife: each unit is left out of all of them at once, in closed form, and varies around the
mean of the set it was drawn for, however many others it is in: these strata only decide how many degrees of freedom
there are. The interaction of targets and attributes, which two of these sums count, is taken off once.

Many repetitions of a question are decided at once, without an interval for each: it lies beyond a margin where the
margin is rejected on that side. So tests at zero and at both margins decide as `outcome` does.
"""

import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import cached_property

import numpy as np

from imprint.significance.crossed import FEWEST_UNITS, Spread, smallest_detectable, two_sided
from imprint.significance.outcomes import CONFIDENCE, MARGIN, Size
from imprint.types import Flags, Floats, Floats32, Ints

_SCANNED = 16  # steps from the size outwards, looking for the last margin that is not rejected
_HALVINGS = 42
_UNRELATED = 1.96


@dataclass(frozen=True, eq=False)
class Sample:
    """One set of words as it was drawn: its mean, and what each unit contributes to the variance of the mean.

    `moves` has one row per unit: the sum of its words' deviations from the mean, over the number of words, times what
    makes its square unbiased. Leading axes are repetitions.
    """

    mean: Floats
    moves: Floats
    units: Ints
    counts: Ints

    @classmethod
    def of(cls, rows: Floats | Floats32, units: Ints) -> "Sample":
        """Sum the rows by unit."""
        numbers, unit_of, counts = np.unique(units, return_inverse=True, return_counts=True)
        mean = rows.mean(axis=-2)
        sums = rows - mean[..., None, :]
        if not np.array_equal(numbers, units):
            sums = np.eye(len(numbers))[unit_of].T @ sums
        return cls(mean, sums * (unbiased(len(numbers)) / len(units)), numbers, counts)

    @property
    def noise(self) -> Floats:
        """The trace of the variance of the mean."""
        return np.asarray(np.sum(self.moves**2, axis=(-2, -1)))

    def along(self, direction: Floats) -> Floats:
        """Return what each unit contributes along a direction."""
        return np.asarray((self.moves @ direction[..., None])[..., 0])

    @property
    def _left(self) -> Floats:
        """How many words there are without each unit."""
        return np.asarray(self.counts.sum() - self.counts, dtype=np.float64)

    @property
    def shifts(self) -> Floats:
        """The factor of `moves` that is how far the mean moves where a unit is left out, turned round."""
        return np.asarray(self.counts.sum() / self._left / unbiased(len(self.units)))

    def noise_without(self) -> Floats:
        """Return the trace of the variance of the mean, without each unit in turn."""
        sums = self.moves * (self.counts.sum() / unbiased(len(self.units)))
        squares = np.sum(sums**2, axis=-1)
        # Every other unit's sum moves by its number of words times what the mean does.
        weighted = self.counts @ sums
        across = sums @ weighted - self.counts * squares
        other_counts = np.sum(self.counts**2) - self.counts**2
        rest = squares.sum() - squares + 2 * across / self._left + other_counts * squares / self._left**2
        fewer = len(self.units) - 1
        return np.asarray(rest * fewer / (fewer - 1) / self._left**2)


@dataclass(frozen=True, eq=False)
class ShareOfDistance:
    """The size of one question, from four sets of words, with what its tests need; leading axes are repetitions."""

    samples: tuple[Sample, ...]  # of X, Y, A and B

    @classmethod
    def of(
        cls,
        targets: Floats | Floats32,
        attributes: Floats | Floats32,
        n_x: int,
        n_a: int,
        *,
        units: tuple[Sequence[int], Sequence[int]] | None = None,
    ) -> "ShareOfDistance":
        """Take unit rows, or means of unit rows: X before Y, and A before B.

        `units` numbers the units that the rows belong to. One number is one unit in all sets, and in all questions.
        """
        sides = []
        start = 0
        for axis, (rows, first) in enumerate(((targets, n_x), (attributes, n_a))):
            numbers = start + np.arange(rows.shape[-2]) if units is None else np.asarray(units[axis], dtype=np.int64)
            sides += [
                Sample.of(rows[..., :first, :], numbers[:first]),
                Sample.of(rows[..., first:, :], numbers[first:]),
            ]
            start += rows.shape[-2]
        return cls(tuple(sides))

    @cached_property
    def u(self) -> Floats:
        """Mean X less mean Y."""
        return np.asarray(self.samples[0].mean - self.samples[1].mean)

    @cached_property
    def v(self) -> Floats:
        """Mean A less mean B."""
        return np.asarray(self.samples[2].mean - self.samples[3].mean)

    @cached_property
    def difference(self) -> Floats:
        """The mean difference d."""
        return np.asarray(np.sum(self.u * self.v, axis=-1))

    @cached_property
    def distance(self) -> Floats:
        """The squared distance D between A and B, without noise: at or below 0 where they cannot be distinguished."""
        return np.asarray(np.sum(self.v**2, axis=-1) - self.samples[2].noise - self.samples[3].noise)

    @property
    def fewest(self) -> int:
        """How many units the smallest set has."""
        return min(len(sample.units) for sample in self.samples)

    @property
    def value(self) -> float | None:
        """The size itself; None where A and B do not differ."""
        distance = float(self.distance)
        return float(self.difference) / distance if distance > 0 else None

    def contrast(self, margin: float) -> tuple[Floats, Spread]:
        """Return d - mD for a margin m, and how it varies over words."""
        return self.difference - margin * self.distance, self._spread(np.array([1.0, margin, margin**2]))

    def distance_spread(self) -> Spread:
        """Return how D varies over words: what is left of a contrast as its margin grows."""
        return self._spread(np.array([0.0, 0.0, 1.0]))

    def size(self, confidence: float = CONFIDENCE) -> Size:
        """Return the size, and every margin that is not rejected where A and B are distinguished."""
        value = self.value
        if self.fewest < FEWEST_UNITS:
            return Size(value, obstacle="few words")
        if value is None or not self.is_distinguished(confidence):
            return Size(value, obstacle="attributes not distinguished")
        error = math.sqrt(self._p_and_variance(value)[1]) / float(self.distance)
        if not error > 0:
            return Size(value, obstacle="few words")
        low, high = (
            last_accepted(lambda margin: self._p_and_variance(margin)[0], value, sign * error, 1 - confidence)
            for sign in (-1, 1)
        )
        return Size(value, low, high)

    def detectable(self, confidence: float = CONFIDENCE) -> float | None:
        """Return the smallest size, either way, whose interval would exclude 0 four times in five."""
        spread, distance = self._spread(np.array([1.0, 0.0, 0.0])), float(self.distance)
        error, df = math.sqrt(float(spread.variance)), float(spread.df)
        return smallest_detectable(error, df, confidence) / distance if error > 0 and distance > 0 else None

    def is_distinguished(self, confidence: float = CONFIDENCE) -> bool:
        """Tell whether D is above 0 at the two-sided level that the interval has, so that it is bounded."""
        distance, spread = float(self.distance), self.distance_spread()
        variance, df = float(spread.variance), float(spread.df)
        return distance > 0 and variance > 0 and two_sided(distance / math.sqrt(variance), df) < 1 - confidence

    def unrelated(self, axes: Floats, misfit: float = 1.0) -> float | None:
        """Return the size that 19 of 20 unrelated contrasts of these lengths do not exceed; None without a distance.

        The sign of each axis of the space, one a column, would be random; `misfit` is how much better than that
        unrelated contrasts align.
        """
        terms = (self.u @ axes) * (self.v @ axes)
        distance = float(self.distance)
        return _UNRELATED * misfit * math.sqrt(float(np.sum(terms**2))) / distance if distance > 0 else None

    def without_each(self) -> list[Floats]:
        """Return the size without each unit in turn, in each of the four sets."""
        x, y, a, b = self.samples
        sizes = [
            (self.difference - sign * sample.shifts * sample.along(self.v)) / self.distance
            for sample, sign in ((x, 1), (y, -1))
        ]
        for sample, other, sign in ((a, b, 1), (b, a, -1)):
            shifts = sample.shifts
            differences = self.difference - sign * shifts * sample.along(self.u)
            squares = (
                np.sum(self.v**2)
                - 2 * sign * shifts * sample.along(self.v)
                + shifts**2 * np.sum(sample.moves**2, axis=-1)
            )
            distances = squares - sample.noise_without() - other.noise
            sizes.append(differences / np.where(distances > 0, distances, np.nan))
        return sizes

    @cached_property
    def _terms(self) -> Floats:
        """What each set contributes to the variance, as the coefficients of 1, m and m^2: sets by coefficients."""
        x, y, a, b = self.samples
        terms = []
        for sample in (x, y):
            square = np.sum(sample.along(self.v) ** 2, axis=-1)
            terms.append(np.stack([square, 0 * square, 0 * square], axis=-1))
        for sample in (a, b):
            of_d, of_distance = sample.along(self.u), 2 * sample.along(self.v)
            products = ((of_d, of_d), (of_d, -2 * of_distance), (of_distance, of_distance))
            terms.append(np.stack([np.sum(first * second, axis=-1) for first, second in products], axis=-1))
        return np.stack(terms, axis=-2)

    @cached_property
    def _twice(self) -> Floats:
        """What the terms count twice: the interaction of targets and attributes.

        That of attributes in D is left in, which makes D a little less certain, and matters where m is large alone.
        """
        x, y, a, b = self.samples
        of_d = sum(_interaction(target, attribute) for target in (x, y) for attribute in (a, b))
        return np.stack([of_d, 0 * of_d, 0 * of_d], axis=-1)

    @cached_property
    def _degrees(self) -> Floats:
        return np.array([len(sample.units) - 1 for sample in self.samples], dtype=np.float64)

    def _spread(self, powers: Floats) -> Spread:
        terms, twice = self._terms @ powers, self._twice @ powers
        total = terms.sum(axis=-1)
        with np.errstate(divide="ignore", invalid="ignore"):
            df = total**2 / (terms**2 / self._degrees).sum(axis=-1)
        return Spread(np.maximum(total - twice, terms.max(axis=-1)), df)

    def _p_and_variance(self, margin: float) -> tuple[float, float]:
        """Return the two-sided p-value of a margin, and the variance of its contrast."""
        contrast, spread = self.contrast(margin)
        variance = float(spread.variance)
        if not variance > 0:
            return 0.0, 0.0
        return two_sided(float(contrast) / math.sqrt(variance), float(spread.df)), variance


def last_accepted(p_value: Callable[[float], float], value: float, step: float, level: float) -> float:
    """Return the last margin that is not rejected, from the size towards one side, in steps of about an error.

    Margins far out are rejected where the distance is above 0 at this level. The degrees of freedom depend on the
    margin, so the margins not rejected need not be connected: the interval reaches to the last of them.
    """

    def margin(part: float) -> float:
        return value + step * part / (1 - part)

    def is_accepted(part: float) -> bool:
        return p_value(margin(part)) >= level

    last = next(part for part in range(_SCANNED - 1, -1, -1) if part == 0 or is_accepted(part / _SCANNED))
    inside, outside = last / _SCANNED, (last + 1) / _SCANNED
    if outside == 1 and is_accepted(1 - 2**-40):
        return math.copysign(math.inf, step)
    for _ in range(_HALVINGS):
        middle = (inside + outside) / 2
        inside, outside = (middle, outside) if is_accepted(middle) else (inside, middle)
    return margin(inside)


def mean_size(shares: Sequence[ShareOfDistance], confidence: float = CONFIDENCE) -> Size:
    """Return the mean of the sizes of several questions, with its interval over the words that they share."""
    return combined([(share, 1 / len(shares)) for share in shares], confidence)


def change_of_size(
    before: Sequence[ShareOfDistance], after: Sequence[ShareOfDistance], confidence: float = CONFIDENCE
) -> Size:
    """Return the mean size after less that before, of the same questions on the same words."""
    parts = [*((share, 1 / len(after)) for share in after), *((share, -1 / len(before)) for share in before)]
    return combined(parts, confidence)


def combined(parts: Sequence[tuple[ShareOfDistance, float]], confidence: float = CONFIDENCE) -> Size:
    """Return the weighted sum of sizes, with the interval of a jackknife; of one whole size, its own interval."""
    if len(parts) == 1 and parts[0][1] == 1:
        return parts[0][0].size(confidence)
    if not all(share.distance > 0 for share, _ in parts):
        return Size(None, obstacle="attributes not distinguished")
    value = float(sum(weight * share.difference / share.distance for share, weight in parts))
    if min(share.fewest for share, _ in parts) < FEWEST_UNITS:
        return Size(value, obstacle="few words")
    if not all(share.is_distinguished(confidence) for share, _ in parts):
        return Size(value, obstacle="attributes not distinguished")
    interval = jackknifed(parts).interval(value, confidence)
    if interval is None:  # where two versions are the same, nothing has changed, whatever the words
        return Size(0.0, 0.0, 0.0) if value == 0 else Size(value, obstacle="few words")
    return Size(value, interval.low, interval.high)


def jackknifed(parts: Sequence[tuple[ShareOfDistance, float]]) -> Spread:
    """Return the variance of a weighted sum of sizes over words, and its degrees of freedom."""
    size = 1 + max(int(sample.units.max()) for share, _ in parts for sample in share.samples)
    moves = np.zeros(size)
    for share, weight in parts:
        for sample, sizes in zip(share.samples, share.without_each(), strict=True):
            moves[sample.units] += weight * (sizes - sizes.mean()) / unbiased(len(sample.units))
    samples = [sample.units for share, _ in parts for sample in share.samples]
    return over_strata(moves**2, samples, _shared_interaction(parts))


def _shared_interaction(parts: Sequence[tuple[ShareOfDistance, float]]) -> float:
    """Return what pairs of a target and an attribute contribute together, added up over the sizes they share."""
    targets, attributes = (
        np.unique(np.concatenate([sample.units for share, _ in parts for sample in share.samples[sides]]))
        for sides in (slice(None, 2), slice(2, None))
    )
    pairs = np.zeros((len(targets), len(attributes)))
    for share, weight in parts:
        for target, of_target in zip(share.samples[:2], (1, -1), strict=True):
            rows = np.searchsorted(targets, target.units)
            for attribute, of_attribute in zip(share.samples[2:], (1, -1), strict=True):
                columns = np.searchsorted(attributes, attribute.units)
                sign = of_target * of_attribute * weight / float(share.distance)
                pairs[np.ix_(rows, columns)] += sign * target.moves @ attribute.moves.T
    return float(np.sum(pairs**2))


def over_strata(squares: Floats, sides: Sequence[Ints], shared: float) -> Spread:
    """Return the variance of a sum over units, less what is `shared` by several, and its degrees of freedom.

    A stratum is the units that are in the same `sides`, each of which is a set that was drawn. A set of n units has
    n - 1 degrees of freedom in all.
    """
    memberships: dict[int, list[int]] = {}
    share: dict[int, float] = {}
    for index, units in enumerate(sides):
        members = np.unique(units).tolist()
        for unit in members:
            memberships.setdefault(unit, []).append(index)
            share[unit] = min(share.get(unit, 1.0), 1 - 1 / len(members))
    strata: dict[tuple[int, ...], list[int]] = {}
    for unit, indices in memberships.items():
        strata.setdefault(tuple(indices), []).append(unit)
    terms = np.array([squares[units].sum() for units in strata.values()])
    degrees = np.array([sum(share[unit] for unit in units) for units in strata.values()])
    if not terms.any():
        return Spread(np.array([0.0]), np.array([np.nan]))
    with np.errstate(divide="ignore", invalid="ignore"):
        df = terms.sum() ** 2 / np.nansum(terms**2 / degrees)
    return Spread(np.array([max(terms.sum() - shared, terms.max())]), np.array([df]))


def _interaction(first: Sample, second: Sample) -> Floats:
    """Return what pairs of a unit of each set contribute to the variance of the product of their means."""
    return np.asarray(np.sum((first.moves @ np.swapaxes(second.moves, -1, -2)) ** 2, axis=(-2, -1)))


def unbiased(count: int) -> float:
    """Return what makes up for deviations being taken from the mean of the units themselves."""
    return math.sqrt(count / (count - 1)) if count > 1 else 0.0


@dataclass(frozen=True, eq=False)
class Decisions:
    """One entry per repetition: whether A and B are distinguished, and what the interval of the size says.

    `differs`: the mean difference excludes zero, whether or not A and B are distinguished.
    """

    distinguished: Flags
    substantial: Flags
    small: Flags
    excludes_zero: Flags
    differs: Flags

    @property
    def shows_difference(self) -> Flags:
        """Whether the outcome is substantial or present."""
        return np.asarray(self.substantial | (self.excludes_zero & ~self.small))

    @classmethod
    def of(cls, share: ShareOfDistance) -> "Decisions":
        """Decide every repetition of a size."""
        level = 1 - CONFIDENCE
        distinguished = (share.distance > 0) & (p_values(share.distance, share.distance_spread()) < level)
        sides = {}
        for margin in (-MARGIN, 0.0, MARGIN):
            contrast, spread = share.contrast(margin)
            sides[margin] = np.where(p_values(contrast, spread) < level, np.sign(contrast), 0)
        return cls(
            distinguished=distinguished,
            substantial=distinguished & ((sides[MARGIN] > 0) | (sides[-MARGIN] < 0)),
            small=distinguished & (sides[-MARGIN] > 0) & (sides[MARGIN] < 0),
            excludes_zero=distinguished & (sides[0.0] != 0),
            differs=sides[0.0] != 0,
        )


def p_values(contrast: Floats, spread: Spread) -> Floats:
    """Return two-sided p-values, 1 where nothing varies."""
    from scipy.special import stdtr

    with np.errstate(divide="ignore", invalid="ignore"):
        tails = 2 * stdtr(spread.df, -np.abs(contrast) / np.sqrt(spread.variance))
    return np.asarray(np.where(spread.variance > 0, tails, 1.0))
