"""The p-value of every cell, gathered from the rotations as they come."""

import hashlib
import os
from collections.abc import Callable
from concurrent.futures import Executor
from dataclasses import dataclass

import numpy as np

from imprint.choices import Device
from imprint.enumeration.checkpoint import Checkpoint
from imprint.enumeration.settings import Settings
from imprint.significance.corrections import benjamini_hochberg, benjamini_yekutieli
from imprint.significance.rotations import CHUNK, Cells, null_scores
from imprint.types import Flags, Floats, Floats32, Ints

Done = Callable[[int], None]  # rotations


@dataclass
class Tally:
    """How often rotations reached each score; all of the rotations' scores only where the maximum is needed.

    `scores` are (categories, groups), or (tables, categories, groups) for several tables under one null.
    """

    scores: Floats
    reached: Ints
    rotations: int = 0
    kept: list[Floats32] | None = None

    def add(self, chunk: Floats32) -> None:
        """Take in the scores of some rotations. A cell with too few words under a rotation does not reach."""
        if self.scores.ndim == chunk.ndim:
            self.reached += reached_by_each(chunk, self.scores)
        else:
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
        # The observed scores take part in the scale like one more rotation: under the null they are one, and a cell
        # that seldom has enough words would else stand far out whenever it has.
        everything = np.concatenate([*null, self.scores[None].astype(np.float32)])
        real = np.isfinite(everything)
        there = np.maximum(real.sum(axis=0), 1)
        everything -= np.sum(everything, axis=0, where=real, dtype=np.float64) / there
        spread = np.sqrt(np.sum(np.square(everything), axis=0, where=real, dtype=np.float64) / there)
        everything /= np.where(spread > 0, spread, 1.0)
        largest = np.sort(everything[:-1].max(axis=(1, 2)))
        return np.asarray(len(largest) - np.searchsorted(largest, everything[-1]))


def reached_by_each(chunk: Floats32, tables: Floats) -> Ints:
    """Count the rotations of a chunk whose score reaches that of each table, cell by cell."""
    ordered = np.sort(chunk.reshape(len(chunk), -1).T, axis=1)
    flat = tables.reshape(len(tables), -1).T
    below = [np.searchsorted(column, scores) for column, scores in zip(ordered, flat, strict=True)]
    return len(chunk) - np.array(below).T.reshape(tables.shape)


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
    """Return the p-value of every score from so many rotations; `keep` makes those of one table family-wise."""
    if device == "cuda":
        return _rotate_on_gpu(cells, scores, rotations, seed=seed, report=report)
    tally = Tally(scores, np.zeros(scores.shape, dtype=np.int64), kept=[] if keep else None)
    chunks = null_scores(
        cells,
        rotations,
        seed=seed,
        executor=executor,
        done=checkpoint.done if checkpoint else None,
        finished=checkpoint.add if checkpoint else None,
    )
    for chunk in chunks:
        tally.add(chunk)
        if report is not None:
            report(len(chunk))
    return tally.p_values()


def _rotate_on_gpu(
    cells: Cells, scores: Floats, rotations: int, *, seed: np.random.SeedSequence, report: Done | None
) -> Floats:
    from imprint.significance.rotations_gpu import reached_on_gpu

    tally = Tally(scores, reached_on_gpu(cells, scores, rotations, seed=seed, report=report), rotations)
    return tally.p_values()


def open_checkpoint(
    path: str | os.PathLike[str] | None, cells: Cells, settings: Settings, *data: str
) -> Checkpoint | None:
    """Open the checkpoint of exactly this run, if one was asked for."""
    if path is None:
        return None
    digest = hashlib.sha256(np.ascontiguousarray(cells.directions).tobytes())
    for array in (cells.words, cells.offsets, cells.centres):
        digest.update(np.ascontiguousarray(array).tobytes())
    return Checkpoint(path, settings.fingerprint(*data, digest.hexdigest(), str(CHUNK)), cells.shape)


def adjust(p_values: Floats, settings: Settings) -> Floats:
    """Correct p-values over all cells, those with too few words included (their p is 1)."""
    if settings.correction == "max":
        return p_values
    correct = benjamini_hochberg if settings.correction == "bh" else benjamini_yekutieli
    return correct(p_values.ravel()).reshape(p_values.shape)


def critical_p_value(p_values: Floats, significant: Flags, rotations: int) -> float:
    """Return the largest p-value called significant, or the smallest that so many rotations can give."""
    return float(p_values[significant].max(initial=1 / (rotations + 1)))
