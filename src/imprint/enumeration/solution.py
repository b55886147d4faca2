"""From cells to what stands out: steps 3 and 4 of the algorithm, and what scores are compared with.

Swinger et al. (2019), sections 3.3 and 3.4, compare each score with random rotations of the names. So does the method
"paper". The default compares it with mirrored copies, see `null`, and says how often each association recurs in
runs with other K-means seeds.

Every repeat clusters the same cleaned names and the same words anew, so letters and numbers mean nothing across
runs and boundaries move. An association recurs in a repeat when all of this holds for one cell of the repeat:

- its group and the association's hold mostly the same names: those in both are more than half of either group;
- at least half of the association's words are among the cell's words;
- its z, among mirrored copies of its own, would have been enough in the main run.

More than half of both groups makes the match one to one: no group has two partners, and a large group that swallows a
small one is none. Half of the words, in one cell, asks for the same topic rather than for one common word. The
repeat needs no threshold of its own, because it is only asked about associations already found.
"""

from concurrent.futures import Executor
from dataclasses import replace

import numpy as np

from imprint.checks import Device
from imprint.enumeration.checkpoint import Checkpoint, Done, resumed
from imprint.enumeration.conclusion import NULL_DIRECTIONS, CellTable, Crossings, Place, find_crossings
from imprint.enumeration.groups import EXPLAINED, spelling_shares
from imprint.enumeration.null import (
    KINDS,
    Mirrors,
    StandingOut,
    adjust,
    rotation_p_values,
    score_copies,
    smallest_z,
)
from imprint.enumeration.problem import Problem, cluster_again
from imprint.enumeration.settings import Settings
from imprint.significance.rotations import chunks, observed_scores, random_directions
from imprint.threads import single_threaded
from imprint.types import Flags, Floats, Floats32, Indices, Ints

COPIES_PER_CHUNK = 64  # of each kind
REPEAT_COPIES = 100  # of each kind
REPEAT_WORK = 1_200  # copies that take as long to score as a repeat on the bundled embedding: for the time left

_PROBLEM_SEEDS = 4  # seeds that building the problem takes; three are left to solve it
_COMPARING, _REPEATING, _CROSSING = range(_PROBLEM_SEEDS, _PROBLEM_SEEDS + 3)


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
    """Score every cell and find those that stand out. Problems of one dimension meet the same copies or rotations."""
    cells, seeds = problem.cells, _seeds(settings)
    with single_threaded():
        scores, rows = observed_scores(cells)
    if settings.method == "paper":
        p_values = rotation_p_values(
            cells,
            scores,
            settings.rotations,
            seed=seeds[_COMPARING],
            executor=executor,
            device=device,
            keep=settings.correction == "max",
            checkpoint=checkpoint,
            report=report,
        )
        adjusted = adjust(p_values, settings)
        stands_out = (adjusted <= settings.rate) & np.isfinite(scores)
        table = CellTable(scores, rows, stands_out, p_values=p_values, p_adjusted=adjusted)
        directions = random_directions(cells, NULL_DIRECTIONS, seeds[_CROSSING])
    else:
        mirrors = Mirrors.of(problem)
        table = _mirror(problem, mirrors, settings, scores, rows, executor, checkpoint, report)
        directions = mirrors.directions(NULL_DIRECTIONS // KINDS, seeds[_CROSSING])
    return table, find_crossings(cells, table.stands_out, rows, directions)


def count_work(settings: Settings) -> int:
    """Return how many rotations or copies `solve` scores; repeats count as the copies that take as long."""
    if settings.method == "paper":
        return settings.rotations
    return KINDS * settings.copies + settings.repeats * REPEAT_WORK


def _mirror(
    problem: Problem,
    mirrors: Mirrors,
    settings: Settings,
    scores: Floats,
    rows: Ints,
    executor: Executor,
    checkpoint: Checkpoint | None,
    report: Done | None,
) -> CellTable:
    seeds = _seeds(settings)
    chunks_of_copies = chunks(settings.copies, seeds[_COMPARING], COPIES_PER_CHUNK)
    parts = []
    for part in resumed(score_copies, mirrors, chunks_of_copies, executor=executor, checkpoint=checkpoint):
        parts.append(part)
        if report is not None:
            report(len(part))
    weights = problem.targets.bearers if settings.weighted else None
    vectors = problem.name_vectors
    spelling = spelling_shares(problem.cells, rows, problem.targets.names, problem.labels, vectors, weights)
    left_out = np.broadcast_to(spelling >= EXPLAINED, scores.shape)
    judged = StandingOut.of(scores, np.concatenate(parts), settings.rate, left_out)
    table = CellTable(
        scores, rows, judged.stands_out, z=judged.z, q=judged.q, expected=judged.expected, spelling=spelling
    )
    if not settings.repeats:
        return table
    # The order of groups means nothing here, so the table behind it need not go to the workers.
    shared = replace(problem, targets=replace(problem.targets, table=None)), mirrors
    tasks = [(settings, judged, rows, child) for child in seeds[_REPEATING].spawn(settings.repeats)]
    counts = np.zeros(scores.shape)
    work = resumed(repeat_clustering, shared, tasks, executor=executor, checkpoint=checkpoint, first=len(parts))
    for recurs in work:
        counts += recurs[0]
        if report is not None:
            report(REPEAT_WORK)
    return replace(table, recurrence=counts / settings.repeats)


def repeat_clustering(
    shared: tuple[Problem, Mirrors],
    settings: Settings,
    judged: StandingOut,
    rows: Ints,
    seed: np.random.SeedSequence,
) -> Floats32:
    """Cluster names and words with seeds of their own, and tell which cells that stand out recur: 1, else 0."""
    problem, mirrors = shared
    grouping, categorising, mirroring = seed.spawn(3)
    recurs = np.zeros((1, *judged.z.shape), dtype=np.float32)
    if not judged.stands_out.any():
        return recurs
    again = cluster_again(problem, settings, grouping, categorising)
    with single_threaded():
        scores, chosen = observed_scores(again.cells)
    words = np.where(chosen < 0, -1, again.rows[chosen])
    pairs = same_cells(problem.labels, problem.rows[rows], judged.stands_out, again.labels, words)
    categories = sorted({category for _, (category, _) in pairs})
    if categories:
        part = replace(mirrors, cells=again.cells.only(categories))
        copies = score_copies(part, min(REPEAT_COPIES, settings.copies), mirroring)
        z = np.full(scores.shape, -np.inf)
        z[categories] = smallest_z(scores[categories], copies)
        for cell, other in pairs:
            recurs[0][cell] = max(recurs[0][cell], z[other] > judged.limit)
    return recurs


def same_cells(
    labels: Indices, words: Ints, stands_out: Flags, other_labels: Indices, other_words: Ints
) -> list[tuple[Place, Place]]:
    """Pair cells that stand out with the cells of another run that have mostly the same names and half of the words.

    `words` number the words of each (category, group), -1 where there are too few.
    """
    same = same_groups(labels, other_labels, stands_out.shape[1])
    pairs = []
    for j, i in np.argwhere(stands_out).tolist():
        for group in np.flatnonzero(same[i]).tolist():
            shared = np.isin(other_words[:, group], words[j, i]).sum(axis=1)
            pairs += [((j, i), (k, group)) for k in np.flatnonzero(2 * shared >= words.shape[2]).tolist()]
    return pairs


def same_groups(labels: Indices, others: Indices, count: int) -> Flags:
    """Tell which groups of two clusterings of the same names share more than half of the names of either."""
    shared = np.zeros((count, count), dtype=np.int64)
    np.add.at(shared, (labels, others), 1)
    return np.asarray((2 * shared > shared.sum(axis=1, keepdims=True)) & (2 * shared > shared.sum(axis=0)))


def _seeds(settings: Settings) -> list[np.random.SeedSequence]:
    # Made anew at every call: a sequence that has spawned once would spawn other children the second time.
    return np.random.SeedSequence(settings.seed).spawn(_PROBLEM_SEEDS + 3)
