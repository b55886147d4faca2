"""Unsupervised bias enumeration: the algorithm of Swinger et al. (2019), section 3, from names to a table."""

import contextlib
import os
from collections.abc import Iterator
from concurrent.futures import Executor
from dataclasses import replace
from typing import Any, get_args

from imprint.checks import check_choice
from imprint.choices import Device
from imprint.embeddings.embedding import Embedding
from imprint.enumeration.checkpoint import Checkpoint
from imprint.enumeration.conclusion import conclude, order_categories
from imprint.enumeration.encoded import embed_vocabulary
from imprint.enumeration.null import Done, open_checkpoint
from imprint.enumeration.problem import build_problem
from imprint.enumeration.result import Enumeration
from imprint.enumeration.settings import Settings
from imprint.enumeration.solution import count_rotations, problem_seeds, solve
from imprint.enumeration.targets import Names
from imprint.errors import SettingError
from imprint.subjects.opening import EncoderLike, open_subject
from imprint.types import Progress
from imprint.version import __version__
from imprint.workers import executor_or_threads


def enumerate_biases(
    embedding: EncoderLike,
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

    Parameters
    ----------
    embedding
        An embedding or an encoder, as `open_subject` accepts it; an encoder is given names and words in sentences.
    names
        "first" or "surnames" (bundled tables), "embedding" (found in it), a file or a list.
    settings
        All settings at once.
    executor
        Any `concurrent.futures.Executor` to do the work; the result is the same to the byte.
    device
        "cpu" or "cuda"; a GPU draws its own rotations.
    checkpoint
        A file that saves finished work, so that an interrupted run can continue.
    progress
        Called with the work done and the total work, in rotations.
    changes
        Single settings, such as `groups` or `rotations`, see `Settings`.

    Returns
    -------
    Enumeration
        Every association with its p-value.

    Examples
    --------
    >>> imprint.enumerate_biases("default", categories=16, words=10_000, rotations=1_000, repeats=0)
    Enumeration(glove.6B.100d: 16 significant associations of 12 groups with 16 categories)
    """
    settings = replace(settings or Settings(), **changes)
    subject = open_subject(embedding)
    if not isinstance(subject, Embedding):
        subject = embed_vocabulary(subject, words=settings.words, names=names)
    check_device(device, settings, checkpoint)
    problem = build_problem(subject, names, settings, problem_seeds(settings))
    report = as_increments(progress, count_rotations(settings))
    kept = open_checkpoint(checkpoint, problem.cells, settings, subject.sha256, __version__)
    with executor_or_threads(executor) as pool, _closing(kept):
        table, crossings = solve(problem, settings, executor=pool, device=device, checkpoint=kept, report=report)
    return conclude(subject, problem, settings, table, crossings, order_categories(table))


def check_device(device: Device, settings: Settings, checkpoint: str | os.PathLike[str] | None = None) -> None:
    """Refuse a device that is not known, and what a GPU does not do."""
    check_choice("device", device, get_args(Device))
    if device == "cuda" and (settings.correction == "max" or checkpoint is not None):
        raise SettingError(
            "correction 'max' and a checkpoint do not work on a GPU",
            option="device",
            got=device,
            hint="use device cpu for them",
        )


def as_increments(progress: Progress | None, total: int) -> Done | None:
    """Turn a callback (done, total) into one that takes how much more is done."""
    if progress is None:
        return None
    done = 0

    def report(more: int) -> None:
        nonlocal done
        done += more
        progress(done, total)

    return report


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
