"""Words of like frequency, and the axes of a space: what a test's own words are compared with.

Frequency shapes every embedding, so a word is compared with others of its frequency. Ranks are cut into blocks of 500,
and from rank 10,000 on into blocks that are 5 % longer each time: within them, frequency differs by some 5 %. Of each
block a fixed sample stays. It depends on ranks alone, so a file read for a few words gives the sample that the
whole file gives.
"""

import itertools
import math
from collections.abc import Callable, Collection, Iterator, Sequence
from dataclasses import dataclass
from functools import cached_property

import numpy as np
import numpy.typing as npt

from imprint.threads import single_threaded
from imprint.types import Flags, Floats, Floats32, Ints

FEWEST_RANKS = 2_000  # of a vocabulary whose blocks are worth comparing with
SAMPLE = 200  # rows of a block

_BLOCK = 500
_EVEN = 10_000  # ranks in blocks of one length
_GROWTH = 1.05
_READ = 1.5 * SAMPLE  # rows of a block that a reader keeps, on average, so that at least SAMPLE are there
_FREQUENT = 20  # blocks that axes are made of
_CONTRASTS = 400  # unrelated ones, that axes are tried on
_CLUSTER = 8  # words
_FEWEST_ROWS = 50  # of a block that stands for itself
# English words, the most frequent first: what an order by frequency is recognised by.
ORDERED = (
    *("but", "they", "also", "about", "people", "time", "during", "just", "make", "next", "however", "following"),
    *("leader", "born", "main", "church", "find", "tax", "song", "annual", "worth", "letter", "territory", "hearing"),
    *("producer", "neither", "shopping", "talent", "cemetery", "vessels", "presentation", "drill", "legitimacy"),
    *("outdoors", "creators", "culturally", "diagram", "scuba", "illiteracy", "modulation", "collagen", "strangest"),
)
_FEWEST_ORDERED = 20
_AGREED = 0.5  # correlation of ranks
_MIX = np.uint64(0x9E3779B97F4A7C15)


@dataclass(frozen=True, eq=False)
class Background:
    """A sample of unit rows, sorted by frequency into blocks, and rows that show how the space spreads.

    `lowest` has the lowest rank of each block, `starts` where it begins, with a last entry where the blocks end. Small
    blocks are `halved`: targets are drawn from one half and attributes from the other, or a word would too often meet
    itself.
    """

    rows: Floats32
    lowest: Ints
    starts: Ints
    spreading: Floats32
    halved: bool = False

    @classmethod
    def of(cls, rows_at: Callable[[Ints], Floats32], ranks: Ints) -> "Background | None":
        """Sort unit rows into blocks, at most 200 each; None where there are too few to compare with.

        `rows_at` gives the rows at some places among the ranks.
        """
        if not len(ranks) or ranks.max() + 1 < FEWEST_RANKS:
            return None
        chosen, lowest, starts = _sample(ranks)
        if len(lowest) < 2:
            return None
        sample = rows_at(chosen)
        return cls(sample, lowest, starts, sample[: int(starts[min(_FREQUENT, len(lowest))])])

    def draw(self, ranks: Ints, draws: int, rng: np.random.Generator, half: int | None = None) -> Ints:
        """Draw, for each rank, rows of like frequency: indices into `rows`, one row per draw.

        Of halved blocks, `half` 0 draws from every other row, and 1 from the rest.
        """
        places = np.maximum(np.searchsorted(self.lowest, ranks, side="right") - 1, 0)
        first, size = self.starts[places], np.diff(self.starts)[places]
        if self.halved and half is not None:
            return np.asarray(first + 2 * (rng.random((draws, len(ranks))) * (size // 2)).astype(np.int64) + half)
        return np.asarray(first + (rng.random((draws, len(ranks))) * size).astype(np.int64))

    def near(self, rank: int, least: int) -> Ints:
        """Return the rows of a rank's block and of those around it, at least so many where there are."""
        first = last = max(int(np.searchsorted(self.lowest, rank, side="right")) - 1, 0)
        while self.starts[last + 1] - self.starts[first] < min(least, self.starts[-1]):
            first, last = max(first - 1, 0), min(last + 1, len(self.lowest) - 1)
        return np.arange(self.starts[first], self.starts[last + 1])

    @cached_property
    def axes(self) -> Floats:
        """The principal axes of the space, one a column."""
        with single_threaded():  # the same on any number of cores; and threads would wait longer than they work
            return _principal(self.spreading)

    @cached_property
    def misfit(self) -> float:
        """How much better unrelated contrasts align than random signs of the axes have it; at least 1.

        Axes of few words are partly noise. So z = sum t / sqrt(sum t^2) is measured for contrasts of random clusters
        of one half of the words, along axes of the other half: its root mean square should be 1.
        """
        with single_threaded():
            return self._misfit()

    def _misfit(self) -> float:
        axes, rows = _principal(self.spreading[::2]), self.spreading[1::2]
        seeds = np.random.default_rng(0).integers(len(rows), size=4 * (_CONTRASTS + 1))
        nearest = np.argpartition(-(rows[seeds] @ rows.T), _CLUSTER, axis=1)[:, :_CLUSTER]
        x, y, a, b = np.split(rows[nearest].mean(axis=1).astype(np.float64), 4)
        terms = ((x - y) @ axes) * ((a - b) @ axes)
        squares = np.sum(terms**2, axis=1)
        z = terms.sum(axis=1)[squares > 0] / np.sqrt(squares[squares > 0])
        return max(1.0, float(np.sqrt(np.mean(z**2)))) if len(z) else 1.0


class WordsToKeep(Collection[str]):
    """The words a reader keeps; with `background`, the rows of its sample besides."""

    def __init__(self, words: Collection[str], *, background: bool = False) -> None:
        self._words = frozenset(words) | (frozenset(ORDERED) if background else frozenset())
        self.background = background

    def __contains__(self, word: object) -> bool:
        return word in self._words

    def __iter__(self) -> Iterator[str]:
        return iter(self._words)

    def __len__(self) -> int:
        return len(self._words)


def rows_to_keep(only: Collection[str], words: Sequence[str], ranks: Ints) -> list[int]:
    """Return which of these rows a reader keeps: `only` these words, and the background if `only` asks for it."""
    sampled = in_sample(ranks).tolist() if keeps_background(only) else itertools.repeat(False)
    return [row for row, (word, chosen) in enumerate(zip(words, sampled, strict=False)) if chosen or word in only]


def keeps_background(only: Collection[str] | None) -> bool:
    """Tell whether a reader keeps a sample besides the words it was asked for."""
    return isinstance(only, WordsToKeep) and only.background


def _principal(rows: Floats32) -> Floats:
    centred = rows.astype(np.float64) - rows.mean(axis=0, dtype=np.float64)
    return np.asarray(np.linalg.eigh(centred.T @ centred)[1])


def in_order(rank_of: Callable[[str], int | None]) -> bool:
    """Tell whether words come by frequency; too few words that are known leave no reason for doubt."""
    ranks = [rank for word in ORDERED if (rank := rank_of(word)) is not None]
    if len(ranks) < _FEWEST_ORDERED:
        return True
    return bool(np.corrcoef(np.arange(len(ranks)), np.argsort(np.argsort(ranks)))[0, 1] >= _AGREED)


def block_of(ranks: npt.ArrayLike) -> Ints:
    """Return the number of each rank's block."""
    ranks = np.asarray(ranks, dtype=np.int64)
    rare = _EVEN // _BLOCK + np.floor(np.log(np.maximum(ranks, _EVEN) / _EVEN) / math.log(_GROWTH))
    return np.where(ranks < _EVEN, ranks // _BLOCK, rare.astype(np.int64))


def in_sample(ranks: npt.ArrayLike) -> Flags:
    """Tell which ranks a reader keeps for the background."""
    ranks = np.asarray(ranks, dtype=np.int64)
    length = np.maximum(_BLOCK, np.maximum(ranks, _EVEN) * (_GROWTH - 1))
    return np.asarray(_order(ranks) < _READ / length)


def _sample(ranks: Ints) -> tuple[Ints, Ints, Ints]:
    """Return the rows of the sample sorted by block, the lowest rank of each block, and where each begins."""
    blocks = block_of(ranks)
    order = np.lexsort((_order(ranks), blocks))
    within = np.split(order, np.flatnonzero(np.diff(blocks[order])) + 1)
    sampled = [rows[:SAMPLE] for rows in within if len(rows) >= _FEWEST_ROWS]
    starts = np.cumsum([0, *map(len, sampled)])
    lowest = np.array([ranks[rows].min() for rows in within if len(rows) >= _FEWEST_ROWS], dtype=np.int64)
    return (np.concatenate(sampled) if sampled else order[:0]), lowest, starts.astype(np.int64)


def _order(ranks: Ints) -> Floats:
    """Return a number between 0 and 1 for each rank, as good as random (the mixer of splitmix64)."""
    with np.errstate(over="ignore"):
        mixed = (ranks.astype(np.uint64) + np.uint64(1)) * _MIX
        mixed = (mixed ^ (mixed >> np.uint64(30))) * np.uint64(0xBF58476D1CE4E5B9)
        mixed = (mixed ^ (mixed >> np.uint64(27))) * np.uint64(0x94D049BB133111EB)
    return np.asarray((mixed ^ (mixed >> np.uint64(31))) / 2.0**64)
