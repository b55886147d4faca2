"""The p-value of every cell from random rotations, as Swinger et al. (2019) found it, section 3.4."""

from concurrent.futures import Executor
from dataclasses import dataclass

import numpy as np

from imprint.checks import Device
from imprint.enumeration.checkpoint import Checkpoint, Done, resumed
from imprint.enumeration.mirroring import standardise
from imprint.enumeration.settings import Settings
from imprint.significance.rotations import Cells, chunks, rotated_scores
from imprint.types import Floats, Floats32, Ints


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
        return _rotate_on_gpu(cells, scores, rotations, seed=seed, report=report)
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


def _rotate_on_gpu(
    cells: Cells, scores: Floats, rotations: int, *, seed: np.random.SeedSequence, report: Done | None
) -> Floats:
    from imprint.significance.rotations_gpu import reached_on_gpu

    tally = Tally(scores, reached_on_gpu(cells, scores, rotations, seed=seed, report=report), rotations)
    return tally.p_values()
