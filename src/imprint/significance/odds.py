"""The log odds ratio of co-occurrences, how it would vary over other documents and words, and what each moves.

Each document has four counts: X near A, X near B, Y near A and Y near B. Counts add, so leaving out a document, or a
word, is a subtraction. The jackknife's variances over documents and over each random set of words are summed, less
what single co-occurrences contribute, which is in several of them. Parts that share documents or words, as two corpora
share the words and two questions the names, leave these out together (strata as in `shares`).
"""

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property

import numpy as np

from imprint.significance.crossed import OverWords, Spread
from imprint.significance.outcomes import CONFIDENCE, Reason
from imprint.significance.shares import over_strata, unbiased
from imprint.types import Floats, Ints

FEWEST_COUNTS = 5  # in each of the four cells
FEWEST_SEEN = 8  # words of a random set, and documents

_SIGNS = np.array([1.0, -1.0, -1.0, 1.0])
_ADDED = 0.5  # to each cell, so that a cell may be empty once a document or a word is left out


@dataclass(frozen=True, eq=False)
class Drawn:
    """What was drawn from one population: its numbers, and the four cells that each contributes."""

    units: Ints
    cells: Ints

    @property
    def is_counted(self) -> Ints:
        """The places of those that contribute anything."""
        return np.asarray(np.flatnonzero(self.cells.any(axis=1)))


@dataclass(frozen=True, eq=False)
class CountedOdds:
    """The counts of one question in one corpus: by document, and by word of each set that was drawn.

    The words of closed sets, such as pronouns, are fixed and not among `words`. A unit has one number in all parts.
    """

    documents: Drawn
    words: tuple[Drawn, ...]

    @cached_property
    def cells(self) -> Ints:
        """X near A, X near B, Y near A, Y near B."""
        return np.asarray(self.documents.cells.sum(axis=0), dtype=np.int64)

    @property
    def value(self) -> float:
        """The log odds ratio: above zero, X goes with A and Y with B."""
        return float(log_odds(self.cells))

    @property
    def wald_variance(self) -> float:
        """The variance that the literature prints: every co-occurrence counts as independent."""
        return float((1 / (self.cells + _ADDED)).sum())

    @property
    def obstacle(self) -> Reason | None:
        """What keeps the counts from saying anything."""
        if self.cells.min() < FEWEST_COUNTS:
            return "few counts"
        if len(self.documents.is_counted) < FEWEST_SEEN:
            return "few documents"
        return "few words" if any(len(words.is_counted) < FEWEST_SEEN for words in self.words) else None

    def moved_by(self, drawn: Drawn) -> Floats:
        """Return how much each document, or word, moves the log odds ratio: it less that without it."""
        return np.asarray(self.value - log_odds(self.cells - drawn.cells))

    def removal(self) -> tuple[Ints, Floats]:
        """Return documents from the one that most supports the finding on, and the log odds without the first ones.

        The second begins with the whole corpus.
        """
        supports = np.sign(self.value) * self.moved_by(self.documents)
        order = np.argsort(-supports, kind="stable")
        gone = np.vstack([np.zeros((1, 4), dtype=np.int64), np.cumsum(self.documents.cells[order], axis=0)])
        return order, log_odds(self.cells - gone)

    def to_halve(self) -> int | None:
        """Return how many documents would have to go, the most supporting first, to halve the log odds."""
        return _first_half(self.removal()[1])

    def to_halve_if_spread(self, seed: int, draws: int) -> list[int]:
        """Return the same where co-occurrences are spread over documents of these sizes at random, sorted."""
        sizes = self.documents.cells.sum(axis=1) / max(1, self.cells.sum())
        least = []
        for sequence in np.random.SeedSequence(seed).spawn(draws):
            rng = np.random.default_rng(sequence)
            cells = np.stack([rng.multinomial(count, sizes) for count in self.cells], axis=1)
            spread = CountedOdds(Drawn(self.documents.units, cells), ())
            least.append(spread.to_halve() or len(sizes))
        return sorted(least)


def log_odds(cells: Ints) -> Floats:
    """Return the log odds ratio of four cells, along the last axis."""
    return np.asarray(np.log(cells + _ADDED) @ _SIGNS)


def _first_half(values: Floats) -> int | None:
    halved = np.abs(values) <= abs(values[0]) / 2
    halved |= np.sign(values) != np.sign(values[0])
    return int(halved.argmax()) if halved.any() and values[0] else None


def over_documents_and_words(
    parts: Sequence[tuple[CountedOdds, float]], confidence: float = CONFIDENCE, *, shared: bool = False
) -> OverWords | None:
    """Return a weighted sum of log odds ratios with its interval; None where nothing varies.

    Parts with opposite weights that have `shared` documents have co-occurrences in common.
    """
    value = sum(weight * part.value for part, weight in parts)
    return odds_spread(parts, shared=shared).interval(value, confidence)


def odds_spread(parts: Sequence[tuple[CountedOdds, float]], *, shared: bool = False) -> Spread:
    """Return the variance of a weighted sum of log odds ratios over documents and words."""
    samples: list[Ints] = []
    drawn = [(part, weight, each) for part, weight in parts for each in (part.documents, *part.words)]
    moves = np.zeros(1 + max(int(each.units.max(initial=0)) for _, _, each in drawn))
    for part, weight, each in drawn:
        seen = each.is_counted
        if not len(seen):
            continue
        moved = part.moved_by(each)[seen]
        moves[each.units[seen]] += weight * (moved - moved.mean()) / (unbiased(len(seen)) or 1.0)
        samples.append(each.units[seen])
    # What single co-occurrences contribute cancels in part where they are shared: then nothing is taken off.
    single = 0.0 if shared else sum(weight**2 * part.wald_variance for part, weight in parts)
    return over_strata(moves**2, samples, single)
