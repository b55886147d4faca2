"""Which cells stand out: each score beside those of the same cell in mirrored copies of the names, or rotated ones.

A mirrored copy multiplies the names' coordinate on each principal axis of the words by a random sign. Names keep their
own geometry and how much of them lies on each axis, and words are as they are: only the alignment of names with words
is random. Random rotations, as Swinger et al. (2019), section 3.4, have them, keep less: embeddings are not round, so
names and words that have nothing to do with one another lie on the same strong axes. The second kind of copies keeps
the directions along which words vary with their frequency, and mirrors the rest: what common names and common words
have in common stays there. Both kinds are orthogonal maps, so K-means makes the same groups of a copy.

Each cell is standardised by the mean and the standard deviation of its own copies, for some cells vary more than
others; of the two kinds the smaller result counts. A cell's q is the share of false discoveries if it and all cells as
strong are called found: how many cells of a copy reach it on average, in the kind that has more, for each cell that
does. Cells that spelling explains are left out first. All cells of a copy count, so the share is not understated.
"""

from concurrent.futures import Executor
from dataclasses import dataclass

import numpy as np

from imprint.checks import Device
from imprint.enumeration.checkpoint import Checkpoint, Done, resumed
from imprint.enumeration.problem import Problem
from imprint.enumeration.settings import Settings
from imprint.significance.rotations import Cells, chunks, rotated_scores, scores_under
from imprint.threads import single_threaded
from imprint.types import Flags, Floats, Floats32, Ints

KINDS = 2  # mirrored along all axes, and but for word frequency

_BLOCKS = 20  # of words of like frequency
_FREQUENCY = 0.9  # share of how the means of blocks differ beyond chance, in the directions called frequency


@dataclass(frozen=True, eq=False)
class Mirrors:
    """Cells, the words' principal axes, and the directions of word frequency with the axes of what is left."""

    cells: Cells
    axes: Floats
    frequency: Floats
    across: Floats

    @classmethod
    def of(cls, problem: Problem) -> "Mirrors":
        """Find the axes of a problem's words."""
        words = problem.cells.words
        frequency = frequency_directions(words, problem.frequency)
        return cls(problem.cells, principal_axes(words, frequency[:, :0]), frequency, principal_axes(words, frequency))

    def directions(self, count: int, seed: np.random.SeedSequence) -> Floats32:
        """Draw so many copies of both kinds in turn: (KINDS count, dimension, groups)."""
        rng = np.random.default_rng(seed)
        names = self.cells.directions.T
        copies = np.empty((count, KINDS, *names.shape), dtype=np.float32)
        with single_threaded():
            copies[:, 0] = _flipped(names, self.axes, count, rng)
            copies[:, 1] = _flipped(names, self.across, count, rng) + self.frequency @ (self.frequency.T @ names)
        return copies.reshape(-1, *names.shape)


def principal_axes(words: Floats32, without: Floats) -> Floats:
    """Return, as columns, the principal axes of what rows are across the columns of `without`."""
    rows = words - words.mean(axis=0, dtype=np.float64)
    with single_threaded():
        rows -= rows @ without @ without.T
        # The directions to leave out, made the widest by far, come last: few rows leave other axes without any width.
        covariance = rows.T @ rows + (1 + np.sum(rows**2)) * without @ without.T
        return np.asarray(np.linalg.eigh(covariance)[1][:, : len(covariance) - without.shape[1]])


def frequency_directions(words: Floats32, frequency: Floats) -> Floats:
    """Return the directions, as columns, in which words of unlike frequency differ by more than chance; often one."""
    rows = words - words.mean(axis=0, dtype=np.float64)
    blocks = np.array_split(rows[np.argsort(-frequency, kind="stable")], min(_BLOCKS, len(rows)))
    with single_threaded():
        _, sizes, directions = np.linalg.svd([block.mean(axis=0) for block in blocks], full_matrices=False)
    variances = np.cumsum(sizes**2)
    by_chance = (len(blocks) - 1) * len(blocks) * np.sum(rows**2) / len(rows) ** 2
    beyond = _FREQUENCY * (variances[-1] - by_chance)
    return np.asarray(directions[: int(np.searchsorted(variances, beyond)) + 1 if beyond > 0 else 0].T)


def score_copies(mirrors: Mirrors, count: int, seed: np.random.SeedSequence) -> Floats32:
    """Score so many copies of both kinds in turn."""
    with single_threaded():
        return scores_under(mirrors.cells, mirrors.directions(count, seed))


def standardise(scores: Floats, copies: Floats32) -> tuple[Floats, Floats]:
    """Put scores and those of copies in standard deviations from the mean of each cell; -inf stays.

    The scores take part in mean and deviation like one more copy: a cell that seldom has enough words would else be
    far from its mean whenever it has.
    """
    everything = np.concatenate([copies, scores[None]], dtype=np.float64)
    real = np.isfinite(everything)
    count = np.maximum(real.sum(axis=0), 1)
    everything -= np.sum(everything, axis=0, where=real) / count
    spread = np.sqrt(np.sum(everything**2, axis=0, where=real) / count)
    everything /= np.where(spread > 0, spread, 1.0)
    return everything[-1], everything[:-1]


@dataclass(frozen=True, eq=False)
class StandingOut:
    """What mirrored copies say of every cell: z, q, and whether it stands out.

    `expected` counts the cells of a copy that are as strong as the weakest cell that stands out, on average, for each
    kind of copies. A cell whose z exceeds `limit` would not raise the rate of false discoveries above the one asked.
    """

    z: Floats
    q: Floats
    stands_out: Flags
    expected: tuple[float, float]
    limit: float

    @classmethod
    def of(cls, scores: Floats, copies: Floats32, rate: float, left_out: Flags) -> "StandingOut":
        """Find the cells whose q is at most `rate`, among those that are not left out."""
        kinds = [standardise(scores, copies[kind::KINDS]) for kind in range(KINDS)]
        z = np.minimum(*(observed for observed, _ in kinds))
        candidates = np.where(left_out, -np.inf, z).ravel()
        order = np.argsort(-candidates, kind="stable")
        limits = candidates[order]
        by_chance = np.array([_reaching(mirrored.ravel(), limits) / len(mirrored) for _, mirrored in kinds])
        rates = np.where(np.isfinite(limits), by_chance.max(axis=0) / _reaching(candidates, limits), 1.0)
        q = np.empty_like(rates)
        q[order] = np.minimum(1.0, np.minimum.accumulate(rates[::-1])[::-1])
        stands_out = q <= rate
        count = int(stands_out.sum())
        plain, frequency_kept = by_chance[:, count - 1] if count else (0.0, 0.0)
        limit = max(_exceeded_by(mirrored.ravel(), rate * count * len(mirrored)) for _, mirrored in kinds)
        expected = float(plain), float(frequency_kept)
        return cls(z, q.reshape(z.shape), stands_out.reshape(z.shape), expected, limit)


def smallest_z(scores: Floats, copies: Floats32) -> Floats:
    """Return each score in standard deviations of its copies, of the kind that gives less."""
    return np.minimum(*(standardise(scores, copies[kind::KINDS])[0] for kind in range(KINDS)))


@dataclass
class Tally:
    """How often rotations reached each score; all of the rotations' scores only where the maximum is needed."""

    scores: Floats
    reached: Ints
    rotations: int = 0
    kept: list[Floats32] | None = None

    def add(self, chunk: Floats32) -> None:
        """Take in the scores of some rotations. A cell with too few words under a rotation does not reach."""
        self.reached += np.sum(chunk >= self.scores, axis=0)
        self.rotations += len(chunk)
        if self.kept is not None:
            self.kept.append(chunk)

    def p_values(self) -> Floats:
        """Return add-one p-values: 1 for cells with too few words, family-wise where all scores were kept."""
        reached = self.reached if self.kept is None else self._reached_by_the_largest(self.kept)
        return np.where(np.isfinite(self.scores), (reached + 1) / (self.rotations + 1), 1.0)

    def _reached_by_the_largest(self, null: list[Floats32]) -> Ints:
        """Count rotations whose largest cell, each on its own scale, reaches this one (Westfall and Young)."""
        scores, rotated = standardise(self.scores, np.concatenate(null))
        largest = np.sort(rotated.max(axis=(1, 2)))
        return np.asarray(len(largest) - np.searchsorted(largest, scores))


def rotation_p_values(
    cells: Cells,
    scores: Floats,
    rotations: int,
    *,
    seed: np.random.SeedSequence,
    executor: Executor,
    device: Device = "cpu",
    keep: bool = False,
    checkpoint: Checkpoint | None = None,
    report: Done | None = None,
) -> Floats:
    """Return the p-value of every score from so many rotations; `keep` makes them family-wise."""
    if device == "cuda":
        from imprint.significance.rotations_gpu import reached_on_gpu

        return Tally(scores, reached_on_gpu(cells, scores, rotations, seed=seed, report=report), rotations).p_values()
    tally = Tally(scores, np.zeros(scores.shape, dtype=np.int64), kept=[] if keep else None)
    tasks = chunks(rotations, seed)
    for chunk in resumed(rotated_scores, cells, tasks, executor=executor, checkpoint=checkpoint):
        tally.add(chunk)
        if report is not None:
            report(len(chunk))
    return tally.p_values()


def adjust(p_values: Floats, settings: Settings) -> Floats:
    """Correct p-values over all cells, those with too few words included (their p is 1)."""
    if settings.correction == "max":
        return p_values
    from scipy.stats import false_discovery_control

    adjusted: Floats = false_discovery_control(p_values.ravel(), method=settings.correction)
    return adjusted.reshape(p_values.shape)


def _flipped(names: Floats, axes: Floats, count: int, rng: np.random.Generator) -> Floats:
    """Return columns so many times with a random sign on each axis, without what lies across the axes."""
    signs = rng.choice([-1.0, 1.0], size=(count, axes.shape[1], 1))
    return np.asarray(axes @ (signs * (axes.T @ names)))


def _exceeded_by(values: Floats, count: float) -> float:
    """Return the smallest value that at most so many others exceed."""
    return float(np.sort(values)[-1 - int(count + 1e-9)])


def _reaching(values: Floats, limits: Floats) -> Floats:
    """Count the values that are at least each limit."""
    return np.asarray(len(values) - np.searchsorted(np.sort(values), limits), dtype=np.float64)
