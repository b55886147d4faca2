"""From arrays to rows: words and letters in place of numbers, categories in order, and indirect associations.

Swinger et al. (2019), sections 3.4 and 4.2. Four cells that stand out, two groups by two categories, are a potential
indirect bias, which outlives the names, when the embedding itself matches them as the names did:
(A_ij - A_i'j) . (A_ij' - A_i'j') > 0. Words chosen by any common directions satisfy this almost always, so the share
is only worth something beside that of random directions, and a tuple beside its own null.
"""

import math
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from itertools import combinations
from typing import Any

import numpy as np

from imprint.embeddings.embedding import Embedding
from imprint.enumeration.groups import EXPLAINED, correlation_with_frequency, describe, illustrate, letters
from imprint.enumeration.problem import Problem
from imprint.enumeration.result import Enumeration
from imprint.enumeration.rows import MOST_RUNS, Crossing, UbeGroupRow, UbeIndirectRow, UbeOverviewRow, UbeRow
from imprint.enumeration.settings import Settings
from imprint.significance.rotations import Cells, observed_scores
from imprint.threads import single_threaded
from imprint.types import Flags, Floats, Floats32, Ints

Place = tuple[int, int]  # a category and a group
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
    order: Sequence[int],
) -> Enumeration:
    """Write everything down, the categories numbered in the order given."""
    rows = _Rows(embedding, problem, settings, table, order)
    indirect = () if crossings is None else (rows.indirect(crossings),)
    names = dict(zip(letters(settings.groups), map(tuple, rows.names), strict=True))
    listed = (rows.overview(), *rows.cells(), *rows.groups, *indirect)
    return Enumeration(listed, names, problem.targets.missing, problem.dropped)


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
    categories = sorted({category for *_, j, k in tuples for category in (j, k)})
    part = cells.only(categories)
    moved = (cells.offsets[categories] - part.offsets[:-1])[:, None, None]
    chosen = np.full_like(rows, -1)
    with single_threaded():
        observed = _products(cells, rows, tuples)
        for r, drawn in enumerate(directions):
            places = observed_scores(replace(part, directions=drawn.T.astype(np.float64)))[1]
            chosen[categories] = np.where(places < 0, -1, places + moved)
            null[r] = _products(cells, chosen, tuples)
    is_real = ~np.isnan(null)
    there = np.maximum(is_real.sum(axis=0), 1)
    centre = np.where(is_real, null, 0.0).sum(axis=0) / there
    spread = np.sqrt(np.where(is_real, (null - centre) ** 2, 0.0).sum(axis=0) / there)
    distance = (observed - centre) / np.where(spread > 0, spread, np.inf)
    strongest = np.argsort(-distance, kind="stable")[:STRONGEST].tolist()
    return Crossings(
        tuples=len(tuples),
        share=float(np.mean(observed > 0)),
        null_share=float(np.mean(null[is_real] > 0)) if is_real.any() else float("nan"),
        strongest=tuple((tuples[t], float(observed[t]), float(distance[t])) for t in strongest),
    )


@dataclass(frozen=True, eq=False)
class _Rows:
    """The rows of what was computed, each category numbered by its place in the order."""

    embedding: Embedding
    problem: Problem
    settings: Settings
    table: CellTable
    order: Sequence[int]

    @cached_property
    def words(self) -> list[str]:
        return [self.embedding.words[row] for row in self.problem.rows]

    @cached_property
    def names(self) -> list[list[str]]:
        """The names of each group."""
        names, labels = self.problem.targets.names, self.problem.labels
        return [[names[index] for index in np.flatnonzero(labels == group)] for group in range(self.settings.groups)]

    @cached_property
    def about(self) -> dict[str, Any]:
        """What all rows say."""
        sha256 = self.embedding.sha256
        return {"embedding": self.embedding.name, "embedding_sha256": sha256, "seed": self.settings.seed}

    @cached_property
    def compared(self) -> dict[str, Any]:
        """What scores were compared with, of how many names."""
        settings, targets = self.settings, self.problem.targets
        is_paper = settings.method == "paper"
        return {
            "method": settings.method,
            "copies": None if is_paper else settings.copies,
            "rotations": settings.rotations if is_paper else None,
            # Thousands of names, the same for every cell: counted here, named in the result.
            "names_asked": targets.asked,
            "names_missing": len(targets.missing),
        }

    @property
    def runs(self) -> int:
        """How many runs with other clusterings were made."""
        return 0 if self.table.recurrence is None else self.settings.repeats

    def overview(self) -> UbeOverviewRow:
        settings, table, problem = self.settings, self.table, self.problem
        associations = int(table.found.sum())
        plain, frequency_kept = table.expected or (None, None)
        return UbeOverviewRow(
            **self.about | self.compared | {name: getattr(settings, name) for name in _SETTINGS},
            test="overview",
            statistic=float(associations),
            n_words=settings.words,
            fdr=settings.rate,
            correction=settings.correction if settings.method == "paper" else None,
            repeats=self.runs,
            names_found=len(problem.targets.names) + len(problem.dropped),
            names_dropped=len(problem.dropped),
            n_cells=int(np.isfinite(table.scores).sum()),
            associations=associations,
            expected_mirrored=plain,
            expected_frequency_kept=frequency_kept,
            groups_left_out=tuple(group.group for group in self.groups if group.reason),
            recurrent=_total(table.recurs),
            notes=_notes(settings, table.scores.size),
            embedding_notes=self.embedding.notes,
        )

    @cached_property
    def groups(self) -> tuple[UbeGroupRow, ...]:
        problem, table = self.problem, self.table
        correlations = correlation_with_frequency(problem.cells.words, problem.cells.directions, problem.frequency)
        rows = []
        for number, (letter, names) in enumerate(zip(letters(self.settings.groups), self.names, strict=True)):
            members = problem.labels == number
            spelling = None if table.spelling is None else float(table.spelling[number])
            associations = int(table.found[:, number].sum())
            rows.append(
                UbeGroupRow(
                    **self.about | describe(problem.targets, members),
                    test=letter,
                    statistic=float(associations),
                    group=letter,
                    n_names=len(names),
                    names=tuple(names[index] for index in illustrate(problem.name_vectors[members])),
                    frequency=float(correlations[number]),
                    associations=associations,
                    recurrent=None if table.recurs is None else _total(table.recurs[:, number]),
                    spelling=spelling,
                    reason="spelling" if spelling is not None and spelling >= EXPLAINED else None,
                )
            )
        return tuple(rows)

    def cells(self) -> Iterator[UbeRow]:
        table = self.table
        for number, category in enumerate(self.order, start=1):
            central = self.central_words(category)
            for index, group in enumerate(self.groups):
                cell = category, index
                score, stands_out = float(table.scores[cell]), bool(table.stands_out[cell])
                if not math.isfinite(score):
                    continue
                yield UbeRow(
                    **self.about | self.compared,
                    test=f"{group.group}-{number}",
                    effect_size=score,
                    statistic=score,
                    p_value=_value(table.p_values, cell),
                    group=group.group,
                    category=number,
                    category_words=central,
                    words=self.words_of(cell),
                    names=group.names,
                    score=score,
                    stands_out=stands_out,
                    z=_value(table.z, cell),
                    q=None if group.reason else _value(table.q, cell),
                    p_adjusted=_value(table.p_adjusted, cell),
                    recurrence=_value(table.recurrence, cell) if stands_out else None,
                    recurrence_runs=self.runs,
                    spelling=group.spelling,
                    reason=group.reason,
                )

    def indirect(self, crossings: Crossings) -> UbeIndirectRow:
        numbers = {category: number for number, category in enumerate(self.order, start=1)}
        strongest = tuple(
            Crossing(
                groups=(self.groups[i].group, self.groups[other].group),
                categories=(numbers[j], numbers[k]),
                words=tuple(map(self.words_of, ((j, i), (j, other), (k, i), (k, other)))),
                product=product,
                standard_deviations=distance,
            )
            for (i, other, j, k), product, distance in crossings.strongest
        )
        return UbeIndirectRow(
            **self.about,
            test="indirect",
            statistic=crossings.share,
            tuples=crossings.tuples,
            share=crossings.share,
            null_share=crossings.null_share,
            null_rotations=NULL_DIRECTIONS,
            strongest=strongest,
        )

    def words_of(self, cell: Place) -> tuple[str, ...]:
        return tuple(self.words[row] for row in self.table.rows[cell])

    def central_words(self, category: int) -> tuple[str, ...]:
        cells = self.problem.cells
        start, end = cells.offsets[category : category + 2]
        members = cells.words[start:end]
        nearest = np.argsort(-(members @ members.mean(axis=0)), kind="stable")[:_CENTRAL_WORDS]
        return tuple(self.words[start + row] for row in nearest)


def _value(values: Floats | None, cell: Place) -> float | None:
    return None if values is None else float(values[cell])


def _total(flags: Flags | None) -> int | None:
    return None if flags is None else int(flags.sum())


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
