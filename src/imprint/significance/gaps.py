"""Scores of documents for queries: summed up per topic, and a contrast of them as a share of a gap between them.

A topic is a query, or several, with the documents for it. Topics are drawn, each with its queries and documents. A
document that is irrelevant to a query belongs to another topic, or to the query itself. In the first case the mean
over pairs of two topics varies with both: each topic gets its mean as the queries' topic plus that as the documents'
topic, less the mean of all (Hájek's projection).

A gap is for example that of relevant and irrelevant documents. Effect and gap are contrasts of tables over the same
factors. Whether a margin m is the share is tested by the contrast of the table `effect - m * gap`, with the variance
of `crossed`; the interval is every m that is not rejected (Fieller, 1954).
"""

import math
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import NamedTuple

import numpy as np

from imprint.significance.crossed import FEWEST_UNITS, Factor, Spread, contrast, crossed_terms, total_spread, two_sided
from imprint.significance.outcomes import CONFIDENCE, Size
from imprint.significance.shares import last_accepted
from imprint.types import Flags, Floats, Ints


class TopicScores(NamedTuple):
    """Mean scores per topic and name: of relevant documents, of irrelevant ones, and of those its own queries had.

    The means of the first two are those over topics; both of irrelevant documents are None where there are none.
    """

    related: Floats
    irrelevant: Floats | None = None
    irrelevant_by_query: Floats | None = None


def per_topic(scores: Floats, of_query: Ints, of_document: Ints, relevant: Flags) -> TopicScores:
    """Return the mean scores of each topic.

    `scores` has a row per pair of a query and a document, and a column per name; topics are numbered from 0.
    """
    count = int(of_query.max()) + 1
    related = _means(scores[relevant], of_query[relevant], count)
    if relevant.all():
        return TopicScores(related)
    rest, queries, documents = scores[~relevant], of_query[~relevant], of_document[~relevant]
    if np.array_equal(queries, documents):
        irrelevant = _means(rest, queries, count)
        return TopicScores(related, irrelevant, irrelevant)
    cells = queries * count + documents
    pairs, numbered = np.unique(cells, return_inverse=True)
    blocks = _means(rest, numbered, len(pairs))
    by_query, by_document = _means(blocks, pairs // count, count), _means(blocks, pairs % count, count)
    middle = (by_query.mean(axis=0) + by_document.mean(axis=0)) / 2
    return TopicScores(related, by_query + by_document - middle, by_query)


def _means(rows: Floats, groups: Ints, count: int) -> Floats:
    """Return the mean row of each group; NaN where a group has none."""
    sums = np.zeros((count, rows.shape[1]))
    np.add.at(sums, groups, rows)
    sizes = np.bincount(groups, minlength=count)[:, None]
    return np.asarray(np.divide(sums, sizes, out=np.full_like(sums, np.nan), where=sizes > 0))


@dataclass(frozen=True, eq=False)
class ShareOfGap:
    """Two tables over the same factors: an effect, and the gap that it is a share of."""

    effect: Floats
    gap: Floats
    factors: Sequence[Factor]

    @cached_property
    def difference(self) -> float:
        """The contrast of the effect."""
        return float(self._contrasts[0])

    @cached_property
    def distance(self) -> float:
        """The contrast of the gap."""
        return float(self._contrasts[1])

    def size(self, confidence: float = CONFIDENCE) -> Size:
        """Return the share, and every margin that is not rejected, where the gap is above 0 at this confidence."""
        value = self.difference / self.distance if self.distance > 0 else None
        if min((factor.fewest for factor in self.factors if factor.is_random), default=0) < FEWEST_UNITS:
            return Size(value, obstacle="few words")
        if value is None or not self._p_value(self.distance, np.array([0.0, 1.0])) < 1 - confidence:
            return Size(value, obstacle="attributes not distinguished")
        if not self.effect.any():  # nothing is exchanged: no share, whatever is drawn
            return Size(0.0, 0.0, 0.0)
        error = math.sqrt(float(self._spread(np.array([1.0, -value])).variance[0])) / self.distance
        if not error > 0:
            return Size(value, obstacle="few words")

        def p_value(margin: float) -> float:
            return self._p_value(self.difference - margin * self.distance, np.array([1.0, -margin]))

        low, high = (last_accepted(p_value, value, sign * error, 1 - confidence) for sign in (-1, 1))
        return Size(value, low, high)

    @cached_property
    def _tables(self) -> Floats:
        return np.stack([self.effect, self.gap])

    @cached_property
    def _contrasts(self) -> Floats:
        return contrast(self._tables, self.factors)

    @cached_property
    def _terms(self) -> tuple[Floats, Floats, Floats]:
        return crossed_terms(self._tables, self.factors, of_pairs=True)

    def _spread(self, weights: Floats) -> Spread:
        """Return how the weighted sum of effect and gap varies."""
        mains, rest, degrees = self._terms
        return total_spread((mains @ weights @ weights)[:, None], np.array([weights @ rest @ weights]), degrees)

    def _p_value(self, value: float, weights: Floats) -> float:
        spread = self._spread(weights)
        variance = float(spread.variance[0])
        return two_sided(value / math.sqrt(variance), float(spread.df[0])) if variance > 0 else 0.0
