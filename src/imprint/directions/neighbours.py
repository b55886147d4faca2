"""The words nearest to a word or a query, and names ranked by a query in which nothing else changes.

Bolukbasi et al. (2016), section 1: the words closest to a query, and a search engine that ranks two pages which differ
only in the names John and Mary.
"""

from collections.abc import Sequence
from typing import Annotated

import numpy as np

from imprint.checks import check_whole
from imprint.embeddings.embedding import Embedding
from imprint.errors import VocabularyError
from imprint.rows import Row, WordValue, shown, word_values
from imprint.significance.partitions import permutation_test
from imprint.stimuli.catalog import get
from imprint.stimuli.definition import WeatTest
from imprint.subjects.opening import EmbeddingLike, load
from imprint.types import Floats

MOST = 100  # neighbours
NAMES = "caliskan-6"  # the test whose targets are the names of men and women


class NeighboursRow(Row, frozen=True, kw_only=True, tag="neighbours"):
    """A word or a query, how the vocabulary spells it, and the nearest words with their cosines."""

    word: Annotated[str, shown("Word", "The word, or the words of a query.", shape="word")]
    token: Annotated[str, shown("Entry", "How the vocabulary spells it.", shape="word")]
    nearest: Annotated[tuple[WordValue, ...], shown("Nearest", "The nearest words with their cosines.")]

    def __repr__(self) -> str:
        return f"NeighboursRow({self.token!r}: {', '.join(near.word for near in self.nearest[:3])}, ...)"


class NameRankingRow(Row, frozen=True, kw_only=True, tag="name-ranking"):
    """Documents that differ in a name alone, by their cosine with a query, the highest first."""

    statistic: Annotated[float | None, shown("Mean difference", "Mean difference in cosine.", digits=4)] = None
    p_value: Annotated[float | None, shown("p", "Two-sided and exact, with names as the unit.")] = None
    query: Annotated[str, shown("Query", "What is searched for.")]
    document: Annotated[str, shown("Document", "The rest of the document, the same for every name.")]
    names_x: Annotated[tuple[str, ...], shown("First names", "Names of the first set.")]
    names_y: Annotated[tuple[str, ...], shown("Second names", "Names of the second set.")]
    scores: Annotated[tuple[WordValue, ...], shown("Scores", "Cosine of the query with each name's document.")]
    share_higher: Annotated[
        float,
        shown("First higher", "Share of pairs in which the name of the first set ranks higher.", shape="percent"),
    ]

    def __repr__(self) -> str:
        first, last = self.scores[0].word, self.scores[-1].word
        return f"NameRankingRow({self.query!r}: {first} first, {last} last; p = {self.p_value:.3g})"


def neighbours(embedding: EmbeddingLike, word: str, *, count: int = 10) -> NeighboursRow:
    """Find the words nearest to a word, or to the mean of the words of a query.

    Parameters
    ----------
    embedding
        A file, `default` or an object, as `load` accepts it.
    word
        One word, or several with blanks between them.
    count
        How many to find, 100 at most.

    Returns
    -------
    NeighboursRow
        The words with the largest cosines; of equal ones the first of the file first.

    Examples
    --------
    >>> imprint.neighbours("default", "nurse", count=2)
    NeighboursRow('nurse': doctor, nurses, ...)
    """
    check_whole("count", count, most=MOST)
    embedding = load(embedding)
    lookup = embedding.lookup([word])
    if lookup.missing and " " in word.strip():
        lookup = embedding.lookup(dict.fromkeys(word.split()))
    if not lookup.words:
        raise VocabularyError(f"{word!r} is missing", where=embedding.name, words=[word], hint="use a word it has")
    return NeighboursRow(
        test=word,
        embedding=embedding.name,
        embedding_sha256=embedding.sha256,
        missing=lookup.missing,
        word=word,
        token=" ".join(lookup.tokens),
        nearest=word_values(dict(embedding.most_similar(lookup.words, count=count))),
    )


def rank_names(
    embedding: EmbeddingLike,
    query: str,
    *,
    document: str | None = None,
    x: Sequence[str] | None = None,
    y: Sequence[str] | None = None,
) -> NameRankingRow:
    """Rank documents that differ only in a name by their cosine with a query, as a search engine might.

    A text is the mean of its words' vectors at unit length.

    Parameters
    ----------
    embedding
        A file, `default` or an object, as `load` accepts it.
    query
        What is searched for.
    document
        The rest of the document, the same for every name; by default the query.
    x
        First names; by default eight of men, those of caliskan-6.
    y
        Second names; by default eight of women.

    Returns
    -------
    NameRankingRow
        The names in order, how often x ranks above y, and an exact p-value with names as the unit.

    Examples
    --------
    >>> imprint.rank_names("default", "graduate student machine learning neural networks")
    NameRankingRow('graduate student machine learning neural networks': John first, Diana last; p = 0.0404)
    """
    embedding = load(embedding)
    test = get(NAMES)
    assert isinstance(test, WeatTest)
    x, y = test.x.words if x is None else tuple(x), test.y.words if y is None else tuple(y)
    document = query if document is None else document
    texts = [_rows(embedding, text) for text in (query, document)]
    lookups = [embedding.lookup(dict.fromkeys(names)) for names in (x, y)]
    for side, asked in zip(lookups, (x, y), strict=True):
        if not side.words:
            raise VocabularyError(
                f"has none of {len(asked)} names",
                where=embedding.name,
                words=side.missing,
                hint="give names that it has",
            )
    direction = texts[0].mean(axis=0)
    scores = [_scores(texts[1], side.unit, direction) for side in lookups]
    named = dict(zip((*lookups[0].words, *lookups[1].words), np.concatenate(scores).tolist(), strict=True))
    higher = scores[0][:, None] - scores[1][None, :]
    return NameRankingRow(
        test=query,
        embedding=embedding.name,
        embedding_sha256=embedding.sha256,
        statistic=float(scores[0].mean() - scores[1].mean()),
        p_value=permutation_test(scores[0], scores[1], alternative="two-sided").p_value,
        missing=(*lookups[0].missing, *lookups[1].missing),
        query=query,
        document=document,
        names_x=lookups[0].words,
        names_y=lookups[1].words,
        scores=word_values(dict(sorted(named.items(), key=lambda name: -name[1]))),
        share_higher=float(np.mean((higher > 0) + 0.5 * (higher == 0))),
    )


def _rows(embedding: Embedding, text: str) -> Floats:
    lookup = embedding.lookup(dict.fromkeys(text.split()))
    if not lookup.words:
        raise VocabularyError(
            f"has none of the words of {text!r}", where=embedding.name, words=lookup.missing, hint="use words it has"
        )
    return lookup.unit


def _scores(document: Floats, names: Floats, query: Floats) -> Floats:
    """Return the cosine of the query with the document and each name."""
    means = (document.sum(axis=0) + names) / (len(document) + 1)
    cosines: Floats = means @ query / (np.linalg.norm(means, axis=1) * np.linalg.norm(query))
    return cosines
