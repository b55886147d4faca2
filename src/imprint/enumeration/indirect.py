"""Associations that outlive the names: Swinger et al. (2019), section 4.2.

Four significant cells, two groups by two categories, are a potential indirect bias when the embedding itself matches
them as the names did: (A_ij - A_i'j) . (A_ij' - A_i'j') > 0. Words chosen by any common directions satisfy this almost
always, so the share is only worth something beside that of random directions, and a tuple beside its own null.
"""

from dataclasses import dataclass, replace
from itertools import combinations

import numpy as np

from imprint.significance.rotations import Cells, observed_scores, random_directions
from imprint.threads import single_threaded
from imprint.types import Flags, Floats, Ints

Tuple = tuple[int, int, int, int]  # two groups, two categories

NULL_ROTATIONS = 50
STRONGEST = 5


@dataclass(frozen=True, eq=False)
class Crossings:
    """The share of tuples that satisfy eq. (1), that share under random directions, and the strongest tuples.

    `strongest` are (tuple, product of differences, standard deviations above its own null).
    """

    tuples: int
    share: float
    null_share: float
    strongest: tuple[tuple[Tuple, float, float], ...]


def find_crossings(cells: Cells, significant: Flags, rows: Ints, *, seed: np.random.SeedSequence) -> Crossings | None:
    """Test eq. (1) on all tuples of significant cells, observed and under rotations; None where there is no tuple.

    `significant` is (categories, groups), `rows` the words chosen for each cell.
    """
    tuples = [
        (i, other, j, k)
        for i, other in combinations(range(significant.shape[1]), 2)
        for j, k in combinations(np.flatnonzero(significant[:, i] & significant[:, other]).tolist(), 2)
    ]
    if not tuples:
        return None
    null = np.empty((NULL_ROTATIONS, len(tuples)))
    asked = sorted({category for *_, j, k in tuples for category in (j, k)})
    part = cells.only(asked)
    moved = (cells.offsets[asked] - part.offsets[:-1])[:, None, None]
    chosen = np.full_like(rows, -1)
    with single_threaded():
        observed = _products(cells, rows, tuples)
        for r, directions in enumerate(random_directions(cells, NULL_ROTATIONS, seed)):
            found = observed_scores(replace(part, directions=directions.T.astype(np.float64)))[1]
            chosen[asked] = np.where(found < 0, -1, found + moved)
            null[r] = _products(cells, chosen, tuples)
    known = ~np.isnan(null)
    there = np.maximum(known.sum(axis=0), 1)
    centre = np.where(known, null, 0.0).sum(axis=0) / there
    spread = np.sqrt(np.where(known, (null - centre) ** 2, 0.0).sum(axis=0) / there)
    distance = (observed - centre) / np.where(spread > 0, spread, np.inf)
    strongest = np.argsort(-distance, kind="stable")[:STRONGEST].tolist()
    return Crossings(
        tuples=len(tuples),
        share=float(np.mean(observed > 0)),
        null_share=float(np.mean(null[known] > 0)) if known.any() else float("nan"),
        strongest=tuple((tuples[t], float(observed[t]), float(distance[t])) for t in strongest),
    )


def _products(cells: Cells, rows: Ints, tuples: list[Tuple]) -> Floats:
    """Return (A_ij - A_i'j) . (A_ik - A_i'k) for each tuple, NaN where a cell has too few words."""
    means = cells.words[rows].astype(np.float64).mean(axis=2)
    means[(rows < 0).any(axis=2)] = np.nan
    i, other, j, k = np.array(tuples).T
    # All categories against all at once, a pair of groups at a time: tuples are many more than pairs.
    pairs, pair = np.unique(np.column_stack([i, other]), axis=0, return_inverse=True)
    differences = (means[:, pairs[:, 0]] - means[:, pairs[:, 1]]).transpose(1, 0, 2)
    return np.asarray((differences @ differences.transpose(0, 2, 1))[pair.ravel(), j, k])
