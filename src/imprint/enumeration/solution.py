"""From cells to their scores and p-values: steps 3 and 4 of the algorithm, and what they are compared with.

Swinger et al. (2019), sections 3.3 and 3.4. Beside them: the same words without word frequency, altered copies in
which every discovery is false, and runs with other K-means seeds.
"""

from collections.abc import Callable
from concurrent.futures import Executor
from dataclasses import replace
from functools import partial

import numpy as np

from imprint.choices import Device
from imprint.enumeration import matching
from imprint.enumeration.checkpoint import Checkpoint
from imprint.enumeration.conclusion import CellTable
from imprint.enumeration.copies import count_discoveries, principal_axes, score_copies
from imprint.enumeration.frequency import ROTATIONS, cells_without, frequency_direction
from imprint.enumeration.indirect import Crossings, find_crossings
from imprint.enumeration.null import Done, adjust, critical_p_value, rotation_p_values
from imprint.enumeration.problem import Problem
from imprint.enumeration.settings import Settings
from imprint.significance.rotations import observed_scores, scores_of
from imprint.threads import single_threaded
from imprint.types import Flags, Floats

RANDOM_DIRECTIONS = 3  # removed one by one; the loss is their mean
_REMOVED = 2 + RANDOM_DIRECTIONS  # frequency, the third principal axis, random ones

_PROBLEM_SEEDS = 4  # seeds that building the problem takes; six are left to solve it
_ROTATING, _CHECKING, _CROSSING, _COPYING, _REMOVING, _REPEATING = range(_PROBLEM_SEEDS, _PROBLEM_SEEDS + 6)


def problem_seeds(settings: Settings) -> tuple[np.random.SeedSequence, ...]:
    """Return the seeds that `build_problem` takes."""
    return tuple(_seeds(settings)[:_PROBLEM_SEEDS])


def solve(
    problem: Problem,
    settings: Settings,
    *,
    executor: Executor,
    device: Device,
    checkpoint: Checkpoint | None = None,
    report: Done | None = None,
) -> tuple[CellTable, Crossings | None]:
    """Score and test every cell. Problems of one dimension under one seed meet the same rotations."""
    seeds = _seeds(settings)
    cells = problem.cells
    family_wise = settings.correction == "max"
    with single_threaded():
        scores, rows = observed_scores(cells)
    # Copies share the null of the original. The largest of all cells has a scale that hangs on the copy: not so there.
    tables = scores if family_wise else np.concatenate([scores[None], score_copies(cells, seeds[_COPYING])])
    p_values = rotation_p_values(
        cells,
        tables,
        settings.rotations,
        seed=seeds[_ROTATING],
        executor=executor,
        device=device,
        keep=family_wise,
        checkpoint=checkpoint,
        report=report,
    )
    p_values, of_copies = (p_values, None) if family_wise else (p_values[0], p_values[1:])
    adjusted = adjust(p_values, settings)
    significant = (adjusted <= settings.fdr) & np.isfinite(scores)
    rotated = flipped = None
    if of_copies is not None:
        limit = critical_p_value(p_values, significant, settings.rotations) if significant.any() else None
        rotated, flipped = count_discoveries(of_copies, settings, limit)
    table = CellTable(scores, rows, p_values, adjusted, significant, rotated_copies=rotated, flipped_copies=flipped)
    if not settings.without_frequency:
        survive = partial(_survive, problem, settings, table, executor=executor, device=device, report=report)
        table = _without_directions(problem, table, survive, seeds[_REMOVING])
    if not significant.any():
        if report is not None:
            report(settings.repeats * matching.WORK)
    elif settings.repeats:
        table = replace(
            table,
            recurrence=matching.recurrence(
                problem,
                settings,
                significant,
                rows,
                critical_p_value(p_values, significant, matching.repeat_rotations(settings)),
                seed=seeds[_REPEATING],
                executor=executor,
                report=report,
            ),
        )
    return table, find_crossings(cells, significant, rows, seed=seeds[_CROSSING])


def count_rotations(settings: Settings) -> int:
    """Return how many rotations `solve` makes; repeats count as those that take as long."""
    checks = 0 if settings.without_frequency else _REMOVED * min(ROTATIONS, settings.rotations)
    return settings.rotations + checks + settings.repeats * matching.WORK


def _without_directions(
    problem: Problem, table: CellTable, survive: Callable[..., Flags], seed: np.random.SeedSequence
) -> CellTable:
    """Ask which cells survive without word frequency, and how many are lost without directions of no meaning."""
    words = problem.cells.words
    survives = survive(frequency_direction(words, problem.frequency))
    random = np.random.default_rng(seed).standard_normal((RANDOM_DIRECTIONS, words.shape[1]))
    random /= np.linalg.norm(random, axis=1, keepdims=True)
    third = principal_axes(words)[:, 2:3].T  # none in a plane
    lost = [int(np.sum(table.significant & ~survive(direction, found=True))) for direction in (*random, *third)]
    return replace(
        table,
        survives=survives,
        lost_without_random=float(np.mean(lost[:RANDOM_DIRECTIONS])),
        lost_without_third_axis=lost[-1] if len(third) else None,
    )


def _survive(
    problem: Problem,
    settings: Settings,
    table: CellTable,
    direction: Floats,
    *,
    executor: Executor,
    device: Device,
    report: Done | None,
    found: bool = False,
) -> Flags:
    """Tell which cells are as strong in the space across a direction, each with the words it has.

    Their p-values must be as small as the largest one called significant. Rotations choose words anew, as the words
    tested were chosen, and are the same for every direction. Where only what was `found` is asked about, categories
    without a significant cell are left out; family-wise p-values need them all.
    """
    family_wise = settings.correction == "max"
    rotations = min(ROTATIONS, settings.rotations)
    rest = cells_without(problem.cells, direction, settings.centre)
    asked = np.flatnonzero(table.significant.any(axis=1) | (not found or family_wise))
    if rest is None or not len(asked):
        if report is not None:
            report(rotations)
        return np.zeros_like(table.significant)
    p_values = np.ones(table.significant.shape)
    p_values[asked] = rotation_p_values(
        rest.only(asked.tolist()),
        scores_of(rest, table.rows)[asked],
        rotations,
        seed=_seeds(settings)[_CHECKING],
        executor=executor,
        device=device,
        keep=family_wise,
        report=report,
    )
    return np.asarray(p_values <= critical_p_value(table.p_values, table.significant, rotations))


def _seeds(settings: Settings) -> list[np.random.SeedSequence]:
    # Made anew at every call: a sequence that has spawned once would spawn other children the second time.
    return np.random.SeedSequence(settings.seed).spawn(_PROBLEM_SEEDS + 6)
