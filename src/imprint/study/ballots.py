"""Ballots: everybody's answers to one item, and which answer most people gave."""

from collections import Counter
from collections.abc import Mapping
from dataclasses import dataclass

from imprint.study.design import Stage
from imprint.study.steps import StoredItem
from imprint.study.store import Store


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
