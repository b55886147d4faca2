"""What share of the cells that an enumeration finds is false, on copies of a subject of which the truth is known.

Run: python benchmarks/enumeration_rates.py [SUBJECT ...] [--copies N] [--planted N] [--seed N]. Each copy turns the
names of the subject's groups by one orthogonal map, drawn with a seed of its own: words and names have nothing to do
with each other any more, or share only what word frequency explains. Every cell found in such a copy, among mirrored
copies of its own, is false. Then words of some cells are moved towards the group of the cell, and a cell found without
any of these words is false. Prints a table in Markdown, and how many cells of a copy have p-values as small as those
that the paper's rotations call significant.
"""

import argparse
import time
from collections.abc import Iterator
from dataclasses import dataclass, replace
from itertools import pairwise

import numpy as np

from imprint.embeddings.embedding import Embedding
from imprint.enumeration.enumerate import embed_vocabulary
from imprint.enumeration.null import KINDS, Mirrors, StandingOut, Tally, adjust, score_copies
from imprint.enumeration.problem import Problem, build_problem
from imprint.enumeration.settings import Settings
from imprint.enumeration.solution import problem_seeds
from imprint.significance.partitions import binomial_interval
from imprint.significance.rotations import Cells, chunks, observed_scores, random_directions, rotated_scores
from imprint.subjects.opening import open_subject
from imprint.threads import single_threaded
from imprint.types import Flags, Floats32

RATES = (0.05, 0.1, 0.2)
PLANTED_CELLS = 20
STRENGTH = 0.6  # how far words are moved, in lengths of a word


@dataclass(frozen=True)
class Subject:
    """A subject's cells, and how to turn its names."""

    problem: Problem
    settings: Settings

    def turned(self, kind: str, seed: np.random.SeedSequence) -> Cells:
        """Return the cells of a copy whose names are turned at random."""
        if kind == "rotated":
            (directions,) = random_directions(self.problem.cells, 1, seed)
        else:
            plain, frequency_kept = Mirrors.of(self.problem).directions(1, seed)
            directions = frequency_kept if kind == "mirrored, frequency kept" else plain
        return replace(self.problem.cells, directions=directions.T.astype(np.float64))


def found_in(cells: Cells, copies: Floats32) -> list[Flags]:
    """Tell which cells stand out at each rate."""
    scores = observed_scores(cells)[0]
    q = StandingOut.of(scores, copies, RATES[0], np.zeros(scores.shape, dtype=np.bool_)).q
    return [q <= rate for rate in RATES]


def without_associations(subject: Subject, kind: str, count: int, seed: np.random.SeedSequence) -> np.ndarray:
    """Count the cells found in copies that have no association: (copies, rates)."""
    mirrors, found = Mirrors.of(subject.problem), []
    for child in seed.spawn(count):
        turning, mirroring = child.spawn(2)
        cells = subject.turned(kind, turning)
        copies = score_copies(replace(mirrors, cells=cells), subject.settings.copies, mirroring)
        found.append([int(flags.sum()) for flags in found_in(cells, copies)])
    return np.array(found)


def with_planted(subject: Subject, kind: str, count: int, seed: np.random.SeedSequence) -> np.ndarray:
    """Count cells found and those of them that are false, where some are real: (copies, rates, 2)."""
    counts = []
    for child in seed.spawn(count):
        turning, planting, mirroring = child.spawn(3)
        cells, moved = plant(subject.turned(kind, turning), np.random.default_rng(planting))
        rows = observed_scores(cells)[1]
        is_true = moved[rows].any(axis=2)
        mirrors = Mirrors.of(replace(subject.problem, cells=cells))
        found = found_in(cells, score_copies(mirrors, subject.settings.copies, mirroring))
        counts.append([(int(flags.sum()), int((flags & ~is_true).sum())) for flags in found])
    return np.array(counts)


def plant(cells: Cells, rng: np.random.Generator) -> tuple[Cells, np.ndarray]:
    """Move as many words of some cells as are shown towards the cell's group; return which words were moved."""
    words, moved = cells.words.copy(), np.zeros(len(cells.words), dtype=np.bool_)
    categories, groups = cells.shape
    for place in rng.choice(categories * groups, PLANTED_CELLS, replace=False).tolist():
        category, group = divmod(place, groups)
        start, end = cells.offsets[category : category + 2]
        chosen = start + rng.choice(end - start, min(cells.top, int(end - start)), replace=False)
        direction = cells.directions[group] / np.linalg.norm(cells.directions[group])
        rows = cells.words[chosen] + STRENGTH * direction
        words[chosen] = rows / np.linalg.norm(rows, axis=1, keepdims=True)
        moved[chosen] = True
    centres = np.stack([words[start:end].mean(axis=0) for start, end in pairwise(cells.offsets)])
    return replace(cells, words=words, centres=centres), moved


def lines(name: str, subject: Subject, copies: int, planted: int, seed: int) -> Iterator[str]:
    """Return a line of the table per kind of copies."""
    seeds = iter(np.random.SeedSequence(seed).spawn(5))
    for kind in ("rotated", "mirrored", "mirrored, frequency kept"):
        found = without_associations(subject, kind, copies, next(seeds))
        shares = []
        for column in (found > 0).T:
            low, high = binomial_interval(int(column.sum()), len(column), 0.95)
            shares.append(f"{column.mean():.1%} [{low:.1%}, {high:.1%}]")
        yield _line(name, kind, f"{copies}", *shares, f"{found[:, 1].mean():.2f}")
    for kind in ("mirrored", "mirrored, frequency kept"):
        counts = with_planted(subject, kind, planted, next(seeds))
        false = counts[:, :, 1] / np.maximum(counts[:, :, 0], 1)
        shares = [f"{column.mean():.1%} ± {1.96 * column.std(ddof=1) / np.sqrt(planted):.1%}" for column in false.T]
        real = (counts[:, 1, 0] - counts[:, 1, 1]).mean()
        yield _line(name, f"{kind}, {PLANTED_CELLS} cells planted", f"{planted}", *shares, f"{real:.1f} real")


def by_rotations(subject: Subject, count: int, seed: int) -> str:
    """Count the cells that the paper's method finds, and cells of copies with p-values as small."""
    cells, settings = subject.problem.cells, Settings(method="paper", seed=seed)
    copying, rotating = np.random.SeedSequence(seed).spawn(2)
    copies = score_copies(Mirrors.of(subject.problem), count, copying)
    tables = np.concatenate([observed_scores(cells)[0][None], copies])
    tallies = [Tally(table, np.zeros(cells.shape, dtype=np.int64)) for table in tables]
    for task in chunks(settings.rotations, rotating):
        rotated = rotated_scores(cells, *task)
        for tally in tallies:
            tally.add(rotated)
    observed, *others = (tally.p_values() for tally in tallies)
    found = adjust(observed, settings) <= settings.rate
    limit = observed[found].max(initial=0.0)
    as_small = [np.mean([np.sum(table <= limit) for table in others[kind::KINDS]]) for kind in range(KINDS)]
    return (
        f"{settings.rotations:,} rotations, {settings.correction}: {found.sum()} cells, p at most {limit:.4f}; a "
        f"mirrored copy has {as_small[0]:.1f} as small, one that keeps frequency {as_small[1]:.1f} (mean of {count})"
    )


def _line(*columns: str) -> str:
    return f"| {' | '.join(columns)} |".replace("%", " %")


def main() -> None:
    parser = argparse.ArgumentParser(description="Measure how much of what an enumeration finds is false.")
    parser.add_argument("subjects", nargs="*", default=["default"])
    parser.add_argument("--copies", type=int, default=100)
    parser.add_argument("--planted", type=int, default=40)
    parser.add_argument("--seed", type=int, default=4711)
    given = parser.parse_args()
    began = time.process_time()
    print("| subject | copies | number | " + " | ".join(f"false at {rate:.0%}" for rate in RATES).replace("%", " %")
          + " | cells at 10 % |")  # fmt: skip
    print("|---|---|--:|" + "--:|" * len(RATES) + "--:|")
    settings, rotations = Settings(seed=given.seed), []
    for name in given.subjects:
        opened = open_subject(name)
        embedding = opened if isinstance(opened, Embedding) else embed_vocabulary(opened)
        with single_threaded():
            subject = Subject(build_problem(embedding, "first", settings, problem_seeds(settings)), settings)
            for line in lines(embedding.name, subject, given.copies, given.planted, given.seed):
                print(line, flush=True)
            rotations.append(f"{embedding.name}: {by_rotations(subject, given.planted, given.seed)}")
    print("", *rotations, sep="\n")
    print(f"\n{time.process_time() - began:.0f} CPU s")


if __name__ == "__main__":
    main()
