"""An axis of bias: from one pair of words, from several, or from two sets, and how well it holds together.

Bolukbasi et al. (2016), section 2, take (he - she) / |he - she|. Several pairs are combined by the mean of their
differences or by its first principal component. Caliskan, Bryson and Narayanan (2016), Figure 3, show whether the
differences run side by side: the first two principal components of words that differ in gender.
"""

import math
from collections.abc import Sequence
from dataclasses import dataclass
from itertools import combinations
from typing import Annotated, Literal

import msgspec
import numpy as np

from imprint.checks import PairMethod, check_choice
from imprint.embeddings.embedding import Embedding
from imprint.encoders.cache import EncodingStore
from imprint.errors import SettingError, VocabularyError
from imprint.rows import Row, WordPoint, shown
from imprint.stimuli.definition import quote
from imprint.subjects.framed import word_vectors
from imprint.subjects.opening import EncoderLike
from imprint.threads import single_threaded
from imprint.types import Floats, Floats32

Pairs = Sequence[tuple[str, str]]
AxisMethod = Literal["difference", "pca", "sets"]

HE_SHE = ("he", "she")

_SHORTEST = float(np.finfo(np.float32).eps)  # differences of unit rows below it are rounding, not direction
_NEW = 1e-6  # length of what an axis adds to those before it, below which it adds nothing
_FEWEST_PLACED = 2  # pairs: the middle of one has nothing to lie beside
_DIMENSIONS = 2  # that they are placed in


@dataclass(frozen=True, eq=False)
class Axis:
    """A unit vector that points from negative to positive words.

    Attributes
    ----------
    direction
        The unit vector.
    positive
        Words of the positive end.
    negative
        Words of the negative end.
    method
        How the direction was made.
    explained
        Share of the pairs' variance around their midpoints along the direction; None without several pairs.
    agreement
        Mean cosine between the pairs' differences; None without several pairs.
    missing
        Words without a vector.
    """

    direction: Floats
    positive: tuple[str, ...]
    negative: tuple[str, ...]
    method: AxisMethod
    explained: float | None
    agreement: float | None
    missing: tuple[str, ...] = ()

    @property
    def name(self) -> str:
        """What the axis is called: its ends."""
        return f"{show_end(self.positive)} - {show_end(self.negative)}"

    def project(self, vectors: Floats32) -> Floats:
        """Return the coordinate of each row along the axis."""
        coordinates: Floats = np.asarray(vectors, dtype=np.float64) @ self.direction
        return coordinates

    def check(self, embedding: Embedding) -> None:
        """Refuse an embedding of another dimension."""
        if len(self.direction) != embedding.dimension:
            raise SettingError(
                f"{self.name} has {len(self.direction)} dimensions and {embedding.name} has {embedding.dimension}",
                option="axis",
                got=self.name,
                hint="make the axis from the embedding it is used on",
            )

    def __repr__(self) -> str:
        return f"Axis({self.name}, {self.method}, {len(self.direction)} dimensions)"


AxisLike = Axis | tuple[str, str] | Pairs


def as_axis(embedding: EncoderLike, axis: AxisLike, *, cache: EncodingStore | None = None) -> Axis:
    """Return an axis of an embedding: one made of it before, or one of a pair of words or of several."""
    if not isinstance(axis, Axis):
        return pair_axis(embedding, [axis] if _is_pair(axis) else axis, cache=cache)  # type: ignore[list-item, arg-type]
    return axis


def pair_axis(
    embedding: EncoderLike, pairs: Pairs, *, method: PairMethod = "difference", cache: EncodingStore | None = None
) -> Axis:
    """Make an axis from pairs of words.

    Parameters
    ----------
    embedding
        An embedding or an encoder, as `open_subject` accepts it; an encoder is asked about words in sentences.
    pairs
        Pairs of (positive, negative) words; a pair with a missing word is left out.
    method
        "difference" takes the mean of the pairs' differences, "pca" their first principal component.
    cache
        Where encodings are kept between runs.

    Returns
    -------
    Axis
        The axis; it names missing words.

    Examples
    --------
    >>> imprint.pair_axis("default", [("he", "she")])
    Axis(he - she, difference, 100 dimensions)
    """
    check_choice("method", method, ("difference", "pca"))
    _check_pairs(pairs)
    embedding = word_vectors(embedding, [word for pair in pairs for word in pair], cache=cache)
    known, missing = _known_pairs(embedding, pairs)
    first, second = (embedding.lookup(words).unit for words in zip(*known, strict=True))
    differences = first - second
    lengths = np.linalg.norm(differences, axis=1)
    flat = [pair for pair, length in zip(known, lengths, strict=True) if length < _SHORTEST]
    if flat:
        raise VocabularyError(
            f"{quote(flat[0])} have the same vector",
            where=embedding.name,
            words=flat[0],
            hint="give two words that differ",
        )
    mean = differences.mean(axis=0)
    if method == "pca":
        # Around each pair's middle its words lie at plus and minus half the difference.
        _, _, components = np.linalg.svd(differences, full_matrices=False)
        direction = components[0] * (1.0 if components[0] @ mean >= 0 else -1.0)
    else:
        direction = mean
    positive, negative = (tuple(words) for words in zip(*known, strict=True))
    unit = _normalise(direction, f"{quote(positive)} and {quote(negative)}", embedding)
    several = len(known) > 1
    return Axis(
        direction=unit,
        positive=positive,
        negative=negative,
        method=method,
        explained=float(((differences @ unit) ** 2).sum() / (differences**2).sum()) if several else None,
        agreement=_agreement(differences) if several else None,
        missing=missing,
    )


def set_axis(
    embedding: EncoderLike, positive: Sequence[str], negative: Sequence[str], *, cache: EncodingStore | None = None
) -> Axis:
    """Make an axis from the mean of one set of words to the mean of another.

    Parameters
    ----------
    embedding
        An embedding or an encoder, as `open_subject` accepts it; an encoder is asked about words in sentences.
    positive
        Words of the positive end.
    negative
        Words of the negative end.
    cache
        Where encodings are kept between runs.

    Returns
    -------
    Axis
        The axis; it names missing words.

    Examples
    --------
    >>> imprint.set_axis("default", ["he", "man"], ["she", "woman"])
    Axis(he, ... - she, ..., sets, 100 dimensions)
    """
    embedding = word_vectors(embedding, [*positive, *negative], cache=cache)
    kept: list[tuple[str, ...]] = []
    missing: list[str] = []
    for words in (positive, negative):
        if not words:
            raise SettingError(option="a set of words", got=words, expected="at least one word")
        lookup = embedding.lookup(words)
        if not lookup.words:
            raise VocabularyError(
                f"has none of {quote(words)}", where=embedding.name, words=words, hint="use words it has"
            )
        kept.append(lookup.words)
        missing += lookup.missing
    first, second = (embedding.lookup(words).unit.mean(axis=0) for words in kept)
    unit = _normalise(first - second, f"{quote(kept[0])} and {quote(kept[1])}", embedding)
    return Axis(unit, kept[0], kept[1], "sets", None, None, tuple(missing))


def group_axes(embedding: EncoderLike, groups: Sequence[Sequence[str]]) -> tuple[Axis, ...]:
    """Make an axis from the other groups' words to each group's; of k groups they span k - 1 dimensions."""
    if len(groups) == 2:
        return (set_axis(embedding, *groups),)
    others = [[word for other in groups if other is not group for word in other] for group in groups]
    return tuple(set_axis(embedding, group, rest) for group, rest in zip(groups, others, strict=True))


class PairOfWords(msgspec.Struct, frozen=True):
    """Two words that differ in one meaning."""

    first: Annotated[str, shown("First", shape="word")]
    second: Annotated[str, shown("Second", shape="word")]


class PairsRow(Row, frozen=True, kw_only=True, tag="pairs"):
    """Where the words of pairs lie, at unit length, along their first two principal components."""

    pairs: Annotated[tuple[PairOfWords, ...], shown("Pairs")]
    points: Annotated[tuple[WordPoint, ...], shown("Points", "Where each word lies along both components.")]
    explained_shares: Annotated[
        tuple[float, float], shown("Variance explained", "Shares of the words' variance along the components.")
    ]
    agreement: Annotated[
        float, shown("Cosine between pairs", "Mean cosine between the pairs' differences, in the whole space.")
    ]


def pair_components(embedding: Embedding, pairs: Pairs) -> PairsRow:
    """Place the words of pairs; a pair of which a word is missing is left out and named.

    Both components point the way the pairs do on average, from second words to first.
    """
    axis = pair_axis(embedding, pairs)
    placed = tuple(zip(axis.positive, axis.negative, strict=True))
    if len(placed) < _FEWEST_PLACED or embedding.dimension < _DIMENSIONS:
        raise VocabularyError(
            f"has {len(placed)} of the pairs in {embedding.dimension} dimensions",
            expected=f"at least {_FEWEST_PLACED} in {_DIMENSIONS}",
            where=embedding.name,
        )
    assert axis.agreement is not None
    words = tuple(dict.fromkeys(word for pair in placed for word in pair))
    with single_threaded():
        coordinates, shares = _two_components(embedding.lookup(words).unit, axis.direction)
    return PairsRow(
        test="principal components",
        embedding=embedding.name,
        embedding_sha256=embedding.sha256,
        statistic=axis.agreement,
        missing=axis.missing,
        pairs=tuple(PairOfWords(*pair) for pair in placed),
        points=tuple(map(WordPoint, words, *coordinates.T.tolist())),
        explained_shares=shares,
        agreement=axis.agreement,
    )


def orthonormal(axes: Sequence[Axis]) -> Floats:
    """Return orthonormal rows that span the axes, the first one along the first axis."""
    basis: list[Floats] = []
    for axis in axes:
        rest = axis.direction - sum((axis.direction @ row) * row for row in basis)
        length = np.linalg.norm(rest)
        if length > _NEW:
            basis.append(rest / length)
    return np.array(basis)


def check_ends(pairs: Pairs) -> None:
    """Refuse a pair of a word with itself."""
    same = [first for first, second in pairs if first == second]
    if same:
        raise SettingError(
            f"{same[0]!r} appears on both sides of a pair", option="pairs", words=same, hint="give two different words"
        )


def show_end(words: Sequence[str]) -> str:
    """Return the words at one end of an axis, the first for all of them."""
    return ", ".join(words) if len(words) < 2 else f"{words[0]}, ..."


def _check_pairs(pairs: Pairs) -> None:
    if not isinstance(pairs, Sequence) or not pairs or not all(_is_pair(pair) for pair in pairs):
        raise SettingError(option="pairs", got=pairs, expected="a list of pairs of words, such as [('he', 'she')]")
    check_ends(pairs)


def _is_pair(pair: object) -> bool:
    return isinstance(pair, tuple | list) and len(pair) == 2 and all(isinstance(word, str) for word in pair)


def _known_pairs(embedding: Embedding, pairs: Pairs) -> tuple[list[tuple[str, str]], tuple[str, ...]]:
    missing = embedding.lookup(dict.fromkeys(word for pair in pairs for word in pair)).missing
    whole = [(first, second) for first, second in pairs if first not in missing and second not in missing]
    if not whole:
        raise VocabularyError(
            f"{quote(missing)} missing, and no pair is left",
            where=embedding.name,
            words=missing,
            hint="use words it has",
        )
    return whole, missing


def _normalise(direction: Floats, ends: str, embedding: Embedding) -> Floats:
    length = math.sqrt(float(direction @ direction))
    if length < _SHORTEST:
        raise VocabularyError(
            f"{ends} have the same mean, so the axis has no length", where=embedding.name, hint="use other words"
        )
    return direction / length


def _agreement(differences: Floats) -> float:
    units = differences / np.linalg.norm(differences, axis=1, keepdims=True)
    return float(np.mean([units[i] @ units[j] for i, j in combinations(range(len(units)), 2)]))


def _two_components(rows: Floats, way: Floats) -> tuple[Floats, tuple[float, float]]:
    """Return the coordinates around the middle and the shares of variance; a component's sign follows `way`."""
    centred = rows - rows.mean(axis=0)
    _, lengths, components = np.linalg.svd(centred, full_matrices=False)
    first_two = components[:_DIMENSIONS] * np.where(components[:_DIMENSIONS] @ way < 0, -1.0, 1.0)[:, None]
    shares = lengths**2 / (lengths**2).sum()
    return centred @ first_two.T, (float(shares[0]), float(shares[1]))
