"""Where words lie along an axis, and whether two embeddings, or an embedding and people, place them alike.

Bolukbasi et al. (2016), section 2: the projections of professions on he - she, and, in Figure 1, those of two
embeddings against each other.
"""

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Annotated, Any

import msgspec
import numpy as np

from imprint.checks import check_list, check_whole
from imprint.directions.axis import Axis
from imprint.embeddings.embedding import Embedding
from imprint.encoders.cache import EncodingStore
from imprint.errors import SettingError, VocabularyError, requiring
from imprint.rows import Result, Row, WordPoint, WordValue, shown, word_values
from imprint.significance.ranks import pearson, spearman
from imprint.stimuli.definition import quote
from imprint.subjects.framed import word_vectors
from imprint.subjects.opening import EncoderLike
from imprint.types import Floats

if TYPE_CHECKING:
    import pandas as pd

FEWEST = 4  # words: three numbers leave a correlation nothing to be tested with

Placed = tuple[str, float]


class ProjectionRow(Row, frozen=True, kw_only=True, tag="projection"):
    """A list of words along an axis: where each lies, how far they spread, and what the axis was made of."""

    test: Annotated[str, shown("Axis")]
    method: Annotated[str, shown("Method", "How the axis was made of its words.")]
    positive: Annotated[tuple[str, ...], shown("Positive end", "Words of the axis' positive end.")]
    negative: Annotated[tuple[str, ...], shown("Negative end", "Words of the axis' negative end.")]
    explained: Annotated[
        float | None,
        shown("Variance explained", "Share of the pairs' variance that lies along the axis.", shape="percent"),
    ]
    agreement: Annotated[
        float | None,
        shown("Cosine between pairs", "Mean cosine between the pairs' differences; one if all point the same way."),
    ]
    axis_missing: Annotated[tuple[str, ...], shown("Missing of the axis", "Words of the axis without a vector.")]
    n_words: Annotated[int, shown("Words", "Words the embedding has, of those asked for.")]
    mean: Annotated[float, shown("Mean", "Of the words' coordinates.", digits=3)]
    variance: Annotated[float | None, shown("Variance", "Of the words' coordinates.", digits=4)]
    coordinates: Annotated[tuple[WordValue, ...], shown("Coordinates", "Where each word lies along the axis.")]


class ProjectionComparisonRow(Row, frozen=True, kw_only=True, tag="projection comparison"):
    """Two numbers per word, the coordinate (x) and one known from elsewhere (y), and how they correlate."""

    other: Annotated[str, shown("Coordinates compared with")]
    other_sha256: Annotated[str | None, shown("Compared with, SHA-256", "Its hash, of an embedding.", shape="word")]
    other_missing: Annotated[tuple[str, ...], shown("Missing there", "Words that it lacks.")]
    pearson: Annotated[float, shown("Pearson", "Correlation of the coordinates with these numbers.")]
    pearson_p_value: Annotated[float, shown("p", "Two-sided p of Pearson's correlation.", shape="p")]
    spearman: Annotated[float, shown("Spearman", "Correlation of ranks.")]
    spearman_p_value: Annotated[float, shown("p, Spearman", "Two-sided p of Spearman's correlation.", shape="p")]
    n_words: Annotated[int, shown("Words", "Words that both have.")]
    points: Annotated[tuple[WordPoint, ...], shown("Points", "Both numbers of every word.")]


@dataclass(frozen=True, repr=False, eq=False)
class Projections(Result):
    """The coordinate of each word's row, at unit length, along an axis; words without a vector are `missing`."""

    axis: Axis
    embedding: str
    embedding_sha256: str
    words: tuple[str, ...]
    coordinates: Floats
    missing: tuple[str, ...]

    @property
    def variance(self) -> float | None:
        """Variance (n - 1) of the coordinates, the paper's measure of stereotype; None of a single word."""
        return float(self.coordinates.var(ddof=1)) if len(self.words) > 1 else None

    def most_positive(self, count: int = 10) -> list[Placed]:
        """Return the words on the positive side of zero, the furthest first: so many at most."""
        return [one for one in self._first(-self.coordinates, count) if one[1] > 0]

    def most_negative(self, count: int = 10) -> list[Placed]:
        """Return the words on the negative side of zero, the furthest first: so many at most."""
        return [one for one in self._first(self.coordinates, count) if one[1] < 0]

    def nearest_zero(self, count: int = 10) -> list[Placed]:
        """Return the words in the middle, the nearest to zero first."""
        return self._first(np.abs(self.coordinates), count)

    def to_mapping(self) -> dict[str, float]:
        """Return the coordinates by word."""
        return dict(zip(self.words, self.coordinates.tolist(), strict=True))

    def to_frame(self) -> "pd.DataFrame":
        """Return one row per word, in the order given."""
        with requiring("pandas", "pandas"):
            import pandas as pd

        return pd.DataFrame({"word": self.words, "coordinate": self.coordinates})

    def findings(self) -> list[ProjectionRow]:
        """Return the one row in a list, as every result does."""
        return [self.finding()]

    def finding(self) -> ProjectionRow:
        """Return the row of the whole list; its statistic is the variance of the coordinates."""
        return ProjectionRow(
            test=self.axis.name,
            embedding=self.embedding,
            embedding_sha256=self.embedding_sha256,
            statistic=self.variance,
            missing=self.missing,
            method=self.axis.method,
            positive=self.axis.positive,
            negative=self.axis.negative,
            explained=self.axis.explained,
            agreement=self.axis.agreement,
            axis_missing=self.axis.missing,
            n_words=len(self.words),
            mean=float(self.coordinates.mean()),
            variance=self.variance,
            coordinates=word_values(self.to_mapping()),
        )

    def __repr__(self) -> str:
        return (
            f"Projections({self.axis.name} in {self.embedding}: {len(self.words)} words, {len(self.missing)} missing)"
        )

    def _first(self, keys: Floats, count: int) -> list[Placed]:
        check_whole("count", count)
        return [(self.words[row], float(self.coordinates[row])) for row in np.argsort(keys, kind="stable")[:count]]


@dataclass(frozen=True, repr=False, eq=False)
class Comparison(Result):
    """Two numbers per word, x and y, and how they go together; p-values are two-sided."""

    row: ProjectionComparisonRow
    axis: str

    def __getattr__(self, name: str) -> Any:
        """Return a field of the row."""
        if name == "row":  # a copy asks before it has one
            raise AttributeError(name)
        return getattr(self.row, name)

    @property
    def words(self) -> tuple[str, ...]:
        """The words that have both numbers."""
        return tuple(point.word for point in self.row.points)

    def to_frame(self) -> "pd.DataFrame":
        """Return one row per shared word: Figure 1's points."""
        with requiring("pandas", "pandas"):
            import pandas as pd

        return pd.DataFrame(map(msgspec.structs.asdict, self.row.points))

    def findings(self) -> list[ProjectionComparisonRow]:
        """Return the one row in a list, as every result does."""
        return [self.row]

    def __repr__(self) -> str:
        return (
            f"Comparison({self.axis} in {self.embedding} and {self.other}: r = {self.pearson:.2f}, "
            f"rho = {self.spearman:.2f}, {self.n_words} words)"
        )


def project(
    embedding: EncoderLike, axis: Axis, words: Sequence[str], *, cache: EncodingStore | None = None
) -> Projections:
    """Project words, at unit length, onto an axis.

    Parameters
    ----------
    embedding
        An embedding or an encoder, as `open_subject` accepts it; an encoder is asked about words in sentences.
    axis
        An axis of the same embedding, from `pair_axis` or `set_axis`.
    words
        Words or phrases; a phrase with spaces is also looked up with underscores.
    cache
        Where encodings are kept between runs.

    Returns
    -------
    Projections
        The coordinate of each word, and the missing words.

    Examples
    --------
    >>> axis = imprint.pair_axis("default", [("he", "she")])
    >>> imprint.project("default", axis, ["nurse", "pilot"]).most_positive(1)[0][0]
    'pilot'
    """
    check_list("words", words)
    embedding = word_vectors(embedding, words, cache=cache)
    axis.check(embedding)
    spellings = [_spelling(embedding, word) for word in words]
    found = embedding.lookup(spellings)
    if not found.words:
        raise VocabularyError(
            f"has none of the words ({quote(words)})", where=embedding.name, words=words, hint="use words it has"
        )
    lost = set(found.missing)
    known = tuple(word for word, spelling in zip(words, spellings, strict=True) if spelling not in lost)
    _refuse_shared(known, found.tokens, embedding)
    lengths = np.linalg.norm(found.vectors.astype(np.float64), axis=1)
    return Projections(
        axis=axis,
        embedding=embedding.name,
        embedding_sha256=embedding.sha256,
        words=known,
        coordinates=axis.project(found.vectors) / lengths,
        missing=tuple(word for word, spelling in zip(words, spellings, strict=True) if spelling in lost),
    )


def compare_projections(one: Projections, other: Projections) -> Comparison:
    """Set the coordinates of the words that both have against each other (Figure 1)."""
    name = f"{other.axis.name} in {other.embedding}"
    return _compare(one, other.to_mapping(), name, other.embedding_sha256, other.missing)


def compare_with_scores(one: Projections, scores: Mapping[str, float], *, name: str = "scores") -> Comparison:
    """Set the coordinates against a number known of each word, such as how stereotyped a crowd thinks it."""
    odd = [word for word, score in scores.items() if not math.isfinite(score)]
    if odd:
        raise SettingError(
            f"the {name} of {quote(odd)} are not finite numbers", words=odd, hint="correct or drop them"
        )
    return _compare(one, scores, name)


def joined(phrase: str) -> str:
    """Return a phrase as one token, the way word2vec writes it."""
    return phrase.replace(" ", "_")


def _compare(
    one: Projections,
    numbers: Mapping[str, float],
    name: str,
    other_sha256: str | None = None,
    other_missing: tuple[str, ...] = (),
) -> Comparison:
    by_phrase = {joined(word): value for word, value in numbers.items()}
    points = [(word, x, by_phrase[joined(word)]) for word, x in one.to_mapping().items() if joined(word) in by_phrase]
    if len(points) < FEWEST:
        raise VocabularyError(
            f"{one.embedding} and {name} share {len(points)} of the words",
            expected=f"at least {FEWEST}",
            hint="use more words",
        )
    x, y = np.array([numbers for _, *numbers in points], dtype=np.float64).T
    for side, values in ((one.embedding, x), (name, y)):
        if not np.ptp(values):
            raise VocabularyError(
                "every word has the same number, so nothing can correlate", where=side, hint="use other words"
            )
    r, r_p_value = pearson(x, y)
    rho, rho_p_value = spearman(x, y)
    row = ProjectionComparisonRow(
        test=f"{one.axis.name} and {name}",
        embedding=one.embedding,
        embedding_sha256=one.embedding_sha256,
        effect_size=r,
        statistic=rho,
        p_value=r_p_value,
        missing=one.missing,
        other=name,
        other_sha256=other_sha256,
        other_missing=other_missing,
        pearson=r,
        pearson_p_value=r_p_value,
        spearman=rho,
        spearman_p_value=rho_p_value,
        n_words=len(points),
        points=tuple(WordPoint(*point) for point in points),
    )
    return Comparison(row, one.axis.name)


def _spelling(embedding: Embedding, word: str) -> str:
    return word if joined(word) == word or embedding.lookup([word]).words else joined(word)


def _refuse_shared(words: Sequence[str], tokens: Sequence[str], embedding: Embedding) -> None:
    first: dict[str, str] = {}
    for word, token in zip(words, tokens, strict=True):
        if token in first:
            raise VocabularyError(
                f"{first[token]!r} and {word!r} are one entry, {token!r}",
                where=embedding.name,
                words=[first[token], word],
                hint="keep one of them",
            )
        first[token] = word
