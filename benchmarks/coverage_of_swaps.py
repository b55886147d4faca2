"""How often intervals of swaps hold the true difference: simulated scores of names in texts, and of pronouns.

Run: python benchmarks/coverage_of_swaps.py [trials] [seed]. Prints the tables of docs/swap.md. What 99.5 % intervals
miss is how often `present` is said without a difference.
"""

import sys
from collections.abc import Iterator
from dataclasses import dataclass
from math import sqrt

import numpy as np

from imprint.significance.crossed import Factor, OverWords, two_sided
from imprint.significance.swapped import over_names, over_texts
from imprint.types import Floats

LEVELS = (0.05, 0.005)
CELLS = ((20, 12), (80, 12), (8, 8), (4, 12))  # names of each of four groups, texts
INTERACTION = (1.0, 1.0, -1.0, -1.0)  # of the groups of X, then of Y
MAIN = (1.0, -1.0, 1.0, -1.0)  # of these groups, an effect that is no interaction
PLANTED = (0.5, 1.0, 2.0)  # in standard deviations of names
DESIGNS = ((16, 16, 12), (200, 200, 12), (16, 16, 4), (8, 8, 8), (4, 16, 12), (4, 4, 4))  # names, names, texts
TEXTS = (4, 8, 10, 20)  # with pronouns


@dataclass(frozen=True)
class World:
    """Standard deviations of what a score is made of, beside that of the name, which is 1.

    `group` is what a text does to each group of names, `pair` to each name. Effects are normal, or Student's t with
    three degrees of freedom. A score with a `threshold` is 0 or 1.
    """

    title: str
    group: float
    pair: float
    heavy: bool = False
    threshold: float | None = None
    shift: float = 0.0  # of the first group

    @property
    def difference(self) -> float:
        """The true difference."""
        if self.threshold is None:
            return self.shift
        from scipy.stats import norm

        spread = sqrt(2 + self.group**2 + self.pair**2)
        return float(norm.cdf((self.shift - self.threshold) / spread) - norm.cdf(-self.threshold / spread))

    def scores(self, rng: np.random.Generator, *sizes: int, texts: int) -> Floats:
        """Draw names and texts, and return a score for each name of each group in each text."""

        def draw(*shape: int) -> Floats:
            return rng.standard_t(3, shape) / sqrt(3) if self.heavy else rng.standard_normal(shape)

        group, count = np.repeat(np.arange(len(sizes)), sizes), sum(sizes)
        scores = draw(texts) + draw(count, 1) + self.pair * draw(count, texts)
        scores += self.group * draw(len(sizes), texts)[group] + np.where(group == 0, self.shift, 0.0)[:, None]
        return scores if self.threshold is None else (scores > self.threshold).astype(np.float64)


WORLDS = (
    World("names differ, texts shift all alike", 0.0, 0.0),
    World("names differ from text to text", 0.0, 1.0),
    World("a text matters a little more for one group", 0.3, 1.0),
    World("a text matters much more for one group", 1.0, 1.0),
    World("the same, t with 3 degrees of freedom", 1.0, 1.0, heavy=True),
    World("0 or 1, half of them 1", 0.3, 1.0, threshold=0.0),
    World("0 or 1, 7 % of them 1", 0.3, 1.0, threshold=2.6),
    World("0 or 1, 7 and 22 % of them 1", 0.3, 1.0, threshold=2.6, shift=1.25),
)


def coverage(truth: float, intervals: Iterator[OverWords | None]) -> tuple[float, ...]:
    """Return the share of intervals of each level that hold the truth; where nothing varies, none claims anything."""
    p_values = [
        1.0 if interval is None else two_sided((interval.difference - truth) / interval.error, interval.df)
        for interval in intervals
    ]
    return tuple(float(np.mean(np.array(p_values) > level)) for level in LEVELS)


def lines(trials: int, seed: int) -> Iterator[str]:
    """Return the lines of both tables."""
    shown = [f"{n_x} and {n_y}, {texts}" for n_x, n_y, texts in DESIGNS]
    yield f"| scores; columns: names of each group, texts | {' | '.join(shown)} |"
    yield f"|---|{'---|' * len(DESIGNS)}"
    for index, world in enumerate(WORLDS):
        cells = []
        for n_x, n_y, texts in DESIGNS:
            rng = np.random.default_rng([seed, index, n_x, n_y, texts])
            tables = (world.scores(rng, n_x, n_y, texts=texts) for _ in range(trials))
            cells.append(
                coverage(world.difference, (over_names(table, two_groups(n_x, n_y), 0.95) for table in tables))
            )
        yield f"| {world.title} | {' | '.join(map(percents, cells))} |"
    yield ""
    shown = [f"4 x {names}, {texts}" for names, texts in CELLS]
    yield f"| interaction of a 2 x 2; columns: names of each group, texts | {' | '.join(shown)} |"
    yield f"|---|{'---|' * len(CELLS)}"
    for index, world in enumerate(WORLDS):
        cells = [coverage(world.difference, of_cells(trials, seed, index, *cell)) for cell in CELLS]
        yield f"| {world.title} | {' | '.join(map(percents, cells))} |"
    yield ""
    yield f"| called an interaction | {' | '.join(shown)} |"
    yield f"|---|{'---|' * len(CELLS)}"
    for title, planted, sizes in (("a main effect", MAIN, PLANTED[-1:]), ("an interaction", INTERACTION, PLANTED)):
        for size in sizes:
            moved = size * np.array(planted) / np.abs(planted).sum() * (1 if planted is INTERACTION else 2)
            drawn = (coverage(0.0, of_cells(trials, seed + 1, 2, *cell, moved=moved))[1] for cell in CELLS)
            yield f"| {title} of {size:g} | {' | '.join(f'{100 * (1 - share):.1f}' for share in drawn)} |"
    yield ""
    yield f"| differences between pronouns; columns: texts | {' | '.join(map(str, TEXTS))} |"
    yield f"|---|{'---|' * len(TEXTS)}"
    for name in ("normal", "t with 3 degrees of freedom", "exponential"):
        cells = []
        for texts in TEXTS:
            rng = np.random.default_rng([seed, texts])
            cells.append(coverage(0.0, (over_texts(differences(rng, name, texts), 0.95) for _ in range(trials))))
        yield f"| {name} | {' | '.join(map(percents, cells))} |"


def two_groups(n_x: int, n_y: int) -> Factor:
    """Return the names of two groups as a factor."""
    return Factor.of(n_x, n_y, coefficients=(1.0, -1.0))


def of_cells(
    trials: int, seed: int, index: int, names: int, texts: int, moved: Floats | None = None
) -> Iterator[OverWords | None]:
    """Draw scores of four groups of names, which texts matter to apart, and return intervals of the interaction."""
    rng, world = np.random.default_rng([seed, index, names, texts]), WORLDS[index]
    factor = Factor.of(*[names] * 4, coefficients=INTERACTION)
    for _ in range(trials):
        table = world.scores(rng, *[names] * 4, texts=texts)
        if moved is not None:
            table = table + np.repeat(moved, names)[:, None]
        yield over_names(table, factor, 0.95)


def differences(rng: np.random.Generator, name: str, texts: int) -> Floats:
    """Draw what he scores more than she in each text, on average nothing."""
    if name == "exponential":
        return rng.standard_exponential(texts) - 1.0
    return rng.standard_normal(texts) if name == "normal" else rng.standard_t(3, texts)


def percents(shares: tuple[float, ...]) -> str:
    """Return shares as percentages."""
    return ", ".join(f"{100 * share:.1f}" for share in shares)


if __name__ == "__main__":
    for line in lines(*(int(given) for given in (sys.argv[1:] + ["4000", "71"][len(sys.argv) - 1 :]))):
        print(line, flush=True)
