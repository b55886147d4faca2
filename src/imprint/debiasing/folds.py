"""Strength and spread of linear debiasing, chosen on the seeds alone: each fold of them judges a fit on the others.

No word that is to judge the result has a say: not the catalogue's held-out professions, nor its background words.
"""

import math
from collections.abc import Collection, Sequence
from dataclasses import dataclass
from itertools import groupby

import numpy as np

from imprint.debiasing.frontier import TARGET_REDUCTION, units_of
from imprint.debiasing.linear import LinearDebiaser, LinearProblem, default_axes, mix, prepare
from imprint.debiasing.programme import Whitened, Whitening, choose_weight
from imprint.directions.axis import Axis
from imprint.embeddings.embedding import Embedding
from imprint.errors import SettingError, VocabularyError
from imprint.stimuli import seeds as catalogue
from imprint.subjects.opening import EmbeddingLike, load
from imprint.threads import single_threaded
from imprint.types import Floats, Progress

STRENGTHS = tuple(
    round(size * step, 3) for size in (1.0, 10.0, 100.0, 1000.0) for step in (1, 1.25, 1.6, 2, 2.5, 3.2, 4, 5, 6.3, 8)
)[6:34]  # 4 to 2000, ten per decade
SPREADS = (0.0, 0.0025, 0.005, 0.01, 0.02, 0.05)
FOLDS = 5
REPEATS = 2
BACKGROUND = 2_000

_ALIKE = math.log(1.05)
_FEWEST = 2  # words of a fold, and background words: a variance needs them


@dataclass(frozen=True)
class FoldedPoint:
    """What one strength and spread did in every fold, and to the background where all seeds are fitted on.

    `selectivities` say, of each fold, how many times more its words' variance has shrunk than the background's. At the
    same settings the background keeps more of its variance the more seeds there are, so `background_ratio` is measured
    with all of them. Fewer seeds understate selectivity: what to expect is on the low side.
    """

    strength: float
    spread: float
    selectivities: tuple[float, ...]
    background_ratio: float

    @property
    def selectivity(self) -> float:
        """The selectivity of the median fold."""
        return float(np.median(self.selectivities))

    @property
    def reduction(self) -> float:
        """How many times smaller to expect the variance of unseen words with all seeds fitted on."""
        return self.selectivity / self.background_ratio if self.background_ratio else math.inf


def fold_frontier(
    embedding: EmbeddingLike,
    *,
    axis: Axis | Sequence[Axis] | None = None,
    seeds: Sequence[str] | None = None,
    judges: Collection[str] = (),
    strengths: Sequence[float] = STRENGTHS,
    spreads: Sequence[float] = SPREADS,
    seed: int = 0,
    progress: Progress | None = None,
) -> tuple[FoldedPoint, ...]:
    """Debias with each strength and spread on four fifths of the seeds and measure on the last fifth, ten times.

    Background words are drawn from the words of the vocabulary in lower case. Seeds, ends of the axis, words gendered
    by meaning, words of the catalogue and `judges` are left out. `progress` gets how many fits of how many are done.
    All folds keep inner products of the same words, so these are taken apart once.
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
    generator = np.random.default_rng(seed)
    ends = {word for axis in axes for word in axis.positive + axis.negative}
    background = units_of(embedding, draw_background(embedding, {*words, *judges, *ends}, generator))
    problem = prepare(embedding, axis=axes, seeds=words)
    settings = [(strength, spread) for spread in spreads for strength in sorted(strengths)]
    rows, units = embedding.lookup(words).vectors.astype(np.float64), units_of(embedding, words)
    foldings = (generator.permutation(len(words)) for _ in range(REPEATS))
    folds = [order[fold::FOLDS] for order in foldings for fold in range(FOLDS)]
    selectivities = []
    with single_threaded():
        whitening = Whitening(problem.gram)
        for done, fold in enumerate(folds):
            if progress is not None:
                progress(done, len(folds) + 1)
            left = problem.seed_gram - rows[fold].T @ rows[fold]
            ratios = _ratios(problem, whitening, left, settings, (background, units[fold]))
            selectivities.append(ratios[:, 0] / ratios[:, 1])
        whole = _ratios(problem, whitening, problem.seed_gram, settings, (background,))
    if progress is not None:
        progress(len(folds) + 1, len(folds) + 1)
    return tuple(
        FoldedPoint(*setting, tuple(own), float(ratio))
        for setting, own, ratio in zip(settings, np.transpose(selectivities).tolist(), whole[:, 0], strict=True)
    )


def _ratios(
    problem: LinearProblem,
    whitening: Whitening,
    seed_gram: Floats,
    settings: Sequence[tuple[float, float]],
    judged: Sequence[Floats],
) -> Floats:
    """Return, of each setting, the variance of each group of unit rows as a share of what it was, added over axes.

    Along the axis T g of what T makes of rows, their coordinates are those along X g, over the root of g' X g.
    """
    ends = [
        [units_of(problem.embedding, side).mean(axis=0) for side in (axis.positive, axis.negative)]
        for axis in problem.axes
    ]
    old = np.array([positive - negative for positive, negative in ends]).T
    directions = np.array([axis.direction for axis in problem.axes])
    whitened = Whitened(whitening, seed_gram, directions)

    def variances(new: Floats) -> Floats:
        lengths = (old * new).sum(axis=0)
        return np.array([(np.var(rows @ new, axis=0) / lengths).sum() for rows in judged])

    before, ratios = variances(old), []
    for spread, group in groupby(settings, key=lambda setting: setting[1]):
        own, shared, mixed = mix(spread, problem.gram, seed_gram)
        weights = [choose_weight(strength, problem.gram, mixed, directions) for strength, _ in group]
        with np.errstate(divide="ignore", invalid="ignore"):  # nothing left of the axis, or no variance before
            ratios += [variances(new) / before for new in whitened.path(weights, old, own, shared)]
    return np.array(ratios)


def choose_debiaser(points: Sequence[FoldedPoint], *, reduction: float = TARGET_REDUCTION) -> LinearDebiaser:
    """Of those that should reduce the variance that many times, return the one that changes the background's least.

    Changes within 5 % count alike; of these the one that reduces most. Where none reduces enough, return the one that
    reduces most.
    """
    if not points:
        raise SettingError(option="points", got=points, expected="at least one strength")
    best = points[choose([(point.reduction, point.background_ratio) for point in points], reduction)]
    return LinearDebiaser(best.strength, best.spread)


def choose(measured: Sequence[tuple[float, float]], reduction: float = TARGET_REDUCTION) -> int:
    """Return the place of the best of several reductions, each with the share that the background keeps."""

    def cost(place: int) -> tuple[float, float]:
        reduced, ratio = measured[place]
        change = abs(math.log(ratio)) if ratio > 0.0 else math.inf  # twice as much and half as much alike
        return max(change, _ALIKE), -reduced

    enough = [index for index, (reduced, _) in enumerate(measured) if reduced >= reduction]
    return min(enough, key=cost) if enough else max(range(len(measured)), key=lambda index: measured[index][0])


def choose_on_folds(
    embedding: Embedding,
    *,
    axis: Axis | Sequence[Axis] | None = None,
    seeds: Sequence[str] | None = None,
    judges: Collection[str] = (),
    spread: float | None = None,
    progress: Progress | None = None,
) -> LinearDebiaser | None:
    """Return what folds of the seeds choose, of one spread or of several; None where words are too few for folds."""
    spreads = SPREADS if spread is None else (spread,)
    try:
        points = fold_frontier(embedding, axis=axis, seeds=seeds, judges=judges, spreads=spreads, progress=progress)
    except VocabularyError:  # a cause other than folds, the fit itself will name
        return None
    return choose_debiaser(points)


def draw_background(embedding: Embedding, apart: Collection[str], generator: np.random.Generator) -> list[str]:
    """Draw words in lower case that are not apart, nor gendered by what they mean, nor the catalogue's."""
    apart_words = {*apart, *catalogue.gender_specific(), *catalogue.background()}
    apart_words.update(profession.word for profession in catalogue.professions(neutral=False))
    others = [word for word in embedding.words if word.isalpha() and word == word.lower() and word not in apart_words]
    if len(others) < _FEWEST:
        raise VocabularyError(f"has {len(others)} words to serve as background", expected="more", where=embedding.name)
    return [others[row] for row in generator.choice(len(others), min(BACKGROUND, len(others)), replace=False)]
