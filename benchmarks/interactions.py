"""How often the effects of a 2 x 2 are found, and how often their 95 % intervals contain the truth.

    python benchmarks/interactions.py [--runs N] [--seed N]

Names of four cells and two kinds of words are drawn around known means, as in scripts/question_rates.py. Planted are a
main effect of the group alone, and an interaction alone, of 20 % of the distance. Prints a table in Markdown.
"""

import argparse
import sys
from itertools import product
from pathlib import Path

import numpy as np

sys.path.insert(0, str(Path(__file__).resolve().parents[1] / "scripts"))
from question_rates import DISTANCES, NOISE, Space

from imprint.association.topics import contrasts
from imprint.association.vectors import SetVectors
from imprint.significance.outcomes import CONFIDENCE
from imprint.significance.shares import combined
from imprint.threads import single_threaded

SIZES = (16, 80)  # names of a cell
ATTRIBUTES = {16: 20, 80: 150}
PLANTED = {"main effect": (0.2, 0.0), "interaction": (0.0, 0.2)}
COVERAGE = 0.95


def drawn(rng: np.random.Generator, space: Space, count: int, group: float, interaction: float) -> SetVectors:
    """Draw four cells whose sizes among women and men are the group's effect, more and less half the interaction."""
    _, (v,) = space.means()
    sizes = (group + interaction / 2, group - interaction / 2)
    means = [sign * size * v / 2 for sign in (1, -1) for size in sizes]  # women, men of X; then of Y
    cells = [space.noise(rng, count) + mean for mean in means]
    n_a = ATTRIBUTES[count]
    sides = [space.noise(rng, n_a) + sign * v / 2 for sign in (1, -1)]
    names = tuple(f"n{number}x" for number in range(4 * count))
    words = tuple(f"w{number}x" for number in range(2 * n_a))
    return SetVectors(names, words, 2 * count, n_a, np.concatenate(cells), np.concatenate(sides))


def measured(rng: np.random.Generator, space: Space, count: int, group: float, interaction: float, runs: int) -> str:
    """Return the cells of a row: coverage of three effects, and how often an interaction is found."""
    truth = {"interaction": interaction, "group": group, "gender": 0.0}
    places = [np.arange(start * count, (start + 1) * count) for start in (0, 2, 1, 3)]
    covered: dict[str, list[bool]] = {name: [] for name in truth}
    found = 0
    for _ in range(runs):
        parts = contrasts(drawn(rng, space, count, group, interaction), places)
        for name, value in truth.items():
            size = combined(parts[name], COVERAGE)
            if size.low is not None and size.high is not None:
                covered[name].append(size.low <= value <= size.high)
        decided = combined(parts["interaction"], CONFIDENCE)
        found += decided.low is not None and decided.high is not None and not decided.low <= 0 <= decided.high
    shares = " | ".join(f"{np.mean(inside):.3f}" for inside in covered.values())
    return f"{shares} | {1 - len(covered['interaction']) / runs:.3f} | {found / runs:.3f}"


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--runs", type=int, default=1_000)
    parser.add_argument("--seed", type=int, default=5_127)
    options = parser.parse_args()
    print("| planted | A from B | words | names per cell | interaction | group | gender | no interval | found |")
    print("|---|---|---|--:|--:|--:|--:|--:|--:|")
    with single_threaded():
        for (name, effects), distance, heavy, count in product(PLANTED.items(), DISTANCES, NOISE, SIZES):
            rng = np.random.default_rng([options.seed, *name.encode(), *distance.encode(), heavy, count])
            space = Space(0.0, DISTANCES[distance], heavy)
            cells = measured(rng, space, count, *effects, options.runs)
            print(f"| {name} | {distance} | {NOISE[heavy]} | {count} | {cells} |", flush=True)


if __name__ == "__main__":
    main()
