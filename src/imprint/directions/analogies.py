"""Stereotype analogies: the pairs of words that differ from each other as the two ends of an axis do.

Bolukbasi et al. (2016), section 2, eq. (1): S(a, b) = (a - b)·d / |a - b| for rows at unit length with
|a - b| <= delta, the best first; of pairs that share a first word, or a second, only the best is kept. Footnote 3: a
variation of 3CosMul (Levy and Goldberg, 2014) scores pairs by products of similarities instead.
"""

import math
from collections.abc import Iterable
from dataclasses import dataclass
from typing import TYPE_CHECKING, Annotated, get_args

import numpy as np

from imprint.checks import PairScore, check_choice, check_whole
from imprint.directions.axis import Axis
from imprint.embeddings.embedding import Embedding
from imprint.embeddings.vocabulary import is_cased
from imprint.enumeration.targets import FEWEST_BEARERS
from imprint.errors import SettingError, VocabularyError, requiring
from imprint.rows import Result, Row, shown
from imprint.stimuli.names import first_names
from imprint.stimuli.seeds import gender_specific
from imprint.subjects.opening import EmbeddingLike, load
from imprint.threads import single_threaded
from imprint.types import Floats, Indices, Progress

if TYPE_CHECKING:
    import pandas as pd

_EPSILON = 0.001  # as Levy and Goldberg have it
_COLUMNS = ("first", "second", "score", "distance", "first_projection", "second_projection")


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


@dataclass(frozen=True, repr=False, eq=False)
class Analogies(Result):
    """The pairs found, the best first: at most `k`, among the `n_words` most frequent words."""

    axis: Axis
    embedding: str
    pairs: tuple[AnalogyRow, ...]
    k: int
    n_words: int

    def findings(self) -> list[AnalogyRow]:
        """Return one row per pair; nothing is masked here."""
        return list(self.pairs)

    def to_frame(self) -> "pd.DataFrame":
        """Return one row per pair, nothing masked."""
        with requiring("pandas", "pandas"):
            import pandas as pd

        rows = [[getattr(pair, column) for column in _COLUMNS] for pair in self.pairs]
        return pd.DataFrame(rows, columns=list(_COLUMNS))

    def __repr__(self) -> str:
        return f"Analogies({self.axis.name} in {self.embedding}: {len(self.pairs):,} pairs of {self.n_words:,} words)"


def analogies(
    embedding: EmbeddingLike,
    axis: Axis,
    *,
    k: int = 1_000,
    delta: float = 1.0,
    words: int = 50_000,
    names: bool = True,
    neutral: bool = False,
    score: PairScore = "difference",
    progress: Progress | None = None,
) -> Analogies:
    """Find the best analogies: pairs of words that differ from each other as the two ends of an axis do.

    The search is exact: it finds the pairs that trying all pairs would find. Only pairs with a score above zero count,
    so there may be fewer than k. Ties go to more frequent words, then by spelling.

    Parameters
    ----------
    embedding
        A file, `default` or an object, as `load` accepts it.
    axis
        An axis of the same embedding, from `pair_axis` or `set_axis`.
    k
        How many pairs to find.
    delta
        How far apart two words may be, at unit length.
    words
        How many of the most frequent entries to pair.
    names
        Keep entries that are US first names; in an embedding without capitals these include words such as grace.
    neutral
        Leave out the words of a list of words gendered by meaning (king, mother) and the axis' own, in any case. The
        list has gaps, such as mr and abbess.
    score
        "difference" is the paper's eq. (1). "3cosmul" multiplies similarities, as its footnote 3 tried. The factors
        are how much nearer a is to the positive end than to the negative, the same of b for the negative end, and how
        near a and b are.
    progress
        Called with the work done and the total work.

    Returns
    -------
    Analogies
        The pairs, best first.

    Examples
    --------
    >>> axis = imprint.pair_axis("default", [("he", "she")])
    >>> imprint.analogies("default", axis, k=10, words=2_000)
    Analogies(he - she in glove.6B.100d: 10 pairs of 2,000 words)
    """
    embedding = load(embedding)
    _check(embedding, axis, k, delta, words)
    check_choice("score", score, get_args(PairScore))
    from imprint.directions.kernels import distance, normalise, project
    from imprint.directions.search import best_pairs, best_products

    ends = (*axis.positive, *axis.negative)
    meant = frozenset(word.lower() for word in (*gender_specific(), *ends)) if neutral else frozenset()
    rows, gendered, named = _frequent_rows(embedding, words, meant, names=names)
    direction = np.ascontiguousarray(axis.direction, dtype=np.float64)
    with single_threaded():
        unit = normalise(np.ascontiguousarray(embedding.vectors[rows]))
        projections = project(unit, direction)
        if score == "3cosmul":
            best = best_products(unit, _factors(embedding, axis, unit), k=k, delta=delta, progress=progress)
        else:
            best = best_pairs(unit, projections, direction, k=k, delta=delta, progress=progress)
    found = zip(*(column.tolist() for column in best), strict=True)
    pairs = tuple(
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
            delta=float(delta),
            n_words=len(rows),
            with_names=names,
            neutral=neutral,
            gendered_left_out=gendered,
            names_left_out=named,
            score_by=score,
        )
        for rank, (a, b, value) in enumerate(found, start=1)
    )
    return Analogies(axis, embedding.name, pairs, k, len(rows))


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


def _check(embedding: Embedding, axis: Axis, k: int, delta: float, words: int) -> None:
    if not isinstance(axis, Axis):
        raise SettingError(
            option="axis",
            got=axis,
            expected="an Axis",
            hint="make one with pair_axis(embedding, [('he', 'she')]) or set_axis",
        )
    axis.check(embedding)
    check_whole("k", k)
    check_whole("words", words, 2)
    if not (isinstance(delta, int | float | np.floating) and math.isfinite(delta) and delta > 0):
        raise SettingError(option="delta", got=delta, expected="a distance above 0, such as 1")
    embedding.check_finite()


def _frequent_rows(
    embedding: Embedding, count: int, meant: frozenset[str], *, names: bool
) -> tuple[Indices, int, int]:
    """Return the rows to pair, the most frequent first: one a word, none of them zero or, in lower case, `meant`.

    Also return how many words were left out as `meant`, and how many others as names.
    """
    order: Iterable[int] = range(len(embedding))
    if (ranks := embedding.ranks) is not None:
        order = sorted(order, key=lambda row: (ranks[row], embedding.words[row]))
    left_out = frozenset() if names else frozenset(first_names().at_least(FEWEST_BEARERS).names)
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
            if len(rows) == count:
                break
    if len(rows) < 2:
        raise VocabularyError(f"has {len(rows)} words to pair", expected="at least 2", where=embedding.name)
    return np.fromiter(rows.values(), dtype=np.intp), len(gendered), len(named)
