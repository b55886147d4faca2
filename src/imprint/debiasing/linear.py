"""Linear debiasing: one matrix that keeps inner products between words but takes an axis away from seed words.

Bolukbasi et al. (2016), section 3. `programme` solves for X; the transform is its symmetric root, T = X^1/2.
"""

import math
from collections.abc import Collection, Mapping, Sequence
from dataclasses import asdict, dataclass, replace
from typing import TYPE_CHECKING, Any, ClassVar

import numpy as np

from imprint.debiasing import programme
from imprint.debiasing.debiaser import GENDER, Debiaser
from imprint.debiasing.labelled import Groups, LabelledRows, check_groups
from imprint.debiasing.transform import Card, LinearTransform, Transform
from imprint.directions.axis import Axis, Pairs, group_axes, pair_axis
from imprint.embeddings.embedding import Embedding
from imprint.errors import SettingError, VocabularyError
from imprint.stimuli import seeds as catalogue
from imprint.stimuli.definition import quote
from imprint.subjects.opening import EmbeddingLike, load
from imprint.threads import single_threaded
from imprint.types import Floats, Indices, Progress

if TYPE_CHECKING:
    from imprint.debiasing.frontier import FrontierPoint

STRENGTH = 10.0  # where there are no folds to choose it on
SPREAD = 0.02  # of a strength that is given

_STRONGEST = 1e12  # far beyond any use, and far below what the programme's numbers overflow at
_BLOCK_ROWS = 16_384


@dataclass(frozen=True)
class LinearDebiaser(Debiaser):
    """Linear debiasing of Bolukbasi et al. (2016): removes an axis from seeds, keeps distances of other words.

    Parameters
    ----------
    strength
        Weight of removing the axis; at 1, keeping and removing the whole axis cost the same. By default `fit` chooses
        it, and the spread, on folds of the seeds; 10 where these are fewer than ten, and for sentences.
    spread
        Share of the stereotype term that background words get, so that no bias moves to them; 0 in the paper. By
        default 0.02 with a strength that is given.

    Examples
    --------
    >>> imprint.LinearDebiaser(strength=20.0).fit("default").method
    'linear'
    """

    summary: ClassVar[str] = "keeps distances between words and removes the axis from words that carry the stereotype"
    labels: ClassVar[Mapping[str, str]] = {
        "spread": "share of the background in the stereotype term",
        "background": "background words",
        "gap": "solver gap",
        "iterations": "iterations (0: closed form)",
        "cone_active": "positive semidefinite constraint active",
        "geometry_lost": "change of inner products between background words",
        "stereotype_left": "seed words' squared projections left, in the fitted problem",
    }
    compared = ("strength", "spread")
    options = ("strength", "seeds", "frontier")
    takes_groups = True
    needs_background = True

    strength: float | None = None
    spread: float | None = None

    def __post_init__(self) -> None:
        if self.strength is not None:
            _check("strength", self.strength, _STRONGEST, f"at least 0 and below {_STRONGEST:g}")
            if self.spread is None:
                object.__setattr__(self, "spread", SPREAD)
        if self.spread is not None:
            _check("spread", self.spread, 1.0, "at least 0 and below 1")

    def fit(
        self,
        embedding: EmbeddingLike,
        *,
        axis: Axis | Sequence[Axis] | None = None,
        pairs: Pairs | None = None,
        seeds: Sequence[str] | None = None,
    ) -> LinearTransform:
        """Fit on rows as stored; every word that is neither a seed nor on an axis is background.

        Parameters
        ----------
        embedding
            A file, `default` or an object, as `load` accepts it.
        axis
            The axis to remove, or several; by default he - she.
        pairs
            Pairs of words that make the axis if none is given.
        seeds
            Words to remove the axis from; by default the catalogue's fitted professions. The card names missing ones.
        """
        embedding = load(embedding)
        if axis is None and pairs is not None:
            axis = pair_axis(embedding, pairs)
        problem = prepare(embedding, axis=axis, seeds=seeds)
        chosen, _ = self.choose_settings(embedding, axis=problem.axes, seeds=seeds)
        return problem.solve(chosen)

    def fit_groups(self, embedding: EmbeddingLike, groups: Groups) -> LinearTransform:
        """Fit along the axes from the other groups to each."""
        words = [group.words for group in check_groups(groups)]
        fitted = self.fit(embedding, axis=group_axes(embedding, words))
        first, second, *others = words
        missing = tuple(dict.fromkeys(fitted.card.missing))
        card = replace(fitted.card, positive=first, negative=second, others=tuple(others), missing=missing)
        return replace(fitted, card=card)

    def fit_rows(self, labelled: LabelledRows) -> LinearTransform:
        """Remove the mean difference of the pairs from the seeds, and keep inner products of the background."""
        way = labelled.direction()
        seeds, background = labelled.seeds, labelled.background
        if seeds is None or background is None:
            raise SettingError("linear debiasing needs seeds and background", option="method", hint="choose another")
        with single_threaded():
            grams = background.T @ background, seeds.T @ seeds
        given = self.without_folds()
        matrix, measured = _solve(given, *grams, way[None])
        settings = {**asdict(given), "background": len(background)}
        return LinearTransform("linear", labelled.card(settings, **measured), matrix, np.zeros(len(matrix)))

    def choose_settings(
        self,
        embedding: Embedding,
        *,
        axis: Axis | Sequence[Axis],
        seeds: Sequence[str] | None = None,
        judges: Collection[str] = (),
        progress: Progress | None = None,
    ) -> "tuple[LinearDebiaser, str]":
        """Choose the strength, and the spread, on folds of the seeds, unless a strength is set."""
        if self.strength is not None:
            return self, ""
        from imprint.debiasing.folds import choose_on_folds

        on_folds = choose_on_folds(
            embedding, axis=axis, seeds=seeds, judges=judges, spread=self.spread, progress=progress
        )
        how = "too few words to choose on folds" if on_folds is None else "chosen on folds of the seeds"
        chosen = on_folds or self.without_folds()
        return chosen, f"strength {chosen.strength:g}, spread {chosen.spread:g}: {how}"

    @classmethod
    def frontier(cls, embedding: Embedding, transform: Transform, **options: Any) -> "tuple[FrontierPoint, ...]":
        """Measure strengths at the spread of a fitted transform, its own strength among them."""
        from imprint.debiasing.frontier import STRENGTHS, frontier

        fitted = transform.card.settings
        strengths = sorted({*STRENGTHS, fitted["strength"]})
        return frontier(embedding, strengths=strengths, spread=fitted["spread"], **options)

    def without_folds(self) -> "LinearDebiaser":
        """Return the strength and spread to use where none can be chosen."""
        return LinearDebiaser(STRENGTH, self.spread) if self.strength is None else self


@dataclass(frozen=True, eq=False)
class LinearProblem:
    """The sums over words that the programme is made of; one serves every strength."""

    embedding: Embedding
    axes: tuple[Axis, ...]
    seeds: tuple[str, ...]
    missing: tuple[str, ...]
    gram: Floats
    seed_gram: Floats
    background: int

    def solve(self, debiaser: LinearDebiaser) -> LinearTransform:
        """Solve at the debiaser's strength and write the card."""
        directions = np.array([axis.direction for axis in self.axes])
        matrix, measured = _solve(debiaser, self.gram, self.seed_gram, directions)
        card = Card.of(
            self.embedding.name,
            self.embedding.sha256,
            ends_of(self.axes),
            seeds=self.seeds,
            missing=self.missing,
            settings={**asdict(debiaser), "background": self.background},
            measured=measured,
        )
        return LinearTransform("linear", card, matrix, np.zeros(len(matrix)))


def _solve(
    debiaser: LinearDebiaser, gram: Floats, seed_gram: Floats, directions: Floats
) -> tuple[Floats, dict[str, Any]]:
    """Return the matrix and what was measured while solving."""
    assert debiaser.strength is not None
    assert debiaser.spread is not None
    *_, seeds = mix(debiaser.spread, gram, seed_gram)
    with single_threaded():
        weight = programme.choose_weight(debiaser.strength, gram, seeds, directions)
        solution = programme.solve(gram, seeds, directions, weight)
        matrix = _root(solution.matrix)
    whole = float(np.einsum("ij,jk,ik->", directions, seeds, directions))
    return matrix, {
        "gap": solution.gap,
        "iterations": solution.iterations,
        "cone_active": solution.cone_active,
        "geometry_lost": math.sqrt(solution.data_term) / float(np.linalg.norm(gram)),
        "stereotype_left": solution.stereotype_term / whole if whole > 0.0 else 0.0,
    }


def mix(spread: float, gram: Floats, seed_gram: Floats) -> tuple[float, float, Floats]:
    """Return the factors of the seeds and of the background in the stereotype term, and that mixture of the two."""
    own, shared = 1.0 - spread, spread * float(np.trace(seed_gram) / np.trace(gram))
    return own, shared, own * seed_gram + shared * gram


def prepare(
    embedding: EmbeddingLike, *, axis: Axis | Sequence[Axis] | None = None, seeds: Sequence[str] | None = None
) -> LinearProblem:
    """Find the words and add up their outer products."""
    embedding = load(embedding)
    axes = default_axes(embedding, axis)
    embedding.check_finite()
    lookup = embedding.lookup(dict.fromkeys(catalogue.fitted() if seeds is None else seeds))
    if len(lookup.words) < 2:
        raise VocabularyError(
            f"has {len(lookup.words)} of {len(lookup.words) + len(lookup.missing)} seed words "
            f"(missing: {quote(lookup.missing[:5])})",
            expected="at least 2",
            where=embedding.name,
            words=lookup.missing,
            hint="give seeds it has",
        )
    apart = {*lookup.tokens, *(word for words in ends_of(axes) for word in embedding.lookup(words).tokens)}
    rows = np.array(sorted(embedding.index[word] for word in apart & embedding.index.keys()), dtype=np.intp)
    if len(rows) == len(embedding):
        raise VocabularyError(
            "has no words besides seeds and axis",
            where=embedding.name,
            hint="use a larger embedding: other words form the background to keep",
        )
    with single_threaded():
        gram = _gram(embedding, rows)
        seed_rows = lookup.vectors.astype(np.float64)
        seed_gram = seed_rows.T @ seed_rows
    missing = (*missing_of(axes), *lookup.missing)
    return LinearProblem(embedding, axes, lookup.words, missing, gram, seed_gram, len(embedding) - len(rows))


def default_axes(embedding: Embedding, axis: Axis | Sequence[Axis] | None) -> tuple[Axis, ...]:
    """Return the axes given, or he - she; refuse one of another dimension."""
    if axis is None:
        return (pair_axis(embedding, GENDER),)
    axes = (axis,) if isinstance(axis, Axis) else tuple(axis)
    if not axes:
        raise SettingError(option="axis", got=axis, expected="at least one Axis")
    for each in axes:
        each.check(embedding)
    return axes


def ends_of(axes: Sequence[Axis]) -> list[tuple[str, ...]]:
    """Return the words of the positive ends of axes, and those of the negative ends."""
    return [
        tuple(word for axis in axes for word in axis.positive),
        tuple(word for axis in axes for word in axis.negative),
    ]


def missing_of(axes: Sequence[Axis]) -> tuple[str, ...]:
    """Return the words of axes that have no vector."""
    return tuple(dict.fromkeys(word for axis in axes for word in axis.missing))


def _gram(embedding: Embedding, apart: Indices) -> Floats:
    """Add up the outer products of all rows but those apart."""
    gram = np.zeros((embedding.dimension, embedding.dimension))
    for start, rows in embedding.blocks(_BLOCK_ROWS):
        rows[apart[(apart >= start) & (apart < start + _BLOCK_ROWS)] - start] = 0.0
        gram += rows.T @ rows
    return gram


def _root(matrix: Floats) -> Floats:
    values, vectors = np.linalg.eigh(matrix)
    root: Floats = (vectors * np.sqrt(np.maximum(values, 0.0))) @ vectors.T
    return root


def _check(name: str, value: object, limit: float, expected: str) -> None:
    if isinstance(value, bool) or not isinstance(value, int | float) or not 0.0 <= value < limit:
        raise SettingError(option=name, got=value, expected=expected)
