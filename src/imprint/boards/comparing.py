"""Which subjects differ in a topic, and in which order they come: claimed only where the words bear it out.

A subject's size is the mean difference of a topic's tests. Two subjects are compared on the words that both have, over
words (`pooled`), and all comparisons of a board are corrected together (`together`).

The order is by the size without its sign. |a| > |b| exactly where a - b and a + b have the same sign, so it is claimed
where both are significant: one of the two nulls is true whenever the claim is wrong (an intersection-union test). From
the claims each subject gets the ranks that it can have, which hold together (Mogstad, Romano, Shaikh and Wilhelm,
2024, "Inference for ranks").

Where two halves of the words put subjects into different orders, there is no order to speak of. Sizes are compared in
units of each subject's own spread of cosines: of two subjects without any bias, the one whose cosines spread more
would otherwise have the larger size in nearly every half. Chance gives an agreement of one half. Below two thirds on
average, a topic is not ranked.
"""

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import combinations
from typing import Literal

import numpy as np

from imprint.association.changes import combined, shared
from imprint.association.evidence import NO_CHECKS, CosineTable
from imprint.association.rows import case_of
from imprint.association.topics import TopicTest, numbering
from imprint.significance.crossed import FEWEST_UNITS, OverWords
from imprint.significance.pooled import Pooled, UnitTable, pool
from imprint.significance.together import Together, together
from imprint.stimuli.definition import CONTROL, WeatTest, word_sets
from imprint.types import Floats, Report

LEAST_AGREEMENT = 2 / 3  # of two halves of the words, about the order of two subjects; chance gives a half
SPLITS = 100

_SEED = 0x5B117
_LEVEL = 0.05

Tables = Mapping[str, CosineTable]  # of one subject, by test


@dataclass(frozen=True, eq=False)
class PairEstimate:
    """How two subjects differ in a topic, on the words that both have.

    `words` is the first subject's size less the second's with its interval over words; `together_low` and
    `together_high` are the ends of the interval that holds for all pairs at once. `order` is 1 where the first
    subject's size is larger without its sign, -1 where the second's is, and 0 where that is not known.
    """

    topic: str
    first: int
    second: int
    tests: tuple[str, ...]
    sizes: tuple[float, float]
    words: OverWords | None
    together_low: float | None = None
    together_high: float | None = None
    p_together: float | None = None
    p_order: float | None = None
    order: Literal[-1, 0, 1] = 0


@dataclass(frozen=True)
class TopicRanks:
    """The ranks that each subject can have, the smallest size first; none where halves of the words disagree."""

    topic: str
    subjects: tuple[int, ...]
    agreement: float | None
    ranks: tuple[tuple[int, int], ...] = ()

    @property
    def ranked(self) -> bool:
        """Whether the topic has an order."""
        return bool(self.ranks)


@dataclass(frozen=True, eq=False)
class _Pair:
    """Two subjects in a topic, before the correction: their difference, and their sum."""

    topic: str
    first: int
    second: int
    tests: tuple[str, ...]
    sizes: tuple[float, float]
    difference: Pooled
    total: Pooled


def topic_tests(tests: Iterable[WeatTest], tables: Tables) -> list[TopicTest]:
    """Return what topics take of a subject's tests about people."""
    return [
        TopicTest(test.id, test.topics, table.sides()[0].mean() - table.sides()[1].mean(), table, enough(test, table))
        for test in tests
        if CONTROL not in test.topics and (table := tables.get(test.id)) is not None
    ]


def enough(test: WeatTest, table: CosineTable) -> bool:
    """Tell whether a table has so many of a test's words that the test counts."""
    kept = {*table.targets, *table.attributes}
    missing = [word for one in word_sets(test).values() for word in one.words if word not in kept]
    return case_of(NO_CHECKS, test, missing).enough


def compare_subjects(
    tests: Sequence[WeatTest],
    subjects: Sequence[Tables],
    *,
    alpha: float = 0.05,
    seed: int = 0,
    report: Report | None = None,
) -> tuple[list[PairEstimate], list[TopicRanks]]:
    """Compare all subjects in every topic of the tests about people; return the pairs, and each topic's ranks.

    `alpha` is the chance of any false difference on the board, and of any false claim about an order.
    """
    every = [table for tables in subjects for table in tables.values()]
    if not every:
        return [], []
    numbered = numbering(every)
    people = [test for test in tests if CONTROL not in test.topics]
    topics = dict.fromkeys(topic for test in people for topic in test.topics)
    by_topic = {topic: [test for test in people if topic in test.topics] for topic in topics}
    pairs: list[_Pair] = []
    for done, (topic, own) in enumerate(by_topic.items(), start=1):
        pairs += _pairs(topic, own, subjects, numbered)
        if report is not None:
            report(f"comparing in {topic}", done, len(by_topic))
    estimates = _corrected(pairs, alpha, seed)
    ranks = [_ranks(topic, own, subjects, numbered, estimates, seed) for topic, own in by_topic.items()]
    return estimates, ranks


def _pairs(
    topic: str,
    tests: Sequence[WeatTest],
    subjects: Sequence[Tables],
    numbered: Callable[[CosineTable], UnitTable],
) -> Iterator[_Pair]:
    for first, second in combinations(range(len(subjects)), 2):
        both = [(test.id, _both(test, subjects[first], subjects[second], numbered)) for test in tests]
        kept = [(name, tables) for name, tables in both if tables is not None]
        if not kept:
            continue
        difference, total = (pool([tables[place] for _, tables in kept]) for place in (0, 1))
        if difference is None or total is None:
            continue
        sizes = (total.difference + difference.difference) / 2, (total.difference - difference.difference) / 2
        yield _Pair(topic, first, second, tuple(name for name, _ in kept), sizes, difference, total)


def _both(
    test: WeatTest, first: Tables, second: Tables, numbered: Callable[[CosineTable], UnitTable]
) -> tuple[UnitTable, UnitTable] | None:
    """Return the difference and the sum of two subjects' tables; None where they share too few words."""
    if test.id not in first or test.id not in second:
        return None
    tables = shared(first[test.id], second[test.id])
    if tables is None or not enough(test, tables[0]):
        return None
    difference, total = (numbered(combined(*tables, sign)) for sign in (-1, 1))
    return None if difference.fewest < FEWEST_UNITS else (difference, total)


def _corrected(pairs: Sequence[_Pair], alpha: float, seed: int) -> list[PairEstimate]:
    """Correct differences together, and what orders are claimed from together: differences and sums."""
    differences, totals = ([_far_out(one) for one in side] for side in _sides(pairs))
    of_differences = [pair.difference.influences for pair, own in zip(pairs, differences, strict=True) if own]
    of_totals = [pair.total.influences for pair, own in zip(pairs, totals, strict=True) if own]
    if not of_differences:
        return [PairEstimate(one.topic, one.first, one.second, one.tests, one.sizes, None) for one in pairs]
    differing, ordering = together(of_differences, seed), together([*of_differences, *of_totals], seed)
    return [
        _estimate(pair, difference, total, differing, ordering, alpha)
        for pair, difference, total in zip(pairs, differences, totals, strict=True)
    ]


def _sides(pairs: Sequence[_Pair]) -> tuple[list[Pooled], list[Pooled]]:
    return [pair.difference for pair in pairs], [pair.total for pair in pairs]


def _far_out(found: Pooled, level: float = _LEVEL) -> OverWords | None:
    """Return what is corrected: an interval at a small level, and its p-value."""
    return found.tail.interval(found.difference, 1 - level)


def _estimate(
    pair: _Pair,
    difference: OverWords | None,
    total: OverWords | None,
    differing: Together,
    ordering: Together,
    alpha: float,
) -> PairEstimate:
    words = pair.difference.spread.interval(pair.difference.difference, 1 - _LEVEL)
    known = (pair.topic, pair.first, pair.second, pair.tests, pair.sizes, words)
    if difference is None:  # nothing varies: the two are one
        return PairEstimate(*known)
    ends = _far_out(pair.difference, differing.level(alpha))
    p_order = 1.0 if total is None else max(ordering.adjusted(one.p_value) for one in (difference, total))
    agree = pair.difference.difference * pair.total.difference > 0
    order: Literal[-1, 0, 1] = 0 if p_order > alpha else 1 if agree else -1
    assert ends is not None
    return PairEstimate(
        *known,
        together_low=ends.low,
        together_high=ends.high,
        p_together=differing.adjusted(difference.p_value),
        p_order=p_order,
        order=order,
    )


def _ranks(
    topic: str,
    tests: Sequence[WeatTest],
    subjects: Sequence[Tables],
    numbered: Callable[[CosineTable], UnitTable],
    estimates: Sequence[PairEstimate],
    seed: int,
) -> TopicRanks:
    """Return the ranks that subjects can have in a topic, unless halves of its words disagree."""
    sized = [_sized(tests, tables, numbered) for tables in subjects]
    known = tuple(place for place, own in enumerate(sized) if own)
    agreement = halves_agree([sized[place] for place in known], seed) if len(known) > 1 else None
    if agreement is None or agreement < LEAST_AGREEMENT:
        return TopicRanks(topic, known, agreement)
    claims = [
        (one.first, one.second) if one.order > 0 else (one.second, one.first)
        for one in estimates
        if one.topic == topic and one.order
    ]
    ranks = (
        (
            1 + sum(larger == place for larger, _ in claims),
            len(known) - sum(smaller == place for _, smaller in claims),
        )
        for place in known
    )
    return TopicRanks(topic, known, agreement, tuple(ranks))


def _sized(
    tests: Sequence[WeatTest], tables: Tables, numbered: Callable[[CosineTable], UnitTable]
) -> dict[str, UnitTable]:
    """Return the tests that count of a subject, with its words."""
    kept = {test.id: numbered(tables[test.id]).by_words() for test in tests if test.id in tables}
    counts = {test.id for test in tests if test.id in kept and enough(test, tables[test.id])}
    return {name: table for name, table in kept.items() if name in counts and table.fewest >= FEWEST_UNITS}


def halves_agree(subjects: Sequence[Mapping[str, UnitTable]], seed: int) -> float | None:
    """Return how often two random halves of the words put two subjects into the same order, over all pairs."""
    rng = np.random.default_rng([seed, _SEED])
    strata = _strata(subjects)
    in_first = np.zeros((SPLITS, 1 + max(max(units) for units in strata)))
    for split in in_first:
        for units in strata:
            # An odd unit goes to either half.
            mixed = rng.permutation(units)
            split[mixed[: (len(mixed) + int(rng.integers(2))) // 2]] = 1.0
    names = dict.fromkeys(name for own in subjects for name in own)
    one, two = (np.array([_on_tests(own, names, half) for own in subjects]) for half in (in_first, 1 - in_first))
    alike = [
        np.sign(_apart(one[place], one[place + 1 :])) * np.sign(_apart(two[place], two[place + 1 :]))
        for place in range(len(subjects) - 1)
    ]
    agreeing = (1 + np.concatenate(alike)) / 2
    return float(np.nanmean(agreeing)) if np.isfinite(agreeing).any() else None


def spread_of(tables: Iterable[CosineTable] | Iterable[UnitTable]) -> float:
    """Return the standard deviation of a subject's cosines between words of its tests."""
    cosines = [table.cosines.ravel() for table in tables]
    return float(np.concatenate(cosines).std()) if cosines else 0.0


def _strata(subjects: Iterable[Mapping[str, UnitTable]]) -> list[list[int]]:
    """Return units by the sets that they are in, so that each half has half of every set."""
    memberships: dict[int, set[tuple[str, int]]] = {}
    for name, table in (item for own in subjects for item in own.items()):
        for side, units in enumerate(units for role in table.roles() for units in role.sides()):
            for unit in np.unique(units).tolist():
                memberships.setdefault(unit, set()).add((name, side))
    strata: dict[tuple[tuple[str, int], ...], list[int]] = {}
    for unit in sorted(memberships):
        strata.setdefault(tuple(sorted(memberships[unit])), []).append(unit)
    return list(strata.values())


def _on_tests(tables: Mapping[str, UnitTable], names: Iterable[str], halves: Floats) -> Floats:
    """Return what each test measures on each half of the words, in units of the subject's spread.

    NaN where the subject lacks the test, or the half has no words of a set.
    """
    spread = spread_of(tables.values()) or 1.0
    nothing = np.full(len(halves), np.nan)
    return np.array([_on_halves(tables[name], halves) / spread if name in tables else nothing for name in names])


def _apart(own: Floats, others: Floats) -> Floats:
    """Return a subject's size without its sign less that of others, each on the tests that both have."""
    both = np.isfinite(own) & np.isfinite(others)
    with np.errstate(invalid="ignore"):
        first, second = (np.where(both, one, 0.0).sum(axis=1) / both.sum(axis=1) for one in (own, others))
    return np.asarray(np.abs(first) - np.abs(second))


def _on_halves(table: UnitTable, halves: Floats) -> Floats:
    rows, columns = (
        np.concatenate([sign * _shares(halves[:, role.units[where]]) for where, sign in role.sets()], axis=1)
        for role in table.roles()
    )
    return np.asarray(((rows @ table.cosines) * columns).sum(axis=1))


def _shares(kept: Floats) -> Floats:
    with np.errstate(invalid="ignore"):
        return np.asarray(kept / kept.sum(axis=1, keepdims=True))
