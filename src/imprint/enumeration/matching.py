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
from dataclasses import replace

import numpy as np

from imprint.enumeration.null import Done, Tally
from imprint.enumeration.problem import Problem, cluster_again
from imprint.enumeration.settings import Settings
from imprint.significance.rotations import Cells, observed_scores, random_directions, scores_under
from imprint.threads import single_threaded
from imprint.types import Flags, Floats, Indices, Ints
from imprint.workers import in_order

Place = tuple[int, int]  # a category and a group

ROTATIONS = 300  # of each repeat
WORK = 1_300  # rotations that take as long as a repeat on the bundled embedding: for the time left


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
            report(WORK)
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
    return min(ROTATIONS, settings.rotations)


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
