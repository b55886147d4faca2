"""From cells to their scores and p-values: steps 3 and 4 of the algorithm, and what they are compared with.

Swinger et al. (2019), sections 3.3 and 3.4. Beside them: the same words without word frequency, altered copies in
which every discovery is false, and runs with other K-means seeds, which say how often each association recurs.

Every repeat clusters the same cleaned names and the same words anew, so letters and numbers mean nothing across
runs and boundaries move. An association recurs in a repeat when all of this holds for one cell of the repeat:

- its group and the association's hold mostly the same names: those in both are more than half of either group;
- at least half of the association's words are among the cell's words;
- its p-value is at most the largest that the main run called significant, or the smallest that the repeat's
  rotations can give.

More than half of both groups makes the match one to one: no group has two partners, and a large group that swallows a
small one is none. Half of the words, in one cell, asks for the same topic rather than for one common word. The
p-value needs no second correction over all cells, because the repeat is only asked about associations already found.
"""

from collections.abc import Callable
from concurrent.futures import Executor
from dataclasses import replace
from functools import partial

import numpy as np

from imprint.checks import Device
from imprint.enumeration.conclusion import CellTable, Crossings, find_crossings
from imprint.enumeration.confounds import CHECK_ROTATIONS, cells_without, frequency_direction
from imprint.enumeration.null import (
    Checkpoint,
    Done,
    Tally,
    adjust,
    count_discoveries,
    critical_p_value,
    principal_axes,
    rotation_p_values,
    score_copies,
)
from imprint.enumeration.problem import Problem, cluster_again
from imprint.enumeration.settings import Settings
from imprint.significance.rotations import Cells, observed_scores, random_directions, scores_of, scores_under
from imprint.threads import single_threaded
from imprint.types import Flags, Floats, Indices, Ints
from imprint.workers import in_order

Place = tuple[int, int]  # a category and a group

RANDOM_DIRECTIONS = 3  # removed one by one; the loss is their mean
REPEAT_ROTATIONS = 300  # of each repeat
REPEAT_WORK = 1_300  # rotations that take as long as a repeat on the bundled embedding: for the time left

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
            report(settings.repeats * REPEAT_WORK)
    elif settings.repeats:
        table = replace(
            table,
            recurrence=recurrence(
                problem,
                settings,
                significant,
                rows,
                critical_p_value(p_values, significant, repeat_rotations(settings)),
                seed=seeds[_REPEATING],
                executor=executor,
                report=report,
            ),
        )
    return table, find_crossings(cells, significant, rows, seed=seeds[_CROSSING])


def count_rotations(settings: Settings) -> int:
    """Return how many rotations `solve` makes; repeats count as those that take as long."""
    checks = 0 if settings.without_frequency else _REMOVED * min(CHECK_ROTATIONS, settings.rotations)
    return settings.rotations + checks + settings.repeats * REPEAT_WORK


def recurrence(
    problem: Problem,
    settings: Settings,
    significant: Flags,
    rows: Ints,
    critical_p_value: float,
    *,
    seed: np.random.SeedSequence,
    executor: Executor,
    report: Done | None = None,
) -> Floats:
    """Return the share of repeats in which each significant cell recurs; `rows` are the words of each cell."""
    counts = np.zeros(significant.shape)
    tasks = [(settings, significant, rows, critical_p_value, child) for child in seed.spawn(settings.repeats)]
    # The order of groups means nothing here, so the table behind it need not go to the workers.
    shared = replace(problem, targets=replace(problem.targets, table=None))
    for found in in_order(executor, repeat_clustering, shared, tasks):
        counts += found
        if report is not None:
            report(REPEAT_WORK)
    return counts / settings.repeats


def repeat_clustering(
    problem: Problem,
    settings: Settings,
    significant: Flags,
    rows: Ints,
    critical_p_value: float,
    seed: np.random.SeedSequence,
) -> Flags:
    """Cluster names and words with seeds of their own, and tell which significant cells recur."""
    grouping, categorising, rotating = seed.spawn(3)
    again = cluster_again(problem, settings, grouping, categorising)
    with single_threaded():
        scores, chosen = observed_scores(again.cells)
    words = np.where(chosen < 0, -1, again.rows[chosen])
    pairs = same_cells(problem.labels, problem.rows[rows], significant, again.labels, words)
    found = np.zeros_like(significant)
    if pairs:
        p_values = _p_values(again.cells, scores, {place for _, (place, _) in pairs}, settings, rotating)
        for cell, other in pairs:
            found[cell] |= p_values[other] <= critical_p_value
    return found


def repeat_rotations(settings: Settings) -> int:
    """Return how many rotations each repeat makes."""
    return min(REPEAT_ROTATIONS, settings.rotations)


def same_cells(
    labels: Indices, words: Ints, significant: Flags, other_labels: Indices, other_words: Ints
) -> list[tuple[Place, Place]]:
    """Pair significant cells with the cells of another run that have mostly the same names and half of the words.

    `words` number the words of each (category, group), -1 where there are too few.
    """
    same = same_groups(labels, other_labels, significant.shape[1])
    pairs = []
    for j, i in np.argwhere(significant).tolist():
        for group in np.flatnonzero(same[i]).tolist():
            shared = np.isin(other_words[:, group], words[j, i]).sum(axis=1)
            pairs += [((j, i), (k, group)) for k in np.flatnonzero(2 * shared >= words.shape[2]).tolist()]
    return pairs


def same_groups(labels: Indices, others: Indices, count: int) -> Flags:
    """Tell which groups of two clusterings of the same names share more than half of the names of either."""
    shared = np.zeros((count, count), dtype=np.int64)
    np.add.at(shared, (labels, others), 1)
    return np.asarray((2 * shared > shared.sum(axis=1, keepdims=True)) & (2 * shared > shared.sum(axis=0)))


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
    rotations = min(CHECK_ROTATIONS, settings.rotations)
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


def _p_values(
    cells: Cells, scores: Floats, categories: set[int], settings: Settings, seed: np.random.SeedSequence
) -> Floats:
    """Test the categories that are asked about, all of them where p-values are family-wise; 1 in the others."""
    family_wise = settings.correction == "max"
    asked = list(range(len(scores))) if family_wise else sorted(categories)
    part = cells.only(asked)
    with single_threaded():
        null = scores_under(part, random_directions(part, repeat_rotations(settings), seed))
    tally = Tally(scores[asked], np.zeros(part.shape, dtype=np.int64), kept=[] if family_wise else None)
    tally.add(null)
    p_values = np.ones(scores.shape)
    p_values[asked] = tally.p_values()
    return p_values
