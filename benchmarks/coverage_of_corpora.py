"""How often the intervals of `imprint corpus` cover the truth, in corpora with a planted association.

Documents are of unequal length, each leans its own way, and so does each word; few words are frequent and many rare.
In the last lines words are bursty too: a document uses only some of them. Usage: coverage_of_corpora.py [RUNS]
"""

import sys
from itertools import product

import numpy as np

from imprint.significance.crossed import quantile
from imprint.significance.odds import CountedOdds, Drawn, over_documents_and_words
from imprint.types import Floats, Ints

LEVELS = (0.95, 0.995)
SIGNS = np.array([1.0, -1.0, -1.0, 1.0])  # of X near A, X near B, Y near A, Y near B


def main(runs: int) -> None:
    """Print one line per setting, as Markdown."""
    names = ("documents", "words per set", "co-occurrences", "log odds", "bursty", "intervals")
    print("|", " | ".join((*names, "95 %", "99.5 %", "95 %, documents alone", "95 %, Wald")), "|")
    print("|--:|--:|--:|--:|---|--:|--:|--:|--:|--:|")
    settings = [*product((30, 100, 300, 1000), (12, 40), (40, 400), (0.0, 1.0), (False,))]
    settings += [*product((30, 300), (40,), (400,), (0.0, 1.0), (True,))]
    worst: list[float] = []
    for index, setting in enumerate(settings):
        covered = np.array([_one_run(np.random.default_rng([index, run]), *setting) for run in range(runs)])
        judged = covered[~np.isnan(covered[:, 0])]
        rates = judged.mean(axis=0) if len(judged) else np.full(4, np.nan)
        documents, words, count, truth, bursty = setting
        shown = " | ".join(f"{rate:.3f}" for rate in rates)
        about = f"{documents} | {words} | {words * count} | {truth:g} | {'yes' if bursty else ''}"
        print(f"| {about} | {len(judged)} | {shown} |", flush=True)
        worst += [rates[0]]
    print(f"\n95 %: {min(worst):.3f} to {max(worst):.3f}, mean {np.mean(worst):.3f}, in {len(worst)} settings")


def differences(runs: int) -> None:
    """Print how often the interval of a difference of two corpora of the same words holds the true one."""
    print("\n| documents | difference | intervals | 95 % | 99.5 % |\n|--:|--:|--:|--:|--:|")
    for first, second, difference in product((30, 300), (30, 300), (0.0, 0.7)):
        inside = []
        for run in range(runs):
            streams = [np.random.default_rng([first, second, run, place]) for place in (0, 1)]
            before, after = (
                plant(rng, n, 40, 4000, truth, same=[7, run])
                for rng, n, truth in zip(streams, (first, second), (0.5, 0.5 + difference), strict=True)
            )
            after = CountedOdds(Drawn(after.documents.units + 10_000, after.documents.cells), after.words)
            whole = [over_documents_and_words([(after, 1.0), (before, -1.0)], level) for level in LEVELS]
            if before.obstacle is None and after.obstacle is None:
                inside.append([each is not None and each.low <= difference <= each.high for each in whole])
        shown = " | ".join(f"{rate:.3f}" for rate in np.mean(inside, axis=0))
        print(f"| {first} and {second} | {difference:g} | {len(inside)} | {shown} |", flush=True)


def _one_run(rng: np.random.Generator, n: int, words: int, count: float, truth: float, bursty: bool) -> list[float]:
    counted = plant(rng, n, words, count * words, truth, bursty=bursty)
    if counted.obstacle is not None:
        return [np.nan] * 4
    whole = [over_documents_and_words([(counted, 1.0)], level) for level in LEVELS]
    alone = over_documents_and_words([(CountedOdds(counted.documents, ()), 1.0)], LEVELS[0])
    wald = quantile(1 - LEVELS[0], 1e9) * counted.wald_variance**0.5
    inside = [each is not None and each.low <= truth <= each.high for each in (*whole, alone)]
    return [*map(float, inside), float(abs(counted.value - truth) <= wald)]


def plant(
    rng: np.random.Generator,
    n: int,
    words: int,
    count: float,
    truth: float,
    *,
    bursty: bool = False,
    same: list[int] | None = None,
) -> CountedOdds:
    """Return counts of a corpus drawn from a population with this log odds ratio.

    Corpora with the `same` seed have the same words, which lean nearly alike in them.
    """
    common = rng if same is None else np.random.default_rng(same)
    frequency = [common.lognormal(0, 1.2, words) for _ in range(4)]  # X, Y, A, B
    own = [common.normal(0, 0.4, words) for _ in range(4)]
    if same is not None:
        own = [each + rng.normal(0, 0.2, words) for each in own]
    sizes = rng.lognormal(0, 1, n)
    leaning = np.exp(np.outer(rng.normal(0, 0.3, n), SIGNS))
    tables = []
    for target, attribute in product((0, 1), (2, 3)):
        sign = 1 if (target, attribute) in ((0, 2), (1, 3)) else -1
        # A word's leaning is towards A (or X): it raises one of its two cells and lowers the other.
        tilt = np.exp(sign * (truth / 4 + own[target][:, None] + own[attribute][None, :]))
        tables.append(np.outer(frequency[target], frequency[attribute]) * tilt)
    if bursty:
        return _bursty(rng, sizes, leaning, tables, count)
    rates = sizes[:, None] * leaning * np.array([table.sum() for table in tables])
    documents = rng.poisson(count * rates / rates.sum())
    by_pair = [
        rng.multinomial(total, table.ravel() / table.sum()).reshape(table.shape)
        for total, table in zip(documents.sum(axis=0), tables, strict=True)
    ]
    return _counted(documents, by_pair)


def _bursty(
    rng: np.random.Generator, sizes: Floats, leaning: Floats, tables: list[Floats], count: float
) -> CountedOdds:
    """Let a document use a quarter of the words of each set."""
    n, words = len(sizes), len(tables[0])
    uses = [rng.random((n, words)) < 0.25 for _ in range(4)]
    rates = [
        np.einsum("d,dt,da,ta->dta", sizes * leaning[:, cell], uses[target], uses[attribute], tables[cell])
        for cell, (target, attribute) in enumerate(product((0, 1), (2, 3)))
    ]
    total = sum(rate.sum() for rate in rates)
    drawn = [rng.poisson(count * rate / total) for rate in rates]
    documents = np.stack([each.sum(axis=(1, 2)) for each in drawn], axis=1)
    return _counted(documents, [each.sum(axis=0) for each in drawn])


def _counted(documents: Ints, by_pair: list[Ints]) -> CountedOdds:
    """Return the counts by document and by word of each set."""
    xa, xb, ya, yb = by_pair
    zero = np.zeros(len(xa), dtype=np.int64)
    cells = (
        np.stack([xa.sum(axis=1), xb.sum(axis=1), zero, zero], axis=1),
        np.stack([zero, zero, ya.sum(axis=1), yb.sum(axis=1)], axis=1),
        np.stack([xa.sum(axis=0), zero, ya.sum(axis=0), zero], axis=1),
        np.stack([zero, xb.sum(axis=0), zero, yb.sum(axis=0)], axis=1),
    )
    numbers = np.arange(4 * len(xa) + len(documents))
    sets = [Drawn(numbers[place * len(xa) : (place + 1) * len(xa)], each) for place, each in enumerate(cells)]
    return CountedOdds(Drawn(numbers[4 * len(xa) :], documents), tuple(sets))


if __name__ == "__main__":
    asked = int(sys.argv[1]) if len(sys.argv) > 1 else 1000
    main(asked)
    differences(asked)
