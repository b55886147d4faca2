"""From cells to their scores and p-values: steps 3 and 4 of the algorithm.

Swinger et al. (2019), sections 3.3 and 3.4, and beside them the check without word frequency.
"""

from concurrent.futures import Executor

import numpy as np

from imprint.choices import Device
from imprint.enumeration.checkpoint import Checkpoint
from imprint.enumeration.conclusion import CellTable
from imprint.enumeration.frequency import ROTATIONS, cells_without_frequency
from imprint.enumeration.indirect import Crossings, find_crossings
from imprint.enumeration.null import Done, adjust, rotate
from imprint.enumeration.problem import Problem
from imprint.enumeration.settings import Settings
from imprint.significance.rotations import observed_scores
from imprint.threads import single_threaded

_POSING = 4  # seeds that posing the problem takes; three are left to solve it


def posing_seeds(settings: Settings) -> tuple[np.random.SeedSequence, ...]:
    """Return the seeds that `pose` wants."""
    return tuple(_seeds(settings)[:_POSING])


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
    rotating, checking, crossing = _seeds(settings)[_POSING:]
    cells = problem.cells
    family_wise = settings.correction == "max"
    with single_threaded():
        scores, rows = observed_scores(cells)
    p_values = rotate(
        cells,
        scores,
        settings.rotations,
        seed=rotating,
        executor=executor,
        device=device,
        keep=family_wise,
        checkpoint=checkpoint,
        report=report,
    )
    without_frequency = None
    if not settings.without_frequency:
        # Which associations are still there in the space without the direction of word frequency?
        without_frequency = np.ones(cells.shape)
        rest = cells_without_frequency(cells, problem.frequency, settings.centre)
        if rest is not None:
            with single_threaded():
                rest_scores, _ = observed_scores(rest)
            without_frequency = rotate(
                rest,
                rest_scores,
                min(ROTATIONS, settings.rotations),
                seed=checking,
                executor=executor,
                device=device,
                keep=family_wise,
                report=report,
            )
    adjusted = adjust(p_values, settings)
    significant = (adjusted <= settings.fdr) & np.isfinite(scores)
    table = CellTable(scores, rows, p_values, adjusted, significant, without_frequency)
    return table, find_crossings(cells, significant, rows, seed=crossing)


def rotations_of(settings: Settings) -> int:
    """Return how many rotations `solve` makes, the check without frequency included."""
    return settings.rotations + (0 if settings.without_frequency else min(ROTATIONS, settings.rotations))


def _seeds(settings: Settings) -> list[np.random.SeedSequence]:
    # Made anew at every call: a sequence that has spawned once would spawn other children the second time.
    return np.random.SeedSequence(settings.seed).spawn(_POSING + 3)
