"""Strength and spread of linear debiasing, chosen on the seeds alone: each fold of them judges a fit on the others.

No word that is to judge the result has a say: not the catalogue's held-out professions, nor its background words.
"""

import math
from collections.abc import Collection, Sequence
from dataclasses import dataclass

import numpy as np

from imprint.debiasing.frontier import STRENGTHS, TARGET_REDUCTION, FrontierPoint, Variances, measure
from imprint.debiasing.linear import LinearDebiaser, default_axes, prepare
from imprint.directions.axis import Axis
from imprint.embeddings.embedding import Embedding
from imprint.errors import SettingError, VocabularyError
from imprint.stimuli import seeds as catalogue
from imprint.subjects.opening import EmbeddingLike, load
from imprint.types import Progress

SPREADS = (0.0, 0.005, 0.01, 0.02, 0.05)
FOLDS = 5
REPEATS = 2
BACKGROUND = 2_000

_FEWEST = 2  # words of a fold, and background words: a variance needs them


@dataclass(frozen=True, repr=False)
class FoldedPoint:
    """What one strength and spread did in every fold, and to the background where all seeds are fitted on.

    At the same settings the background keeps more of its variance the more seeds there are, so it is measured with all
    of them. Folds are asked for `selectivity` alone, which fewer seeds understate: what to expect is on the low side.
    """

    strength: float
    spread: float
    folds: tuple[Variances, ...]
    background_ratio: float

    @property
    def selectivity(self) -> float:
        """How many times more the fold's words' variance has shrunk than the background's, in the median fold."""
        return float(np.median([one.selectivity for one in self.folds]))

    @property
    def reduction(self) -> float:
        """How many times smaller to expect the variance of unseen words with all seeds fitted on."""
        return self.selectivity / self.background_ratio if self.background_ratio else math.inf

    def __repr__(self) -> str:
        return (
            f"FoldedPoint(strength {self.strength:g}, spread {self.spread:g}: / {self.reduction:.1f}, "
            f"background x {self.background_ratio:.2f})"
        )


def fold_frontier(
    embedding: EmbeddingLike,
    *,
    axis: Axis | None = None,
    seeds: Sequence[str] | None = None,
    judges: Collection[str] = (),
    strengths: Sequence[float] = STRENGTHS,
    spreads: Sequence[float] = SPREADS,
    seed: int = 0,
    progress: Progress | None = None,
) -> tuple[FoldedPoint, ...]:
    """Debias with each strength and spread on four fifths of the seeds and measure on the last fifth, ten times.

    Background words are drawn from the vocabulary: words in lower case that are neither seeds nor ends of the axis,
    nor gendered by what they mean, nor the catalogue's, nor `judges`. `progress` gets how many fits of how many are
    done.
    """
    embedding = load(embedding)
    axes = default_axes(embedding, axis)
    words = tuple(dict.fromkeys(embedding.lookup(catalogue.fitted() if seeds is None else seeds).tokens))
    if len(words) < _FEWEST * FOLDS:
        raise VocabularyError(
            f"has {len(words)} of the seed words",
            expected=f"at least {_FEWEST * FOLDS} for folds",
            where=embedding.name,
        )
    others = _others(embedding, {*words, *judges, *axes[0].positive, *axes[0].negative})
    generator = np.random.default_rng(seed)
    drawn = generator.choice(len(others), min(BACKGROUND, len(others)), replace=False)
    background = [others[row] for row in drawn]
    debiasers = [LinearDebiaser(strength, spread) for spread in spreads for strength in strengths]

    folds: list[tuple[FrontierPoint, ...]] = []

    def judge(fitted: Sequence[str], apart: Sequence[str]) -> tuple[FrontierPoint, ...]:
        problem = prepare(embedding, axis=axes, seeds=fitted)
        points = measure(problem, debiasers, held_out=apart, background=background)
        if progress is not None:
            progress(len(folds) + 1, FOLDS * REPEATS + 1)
        return points

    for _ in range(REPEATS):
        order = generator.permutation(len(words))
        for fold in range(FOLDS):
            apart = [words[row] for row in order[fold::FOLDS]]
            folds.append(judge([word for word in words if word not in apart], apart))
    return tuple(
        FoldedPoint(
            whole.strength, whole.spread, tuple(point.variances for point in points), whole.variances.background_ratio
        )
        for whole, *points in zip(judge(words, words), *folds, strict=True)
    )


def choose_debiaser(points: Sequence[FoldedPoint], *, reduction: float = TARGET_REDUCTION) -> LinearDebiaser:
    """Of those that should reduce the variance that many times, return the one that changes the background's least.

    Where none does, return the one that reduces most.
    """
    if not points:
        raise SettingError(option="points", got=points, expected="at least one strength")
    enough = [point for point in points if point.reduction >= reduction]
    best = min(enough, key=_change) if enough else max(points, key=lambda point: point.reduction)
    return LinearDebiaser(best.strength, best.spread)


def _change(point: FoldedPoint) -> float:
    """Twice as much and half as much are as far from what it was."""
    return abs(math.log(point.background_ratio)) if point.background_ratio > 0.0 else math.inf


def _others(embedding: Embedding, apart: Collection[str]) -> list[str]:
    known = {*apart, *catalogue.gender_specific(), *catalogue.background()}
    known.update(one.word for one in catalogue.professions(neutral=False))
    others = [word for word in embedding.words if word.isalpha() and word == word.lower() and word not in known]
    if len(others) < _FEWEST:
        raise VocabularyError(f"has {len(others)} words to serve as background", expected="more", where=embedding.name)
    return others
