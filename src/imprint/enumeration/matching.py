"""The same finding under other K-means seeds: how often each association of a run recurs.

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

from concurrent.futures import Executor
from dataclasses import dataclass, replace

import numpy as np

from imprint.enumeration.null import Done, Tally
from imprint.enumeration.problem import Problem, cluster_again
from imprint.enumeration.settings import Settings
from imprint.significance.rotations import in_order, observed_scores, random_directions, scores_under
from imprint.threads import single_threaded
from imprint.types import Flags, Floats, Indices, Ints

ROTATIONS = 300  # of each repeat
WORK = 1_300  # rotations that take as long as a repeat on the bundled embedding: for the time left


@dataclass(frozen=True, eq=False)
class Repeat:
    """A run with other K-means seeds: the group of each name, the words of each cell (-1 where too few), p-values."""

    labels: Indices
    words: Ints
    p_values: Floats


def recurrence(
    problem: Problem,
    settings: Settings,
    significant: Flags,
    rows: Ints,
    critical: float,
    *,
    seed: np.random.SeedSequence,
    executor: Executor,
    report: Done | None = None,
) -> Floats:
    """Return the share of repeats in which each significant cell recurs; `rows` are the words of each cell."""
    counts = np.zeros(significant.shape)
    tasks = [(settings, child) for child in seed.spawn(settings.repeats)]
    # The order of groups means nothing here, so the table behind it need not go to the workers.
    shared = replace(problem, targets=replace(problem.targets, table=None))
    for again in in_order(executor, run_again, shared, tasks):
        counts += recurring(problem.labels, problem.rows[rows], significant, again, critical)
        if report is not None:
            report(WORK)
    return counts / settings.repeats


def run_again(problem: Problem, settings: Settings, seed: np.random.SeedSequence) -> Repeat:
    """Cluster names and words with seeds of their own, and test the cells with fewer rotations."""
    grouping, categorising, rotating = seed.spawn(3)
    again = cluster_again(problem, settings, grouping, categorising)
    cells = again.cells
    with single_threaded():
        scores, rows = observed_scores(cells)
        rotations = repeat_rotations(settings)
        null = scores_under(cells, random_directions(cells, rotations, rotating))
    family_wise = settings.correction == "max"
    tally = Tally(scores, np.zeros(cells.shape, dtype=np.int64), kept=[] if family_wise else None)
    tally.add(null)
    return Repeat(again.labels, np.where(rows < 0, -1, again.rows[rows]), tally.p_values())


def repeat_rotations(settings: Settings) -> int:
    """Return how many rotations each repeat makes."""
    return min(ROTATIONS, settings.rotations)


def recurring(labels: Indices, words: Ints, significant: Flags, again: Repeat, critical: float) -> Flags:
    """Tell which significant cells, (categories, groups), recur in a repeat; `words` as in `Repeat`."""
    same = same_groups(labels, again.labels, significant.shape[1])
    found = np.zeros_like(significant)
    for j, i in np.argwhere(significant):
        for group in np.flatnonzero(same[i]):
            strong = again.words[again.p_values[:, group] <= critical, group]
            shared = np.isin(strong, words[j, i]).sum(axis=1)
            found[j, i] = np.any(2 * shared >= words.shape[2])
    return found


def same_groups(labels: Indices, others: Indices, count: int) -> Flags:
    """Tell which groups of two clusterings of the same names share more than half of the names of either."""
    shared = np.zeros((count, count), dtype=np.int64)
    np.add.at(shared, (labels, others), 1)
    return np.asarray((2 * shared > shared.sum(axis=1, keepdims=True)) & (2 * shared > shared.sum(axis=0)))
