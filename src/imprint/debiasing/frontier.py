"""How far debiasing went, and at which strength: words held out against words nobody thinks gendered.

Bolukbasi et al. (2016), section 3: the variance of projections on he - she, before and after, of stereotype words that
were not fitted on (0.02 to 0.001 in the paper) and of background words (0.005 to 0.0055).
"""

import math
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from imprint.debiasing.linear import SPREAD, LinearDebiaser, LinearProblem, prepare
from imprint.directions.axis import Axis
from imprint.embeddings.embedding import Embedding
from imprint.errors import SettingError, VocabularyError
from imprint.stimuli import seeds as catalogue
from imprint.stimuli.seeds import FEWEST_JUDGES
from imprint.subjects.opening import EmbeddingLike
from imprint.types import Floats

STRENGTHS = (1.0, 2.0, 5.0, 10.0, 20.0, 50.0, 100.0, 200.0, 500.0, 1000.0)
TARGET_REDUCTION = 6.0


_RESAMPLES = 1_000
SHORTEST = 1e-6  # differences of unit rows, stored in single precision, below it are rounding


@dataclass(frozen=True)
class Variances:
    """Variances (n - 1) of projections on an axis; `axis_left` is how much of its length the axis has kept.

    A row counts at the length it has if the row before is taken at length one: nothing is normalised afterwards. The
    axis after is the one that the same words make afterwards. NaN where nothing of it is left. `held_out_fixed` and
    `background_fixed` are variances after on the axis as it was before. `reduction_low` and `reduction_high` are a 95
    % interval of the reduction over resamples of the held-out words, NaN where these are fewer than ten.
    """

    held_out_before: float
    held_out_after: float
    background_before: float
    background_after: float
    held_out_fixed: float
    background_fixed: float
    axis_left: float
    held_out: int
    background: int
    held_out_asked: int
    background_asked: int
    reduction_low: float
    reduction_high: float

    @property
    def reduction(self) -> float:
        """How many times smaller the held-out words' variance has become."""
        return self.held_out_before / self.held_out_after if self.held_out_after else math.inf

    @property
    def background_ratio(self) -> float:
        """The background's variance as a share of what it was."""
        return self.background_after / self.background_before if self.background_before else math.nan

    @property
    def selectivity(self) -> float:
        """How many times more the held-out words' variance has shrunk than the background's."""
        return self.reduction * self.background_ratio


@dataclass(frozen=True)
class FrontierPoint:
    """What one strength and spread of linear debiasing do."""

    strength: float
    spread: float
    variances: Variances
    gap: float
    cone_active: bool


def stereotype_variances(
    before: Embedding,
    after: Embedding,
    axis: Axis,
    *,
    held_out: Sequence[str] | None = None,
    background: Sequence[str] | None = None,
) -> Variances:
    """Compare two embeddings of one vocabulary; words are the catalogue's unless given.

    The axis is remade as the difference of the mean rows of its words, whatever it was made by.
    """
    held_out = catalogue.held_out() if held_out is None else held_out
    background = catalogue.background() if background is None else background
    held = judged_rows(before, after, held_out, "held-out")
    other = judged_rows(before, after, background, "background")
    ends = [judged_rows(before, after, words, "axis", fewest=1) for words in (axis.positive, axis.negative)]
    old, new = (ends[0][part].mean(axis=0) - ends[1][part].mean(axis=0) for part in (0, 1))
    least, most = _ratio_interval(held, (old, new))
    return Variances(
        held_out_before=_variance(held[0], old),
        held_out_after=_variance(held[1], new),
        background_before=_variance(other[0], old),
        background_after=_variance(other[1], new),
        held_out_fixed=_variance(held[1], old),
        background_fixed=_variance(other[1], old),
        axis_left=float(np.linalg.norm(new) / np.linalg.norm(old)),
        held_out=len(held[0]),
        background=len(other[0]),
        held_out_asked=len(held_out),
        background_asked=len(background),
        reduction_low=least,
        reduction_high=most,
    )


def frontier(
    embedding: EmbeddingLike,
    *,
    axis: Axis | None = None,
    seeds: Sequence[str] | None = None,
    held_out: Sequence[str] | None = None,
    background: Sequence[str] | None = None,
    strengths: Sequence[float] = STRENGTHS,
    spread: float = SPREAD,
) -> tuple[FrontierPoint, ...]:
    """Debias linearly at several strengths and measure what each one removes.

    Parameters
    ----------
    embedding
        A file, `default` or an object, as `load` accepts it.
    axis
        The axis to remove; by default he - she.
    seeds
        Words to remove the axis from; by default the catalogue's fitted professions.
    held_out
        Words to evaluate on that are not seeds; by default the catalogue's held-out professions.
    background
        Words that should not change; by default the catalogue's.
    strengths
        The strengths to try.
    spread
        The spread, see `LinearDebiaser`.

    Returns
    -------
    tuple of FrontierPoint
        One point per strength.

    Examples
    --------
    >>> (point,) = imprint.frontier("default", strengths=[10.0])
    >>> round(point.variances.reduction, 1)
    6.6
    """
    problem = prepare(embedding, axis=axis, seeds=seeds)
    held = catalogue.held_out() if held_out is None else held_out
    others = catalogue.background() if background is None else background
    debiasers = [LinearDebiaser(strength, spread) for strength in strengths]
    return measure(problem, debiasers, held_out=held, background=others)


def measure(
    problem: LinearProblem, debiasers: Sequence[LinearDebiaser], *, held_out: Sequence[str], background: Sequence[str]
) -> tuple[FrontierPoint, ...]:
    """Solve one problem with each debiaser and judge it by these words."""
    (axis,) = problem.axes
    judged = _only(problem.embedding, (*held_out, *background, *axis.positive, *axis.negative))
    points = []
    for debiaser in debiasers:
        transform = problem.solve(debiaser)
        after = transform.apply(judged)
        variances = stereotype_variances(judged, after, axis, held_out=held_out, background=background)
        given, proof = transform.card.settings, transform.card.measured
        points.append(FrontierPoint(given["strength"], given["spread"], variances, proof["gap"], proof["cone_active"]))
    return tuple(points)


def choose_strength(points: Sequence[FrontierPoint], *, reduction: float = TARGET_REDUCTION) -> float:
    """Return the smallest strength that reduces the held-out variance that many times, else the largest one tried."""
    if not points:
        raise SettingError(option="points", got=points, expected="at least one strength")
    ordered = sorted(points, key=lambda point: point.strength)
    enough = (point.strength for point in ordered if point.variances.reduction >= reduction)
    return next(enough, ordered[-1].strength)


def moved_rows(before: Embedding, after: Embedding, words: Sequence[str]) -> tuple[list[str], Floats, Floats]:
    """Return the words that both have, their rows at unit length, and what these became on that scale."""
    tokens = [token for token in dict.fromkeys(before.lookup(words).tokens) if token in before and token in after]
    rows = [before.index[token] for token in tokens]
    lengths = before.norms[rows][:, None]
    moved = after.vectors[[after.index[token] for token in tokens]]
    return tokens, before.vectors[rows] / lengths, moved / lengths


def units_of(embedding: Embedding, words: Sequence[str]) -> Floats:
    """Return the rows of the words it has at unit length, in double precision."""
    return np.asarray(moved_rows(embedding, embedding, words)[1], dtype=np.float64)


def judged_rows(
    before: Embedding, after: Embedding, words: Sequence[str], what: str, *, fewest: int = 2
) -> tuple[Floats, Floats]:
    """Return the words' rows at unit length, and what they became on that scale."""
    tokens, *sides = moved_rows(before, after, words)
    if len(tokens) < fewest:
        raise VocabularyError(
            f"has {len(tokens)} of the {what} words", expected=f"at least {fewest}", where=before.name
        )
    return sides[0], sides[1]


def _ratio_interval(rows: tuple[Floats, Floats], axes: tuple[Floats, Floats]) -> tuple[float, float]:
    """Return the middle 95 % of the ratio of variances, first to second, over resamples of the words."""
    if len(rows[0]) < FEWEST_JUDGES or min(float(np.linalg.norm(axis)) for axis in axes) <= SHORTEST:
        return math.nan, math.nan
    first, second = (side @ axis / np.linalg.norm(axis) for side, axis in zip(rows, axes, strict=True))
    drawn = np.random.default_rng(0).integers(len(first), size=(_RESAMPLES, len(first)))
    with np.errstate(divide="ignore", invalid="ignore"):
        ratios = first[drawn].var(axis=1) / second[drawn].var(axis=1)
    low, high = np.nanquantile(ratios, [0.025, 0.975]) if np.isfinite(ratios).any() else (math.nan, math.nan)
    return float(low), float(high)


def _variance(rows: Floats, axis: Floats) -> float:
    length = float(np.linalg.norm(axis))
    return float(np.var(rows @ axis / length, ddof=1)) if length > SHORTEST else math.nan


def _only(embedding: Embedding, words: Sequence[str]) -> Embedding:
    """Return an embedding of these words alone, so that a frontier does not move the whole vocabulary."""
    tokens = [token for token in dict.fromkeys(embedding.lookup(words).tokens) if token in embedding]
    return Embedding(embedding.name, tokens, embedding.vectors[[embedding.index[token] for token in tokens]])
