"""Unsupervised bias enumeration: the algorithm of Swinger et al. (2019), section 3, from names to a table."""

import contextlib
import os
from collections.abc import Callable, Iterator
from concurrent.futures import Executor, ThreadPoolExecutor
from dataclasses import replace
from typing import Any, get_args

import numpy as np

from imprint.embeddings.embedding import Embedding
from imprint.enumeration.checkpoint import Checkpoint
from imprint.enumeration.conclusion import Table, conclude
from imprint.enumeration.frequency import ROTATIONS, cells_without_frequency
from imprint.enumeration.indirect import find_crossings
from imprint.enumeration.null import Device, adjust, open_checkpoint, rotate
from imprint.enumeration.problem import pose
from imprint.enumeration.result import Enumeration
from imprint.enumeration.settings import Settings
from imprint.enumeration.targets import Names
from imprint.errors import SettingError
from imprint.significance.rotations import observed_scores
from imprint.significance.threads import single_threaded
from imprint.version import __version__

Progress = Callable[[int, int], None]


def enumerate_biases(
    embedding: Embedding,
    names: Names = "first",
    *,
    settings: Settings | None = None,
    executor: Executor | None = None,
    device: Device = "cpu",
    checkpoint: str | os.PathLike[str] | None = None,
    progress: Progress | None = None,
    **changes: Any,
) -> Enumeration:
    """Find associations between groups of names and words, none of them named in advance.

    `names` are "first" or "surnames" (the bundled tables), "embedding" (found in it), a file or a list.
    Settings are given whole, one by one, or both: `enumerate_biases(embedding, groups=8, rotations=1_000)`.
    Any `concurrent.futures.Executor` may do the work; the result is the same to the byte. "cuda" draws its own
    rotations on a GPU. With a `checkpoint`, a run that was killed continues where it was.
    """
    settings = replace(settings or Settings(), **changes)
    _check_device(device, settings, checkpoint)
    *posing, rotating, checking, crossing = np.random.SeedSequence(settings.seed).spawn(7)
    problem = pose(embedding, names, settings, tuple(posing))
    cells = problem.cells
    check = 0 if settings.without_frequency else min(ROTATIONS, settings.rotations)
    report = _counter(progress, settings.rotations + check)
    with single_threaded():
        scores, rows = observed_scores(cells)
    kept = open_checkpoint(checkpoint, cells, settings, embedding.sha256, __version__)
    family_wise = settings.correction == "max"
    with contextlib.nullcontext(executor) if executor else threads() as pool, _closing(kept):
        p_values = rotate(
            cells,
            scores,
            settings.rotations,
            seed=rotating,
            executor=pool,
            device=device,
            keep=family_wise,
            checkpoint=kept,
            report=report,
        )
        without_frequency = None
        if check:
            # Which associations are still there in the space without the direction of word frequency?
            without_frequency = np.ones(cells.shape)
            rest = cells_without_frequency(cells, problem.frequency, settings.centre)
            if rest is not None:
                with single_threaded():
                    rest_scores, _ = observed_scores(rest)
                without_frequency = rotate(
                    rest,
                    rest_scores,
                    check,
                    seed=checking,
                    executor=pool,
                    device=device,
                    keep=family_wise,
                    report=report,
                )
    adjusted = adjust(p_values, settings)
    significant = (adjusted <= settings.fdr) & np.isfinite(scores)
    return conclude(
        embedding,
        problem,
        settings,
        Table(scores, rows, p_values, adjusted, significant, without_frequency),
        find_crossings(cells, significant, rows, seed=crossing),
    )


@contextlib.contextmanager
def threads(count: int | None = None) -> Iterator[Executor]:
    """Give so many threads to work in, else one a core: the kernels release Python's lock."""
    pool = ThreadPoolExecutor(count or os.cpu_count())
    try:
        yield pool
    finally:
        pool.shutdown(wait=True, cancel_futures=True)


def _check_device(device: Device, settings: Settings, checkpoint: str | os.PathLike[str] | None) -> None:
    if device not in get_args(Device):
        raise SettingError(f"device is {device!r}; use one of {', '.join(get_args(Device))}")
    if device == "cuda" and (settings.correction == "max" or checkpoint is not None):
        raise SettingError("on a GPU neither correction 'max' nor a checkpoint is kept; use device cpu for them")


@contextlib.contextmanager
def _closing(checkpoint: Checkpoint | None) -> Iterator[None]:
    """Keep the checkpoint of a run that fails or is stopped, remove that of one which came to its end."""
    finished = False
    try:
        yield
        finished = True
    finally:
        if checkpoint is not None:
            checkpoint.close(finished=finished)


def _counter(progress: Progress | None, total: int) -> Callable[[int], None] | None:
    if progress is None:
        return None
    done = 0

    def report(more: int) -> None:
        nonlocal done
        done += more
        progress(done, total)

    return report
