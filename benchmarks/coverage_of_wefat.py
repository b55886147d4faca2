"""How often intervals of a WEFAT's correlation hold the true one: simulated cosines, words and attributes both drawn.

Run: python benchmarks/coverage_of_wefat.py [trials] [seed]. Prints the table of docs/association.md. The true r is
that of as many attributes as the test has, since fewer attributes make scores less exact and r smaller.
"""

import sys
from collections.abc import Iterator
from dataclasses import dataclass
from math import sqrt

import numpy as np

from imprint.association.wefat import correlations, interval_of_r, standardised
from imprint.types import Floats

CONFIDENCES = (0.95, 0.995)
DESIGNS = ((50, 25), (50, 8), (18, 25), (12, 8))  # words, attributes on each side
LARGE_SAMPLE = 4_000  # words, from which the true r is taken
LARGE_SAMPLES = 200


@dataclass(frozen=True)
class World:
    """How a word's meaning goes with its number, and whether effects are normal or Student's t with three df."""

    correlation: float
    is_heavy: bool = False

    @property
    def title(self) -> str:
        """How the world is called in the table."""
        return f"{self.correlation:g}{', t with 3 degrees of freedom' if self.is_heavy else ''}"

    def draw(self, rng: np.random.Generator, n_words: int, n_a: int) -> tuple[Floats, Floats]:
        """Return cosines, words by attributes, and the number of each word."""

        def effects(*shape: int) -> Floats:
            return rng.standard_t(3, shape) / sqrt(3) if self.is_heavy else rng.standard_normal(shape)

        meaning = rng.standard_normal(n_words)
        values = self.correlation * meaning + sqrt(1 - self.correlation**2) * rng.standard_normal(n_words)
        loadings = np.repeat([0.5, -0.5], n_a) + 0.3 * effects(2 * n_a)
        table = 0.5 * effects(2 * n_a) + np.outer(meaning, loadings) + 0.8 * effects(n_words, 2 * n_a)
        return table, values

    def truth(self, rng: np.random.Generator, n_a: int) -> float:
        """Return r of very many words, with so many attributes, on average over their draws."""
        samples = (self.draw(rng, LARGE_SAMPLE, n_a) for _ in range(LARGE_SAMPLES))
        return float(np.mean([correlations(standardised(table, n_a), values) for table, values in samples]))


WORLDS = tuple(World(correlation, is_heavy) for correlation in (0.0, 0.7, 0.9) for is_heavy in (False, True))


def lines(trials: int, seed: int) -> Iterator[str]:
    """Return the lines of the table."""
    yield f"| correlation; columns: words, attributes | {' | '.join(f'{n}, {m} and {m}' for n, m in DESIGNS)} |"
    yield f"|---|{'---|' * len(DESIGNS)}"
    for index, world in enumerate(WORLDS):
        cells = []
        for n_words, n_a in DESIGNS:
            rng = np.random.default_rng([seed, index, n_words, n_a])
            truth = world.truth(rng, n_a)
            hits = np.zeros(len(CONFIDENCES))
            for _ in range(trials):
                table, values = world.draw(rng, n_words, n_a)
                for place, confidence in enumerate(CONFIDENCES):
                    low, high = interval_of_r(table, n_a, values, np.arange(n_words), confidence)
                    hits[place] += low is None or high is None or low <= truth <= high
            cells.append(", ".join(f"{100 * share:.1f}" for share in hits / trials))
        yield f"| {world.title} | {' | '.join(cells)} |"


if __name__ == "__main__":
    for line in lines(*(int(given) for given in (sys.argv[1:] + ["1000", "72"][len(sys.argv) - 1 :]))):
        print(line, flush=True)
