"""Two embeddings asked the same question: the groups and categories of the first, scored in both.

Clustering the second anew would count what K-means moved as lost. Here only words within a cell are chosen anew, by
the second embedding's own scores and tested by its own rotations, so that its p-values are as valid as the first's.
"""

from concurrent.futures import Executor
from dataclasses import replace
from typing import Any

import numpy as np

from imprint.choices import Device
from imprint.enumeration.comparison import BiasComparison
from imprint.enumeration.conclusion import conclude, order_categories
from imprint.enumeration.enumerate import as_increments, check_device
from imprint.enumeration.problem import build_problem, transfer_problem
from imprint.enumeration.settings import Settings
from imprint.enumeration.solution import count_rotations, problem_seeds, solve
from imprint.enumeration.targets import Names
from imprint.significance.rotations import scores_of
from imprint.subjects.opening import EmbeddingLike, load
from imprint.types import Progress
from imprint.workers import executor_or_threads


def compare_biases(
    embedding: EmbeddingLike,
    other: EmbeddingLike,
    names: Names = "first",
    *,
    settings: Settings | None = None,
    executor: Executor | None = None,
    device: Device = "cpu",
    progress: Progress | None = None,
    **changes: Any,
) -> BiasComparison:
    """Enumerate the biases of an embedding, and score another over the same groups and categories.

    The result for the first is that of `enumerate_biases`. An association is left if it is significant in both, lost
    if only in the first, new if only in the other.

    Parameters
    ----------
    embedding
        A file, `default` or an object, as `load` accepts it.
    other
        A second one, such as a debiased one; it may lack names and words and have another dimension.
    names
        "first" or "surnames" (bundled tables), "embedding" (found in the first), a file or a list.
    settings
        All settings at once.
    executor
        Any `concurrent.futures.Executor` to do the work.
    device
        "cpu" or "cuda"; a GPU draws its own rotations.
    progress
        Called with the work done and the total work, in rotations.
    changes
        Single settings, such as `groups` or `rotations`, see `Settings`.

    Returns
    -------
    BiasComparison
        Both enumerations, and what is left, lost and new.

    Examples
    --------
    >>> debiased = imprint.HardDebiaser().fit("default").apply("default")
    >>> imprint.compare_biases("default", debiased, categories=16, words=10_000, rotations=1_000, repeats=0)
    BiasComparison(glove.6B.100d, glove.6B.100d debiased (hard): 14 left, 2 lost, 2 new)
    """
    embedding, other = load(embedding), load(other)
    settings = replace(settings or Settings(), **changes)
    check_device(device, settings)
    problem = build_problem(embedding, names, settings, problem_seeds(settings))
    again, places = transfer_problem(problem, embedding, other, settings)
    alone = replace(settings, repeats=0)  # the other has the first's groups, which are not made anew
    report = as_increments(progress, count_rotations(settings) + count_rotations(alone))
    with executor_or_threads(executor) as pool:
        table, crossings = solve(problem, settings, executor=pool, device=device, report=report)
        other_table, other_crossings = solve(again, alone, executor=pool, device=device, report=report)
    order = order_categories(table)
    # Cells with too few words have no rows to look up; what comes of them is not among the associations.
    scores = scores_of(again.cells, places[table.rows])[order]
    return BiasComparison(
        first=conclude(embedding, problem, settings, table, crossings, order),
        second=conclude(other, again, alone, other_table, other_crossings, order),
        same_words=tuple(
            None if np.isnan(score) else float(score) for score in scores[np.isfinite(table.scores[order])]
        ),
        words_asked=len(places),
        words_missing=tuple(embedding.words[row] for row in problem.rows[places < 0]),
    )
