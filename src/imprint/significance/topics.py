"""Scores of queries and documents summed up per topic: a topic is a query, or several, with the documents for it.

Topics are drawn, each with its queries and documents. A document that is irrelevant to a query belongs to another
topic, or to the query itself. In the first case the mean over pairs of two topics varies with both: each topic gets
its mean as the queries' topic plus that as the documents' topic, less the mean of all (Hájek's projection).
"""

from typing import NamedTuple

import numpy as np

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
