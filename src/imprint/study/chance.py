"""Chance: how many choices of the crowd would match, were the embedding's labels permuted within each category.

Exact. A permutation of c labels places c rooks, and the matching squares of a category have at most one in each row,
so the rook numbers are the elementary symmetric polynomials of the columns' counts; all categories multiply.
"""

import math
from collections import Counter
from collections.abc import Hashable, Iterable
from dataclasses import dataclass
from fractions import Fraction
from functools import reduce

import numpy as np

_ONE = np.array([1], dtype=object)  # Python's own integers: the products are exact, however large


@dataclass(frozen=True)
class CategoryChoices:
    """The choice that most people made for each of a category's labels; None where two tied, which matches nothing."""

    labels: int
    choices: tuple[Hashable | None, ...]


def expected_matches(categories: Iterable[CategoryChoices]) -> Fraction:
    """Return the mean number of matches over all permutations."""
    return sum((Fraction(_made(one).total(), one.labels) for one in categories), Fraction(0))


def tail(categories: Iterable[CategoryChoices], observed: int) -> float:
    """Return the share of permutations with at least so many matches; the observed one is among them."""
    ways, permutations = _ONE, 1
    for one in categories:
        ways = np.convolve(ways, _hits(one))
        permutations *= math.factorial(one.labels)
    return float(Fraction(sum(ways[observed:]), permutations))


def _made(category: CategoryChoices) -> Counter[Hashable]:
    return Counter(choice for choice in category.choices if choice is not None)


def _hits(category: CategoryChoices) -> list[int]:
    """Return how many permutations of a category have 0, 1, ... matches: sum over j of r_j (c - j)! (x - 1)^j."""
    rooks = reduce(np.convolve, ([1, count] for count in _made(category).values()), _ONE)
    ways = [0] * len(rooks)
    for placed, number in enumerate(rooks):
        free = math.factorial(category.labels - placed)
        for power in range(placed + 1):
            ways[power] += (-1) ** (placed - power) * math.comb(placed, power) * number * free
    return ways
