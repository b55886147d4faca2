"""From arrays to rows: words and letters in place of numbers, categories in order, and indirect associations.

Swinger et al. (2019), sections 3.4 and 4.2. Four cells that stand out, two groups by two categories, are a potential
indirect bias, which outlives the names, when the embedding itself matches them as the names did:
(A_ij - A_i'j) . (A_ij' - A_i'j') > 0. Words chosen by any common directions satisfy this almost always, so the share
is only worth something beside that of random directions, and a tuple beside its own null.
"""

import math
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from itertools import combinations
from typing import Any

import numpy as np

from imprint.embeddings.embedding import Embedding
from imprint.enumeration.confounds import EXPLAINED, correlation_with_frequency
from imprint.enumeration.groups import describe, illustrate, letters
from imprint.enumeration.problem import Problem
from imprint.enumeration.result import Enumeration
from imprint.enumeration.rows import MOST_RUNS, Crossing, UbeGroupRow, UbeIndirectRow, UbeOverviewRow, UbeRow
from imprint.enumeration.settings import Settings
from imprint.significance.rotations import Cells, observed_scores
from imprint.threads import single_threaded
from imprint.types import Flags, Floats, Floats32, Ints

Tuple = tuple[int, int, int, int]  # two groups, two categories

NULL_DIRECTIONS = 50
STRONGEST = 5

_CENTRAL_WORDS = 5
_SETTINGS = (
    "groups", "categories", "top", "seed", "cleaning", "centre", "overlapping", "weighted",
    "without_frequency",
)  # fmt: skip


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

    @property
    def found(self) -> Flags:
        """The cells that stand out, without those of too few words."""
        return self.stands_out & np.isfinite(self.scores)

    @property
    def recurs(self) -> Flags | None:
        """Those of them that recur in most runs."""
        return None if self.recurrence is None else self.found & (self.recurrence > MOST_RUNS)


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
    about = {"embedding": embedding.name, "embedding_sha256": embedding.sha256, "seed": settings.seed}
    groups = tuple(_groups(problem, settings, table, about))
    overview = _overview(problem, settings, table, groups, embedding.notes, about)
    cells = _cells(problem, settings, table, order, groups, words, about)
    indirect = () if crossings is None else (_indirect(crossings, table, order, groups, words, about),)
    members = (np.flatnonzero(problem.labels == number).tolist() for number in range(settings.groups))
    names = {
        group.group: tuple(problem.targets.names[name] for name in of_group)
        for group, of_group in zip(groups, members, strict=True)
    }
    return Enumeration((overview, *cells, *groups, *indirect), names, problem.targets.missing, problem.dropped)


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


def _overview(
    problem: Problem,
    settings: Settings,
    table: CellTable,
    groups: Sequence[UbeGroupRow],
    embedding_notes: tuple[str, ...],
    about: dict[str, Any],
) -> UbeOverviewRow:
    found = int(table.found.sum())
    plain, frequency_kept = table.expected or (None, None)
    return UbeOverviewRow(
        **about | {name: getattr(settings, name) for name in _SETTINGS} | _compared_with(settings),
        test="overview",
        statistic=float(found),
        n_words=settings.words,
        fdr=settings.rate,
        correction=settings.correction if settings.method == "paper" else None,
        repeats=_runs(settings, table),
        names_asked=problem.targets.asked,
        names_missing=len(problem.targets.missing),
        names_found=len(problem.targets.names) + len(problem.dropped),
        names_dropped=len(problem.dropped),
        n_cells=int(np.isfinite(table.scores).sum()),
        associations=found,
        expected_mirrored=plain,
        expected_frequency_kept=frequency_kept,
        groups_left_out=tuple(group.group for group in groups if group.reason),
        recurrent=None if table.recurs is None else int(table.recurs.sum()),
        notes=_notes(settings, table.scores.size),
        embedding_notes=embedding_notes,
    )


def _cells(
    problem: Problem,
    settings: Settings,
    table: CellTable,
    order: Sequence[int],
    groups: Sequence[UbeGroupRow],
    words: Sequence[str],
    about: dict[str, Any],
) -> Iterator[UbeRow]:
    def value(values: Floats | None, cell: tuple[int, int]) -> float | None:
        return None if values is None else float(values[cell])

    for number, category in enumerate(order, start=1):
        central = _central_words(problem, words, category)
        for index, group in enumerate(groups):
            cell = category, index
            score, stands_out = float(table.scores[cell]), bool(table.stands_out[cell])
            if not math.isfinite(score):
                continue
            yield UbeRow(
                **about | _compared_with(settings),
                test=f"{group.group}-{number}",
                effect_size=score,
                statistic=score,
                p_value=value(table.p_values, cell),
                group=group.group,
                category=number,
                category_words=central,
                words=tuple(words[row] for row in table.rows[cell]),
                names=group.names,
                score=score,
                stands_out=stands_out,
                z=value(table.z, cell),
                q=None if group.reason else value(table.q, cell),
                p_adjusted=value(table.p_adjusted, cell),
                recurrence=value(table.recurrence, cell) if stands_out else None,
                recurrence_runs=_runs(settings, table),
                spelling=group.spelling,
                reason=group.reason,
                # Thousands of names, the same for every cell: counted here, named in the result.
                names_asked=problem.targets.asked,
                names_missing=len(problem.targets.missing),
            )


def _groups(problem: Problem, settings: Settings, table: CellTable, about: dict[str, Any]) -> Iterator[UbeGroupRow]:
    correlations = correlation_with_frequency(problem.cells.words, problem.cells.directions, problem.frequency)
    for number, letter in enumerate(letters(settings.groups)):
        members = problem.labels == number
        names = [problem.targets.names[name] for name in np.flatnonzero(members)]
        spelling = None if table.spelling is None else float(table.spelling[number])
        associations = int(table.found[:, number].sum())
        yield UbeGroupRow(
            **about | describe(problem.targets, members),
            test=letter,
            statistic=float(associations),
            group=letter,
            n_names=len(names),
            names=tuple(names[name] for name in illustrate(problem.name_vectors[members])),
            frequency=float(correlations[number]),
            associations=associations,
            recurrent=None if table.recurs is None else int(table.recurs[:, number].sum()),
            spelling=spelling,
            reason="spelling" if spelling is not None and spelling >= EXPLAINED else None,
        )


def _central_words(problem: Problem, words: Sequence[str], category: int) -> tuple[str, ...]:
    start, end = problem.cells.offsets[category], problem.cells.offsets[category + 1]
    members = problem.cells.words[start:end]
    nearest = np.argsort(-(members @ members.mean(axis=0)), kind="stable")[:_CENTRAL_WORDS]
    return tuple(words[start + row] for row in nearest)


def _indirect(
    crossings: Crossings,
    table: CellTable,
    order: Sequence[int],
    groups: Sequence[UbeGroupRow],
    words: Sequence[str],
    about: dict[str, Any],
) -> UbeIndirectRow:
    numbers = {category: number for number, category in enumerate(order, start=1)}
    strongest = tuple(
        Crossing(
            groups=(groups[i].group, groups[other].group),
            categories=(numbers[j], numbers[k]),
            words=tuple(
                tuple(words[row] for row in table.rows[cell]) for cell in ((j, i), (j, other), (k, i), (k, other))
            ),
            product=product,
            standard_deviations=distance,
        )
        for (i, other, j, k), product, distance in crossings.strongest
    )
    return UbeIndirectRow(
        **about,
        test="indirect",
        statistic=crossings.share,
        tuples=crossings.tuples,
        share=crossings.share,
        null_share=crossings.null_share,
        null_rotations=NULL_DIRECTIONS,
        strongest=strongest,
    )


def _runs(settings: Settings, table: CellTable) -> int:
    """Return how many runs with other clusterings were made."""
    return 0 if table.recurrence is None else settings.repeats


def _compared_with(settings: Settings) -> dict[str, Any]:
    """Return what scores were compared with, and how much of it."""
    is_paper = settings.method == "paper"
    return {
        "method": settings.method,
        "copies": None if is_paper else settings.copies,
        "rotations": settings.rotations if is_paper else None,
    }


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
