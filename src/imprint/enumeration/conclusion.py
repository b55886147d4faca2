"""From arrays to a result: words put to rows, letters to groups, categories in order, and indirect associations.

Swinger et al. (2019), sections 3.4 and 4.2. Four cells that stand out, two groups by two categories, are a potential
indirect bias, which outlives the names, when the embedding itself matches them as the names did:
(A_ij - A_i'j) . (A_ij' - A_i'j') > 0. Words chosen by any common directions satisfy this almost always, so the share
is only worth something beside that of random directions, and a tuple beside its own null.
"""

import math
from dataclasses import dataclass, replace
from itertools import combinations

import numpy as np

from imprint.embeddings.embedding import Embedding
from imprint.enumeration.confounds import EXPLAINED, correlation_with_frequency
from imprint.enumeration.groups import Group, describe, illustrate, letters
from imprint.enumeration.problem import Problem
from imprint.enumeration.result import Association, Category, Enumeration, Indirect
from imprint.enumeration.rows import Crossing
from imprint.enumeration.settings import Settings
from imprint.significance.rotations import Cells, observed_scores
from imprint.threads import single_threaded
from imprint.types import Flags, Floats, Floats32, Ints

Tuple = tuple[int, int, int, int]  # two groups, two categories

NULL_DIRECTIONS = 50
STRONGEST = 5

_CENTRAL_WORDS = 5


@dataclass(frozen=True, eq=False)
class CellTable:
    """What was computed for every (category, group); `rows` are those of the words chosen, -1 where too few.

    Those of mirrored copies and those of the paper's rotations are None where the other method was used, `recurrence`
    where there were no repeats; `spelling` is of each group.
    """

    scores: Floats
    rows: Ints
    stands_out: Flags
    z: Floats | None = None
    q: Floats | None = None
    expected: tuple[float, float] | None = None
    spelling: Floats | None = None
    recurrence: Floats | None = None
    p_values: Floats | None = None
    p_adjusted: Floats | None = None


def order_categories(table: CellTable) -> list[int]:
    """Return the categories in the order shown: by the sum of the scores that stand out."""
    totals = np.where(table.stands_out, table.scores, 0.0).sum(axis=1)
    order: list[int] = np.argsort(-totals, kind="stable").tolist()
    return order


@dataclass(frozen=True, eq=False)
class Crossings:
    """The share of tuples that satisfy eq. (1), that share under random directions, and the strongest tuples.

    `strongest` are (tuple, product of differences, standard deviations above its own null).
    """

    tuples: int
    share: float
    null_share: float
    strongest: tuple[tuple[Tuple, float, float], ...]


def conclude(
    embedding: Embedding,
    problem: Problem,
    settings: Settings,
    table: CellTable,
    crossings: Crossings | None,
    order: list[int],
) -> Enumeration:
    """Write everything down, the categories numbered in the order given."""
    words = [embedding.words[row] for row in problem.rows]
    groups = _groups(problem, settings, table)
    return Enumeration(
        embedding=embedding.name,
        embedding_sha256=embedding.sha256,
        settings=settings,
        groups=groups,
        categories=tuple(_category(problem, words, j, place) for place, j in enumerate(order, start=1)),
        associations=_associations(table, order, groups, words),
        indirect=_indirect(crossings, table, order, groups, words),
        names_asked=problem.targets.asked,
        names_missing=problem.targets.missing,
        names_found=len(problem.targets.names) + len(problem.dropped),
        names_dropped=problem.dropped,
        notes=_notes(settings, table.scores.size),
        embedding_notes=embedding.notes,
        expected=table.expected,
    )


def find_crossings(cells: Cells, stands_out: Flags, rows: Ints, directions: Floats32) -> Crossings | None:
    """Test eq. (1) on all tuples of cells that stand out, observed and under directions; None without any tuple.

    `stands_out` is (categories, groups), `rows` the words chosen for each cell.
    """
    tuples = [
        (i, other, j, k)
        for i, other in combinations(range(stands_out.shape[1]), 2)
        for j, k in combinations(np.flatnonzero(stands_out[:, i] & stands_out[:, other]).tolist(), 2)
    ]
    if not tuples:
        return None
    null = np.empty((len(directions), len(tuples)))
    asked = sorted({category for *_, j, k in tuples for category in (j, k)})
    part = cells.only(asked)
    moved = (cells.offsets[asked] - part.offsets[:-1])[:, None, None]
    chosen = np.full_like(rows, -1)
    with single_threaded():
        observed = _products(cells, rows, tuples)
        for r, drawn in enumerate(directions):
            places = observed_scores(replace(part, directions=drawn.T.astype(np.float64)))[1]
            chosen[asked] = np.where(places < 0, -1, places + moved)
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


def _associations(
    table: CellTable, order: list[int], groups: tuple[Group, ...], words: list[str]
) -> tuple[Association, ...]:
    def value(values: Floats | None, j: int, i: int) -> float | None:
        return None if values is None else float(values[j, i])

    return tuple(
        Association(
            group=groups[i].letter,
            category=place,
            words=tuple(words[row] for row in table.rows[j, i]),
            score=float(table.scores[j, i]),
            stands_out=bool(table.stands_out[j, i]),
            z=value(table.z, j, i),
            q=None if groups[i].reason else value(table.q, j, i),
            p_value=value(table.p_values, j, i),
            p_adjusted=value(table.p_adjusted, j, i),
            recurrence=value(table.recurrence, j, i) if table.stands_out[j, i] else None,
            reason=groups[i].reason,
        )
        for place, j in enumerate(order, start=1)
        for i in range(len(groups))
        if math.isfinite(table.scores[j, i])
    )


def _groups(problem: Problem, settings: Settings, table: CellTable) -> tuple[Group, ...]:
    correlations = correlation_with_frequency(problem.cells.words, problem.cells.directions, problem.frequency)
    groups = []
    for number, letter in enumerate(letters(settings.groups)):
        members = problem.labels == number
        names = [problem.targets.names[i] for i in np.flatnonzero(members)]
        spelling = None if table.spelling is None else float(table.spelling[number])
        groups.append(
            Group(
                letter=letter,
                names=tuple(names),
                illustrative=tuple(names[i] for i in illustrate(problem.name_vectors[members])),
                demographics=describe(problem.targets, members),
                frequency=float(correlations[number]),
                spelling=spelling,
                reason="spelling" if spelling is not None and spelling >= EXPLAINED else None,
            )
        )
    return tuple(groups)


def _category(problem: Problem, words: list[str], number: int, place: int) -> Category:
    start, end = problem.cells.offsets[number], problem.cells.offsets[number + 1]
    members = problem.cells.words[start:end]
    nearest = np.argsort(-(members @ members.mean(axis=0)), kind="stable")[:_CENTRAL_WORDS]
    return Category(place, int(end - start), tuple(words[start + row] for row in nearest))


def _indirect(
    crossings: Crossings | None, table: CellTable, order: list[int], groups: tuple[Group, ...], words: list[str]
) -> Indirect | None:
    if crossings is None:
        return None
    place = {j: number for number, j in enumerate(order, start=1)}
    strongest = tuple(
        Crossing(
            groups=(groups[i].letter, groups[other].letter),
            categories=(place[j], place[k]),
            words=tuple(
                tuple(words[row] for row in table.rows[category, group])
                for category, group in ((j, i), (j, other), (k, i), (k, other))
            ),
            product=product,
            standard_deviations=distance,
        )
        for (i, other, j, k), product, distance in crossings.strongest
    )
    return Indirect(crossings.tuples, crossings.share, crossings.null_share, NULL_DIRECTIONS, strongest)


def _notes(settings: Settings, cells: int) -> tuple[str, ...]:
    # By how much the correction multiplies the smallest of all p-values.
    factor = {"bh": cells, "by": cells * sum(1 / rank for rank in range(1, cells + 1)), "max": 1}[settings.correction]
    needed = math.ceil(factor / settings.rate) - 1
    if settings.method != "paper" or settings.rotations >= needed:
        return ()
    return (
        f"{settings.rotations:,} rotations are too few for a lone association among {cells:,} cells to be found at "
        f"{settings.rate:g}; {needed:,} would do",
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
