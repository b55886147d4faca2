"""Where words lie along an axis, and whether two embeddings, or an embedding and people, place them alike.

Bolukbasi et al. (2016), section 2: the projections of professions on he - she, and, in Figure 1, those of two
embeddings against each other.
"""

import math
from collections.abc import Mapping, Sequence
from typing import Annotated

import numpy as np

from imprint.checks import check_list, check_whole
from imprint.directions.axis import HE_SHE, AxisLike, as_axis
from imprint.embeddings.embedding import Embedding
from imprint.encoders.cache import EncodingStore
from imprint.errors import SettingError, VocabularyError
from imprint.rows import Row, WordPoint, WordValue, shown, word_values
from imprint.significance.ranks import pearson, spearman
from imprint.stimuli.definition import quote
from imprint.stimuli.seeds import professions
from imprint.subjects.framed import word_vectors
from imprint.subjects.opening import EncoderLike, open_subject

FEWEST = 4  # words: three numbers leave a correlation nothing to be tested with


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

    def ordered(self) -> list[WordValue]:
        """Return the words from the positive end to the negative one."""
        return sorted(self.coordinates, key=lambda placed: (-(placed.value or 0.0), placed.word))

    def most_positive(self, count: int = 10) -> list[WordValue]:
        """Return the words on the positive side of zero, the furthest first: so many at most."""
        check_whole("count", count)
        return [placed for placed in self.ordered() if (placed.value or 0.0) > 0][:count]

    def most_negative(self, count: int = 10) -> list[WordValue]:
        """Return the words on the negative side of zero, the furthest first: so many at most."""
        check_whole("count", count)
        return [placed for placed in self.ordered()[::-1] if (placed.value or 0.0) < 0][:count]

    def nearest_zero(self, count: int = 10) -> list[WordValue]:
        """Return the words in the middle, the nearest to zero first."""
        check_whole("count", count)
        return sorted(self.ordered(), key=lambda placed: abs(placed.value or 0.0))[:count]

    def to_mapping(self) -> dict[str, float]:
        """Return the coordinates by word, in the order given."""
        return {placed.word: placed.value for placed in self.coordinates if placed.value is not None}

    def __repr__(self) -> str:
        words = f"{self.n_words} words, {len(self.missing)} missing"
        return f"ProjectionRow({self.test} in {self.embedding}: {words})"


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

    def __repr__(self) -> str:
        r = f"r = {self.pearson:.2f}, rho = {self.spearman:.2f}"
        return f"ProjectionComparisonRow({self.test} in {self.embedding}: {r}, {self.n_words} words)"


def project(
    embedding: EncoderLike,
    axis: AxisLike = HE_SHE,
    words: Sequence[str] | None = None,
    *,
    cache: EncodingStore | None = None,
) -> ProjectionRow:
    """Project words, at unit length, onto an axis.

    Parameters
    ----------
    embedding
        An embedding or an encoder, as `open_subject` accepts it; an encoder is asked about words in sentences.
    axis
        An axis of the same embedding, from `pair_axis` or `set_axis`, or pairs of words to make one of.
    words
        Words or phrases; a phrase with spaces is also looked up with underscores. By default professions.
    cache
        Where encodings are kept between runs.

    Returns
    -------
    ProjectionRow
        The coordinate of each word, and the missing words.

    Examples
    --------
    >>> imprint.project("default", ("he", "she"), ["nurse", "pilot"]).most_positive(1)[0].word
    'pilot'
    """
    words = tuple(profession.word for profession in professions()) if words is None else words
    check_list("words", words)
    subject = open_subject(embedding)
    axis = as_axis(subject, axis, cache=cache)
    embedding = word_vectors(subject, words, cache=cache)
    axis.check(embedding)
    spellings = [_spelling(embedding, word) for word in words]
    lookup = embedding.lookup(spellings)
    if not lookup.words:
        raise VocabularyError(
            f"has none of the words ({quote(words)})", where=embedding.name, words=words, hint="use words it has"
        )
    lost = set(lookup.missing)
    placed = tuple(word for word, spelling in zip(words, spellings, strict=True) if spelling not in lost)
    _refuse_shared(placed, lookup.tokens, embedding)
    lengths = np.linalg.norm(lookup.vectors.astype(np.float64), axis=1)
    coordinates = axis.project(lookup.vectors) / lengths
    variance = float(coordinates.var(ddof=1)) if len(placed) > 1 else None  # the paper's measure of stereotype
    return ProjectionRow(
        test=axis.name,
        embedding=embedding.name,
        embedding_sha256=embedding.sha256,
        statistic=variance,
        missing=tuple(word for word, spelling in zip(words, spellings, strict=True) if spelling in lost),
        method=axis.method,
        positive=axis.positive,
        negative=axis.negative,
        explained=axis.explained,
        agreement=axis.agreement,
        axis_missing=axis.missing,
        n_words=len(placed),
        mean=float(coordinates.mean()),
        variance=variance,
        coordinates=word_values(dict(zip(placed, coordinates.tolist(), strict=True))),
    )


def compare_projections(one: ProjectionRow, other: ProjectionRow) -> ProjectionComparisonRow:
    """Set the coordinates of the words that both have against each other (Figure 1)."""
    name = f"{other.test} in {other.embedding}"
    return _compare(one, other.to_mapping(), name, other.embedding_sha256, other.missing)


def compare_with_scores(
    one: ProjectionRow, scores: Mapping[str, float], *, name: str = "scores"
) -> ProjectionComparisonRow:
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
    one: ProjectionRow,
    numbers: Mapping[str, float],
    name: str,
    other_sha256: str | None = None,
    other_missing: tuple[str, ...] = (),
) -> ProjectionComparisonRow:
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
    return ProjectionComparisonRow(
        test=f"{one.test} and {name}",
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
