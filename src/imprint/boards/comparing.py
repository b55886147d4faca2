"""Which subjects differ in a topic, and in which order they come: claimed only where the words bear it out.

A subject's size is the mean difference of a topic's tests. Two subjects are compared on the words that both have, over
words (`pooled`), and all comparisons of a board are corrected together (`together`).

The order is by the absolute size. |a| > |b| exactly where a - b and a + b have the same sign, so it is claimed where
both are significant. A claim is wrong only if one of the simultaneous intervals misses its value. From claims on the
words that all subjects of a topic have, each subject gets the ranks that it can have, which hold together (Mogstad,
Romano, Shaikh and Wilhelm, 2024, "Inference for ranks"). Claims about different words could not be combined.

A topic is not ranked where halves of its words often disagree about the order of two subjects: in cosines, or in units
of each subject's own spread of cosines. Of two subjects without bias, the one whose cosines spread more has the larger
size in most halves, so agreement in cosines alone would say little. Chance gives an agreement of about one half; below
two thirds on average over all pairs, a topic is not ranked.
"""

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import combinations
from typing import Literal

import numpy as np

from imprint.association.changes import combined, shared
from imprint.association.evidence import NO_CHECKS, CosineTable
from imprint.association.rows import case_of
from imprint.association.topics import TopicTest, numbering, tests_by_topic
from imprint.significance.corrections import Together, together
from imprint.significance.crossed import FEWEST_UNITS, OverWords
from imprint.significance.pooled import Pooled, UnitTable, pool
from imprint.stimuli.definition import CONTROL, WeatTest, word_sets
from imprint.types import Floats, Report

LEAST_AGREEMENT = 2 / 3  # of two halves of the words, about the order of two subjects; chance gives a half
SPLITS = 2_000

_SEED = 0x5B117
_LEVEL = 0.05

Tables = Mapping[str, CosineTable]  # of one subject, by test
_Claims = Mapping[tuple[str, int, int], tuple[float, Literal[-1, 0, 1]]]  # by topic and pair: the p-value, and who


@dataclass(frozen=True, eq=False)
class PairEstimate:
    """How two subjects differ in a topic, on the words that both have.

    `words` is the first subject's size less the second's, with its interval over words. `together_low` and
    `together_high` are the ends of the interval that holds for all pairs at once. `order` is 1 where the first
    subject's absolute size is larger, -1 where the second's is, and 0 where that is not known.
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
    """The ranks that each subject can have, the smallest size first; none where halves of the words disagree.

    They are about these tests, on the words that all subjects have.
    """

    topic: str
    subjects: tuple[int, ...]
    tests: tuple[str, ...]
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
    units: Sequence[float] | None = None,
    alpha: float = 0.05,
    seed: int = 0,
    report: Report | None = None,
) -> tuple[list[PairEstimate], list[TopicRanks]]:
    """Compare all subjects in every topic of the tests about people; return the pairs, and each topic's ranks.

    `units` are what each subject's sizes are divided by on another scale, on which halves have to agree too. `alpha`
    is the chance of any false difference on the board, of any false order of two, and of any false rank.
    """
    every = [table for tables in subjects for table in tables.values()]
    if not every:
        return [], []
    numbered = numbering(every)
    by_topic, by_place = tests_by_topic(tests), dict(enumerate(subjects))
    pairs: list[_Pair] = []
    ordered: list[_Pair] = []
    common = {topic: _common(own, subjects) for topic, own in by_topic.items()}
    for done, (topic, own) in enumerate(by_topic.items(), start=1):
        found = [*_pairs(topic, own, by_place, numbered)]
        pairs += found
        alike = _words(own, common[topic]) == _words(own, by_place)
        ordered += found if alike else _pairs(topic, own, common[topic], numbered)
        if report is not None:
            report(f"comparing in {topic}", done, len(by_topic))
    claims = _claims(pairs, alpha, seed)
    claims_of_all = claims if ordered == pairs else _claims(ordered, alpha, seed)
    estimates = [
        replace(one, p_order=claim[0], order=claim[1])
        if (claim := claims.get((one.topic, one.first, one.second)))
        else one
        for one in _corrected(pairs, alpha, seed)
    ]
    ranks = [
        _ranks(
            topic,
            {place: _sized(own, tables, numbered) for place, tables in common[topic].items()},
            claims_of_all,
            units,
            seed,
        )
        for topic, own in by_topic.items()
    ]
    return estimates, ranks


def compare_pairs(
    tests: Sequence[WeatTest], subjects: Sequence[Tables], *, alpha: float = 0.05, seed: int = 0
) -> list[PairEstimate]:
    """Compare all subjects in every topic, without their order."""
    numbered = numbering([table for tables in subjects for table in tables.values()])
    every = dict(enumerate(subjects))
    pairs = [pair for topic, own in tests_by_topic(tests).items() for pair in _pairs(topic, own, every, numbered)]
    return _corrected(pairs, alpha, seed)


def _common(tests: Iterable[WeatTest], subjects: Sequence[Tables]) -> dict[int, dict[str, CosineTable]]:
    """Return the tables of the subjects that have any test of a topic, by place, on the words that all these have."""
    counted = [test for test in tests if any(_counts(test, own) for own in subjects)]
    found: dict[int, dict[str, CosineTable]] = {
        place: {} for place, own in enumerate(subjects) if any(_counts(test, own) for test in counted)
    }
    for test in counted:
        tables = {place: subjects[place].get(test.id) for place in found}
        known = {place: table for place, table in tables.items() if table is not None}
        if len(known) < len(found):
            continue
        targets, attributes = (
            set.intersection(*({*words} for words in own))
            for own in ([one.targets for one in known.values()], [one.attributes for one in known.values()])
        )
        kept = {place: table.subset(targets, attributes) for place, table in known.items()}
        if enough(test, next(iter(kept.values()))):
            for place, table in kept.items():
                found[place][test.id] = table
    return found


def _words(tests: Sequence[WeatTest], subjects: Mapping[int, Tables]) -> list[tuple[int, str, tuple[str, ...]]]:
    """Return the words that each subject has of each test."""
    known = ((place, test.id, own.get(test.id)) for place, own in subjects.items() for test in tests)
    return [(place, name, table.targets + table.attributes) for place, name, table in known if table is not None]


def _counts(test: WeatTest, tables: Tables) -> bool:
    return test.id in tables and enough(test, tables[test.id])


def _pairs(
    topic: str,
    tests: Sequence[WeatTest],
    subjects: Mapping[int, Tables],
    numbered: Callable[[CosineTable], UnitTable],
) -> Iterator[_Pair]:
    for first, second in combinations(subjects, 2):
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
    """Correct all differences together."""
    far_out = [_far_out(pair.difference) for pair in pairs]
    drawn = [pair.difference.influences for pair, own in zip(pairs, far_out, strict=True) if own]
    differing = together(drawn, seed) if drawn else None
    return [_estimate(pair, own, differing, alpha) for pair, own in zip(pairs, far_out, strict=True)]


def _far_out(found: Pooled, level: float = _LEVEL) -> OverWords | None:
    """Return what is corrected: an interval at a small level, and its p-value."""
    return found.tail.interval(found.difference, 1 - level)


def _estimate(pair: _Pair, found: OverWords | None, differing: Together | None, alpha: float) -> PairEstimate:
    words = pair.difference.spread.interval(pair.difference.difference, 1 - _LEVEL)
    known = (pair.topic, pair.first, pair.second, pair.tests, pair.sizes, words)
    if found is None or differing is None:  # nothing varies: the two are one
        return PairEstimate(*known)
    ends = _far_out(pair.difference, differing.level(alpha))
    assert ends is not None
    p_together = differing.adjusted(found.p_value)
    return PairEstimate(*known, together_low=ends.low, together_high=ends.high, p_together=p_together)


def _claims(pairs: Sequence[_Pair], alpha: float, seed: int) -> _Claims:
    """Return which of two subjects is the larger one; all differences and sums are corrected together."""
    far_out = [(_far_out(pair.difference), _far_out(pair.total)) for pair in pairs]
    drawn = [
        one.influences
        for pair, own in zip(pairs, far_out, strict=True)
        for one, varies in zip((pair.difference, pair.total), own, strict=True)
        if varies
    ]
    if not drawn:
        return {}
    ordering = together(drawn, seed)
    claims: dict[tuple[str, int, int], tuple[float, Literal[-1, 0, 1]]] = {}
    for pair, (difference, total) in zip(pairs, far_out, strict=True):
        if difference is None or total is None:  # the two are one, or each other's opposite
            continue
        p_order = max(ordering.adjusted(one.p_value) for one in (difference, total))
        larger: Literal[-1, 1] = 1 if pair.difference.difference * pair.total.difference > 0 else -1
        claims[pair.topic, pair.first, pair.second] = p_order, larger if p_order <= alpha else 0
    return claims


def _ranks(
    topic: str,
    sized: Mapping[int, Mapping[str, UnitTable]],
    claims: _Claims,
    units: Sequence[float] | None,
    seed: int,
) -> TopicRanks:
    """Return the ranks that subjects can have in a topic, unless halves of its words disagree."""
    known, tests = tuple(sized), tuple(next(iter(sized.values()), {}))
    own_units = None if units is None else [units[place] for place in known]
    agreement = halves_agree([*sized.values()], seed, own_units) if len(known) > 1 and tests else None
    if agreement is None or agreement < LEAST_AGREEMENT:
        return TopicRanks(topic, known, tests, agreement)
    orders = [
        (first, second) if order > 0 else (second, first)
        for (about, first, second), (_, order) in claims.items()
        if about == topic and order
    ]
    ranks = (
        (
            1 + sum(larger == place for larger, _ in orders),
            len(known) - sum(smaller == place for _, smaller in orders),
        )
        for place in known
    )
    return TopicRanks(topic, known, tests, agreement, tuple(ranks))


def _sized(
    tests: Sequence[WeatTest], tables: Tables, numbered: Callable[[CosineTable], UnitTable]
) -> dict[str, UnitTable]:
    """Return the tests that have enough units of words."""
    kept = {test.id: numbered(tables[test.id]).by_words() for test in tests if test.id in tables}
    return {name: table for name, table in kept.items() if table.fewest >= FEWEST_UNITS}


def halves_agree(
    subjects: Sequence[Mapping[str, UnitTable]], seed: int, units: Sequence[float] | None = None
) -> float | None:
    """Return how often two random halves of the words put two subjects into the same order, over all pairs.

    All subjects have the same tests and words. With `units`, sizes divided by these have to agree too, and the smaller
    share counts.
    """
    rng = np.random.default_rng([seed, _SEED])
    strata = _strata(subjects)
    in_first = np.zeros((SPLITS, 1 + max(max(own) for own in strata)))
    for split in in_first:
        for own in strata:
            # An odd unit goes to either half.
            mixed = rng.permutation(own)
            split[mixed[: (len(mixed) + int(rng.integers(2))) // 2]] = 1.0
    one, two = (np.array([_sizes(own.values(), half) for own in subjects]) for half in (in_first, 1 - in_first))
    shares = [_agreement(one, two)]
    if units is not None:
        scale = np.asarray(units)[:, None]
        shares.append(_agreement(one / scale, two / scale))
    return min((share for share in shares if share is not None), default=None)


def _agreement(one: Floats, two: Floats) -> float | None:
    """Return how often two subjects (rows) are in the same order in both; a tie counts half."""
    alike = np.concatenate(
        [np.sign(one[place] - one[:place]) * np.sign(two[place] - two[:place]) for place in range(1, len(one))]
    )
    return float(np.nanmean((1 + alike) / 2)) if np.isfinite(alike).any() else None


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


def _sizes(tables: Iterable[UnitTable], halves: Floats) -> Floats:
    """Return a subject's absolute size on each half of the words, one row of units per half.

    NaN where no test has words of every set in the half.
    """
    found = np.array([_on_halves(table, halves) for table in tables])
    known = np.isfinite(found)
    with np.errstate(invalid="ignore"):
        return np.asarray(np.abs(np.where(known, found, 0.0).sum(axis=0) / known.sum(axis=0)))


def _on_halves(table: UnitTable, halves: Floats) -> Floats:
    rows, columns = (
        np.concatenate([sign * _shares(halves[:, role.units[where]]) for where, sign in role.sets()], axis=1)
        for role in table.roles()
    )
    return np.asarray(((rows @ table.cosines) * columns).sum(axis=1))


def _shares(kept: Floats) -> Floats:
    with np.errstate(invalid="ignore"):
        return np.asarray(kept / kept.sum(axis=1, keepdims=True))
