"""Stereotype analogies: the pairs of words that differ from each other as the two ends of an axis do.

Bolukbasi et al. (2016), section 2, eq. (1): S(a, b) = (a - b)·d / |a - b| for rows at unit length with
|a - b| <= delta, the best first; of pairs that share a first word, or a second, only the best is kept. Footnote 3: a
variation of 3CosMul (Levy and Goldberg, 2014) scores pairs by products of similarities instead.
"""

from collections.abc import Iterable
from dataclasses import dataclass, field
from typing import Annotated, Any

import numpy as np

from imprint.checks import PairScore
from imprint.directions.axis import HE_SHE, Axis, AxisLike, as_axis
from imprint.directions.settings import AnalogySettings
from imprint.embeddings.embedding import Embedding
from imprint.embeddings.vocabulary import is_cased
from imprint.enumeration.targets import FEWEST_BEARERS
from imprint.errors import VocabularyError
from imprint.rows import Row, Rows, shown
from imprint.settings import option, settable
from imprint.stimuli.names import first_names
from imprint.stimuli.seeds import gender_specific
from imprint.subjects.opening import EmbeddingLike, load
from imprint.threads import single_threaded
from imprint.types import Floats, Indices, Progress

_EPSILON = 0.001  # as Levy and Goldberg have it


class AnalogyRow(Row, frozen=True, kw_only=True, tag="analogy"):
    """Two words, their score S, how far apart they are, where each lies along the axis, and how they were looked for.

    The list of words gendered by meaning has gaps, such as mr and abbess.
    """

    rank: Annotated[int, shown("Rank", "1 is the highest score.")]
    first: Annotated[str, shown("First", "The word of the two nearer to the positive end.", shape="word")]
    second: Annotated[str, shown("Second", "The word of the two nearer to the negative end.", shape="word")]
    score: Annotated[float, shown("Score", "How much the pair differs as the ends of the axis do.", digits=3)]
    distance: Annotated[
        float,
        shown(
            "Distance", "Between the two words at unit length; small for words that mean nearly the same.", digits=3
        ),
    ]
    first_projection: Annotated[float, shown("First on the axis", "Coordinate of the first word.", digits=3)]
    second_projection: Annotated[float, shown("Second on the axis", "Coordinate of the second word.", digits=3)]
    positive: Annotated[tuple[str, ...], shown("Positive end", "Words of the axis' positive end.")]
    negative: Annotated[tuple[str, ...], shown("Negative end", "Words of the axis' negative end.")]
    method: Annotated[str, shown("Method", "How the axis was made of its words.")]
    delta: Annotated[float, shown("Limit", "The largest distance between two words of a pair.")]
    n_words: Annotated[int, shown("Words", "How many of the most frequent words were paired.")]
    with_names: Annotated[bool, shown("With names", "Whether first names were among the words.")]
    neutral: Annotated[
        bool, shown("Neutral", "Whether the axis' own words and a list of words gendered by meaning were left out.")
    ]
    gendered_left_out: Annotated[
        int | None, shown("Gendered words left out", "Words left out as gendered by meaning, or of the axis.")
    ] = None
    names_left_out: Annotated[int | None, shown("Names left out", "How many first names were left out.")] = None
    score_by: Annotated[PairScore, shown("Scored by", "How pairs were scored.")] = "difference"


@dataclass(frozen=True)
class AnalogySearch(AnalogySettings):
    """All that a search for analogies is given."""

    axis: Annotated[
        AxisLike,
        option("An axis of the same embedding, from `pair_axis` or `set_axis`, or pairs of words to make one of."),
    ] = HE_SHE
    progress: Annotated[Progress | None, option("Called with the work done and the total work.")] = field(
        default=None, kw_only=True
    )


@settable(AnalogySearch)
def analogies(embedding: EmbeddingLike, search: AnalogySearch) -> Rows[AnalogyRow]:
    """Find the best analogies: pairs of words that differ from each other as the two ends of an axis do.

    The search is exact: it finds the pairs that trying all pairs would find. Only pairs with a score above zero count,
    so there may be fewer than k. Ties go to more frequent words, then by spelling.

    In an embedding without capitals, US first names include words such as grace. The list of words gendered by meaning
    (king, mother) has gaps, such as mr and abbess. The score "difference" is the paper's eq. (1). "3cosmul" multiplies
    similarities, as its footnote 3 tried. The factors are how much nearer a is to the positive end than to the
    negative, the same of b for the negative end, and how near a and b are.

    Parameters
    ----------
    embedding
        A file, `default` or an object, as `load` accepts it.

    Returns
    -------
    Rows
        The pairs, best first.

    Examples
    --------
    >>> imprint.analogies("default", ("he", "she"), k=10, words=2_000)[0]
    AnalogyRow('he - she' on glove.6B.100d)
    """
    embedding = load(embedding)
    embedding.check_finite()
    axis = as_axis(embedding, search.axis)
    axis.check(embedding)
    from imprint.directions.kernels import distance, normalise, project
    from imprint.directions.search import best_pairs, best_products

    ends = (*axis.positive, *axis.negative)
    meant = frozenset(word.lower() for word in (*gender_specific(), *ends)) if search.neutral else frozenset()
    rows, gendered, named = _frequent_rows(embedding, search, meant)
    direction = np.ascontiguousarray(axis.direction, dtype=np.float64)
    with single_threaded():
        unit = normalise(np.ascontiguousarray(embedding.vectors[rows]))
        projections = project(unit, direction)
        limits: dict[str, Any] = {"k": search.k, "delta": search.delta, "progress": search.progress}
        if search.score == "3cosmul":
            best = best_products(unit, _factors(embedding, axis, unit), **limits)
        else:
            best = best_pairs(unit, projections, direction, **limits)
    ranked = zip(*(column.tolist() for column in best), strict=True)
    return Rows(
        AnalogyRow(
            test=axis.name,
            embedding=embedding.name,
            embedding_sha256=embedding.sha256,
            effect_size=value,
            statistic=value,
            missing=axis.missing,
            rank=rank,
            first=embedding.words[rows[a]],
            second=embedding.words[rows[b]],
            score=value,
            distance=distance(unit[a], unit[b]),
            first_projection=float(projections[a]),
            second_projection=float(projections[b]),
            positive=axis.positive,
            negative=axis.negative,
            method=axis.method,
            delta=float(search.delta),
            n_words=len(rows),
            with_names=not search.no_names,
            neutral=search.neutral,
            gendered_left_out=gendered,
            names_left_out=named,
            score_by=search.score,
        )
        for rank, (a, b, value) in enumerate(ranked, start=1)
    )


def _factors(embedding: Embedding, axis: Axis, unit: Floats) -> tuple[Floats, Floats]:
    """Return how much nearer each row is to the positive end than to the negative, and the other way round.

    Similarities are (1 + cos) / 2, so that none is negative; an end of several words is their mean (Levy and Goldberg,
    2014, eq. 4).
    """
    ends = []
    for words in (axis.positive, axis.negative):
        middle = embedding.lookup(words).unit.mean(axis=0)
        ends.append((1.0 + unit @ (middle / np.linalg.norm(middle))) / 2.0)
    return ends[0] / (ends[1] + _EPSILON), ends[1] / (ends[0] + _EPSILON)


def _frequent_rows(embedding: Embedding, search: AnalogySearch, meant: frozenset[str]) -> tuple[Indices, int, int]:
    """Return the rows to pair, the most frequent first: one a word, none of them zero or, in lower case, `meant`.

    Also return how many words were left out as `meant`, and how many others as names.
    """
    order: Iterable[int] = range(len(embedding))
    if (ranks := embedding.ranks) is not None:
        order = sorted(order, key=lambda row: (ranks[row], embedding.words[row]))
    left_out = frozenset(first_names().at_least(FEWEST_BEARERS).names) if search.no_names else frozenset()
    if not is_cased(embedding):
        left_out = frozenset(name.lower() for name in left_out)
    rows: dict[str, int] = {}
    gendered, named = set[str](), set[str]()
    for row in order:
        word = embedding.words[row]
        if word.lower() in meant:
            gendered.add(word)
        elif word in left_out:
            named.add(word)
        elif embedding.norms[row] > 0:
            rows.setdefault(word, row)
            if len(rows) == search.words:
                break
    if len(rows) < 2:
        raise VocabularyError(f"has {len(rows)} words to pair", expected="at least 2", where=embedding.name)
    return np.fromiter(rows.values(), dtype=np.intp), len(gendered), len(named)
