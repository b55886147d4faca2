"""Ballots: everybody's answers to one item, which answer most people gave, and how far people agree beyond chance.

Krippendorff (2011), "Computing Krippendorff's alpha-reliability": any number of people, answers may be missing.
Counted in whole numbers and fractions, so that the order of people and of items changes nothing.
"""

import operator
from collections import Counter
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from fractions import Fraction
from typing import TypeVar

from imprint.study.design import Stage
from imprint.study.steps import StoredItem
from imprint.study.store import Store

Value = TypeVar("Value", str, int)


@dataclass(frozen=True)
class Ballot:
    """The answers to an item by participant."""

    item: StoredItem
    values: Mapping[int, str]

    @property
    def votes(self) -> Counter[str]:
        """How many people gave each answer."""
        return Counter(self.values.values())

    def most_chosen(self, *, without: int | None = None) -> frozenset[str]:
        """Return the answer that most people gave, several where they tie; `without` leaves out one participant."""
        votes = Counter(value for who, value in self.values.items() if who != without)
        most = max(votes.values(), default=0)
        return frozenset(value for value, count in votes.items() if count == most)


def read_ballots(store: Store, stage: Stage = "main") -> list[Ballot]:
    """Read the ballots of a stage, item by item; an item without answers has an empty one."""
    ballots: dict[int, dict[int, str]] = {}
    for answer in store.answers():
        ballots.setdefault(answer.item, {})[answer.participant] = answer.value
    return [Ballot(item, ballots.get(item.number, {})) for item in store.items() if item.stage == stage]


def nominal_alpha(units: Iterable[Sequence[str]]) -> float | None:
    """Return alpha of answers that are equal or not; each unit holds everybody's answers to one item.

    None where there is no item with two answers, or where all answers are the same and chance explains everything.
    """
    return _alpha(units, operator.ne)


def stratified_alpha(strata: Iterable[Iterable[Sequence[str]]]) -> float | None:
    """Return nominal alpha of items in strata that offer different answers; chance is taken within each stratum.

    Disagreements, observed and expected, are weighted by the answers of their stratum. One with a single item is left
    out: both are the same there whatever people say.
    """
    paired = [[unit for unit in units if len(unit) > 1] for units in strata]
    counted = [_disagreements(units, operator.ne) for units in paired if len(units) > 1]
    expected = sum((among for _, among in counted), Fraction(0))
    return float(1 - sum((within for within, _ in counted), Fraction(0)) / expected) if expected else None


def interval_alpha(units: Iterable[Sequence[int]]) -> float | None:
    """Return alpha of ratings, whose disagreement is the squared difference; None as for `nominal_alpha`."""
    return _alpha(units, lambda one, other: (one - other) ** 2)


def _alpha(units: Iterable[Sequence[Value]], difference: Callable[[Value, Value], int]) -> float | None:
    observed, expected = _disagreements(units, difference)
    return float(1 - observed / expected) if expected else None


def _disagreements(
    units: Iterable[Sequence[Value]], difference: Callable[[Value, Value], int]
) -> tuple[Fraction, Fraction]:
    """Return the mean difference within items and that among all answers, each times the number of answers."""
    paired = [Counter(unit) for unit in units if len(unit) > 1]
    pooled: Counter[Value] = sum(paired, Counter())
    observed = sum((Fraction(_disagreement(unit, difference), unit.total() - 1) for unit in paired), Fraction(0))
    return observed, Fraction(_disagreement(pooled, difference), max(pooled.total() - 1, 1))


def _disagreement(counts: Counter[Value], difference: Callable[[Value, Value], int]) -> int:
    """Sum the differences of all ordered pairs."""
    return sum(n * m * difference(one, other) for one, n in counts.items() for other, m in counts.items())
