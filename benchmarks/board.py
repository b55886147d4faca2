"""How often a board claims a wrong order: simulated subjects whose sizes are known.

Run: python benchmarks/board.py [trials]. In each trial new words are drawn, and all subjects of a board score them. A
trial is wrong if any order that is claimed is wrong, if any rank interval misses the subject's rank, or, for
differences, if any two subjects of one size are said to differ. All three must stay within 5 %, besides chance.
"""

import sys
from collections.abc import Iterator, Sequence

import numpy as np

from imprint.association.evidence import CosineTable
from imprint.boards.comparing import Tables, compare_subjects, spread_of
from imprint.stimuli.definition import WeatTest, WordSet
from imprint.threads import single_threaded
from imprint.types import Floats

ALPHA = 0.05
TOPICS = ("gender", "race")

# The size of each subject in both topics; a cosine's words and pairs of words have standard deviations near 0.1.
SIZES = {
    "all equal": (0.1, 0.1, 0.1, 0.1, 0.1, 0.1),
    "opposite signs": (0.2, -0.2, 0.2, -0.2, 0.2, -0.2),
    "two groups": (0.05, 0.05, 0.05, 0.25, 0.25, 0.25),
    "in steps": (0.0, 0.1, -0.15, 0.2, 0.3, -0.4),
    "two subjects": (0.1, 0.12),
}
# How many words each set has, and whether cosines have long tails.
WORDS = {"8 words": (8, False), "5 words": (5, False), "8 words, long tails": (8, True)}


def made_tests(words: int, numbers: str = "12") -> list[WeatTest]:
    """Return tests with these numbers per topic, which share their targets."""
    found = []
    for topic in TOPICS:
        x, y = (WordSet.of(name, [f"{topic}{name}{one}" for one in range(words)]) for name in "xy")
        for number in numbers:
            name = f"{topic}-{number}"
            a, b = (WordSet.of(side, [f"{name}{side}{one}" for one in range(words)]) for side in "ab")
            found.append(WeatTest(name, name, "made", "en", x, y, a, b, topics=(topic,)))
    return found


def made_subjects(
    tests: Sequence[WeatTest], sizes: Sequence[float], rng: np.random.Generator, *, long_tails: bool = False
) -> list[Tables]:
    """Draw words that lean to one side in all subjects, more or less, and cosines of each subject."""

    def drawn(*shape: int) -> Floats:
        return np.asarray(rng.standard_t(3, shape) / np.sqrt(3) if long_tails else rng.standard_normal(shape))

    leaning: dict[str, Floats] = {}

    def lean(words: Sequence[str]) -> Floats:
        """Return how far each word leans in each subject: as far as in others, and a part of its own."""
        for word in words:
            if word not in leaning:
                leaning[word] = 0.08 * drawn(1) + 0.05 * drawn(len(sizes))
        return np.array([leaning[word] for word in words])

    subjects: list[dict[str, CosineTable]] = [{} for _ in sizes]
    for test in tests:
        targets, attributes = test.x.words + test.y.words, test.a.words + test.b.words
        sides = [np.repeat([1.0, -1.0], len(one)) for one in (test.x, test.a)]
        rows, columns = lean(targets), lean(attributes)
        shared = 0.05 * drawn(len(targets), len(attributes))
        for place, size in enumerate(sizes):
            cosines = (
                np.outer(*sides) * size / 4
                + np.outer(rows[:, place], sides[1]) / 2
                + np.outer(sides[0], columns[:, place]) / 2
                + shared
                + 0.05 * drawn(len(targets), len(attributes))
            )
            subjects[place][test.id] = CosineTable(targets, attributes, len(test.x), len(test.a), cosines)
    return list(subjects)


def wrong(sizes: Sequence[float], tests: Sequence[WeatTest], subjects: Sequence[Tables], seed: int) -> Iterator[float]:
    """Yield whether an order, a rank and a difference are wrong; then the share of orders and topics found."""
    units = [spread_of(own.values()) for own in subjects]
    pairs, ranks = compare_subjects(tests, subjects, units=units, alpha=ALPHA, seed=seed)
    true = [np.sign(round(abs(sizes[one.first]) - abs(sizes[one.second]), 9)) for one in pairs]
    yield any(one.order and one.order != sign for one, sign in zip(pairs, true, strict=True))
    yield any(
        not (low <= 1 + sum(abs(other) < abs(sizes[place]) for other in sizes) <= high)
        and not (low <= sum(abs(other) <= abs(sizes[place]) for other in sizes) <= high)
        for topic in ranks
        if topic.ranked
        for place, (low, high) in zip(topic.subjects, topic.ranks, strict=True)
    )
    yield any(
        one.p_together is not None and one.p_together <= ALPHA and sizes[one.first] == sizes[one.second]
        for one in pairs
    )
    orders = [one.order == sign for one, sign in zip(pairs, true, strict=True) if sign]
    yield float(np.mean(orders)) if orders else np.nan
    yield float(np.mean([topic.ranked for topic in ranks]))


def simulate(sizes: Sequence[float], words: int, trials: int, *, long_tails: bool = False, seed: int = 0) -> Floats:
    """Return the shares of trials with a wrong order, rank and difference, and what was found."""
    tests = made_tests(words)
    found = []
    for child in np.random.SeedSequence(seed).spawn(trials):
        subjects = made_subjects(tests, sizes, np.random.default_rng(child), long_tails=long_tails)
        found.append(list(wrong(sizes, tests, subjects, int(child.generate_state(1)[0]))))
    table = np.array(found, dtype=np.float64)
    return np.asarray(np.nanmean(table, axis=0) if not np.isnan(table).all(axis=0).any() else table.mean(axis=0))


def main(trials: int) -> None:
    """Print one line per design: shares of wrong trials, of orders found among those there are, and topics ranked."""
    print(f"{trials} trials each; wrong with confidence, nominal at most {ALPHA:.0%}")
    print(f"{'sizes':16} {'sets':20} {'order':>7} {'rank':>7} {'differ':>7} {'found':>7} {'ranked':>7}")
    for name, sizes in SIZES.items():
        for sets, (words, long_tails) in WORDS.items():
            with single_threaded():
                shares = simulate(sizes, words, trials, long_tails=long_tails)
            print(f"{name:16} {sets:20} " + " ".join(f"{share:7.1%}" for share in shares), flush=True)


if __name__ == "__main__":
    main(int(sys.argv[1]) if len(sys.argv) > 1 else 200)
