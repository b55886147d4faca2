"""The best pairs of rows along an axis, none first twice and none second twice: exactly, without scoring all pairs.

Bolukbasi et al. (2016), eq. (1), and for `best_products` their footnote 3. A row is its projection p on the axis d and
a rest y across it, so that |a - b|² = (p_a - p_b)² + |y_a - y_b|². A few leading principal coordinates bound
|y_a - y_b|² from below, a tile of pairs by one small matrix product; few pairs are left to be scored in float64. The
least score asked for rises as better pairs are found.
"""

import math
from dataclasses import dataclass, field

import numpy as np

from imprint.errors import SettingError
from imprint.types import Floats, Floats32, Ints, Ints32, Progress

TILE = 512  # rows by columns of pairs looked at together: a tile stays in the processor's cache
MOST_PAIRS = 1 << 24  # held at once, some 0.6 GB while they are sorted

_PRODUCT_TILE = 2048
_LEADING = (16, 32, 64, 128, 256)  # principal coordinates in a bound, the fewest that do for a tile
_SAMPLE = 50_000  # random pairs on which bounds are tried
_LEFT_OVER = 0.0005  # share of pairs that a bound may leave to be looked at one by one


def best_pairs(
    unit: Floats,
    projections: Floats,
    direction: Floats,
    *,
    k: int,
    delta: float,
    tile: int = TILE,
    progress: Progress | None = None,
) -> tuple[Ints32, Ints32, Floats]:
    """Return first rows, second rows and scores of the k pairs that a greedy choice takes from all, the best first.

    Of equal scores the smaller row numbers come first.

    `projections` are of the rows of `unit` on the unit vector `direction`. There may be fewer than k.
    """
    space = _Space.of(unit, projections, direction)
    tiles = _tiles(len(unit), tile)
    k = min(k, len(unit))
    pool = _Pool(len(unit), k)
    for done, corner in enumerate(tiles, start=1):
        pool.scan(space, space.products(corner, tile, pool.least, delta), corner, delta)
        if progress is not None:
            progress(done, len(tiles))
    return pool.best()


def best_products(
    unit: Floats, factors: tuple[Floats, Floats], *, k: int, delta: float, progress: Progress | None = None
) -> tuple[Ints32, Ints32, Floats]:
    """Return the k pairs, as above, whose product f_a g_b (1 + cos(a, b)) / 2 is largest.

    Similarity is at most 1, so that tiles whose factors multiply to less than the least score asked for are left out.
    """
    from imprint.directions.kernels import scan_products

    first, second = (np.argsort(-side, kind="stable").astype(np.int32) for side in factors)
    orders = (first, second)
    coarse = [unit[order].astype(np.float32) for order in orders]
    margin = 4.0 * (unit.shape[1] + 8) * float(np.finfo(np.float32).eps)
    starts = range(0, len(unit), _PRODUCT_TILE)
    tops = [side[order[starts]] for side, order in zip(factors, orders, strict=True)]
    tiles = sorted(
        (-float(tops[0][i] * tops[1][j]), row, column)
        for i, row in enumerate(starts)
        for j, column in enumerate(starts)
    )
    k = min(k, len(unit))
    pool = _Pool(len(unit), k)
    for done, (bound, row, column) in enumerate(tiles, start=1):
        if -bound >= max(pool.least, 1.0):
            ends = row + _PRODUCT_TILE, column + _PRODUCT_TILE
            cosines = coarse[0][row : ends[0]] @ coarse[1][column : ends[1]].T
            pool.make_room(cosines.size)
            limits = (pool.least, delta, margin)
            columns = (pool.firsts, pool.seconds, pool.scores)
            pool.count = scan_products(cosines, (row, column), orders, unit, factors, limits, columns, pool.count)
            if pool.count > pool.full:
                pool.thin()
        if progress is not None:
            progress(done, len(tiles))
    return pool.best()


@dataclass(frozen=True, eq=False)
class _Space:
    """Rows from one end of the axis to the other: exact, rounded, and prepared for bounds."""

    order: Ints32
    unit: Floats
    projections: Floats
    coarse: Floats32
    across: Floats32
    squares: Floats32
    margin: float
    levels: tuple["_Level", ...]

    @classmethod
    def of(cls, unit: Floats, projections: Floats, direction: Floats) -> "_Space":
        order = np.argsort(-projections, kind="stable").astype(np.int32)
        unit, projections = unit[order], projections[order]
        across = unit - np.outer(projections, direction)
        across -= across.mean(axis=0)
        across = across @ np.linalg.eigh(across.T @ across)[1][:, ::-1]
        squares = np.einsum("ij,ij->i", across, across)
        # Rounded to float32, a sum of products is off by no more than its terms times their size.
        margin = 4.0 * (across.shape[1] + 8) * float(np.finfo(np.float32).eps) * max(1.0, float(squares.max()))
        sample = np.random.default_rng(0).integers(len(unit), size=(2, min(_SAMPLE, len(unit) ** 2)))
        levels = tuple(
            _Level.of(across, leading, sample)
            for leading in sorted({min(leading, across.shape[1]) for leading in _LEADING})
        )
        return cls(
            order,
            unit,
            projections,
            projections.astype(np.float32),
            across.astype(np.float32),
            squares.astype(np.float32),
            margin,
            levels,
        )

    def products(self, corner: tuple[int, int], tile: int, least: float, delta: float) -> Floats32:
        """Return what y_i·y_j is at most for the pairs of a tile, from as few coordinates as will do."""
        row, column = corner
        middles = np.minimum(np.array(corner) + tile // 2, len(self.order) - 1)
        rise = float(np.subtract(*self.projections[middles])) ** 2
        allowed = min(delta * delta - rise, rise * (1.0 / (least * least) - 1.0) if least else math.inf)
        level = next((level for level in self.levels if level.usual > allowed), self.levels[-1])
        products: Floats32 = level.coordinates[row : row + tile] @ level.coordinates[column : column + tile].T
        return products


@dataclass(frozen=True, eq=False)
class _Level:
    """Leading coordinates z and the length r of the rest: |z_a - z_b|² + (r_a - r_b)² is at most |y_a - y_b|².

    `usual` is what it is for most pairs at least.
    """

    coordinates: Floats32
    usual: float

    @classmethod
    def of(cls, across: Floats, leading: int, sample: Ints) -> "_Level":
        rest = np.sqrt(np.einsum("ij,ij->i", across[:, leading:], across[:, leading:]))
        coordinates = np.column_stack((across[:, :leading], rest)).astype(np.float32)
        apart = coordinates[sample[0]] - coordinates[sample[1]]
        return cls(coordinates, float(np.quantile(np.einsum("ij,ij->i", apart, apart), _LEFT_OVER)))


@dataclass(eq=False)
class _Pool:
    """Pairs found so far, and the least score of one that can still matter.

    Where 2k pairs can be chosen from some, a greedy choice from all that are as good has k at least: greedy choices
    are at least half as many as any others from the same pairs. So nothing after the last of 2k choices matters.
    """

    words: int
    k: int
    least: float = 0.0
    count: int = 0
    full: int = 0
    firsts: Ints32 = field(default_factory=lambda: np.empty(0, dtype=np.int32))
    seconds: Ints32 = field(default_factory=lambda: np.empty(0, dtype=np.int32))
    scores: Floats = field(default_factory=lambda: np.empty(0))

    def scan(self, space: _Space, products: Floats32, corner: tuple[int, int], delta: float) -> None:
        """Take in the pairs of a tile."""
        from imprint.directions.kernels import scan

        self.make_room(products.size)
        self.count = scan(
            products,
            corner,
            space.order,
            space.unit,
            space.projections,
            space.coarse,
            space.across,
            space.squares,
            (self.least, delta, space.margin),
            (self.firsts, self.seconds, self.scores),
            self.count,
        )
        if self.count > self.full:
            self.thin()

    def thin(self) -> Ints:
        """Sort, drop what cannot matter, and return where the pairs chosen are."""
        from imprint.directions.kernels import thin

        firsts, seconds, scores = self.firsts[: self.count], self.seconds[: self.count], self.scores[: self.count]
        order = np.lexsort((seconds, firsts, -scores))
        firsts, seconds, scores = firsts[order], seconds[order], scores[order]
        chosen, count = thin(firsts, seconds, scores, self.words, self.k)
        for column, kept in ((self.firsts, firsts), (self.seconds, seconds), (self.scores, scores)):
            column[:count] = kept[:count]
        self.count = count
        if len(chosen) == 2 * self.k:
            self.least = float(scores[chosen[-1]])
        self.full = 2 * self.count + 8 * self.k
        return np.asarray(chosen)

    def best(self) -> tuple[Ints32, Ints32, Floats]:
        """Return the pairs chosen."""
        chosen = self.thin()[: self.k]
        return self.firsts[chosen], self.seconds[chosen], self.scores[chosen]

    def make_room(self, more: int) -> None:
        """Let so many more pairs be added."""
        if self.count + more <= len(self.scores):
            return
        if self.count + more > MOST_PAIRS:
            self.thin()
        if self.count + more > MOST_PAIRS:
            raise SettingError(
                f"there are more than {MOST_PAIRS:,} pairs of words to compare",
                hint="ask for a smaller k, a smaller delta or fewer words",
            )
        size = min(MOST_PAIRS, max(2 * len(self.scores), self.count + more))
        for name in ("firsts", "seconds", "scores"):
            column = getattr(self, name)
            grown = np.empty(size, dtype=column.dtype)
            grown[: self.count] = column[: self.count]
            setattr(self, name, grown)


def _tiles(rows: int, tile: int) -> list[tuple[int, int]]:
    """Return the corners of the tiles on and above the diagonal, those of rows furthest apart along the axis first."""
    starts = range(0, rows, tile)
    return sorted(
        ((row, column) for row in starts for column in starts if row <= column), key=lambda at: at[0] - at[1]
    )
