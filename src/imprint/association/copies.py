"""What a subject without these associations would show: the tests on altered copies of the subject's own vectors.

Each kind of copy keeps something that real subjects have, and breaks the alignment that the tests ask about. The tests
are then judged by the very rules that judge the subject. One is easier: copies of an encoder have words and no
sentences, so their interval is over words alone, and they can show more than the whole rule would. All tests of a copy
share its shuffle, or its turn of the targets; clusters are drawn for each test.
"""

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from math import comb, sqrt
from typing import Literal

import numpy as np

from imprint.association.evidence import (
    Checks,
    CosineTable,
    SetVectors,
    difference,
    frequency_p,
    random_contrasts,
)
from imprint.association.verdicts import Case, Judged, judge
from imprint.embeddings.background import Background
from imprint.significance.corrections import holm
from imprint.significance.crossed import FEWEST_UNITS, fewest_units, mean_differences, row_scores, spread
from imprint.significance.partitions import all_subsets, smallest_p
from imprint.significance.relabelled import normal_sign_test, sign_test
from imprint.significance.student import two_sided
from imprint.threads import single_threaded
from imprint.types import Floats, Floats32, Ints

Null = Literal["shuffled", "by frequency", "rotated", "flipped", "flipped but frequency", "clusters"]
Vectors = tuple[Floats32, Floats32]  # of one test's targets and attributes in every copy: copies, words, dimensions

_DRAWS = 1_000  # of random words behind a check of frequency; half as many as for the subject itself
_PARTITIONS = 20_000  # random ones, where a test has more
_FREQUENCY = 0.9  # share of how the means of blocks vary, in the directions that are called frequency
_BAND = 1_000  # rows of like frequency that a cluster is taken from
_ROUNDING = 1e-5  # relative, of sums in single precision


@dataclass(frozen=True, eq=False)
class AskedTest:
    """One test of the family: its words and their vectors, and whether enough of its words were found."""

    contrast: SetVectors
    table: CosineTable
    enough: bool

    @property
    def words(self) -> tuple[str, ...]:
        """Targets and attributes."""
        return self.table.targets + self.table.attributes

    @property
    def ranks(self) -> Ints:
        """The frequency rank of each word."""
        return np.concatenate([self.contrast.target_ranks, self.contrast.attribute_ranks])

    def reached(self, sizes: Floats, background: Background, seed: int) -> Ints:
        """Count how often random words of like frequencies give each size; kept for the next kind of copies."""
        from imprint.association.kernels import count_reaching, in_buckets

        known = vars(self).get("_drawn")
        if known is None or known[0] is not background or known[1] != seed:
            u, v = random_contrasts(self.contrast, background, seed, _DRAWS)
            known = vars(self)["_drawn"] = (background, seed, in_buckets(np.abs(u @ v.T).ravel()))
        ordered, ends, scale = known[2]
        return np.asarray(count_reaching(ordered, ends, scale, sizes))

    @cached_property
    def members(self) -> Floats32:
        """Partitions of the targets, one a row: ones for X; all of them, or the observed one and a random choice."""
        size, n = len(self.table.targets), self.table.n_x
        if comb(size, n) <= _PARTITIONS:
            chosen = all_subsets(size, n)
        else:
            rng = np.random.default_rng([size, n])
            drawn = rng.permuted(np.tile(np.arange(size), (_PARTITIONS, 1)), axis=1)[:, :n]
            chosen = np.vstack([np.arange(n), drawn])
        members = np.zeros((len(chosen), size), dtype=np.float32)
        np.put_along_axis(members, chosen, 1.0, axis=1)
        return members


@dataclass(frozen=True, eq=False)
class Copies:
    """Makes altered copies of the tests of one subject."""

    tests: Sequence[AskedTest]
    background: Background
    count: int
    rng: np.random.Generator

    def make(self, null: Null) -> list[Vectors]:
        """Return the vectors of every test in every copy."""
        makers: Mapping[Null, Callable[[], list[Vectors]]] = {
            "shuffled": lambda: self._replaced(by_frequency=False),
            "by frequency": lambda: self._replaced(by_frequency=True),
            "rotated": lambda: self._turned(self._rotations()),
            "flipped": lambda: self._turned(self._flips(self.background.axes)),
            "flipped but frequency": lambda: self._turned(self._flips_across_frequency()),
            "clusters": self._clustered,
        }
        return makers[null]()

    @property
    def _size(self) -> int:
        return int(self.background.starts[-1])

    def _replaced(self, *, by_frequency: bool) -> list[Vectors]:
        """Give every word the vector of another, the same in all tests of a copy."""
        ranks: dict[str, int] = {}
        for one in self.tests:
            ranks |= dict(zip(one.words, one.ranks.tolist(), strict=True))
        column = {word: place for place, word in enumerate(ranks)}
        if by_frequency:
            drawn = self.background.draw(np.array(list(ranks.values())), self.count, self.rng)
        else:
            drawn = self.rng.integers(self._size, size=(self.count, len(ranks)))

        def vectors(words: Sequence[str], offsets: Ints | int) -> Floats32:
            return np.asarray(self.background.rows[drawn[:, [column[word] for word in words]] + offsets])

        return [
            (
                vectors(one.table.targets, one.contrast.target_offsets),
                vectors(one.table.attributes, one.contrast.attribute_offsets),
            )
            for one in self.tests
        ]

    def _turned(self, turns: Iterable[Floats]) -> list[Vectors]:
        """Apply each copy's matrix to all targets; kept in single precision, they take most of the memory."""
        size = self.background.rows.shape[1]
        matrices = np.empty((self.count, size, size), dtype=np.float32)
        for place, turn in enumerate(turns):
            matrices[place] = turn
        made = []
        for one in self.tests:
            targets, attributes = (side.astype(np.float32) for side in (one.contrast.targets, one.contrast.attributes))
            made.append((targets @ matrices, np.broadcast_to(attributes, (self.count, *attributes.shape))))
        return made

    def _rotations(self) -> Iterator[Floats]:
        size = self.background.rows.shape[1]
        for _ in range(self.count):
            turn = np.linalg.qr(self.rng.standard_normal((size, size)))
            # The signs of the triangle's diagonal make the rotation uniform.
            yield turn.Q * np.sign(np.diag(turn.R))

    def _flips(self, axes: Floats) -> Iterator[Floats]:
        for signs in self.rng.choice([-1.0, 1.0], size=(self.count, axes.shape[1])):
            yield (axes * signs) @ axes.T

    def _flips_across_frequency(self) -> Iterator[Floats]:
        """Flip axes of what is left of the space without the directions in which blocks of frequency differ."""
        blocks = np.split(self.background.rows[: self._size].astype(np.float64), self.background.starts[1:-1])
        means = np.array([block.mean(axis=0) for block in blocks])
        _, sizes, directions = np.linalg.svd(means - means.mean(axis=0), full_matrices=False)
        shares = np.cumsum(sizes**2) / np.sum(sizes**2)
        kept = directions[: int(np.searchsorted(shares, _FREQUENCY)) + 1].T
        rows = self.background.spreading.astype(np.float64)
        centred = rows - rows.mean(axis=0)
        across = centred - centred @ kept @ kept.T
        # The kept directions, made the widest by far, come last: few rows leave other axes without any width.
        spread_out = across.T @ across + (1 + np.sum(across**2)) * kept @ kept.T
        axes = np.linalg.eigh(spread_out)[1][:, : -kept.shape[1]]
        return (flip + kept @ kept.T for flip in self._flips(axes))

    def _clustered(self) -> list[Vectors]:
        """Ask about random words and their neighbours, as many as the sets have and of like frequency."""
        return [
            (
                self._clusters(one.contrast.target_ranks, one.contrast.n_x, one.contrast.target_offsets),
                self._clusters(one.contrast.attribute_ranks, one.contrast.n_a, one.contrast.attribute_offsets),
            )
            for one in self.tests
        ]

    def _clusters(self, ranks: Ints, first: int, offsets: Ints | int) -> Floats32:
        offset = int(np.ravel(offsets)[0])
        bands = []
        for side in (ranks[:first], ranks[first:]):
            place = max(0, int(np.searchsorted(self.background.lowest, np.median(side), side="right")) - 1)
            start = int(self.background.starts[place]) - _BAND // 2
            start = max(0, min(start, self._size - _BAND))
            bands.append(self.background.rows[offset + start : offset + min(start + _BAND, self._size)])
        sizes = (first, len(ranks) - first)
        found = np.empty((self.count, len(ranks), self.background.rows.shape[1]), dtype=np.float32)
        for copy in range(self.count):
            seeds = [int(self.rng.integers(len(band))) for band in bands]
            found[copy] = np.vstack(list(map(_neighbours, bands, seeds, sizes)))
        return found


def judge_null(
    tests: Sequence[AskedTest],
    background: Background,
    null: Null,
    *,
    copies: int,
    alpha: float,
    seed: int,
    chunk: int = 0,
) -> list[list[Judged]]:
    """Judge the family on every copy of one kind: one list of judgements per copy, in the order of the tests.

    Chunks of copies, by their number, have seeds of their own.
    """
    rng = np.random.default_rng(np.random.SeedSequence([seed, *null.encode()], spawn_key=(chunk,) if chunk else ()))
    pool = (
        background
        if null != "shuffled"
        else replace(background, lowest=np.array([0]), starts=np.array([0, int(background.starts[-1])]))
    )
    with single_threaded():
        made = Copies(tests, background, copies, rng).make(null)
        p_values = [p_values_of(one, *vectors, pool, seed) for one, vectors in zip(tests, made, strict=True)]
    return judge_copies(tests, made, p_values, background, alpha)


def judge_copies(
    tests: Sequence[AskedTest],
    made: Sequence[Vectors],
    p_values: Sequence[tuple[Floats, Floats, Floats]],
    background: Background,
    alpha: float,
) -> list[list[Judged]]:
    """Judge every copy; the axes are asked only where the other checks leave something to ask."""
    judged = []
    for copy in range(len(p_values[0][0])):
        found = [[float(of_check[copy]) for of_check in of_test] for of_test in p_values]
        promising = bool((holm([max(one) for one in found]) <= alpha).any())
        questions = []
        for place, (one, (label, frequency, words)) in enumerate(zip(tests, found, strict=True)):
            targets, attributes = made[place]
            of_axes = _along_axes(one, targets[copy], attributes[copy], background, alpha) if promising else 1.0
            floor = smallest_p(len(one.table.targets), one.table.n_x, "two-sided")
            of_words = None if np.isnan(words) else words
            checks = Checks(
                p_label=label, p_label_floor=floor, p_frequency=frequency, p_words=of_words, p_axes=of_axes
            )
            questions.append(Case(checks, control=False, enough=one.enough))
        judged.append(judge(questions, alpha))
    return judged


def p_values_of(
    one: AskedTest, targets: Floats32, attributes: Floats32, background: Background, seed: int
) -> tuple[Floats, Floats, Floats]:
    """Return p_label, p_frequency and p_words of one test in every copy."""
    n_x, n_a = one.table.n_x, one.table.n_a
    tables = np.matmul(targets, attributes.transpose(0, 2, 1)).astype(np.float64)
    differences = np.abs(mean_differences(tables, n_x, n_a))
    reached = one.reached(differences * (1 - _ROUNDING), background, seed)
    return _label(tables, one), frequency_p(reached, _DRAWS), _words(tables, one)


def _label(tables: Floats, one: AskedTest) -> Floats:
    n_x, n_a = one.table.n_x, one.table.n_a
    scores = row_scores(tables, n_a).astype(np.float32)
    sums, total = scores @ one.members.T, scores.sum(axis=1, keepdims=True)
    spread_out = np.abs(sums / n_x - (total - sums) / (scores.shape[1] - n_x))
    # The first partition is the observed one.
    return np.asarray(np.mean(spread_out >= spread_out[:, :1] * (1 - _ROUNDING), axis=1))


def _words(tables: Floats, one: AskedTest) -> Floats:
    """Return p over words, NaN where a set has too few units."""
    n_x, n_a = one.table.n_x, one.table.n_a
    rows, columns = (np.array(numbers) for numbers in one.table.units)
    if fewest_units(rows, n_x, columns, n_a) < FEWEST_UNITS:
        return np.full(len(tables), np.nan)
    found = spread(tables, n_x, n_a, rows, columns)
    differences = mean_differences(tables, n_x, n_a)
    return np.array(
        [
            two_sided(difference / sqrt(variance), df) if variance > 0 else np.nan
            for difference, variance, df in zip(differences, found.variance, found.df, strict=True)
        ]
    )


def _along_axes(
    one: AskedTest, targets: Floats32, attributes: Floats32, background: Background, alpha: float
) -> float:
    """Return p along the axes; one that is too large by the normal distribution alone needs no exact count."""
    u, v = difference(targets, one.table.n_x), difference(attributes, one.table.n_a)
    terms = (u @ background.axes) * (v @ background.axes)
    quick = float(normal_sign_test(terms.sum(), np.sum(terms**2) * background.misfit**2))
    return quick if quick > alpha else sign_test(terms, background.misfit)


def _neighbours(rows: Floats32, seed: int, count: int) -> Floats32:
    return np.asarray(rows[np.argpartition(-(rows @ rows[seed]), count)[:count]])
