"""What is asked of a table of scores, names by texts, and how often the same questions find something in null tables.

Label: do the groups differ more than random splits of the names do? Words: would other names in other texts differ?
Frequency: do the groups differ at equal frequency of their names? Pronouns have no names to split: the two exchange
places in each text, and only other texts are asked about.
"""

from collections.abc import Callable, Iterator, Mapping, Sequence
from concurrent.futures import Executor
from dataclasses import dataclass
from typing import Annotated, Literal

import msgspec
import numpy as np

from imprint.association.evidence import Checks
from imprint.association.verdicts import FOUND, Case, Check, judge
from imprint.rows import shown
from imprint.significance.crossed import FEWEST_UNITS
from imprint.significance.partitions import PermutationTest, permutation_test
from imprint.significance.swapped import at_equal_frequency, over_names, over_texts, sign_flips
from imprint.threads import single_threaded
from imprint.types import Floats, Ints
from imprint.workers import executor_or_threads, in_order

NullTables = Literal["names permuted", "random scorer"]

CONFIDENCE = 0.95

_OF_NAMES: tuple[Check, ...] = ("label", "words", "frequency")
_BINS = 2_048  # of a null table's p-value, for speed
_SEED = 0x5A9
_CHUNK = 25  # null tables: the unit of work, whoever does it


class NullRate(msgspec.Struct, frozen=True):
    """The share of null tables of one kind with evidence of each level, or a stronger one, in any comparison."""

    null: Annotated[NullTables, shown("Null", "How tables without a difference were made.")]
    copies: Annotated[int, shown("Tables", "How many such tables there are.")]
    limited: Annotated[float, shown("Limited", "Share with evidence of any level.", shape="percent", digits=1)]
    moderate: Annotated[float, shown("Moderate", "Share with moderate evidence or more.", shape="percent", digits=1)]
    strong: Annotated[float, shown("Strong", "Share with strong evidence.", shape="percent", digits=1)]


@dataclass(frozen=True, eq=False)
class ScoreTable:
    """Scores, one row per name and one column per text; the first n_x names are X. Of pronouns there are two rows."""

    scores: Floats
    n_x: int
    log_ranks: Floats | None = None  # None where the names' frequencies are not known, or mean nothing

    @property
    def of_pronouns(self) -> bool:
        """Whether there is one row per group, so that texts are the unit."""
        return len(self.scores) == 2

    @property
    def differences(self) -> Floats:
        """The mean of X less that of Y in each text."""
        return np.asarray(self.scores[: self.n_x].mean(axis=0) - self.scores[self.n_x :].mean(axis=0))

    def sides(self) -> tuple[Floats, Floats]:
        """Return the mean scores of the names of X, and of those of Y; of pronouns the scores in each text."""
        if self.of_pronouns:
            return self.scores[0], self.scores[1]
        means = self.scores.mean(axis=1)
        return means[: self.n_x], means[self.n_x :]


@dataclass(frozen=True, eq=False)
class Checked:
    """The checks of a table, the permutation of names behind the first, and whether other texts were allowed for."""

    checks: Checks
    label: PermutationTest | None
    texts_random: bool
    enough: bool

    @property
    def case(self) -> Case:
        """What is judged of it within a family."""
        return Case(self.checks, control=False, enough=self.enough)


def check_table(table: ScoreTable, *, enough: bool = True, bins: int | None = None) -> Checked:
    """Ask the questions of one table; `enough` says whether its groups keep enough of their names."""
    if table.of_pronouns:
        return _check_pronouns(table)
    n_x, means = table.n_x, table.scores.mean(axis=1)
    label = permutation_test(means[:n_x], means[n_x:], alternative="two-sided", bins=bins)
    interval, texts_random = over_names(table.scores, n_x, CONFIDENCE)
    adjusted = None if table.log_ranks is None else at_equal_frequency(means, n_x, table.log_ranks)
    checks = Checks(
        p_label=label.p_value,
        p_label_low=label.p_low,
        p_label_high=label.p_high,
        p_label_floor=label.p_floor,
        p_words=interval.p_value if interval and texts_random else None,
        words_low=interval.low if interval else None,
        words_high=interval.high if interval else None,
        p_frequency=adjusted[1] if adjusted else None,
        adjusted_difference=adjusted[0] if adjusted else None,
        asked=_OF_NAMES,
        strictest="frequency",
    )
    several = min(n_x, len(means) - n_x) >= FEWEST_UNITS
    return Checked(checks, label, texts_random and interval is not None, enough and several)


def null_rates(
    tables: Sequence[ScoreTable], *, alpha: float, copies: int, seed: int, executor: Executor | None = None
) -> tuple[NullRate, ...]:
    """Ask the same of tables without a difference between the groups, all comparisons corrected together.

    Names permuted: the same scores, with names shuffled between the groups. Random scorer: every name, every text and
    every name in a text has a random score of its own.
    """
    roots = np.random.SeedSequence([seed, _SEED]).spawn(len(_MAKERS))
    tasks = [
        (null, children[start : start + _CHUNK], alpha)
        for null, children in zip(_MAKERS, (root.spawn(copies) for root in roots), strict=True)
        for start in range(0, copies, _CHUNK)
    ]
    counts = {null: np.zeros(len(FOUND), dtype=np.int64) for null in _MAKERS}
    with executor_or_threads(executor) as pool:
        for (null, _, _), found in zip(tasks, in_order(pool, _count_levels, list(tables), tasks), strict=True):
            counts[null] += found
    return tuple(NullRate(null, copies, *(found[::-1] / copies).tolist()) for null, found in counts.items())


def _count_levels(
    tables: Sequence[ScoreTable], null: NullTables, seeds: Sequence[np.random.SeedSequence], alpha: float
) -> Ints:
    """Return how many of some null tables show evidence of each level or a stronger one."""
    counts = np.zeros(len(FOUND), dtype=np.int64)
    with single_threaded():
        for seed in seeds:
            levels = _levels(list(_MAKERS[null](tables, np.random.default_rng(seed))), alpha)
            counts += [bool(levels & {*FOUND[: place + 1]}) for place in range(len(FOUND))]
    return counts


def _levels(tables: Sequence[ScoreTable], alpha: float) -> set[str | None]:
    cases = [check_table(table, bins=_BINS).case for table in tables]
    return {judged.evidence for judged in judge(cases, alpha)}


def _permuted(tables: Sequence[ScoreTable], rng: np.random.Generator) -> Iterator[ScoreTable]:
    for table in tables:
        if table.of_pronouns:
            turned = rng.random(table.scores.shape[1]) < 0.5
            yield ScoreTable(np.where(turned, table.scores[::-1], table.scores), 1)
        else:
            order = rng.permutation(len(table.scores))
            # A name keeps its frequency: who it is does not change, only the group it is counted in.
            ranks = None if table.log_ranks is None else table.log_ranks[order]
            yield ScoreTable(table.scores[order], table.n_x, ranks)


def _random(tables: Sequence[ScoreTable], rng: np.random.Generator) -> Iterator[ScoreTable]:
    for table in tables:
        names, texts = table.scores.shape
        scores = rng.standard_normal((names, texts)) + rng.standard_normal(texts)
        if not table.of_pronouns:
            scores += rng.standard_normal((names, 1))
        yield ScoreTable(scores, table.n_x, table.log_ranks)


_MAKERS: Mapping[NullTables, Callable[[Sequence[ScoreTable], np.random.Generator], Iterator[ScoreTable]]] = {
    "names permuted": _permuted,
    "random scorer": _random,
}


def _check_pronouns(table: ScoreTable) -> Checked:
    differences = table.differences
    interval = over_texts(differences, CONFIDENCE)
    p_label = sign_flips(differences)
    checks = Checks(
        p_label=p_label,
        p_label_low=p_label,
        p_label_high=p_label,
        p_label_floor=2.0 ** (1 - len(differences)),
        p_words=interval.p_value if interval else None,
        words_low=interval.low if interval else None,
        words_high=interval.high if interval else None,
        asked=("label", "words"),
        strictest="frequency",
    )
    return Checked(checks, None, interval is not None, len(differences) >= FEWEST_UNITS)
