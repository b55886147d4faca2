"""How often intervals of retrieval hold the true effect: simulated scores of queries, documents and names.

Run: python benchmarks/coverage_of_retrieval.py [trials] [seed]. Prints the tables of docs/retrieval.md: percentages of
95 % intervals, then of 99.5 % intervals, that hold the truth.
"""

import sys
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from math import sqrt

import numpy as np

from imprint.significance.crossed import Factor, crossed_interval
from imprint.significance.gaps import ShareOfGap, per_topic
from imprint.types import Floats

LEVELS = (0.95, 0.995)
CUBES = ((8, 8, 8), (8, 30, 16), (30, 8, 16), (30, 30, 8), (15, 15, 30))  # queries, documents, names per group
DESIGNS = ((8, 8), (8, 30), (15, 16), (30, 8), (30, 16), (30, 30))  # topics, names per group
QUERIES = (8, 15, 30, 117)
MAIN = (0.5, 0.5, -0.5, -0.5)
INTERACTION = (1.0, -1.0, -1.0, 1.0)
GAP, SHARE = 1.0, 0.1
PLANTED = (0.2, 0.5, 1.0)  # shares of the distance


@dataclass(frozen=True)
class World:
    """Standard deviations of what an effect is made of: of a level, of two levels together, and of each score."""

    title: str
    level: float
    pair: float
    noise: float
    heavy: bool = False

    def draw(self, rng: np.random.Generator, *shape: int) -> Floats:
        """Return normal numbers, or Student's t with three degrees of freedom, of variance 1."""
        return rng.standard_t(3, shape) / sqrt(3) if self.heavy else rng.standard_normal(shape)

    def effects(self, rng: np.random.Generator, *shape: int) -> Floats:
        """Return what levels, pairs of levels and cells add to a table with these axes."""
        total = self.noise * self.draw(rng, *shape)
        for axis, length in enumerate(shape):
            alone = [1] * len(shape)
            alone[axis] = length
            total = total + self.level * self.draw(rng, *alone)
            without = list(shape)
            without[axis] = 1
            total = total + self.pair * self.draw(rng, *without) * (len(shape) > 2)
        return total


WORLDS = (
    World("levels matter most", 0.3, 0.1, 0.1),
    World("pairs matter as much", 0.2, 0.2, 0.2),
    World("only single scores vary", 0.0, 0.0, 0.3),
    World("levels, t with 3 degrees of freedom", 0.3, 0.1, 0.1, heavy=True),
    World("pairs, t with 3 degrees of freedom", 0.2, 0.2, 0.2, heavy=True),
)
QUIET = World("levels a third as large", 0.1, 0.05, 0.05)

Simulated = Callable[[World, np.random.Generator], list[bool]]


def of_cube(queries: int, documents: int, names: int) -> Simulated:
    """Simulate a difference of two groups of names over queries and documents, without relevance."""

    def simulate(world: World, rng: np.random.Generator) -> list[bool]:
        sides = [world.effects(rng, queries, documents, names) for _ in range(2)]
        factors = (Factor.of(queries), Factor.of(documents), Factor.of(names, names, coefficients=(1.0, -1.0)))
        table = np.concatenate(sides, axis=2)
        intervals = [crossed_interval(table, factors, confidence) for confidence in LEVELS]
        return [interval is not None and interval.low <= 0 <= interval.high for interval in intervals]

    return simulate


def of_topics(
    topics: int,
    names: int,
    coefficients: tuple[float, ...],
    planted: tuple[float, ...] | None = None,
    effect: float = SHARE,
    truth: float = SHARE,
) -> Simulated:
    """Simulate groups of names in documents that are relevant to the queries of their topic alone.

    An effect with the coefficients that are `planted`, by default those that are measured, has this size.
    """
    true = coefficients if planted is None else planted

    def simulate(world: World, rng: np.random.Generator) -> list[bool]:
        size = names * len(coefficients)
        table = world.draw(rng, topics, 1, 1) + world.draw(rng, 1, topics, 1) + 0 * np.zeros(size)
        for group, coefficient in enumerate(true):
            own = slice(group * names, (group + 1) * names)
            table[:, :, own] += world.effects(rng, topics, topics, names)
            ours = world.effects(rng, topics, names) + effect * GAP * coefficient / np.square(true).sum()
            table[np.arange(topics), np.arange(topics), own] += GAP + ours
        of_query, of_document = (index.ravel() for index in np.indices((topics, topics)))
        related, others, _ = per_topic(table.reshape(-1, size), of_query, of_document, of_query == of_document)
        assert others is not None
        signs = np.repeat(coefficients, names)
        factors = (Factor.of(topics), Factor.of(*[names] * len(coefficients), coefficients=[1.0] * len(coefficients)))
        share = ShareOfGap(related * signs, (related - others) / len(coefficients), factors)
        return held(share, truth)

    return simulate


def of_versions(queries: int) -> Simulated:
    """Simulate two versions of a relevant and of an irrelevant document for each query."""

    def simulate(world: World, rng: np.random.Generator) -> list[bool]:
        effect = SHARE * GAP + world.level * world.draw(rng, queries) + world.noise * world.draw(rng, queries)
        gap = GAP + world.draw(rng, queries) / 2
        return held(ShareOfGap(effect, gap, (Factor.of(queries),)), SHARE)

    return simulate


def held(share: ShareOfGap, truth: float) -> list[bool]:
    """Tell whether the interval of each level holds the truth; without an interval nothing is claimed."""
    sizes = [share.size(confidence) for confidence in LEVELS]
    return [size.low is None or size.high is None or size.low <= truth <= size.high for size in sizes]


def lines(trials: int, seed: int) -> Iterator[str]:
    """Return the lines of all tables."""
    two_groups = (1.0, -1.0)
    tables: list[tuple[str, list[tuple[str, Simulated]]]] = [
        (
            "difference; queries, documents, names per group",
            [(f"{q}, {d}, {n}", of_cube(q, d, n)) for q, d, n in CUBES],
        ),
        (
            "share, two groups; topics, names per group",
            [(f"{t}, {n}", of_topics(t, n, two_groups)) for t, n in DESIGNS],
        ),
        ("share, main effect of a 2 x 2", [(f"{t}, {n}", of_topics(t, n, MAIN)) for t, n in DESIGNS]),
        ("share, interaction of a 2 x 2", [(f"{t}, {n}", of_topics(t, n, INTERACTION)) for t, n in DESIGNS]),
        ("share, two versions; queries", [(f"{q}", of_versions(q)) for q in QUERIES]),
    ]
    for number, (title, cells) in enumerate(tables):
        yield f"| {title} | {' | '.join(label for label, _ in cells)} |"
        yield f"|---|{'---|' * len(cells)}"
        for index, world in enumerate(WORLDS):
            shares = []
            for place, (_, simulate) in enumerate(cells):
                rng = np.random.default_rng([seed, number, index, place])
                shares.append(np.mean([simulate(world, rng) for _ in range(trials)], axis=0))
            shown = (", ".join(f"{100 * held:.1f}" for held in cell) for cell in shares)
            yield f"| {world.title} | {' | '.join(shown)} |"
        yield ""
    yield f"| called an interaction, at 99.5 % | {' | '.join(f'{t}, {n}' for t, n in DESIGNS)} |"
    yield f"|---|{'---|' * len(DESIGNS)}"
    for name, planted, sizes in (("a main effect", MAIN, PLANTED[-1:]), ("an interaction", INTERACTION, PLANTED)):
        for size in sizes:
            shares = []
            for place, (t, n) in enumerate(DESIGNS):
                simulate = of_topics(t, n, INTERACTION, planted, size, truth=0.0)
                rng = np.random.default_rng([seed, len(tables), int(10 * size), place])
                shares.append(1 - np.mean([simulate(QUIET, rng)[1] for _ in range(max(1, trials // 5))]))
            yield f"| {name} of {100 * size:.0f} % | {' | '.join(f'{100 * share:.1f}' for share in shares)} |"


if __name__ == "__main__":
    for line in lines(*(int(given) for given in (sys.argv[1:] + ["1000", "71"][len(sys.argv) - 1 :]))):
        print(line, flush=True)
