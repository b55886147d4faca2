"""How often metrics of other works are significant without a difference, and how often their intervals hold the truth.

Run: python benchmarks/metric_rates.py [trials]. Prints the table of docs/metrics.md.

"Labels" is the share of p-values of at most 5 % where X and Y have one mean. "Random words" is that of p_frequency for
words drawn at random from a vocabulary of 4,000; a tenth of the trials, since each is slow. "Holds" is how often the
interval over words holds the mean value of all trials, at 95 and at 99.5 %: the lowest and the highest of all cases.
Cases are sizes of the sets, normal or heavy-tailed vectors, and X and Y of one mean or of two.
"""

import sys
from collections.abc import Iterator
from concurrent.futures import ProcessPoolExecutor
from itertools import chain, product, repeat

import numpy as np

from imprint import Embedding, WeatTest, WordSet
from imprint.metrics.by_name import make_metric
from imprint.metrics.metric import Metric, MetricWords
from imprint.metrics.run import MetricRow, measure_metric, over_words
from imprint.types import Floats

METRICS: dict[str, dict[str, object]] = {
    "rnd": {},
    "rnd:distance=cos": {"distance": "cos"},
    "mac": {},
    "ect": {},
    "ripa": {},
    "ripa:relation=component": {"relation": "component"},
    "direct-bias": {},
    "same": {},
    "same:score=skew": {"score": "skew"},
    "same:score=stereotype": {"score": "stereotype"},
}
SIZES = ((6, 6, 8, 8), (5, 8, 6, 12), (12, 12, 12, 12))
DIMENSION = 30
VOCABULARY = 4_000
LEVEL = 0.05
CONFIDENCES = (0.95, 0.995)
SPREAD = 0.6  # of the means of sets, beside words around them


def world(
    rng: np.random.Generator, sizes: tuple[int, ...], means: Floats, *, heavy: bool, paired: bool
) -> tuple[Embedding, WeatTest]:
    """Draw words around the means of their sets; pairs share what they are about."""
    drawn = [rng.standard_t(3, (size, DIMENSION)) if heavy else rng.normal(size=(size, DIMENSION)) for size in sizes]
    rows = [mean + words for mean, words in zip(means, drawn, strict=True)]
    if paired:
        common = rng.normal(size=(sizes[0], DIMENSION))
        rows[:2] = [side + common for side in rows[:2]]
    names = [[f"{letter}{place}" for place in range(size)] for letter, size in zip("xyab", sizes, strict=True)]
    embedding = Embedding("simulated", [*chain(*names)], np.vstack(rows).astype(np.float32))
    return embedding, test_of(names)


def test_of(names: list[list[str]]) -> WeatTest:
    """Make a test of four lists of words."""
    sets = [WordSet.of(letter, words) for letter, words in zip("XYAB", names, strict=True)]
    return WeatTest("simulated", "Simulated", "none", "und", *sets)


def row_of(metric: Metric, name: str, embedding: Embedding, test: WeatTest, seed: int) -> MetricRow:
    """Return the first value of a metric: that of the whole test, or of A."""
    return measure_metric(embedding, test, name, metric, seed=seed)[0]


def coverage(metric: Metric, sizes: tuple[int, ...], means: Floats, *, heavy: bool, trials: int) -> tuple[float, ...]:
    """Return how often the interval of the first value holds the mean value, at each confidence."""
    rng = np.random.default_rng(0)
    found = []
    for _ in range(trials):
        embedding, test = world(rng, sizes, means, heavy=heavy, paired=metric.paired)
        words = MetricWords.of(embedding, test, unit=metric.unit, paired=metric.paired)
        one = over_words(metric, next(iter(metric.parts(words, test))).words)
        assert one is not None
        found.append((one.value, *one.interval(CONFIDENCES[0]), *one.interval(CONFIDENCES[1])))
    value, *ends = np.array(found, dtype=np.float64).T
    truth = value.mean()
    return tuple(
        float(np.mean((low <= truth) & (truth <= high))) for low, high in zip(ends[::2], ends[1::2], strict=True)
    )


def label_rate(metric: Metric, name: str, sizes: tuple[int, ...], means: Floats, *, heavy: bool, trials: int) -> float:
    """Return the share of small p-values where X and Y have one mean."""
    rng = np.random.default_rng(1)
    p_values = [
        row_of(metric, name, *world(rng, sizes, means, heavy=heavy, paired=metric.paired), trial).p_value
        for trial in range(trials)
    ]
    return float(np.mean([p_value is not None and p_value <= LEVEL for p_value in p_values]))


def frequency_rate(metric: Metric, name: str, sizes: tuple[int, ...], *, trials: int) -> float:
    """Return the share of small p-values of words that are drawn at random from a vocabulary, frequent and rare."""
    rng = np.random.default_rng(2)
    frequency = np.linspace(1, -1, VOCABULARY)[:, None] * rng.normal(size=DIMENSION)
    vectors = rng.normal(size=(VOCABULARY, DIMENSION)) + frequency + rng.normal(size=DIMENSION)
    embedding = Embedding("simulated", [f"w{place}" for place in range(VOCABULARY)], vectors.astype(np.float32))
    small = 0
    for trial in range(trials):
        places = rng.permutation(VOCABULARY)[: sum(sizes)]
        names = [[f"w{place}" for place in part] for part in np.split(places, np.cumsum(sizes)[:-1])]
        p_value = row_of(metric, name, embedding, test_of(names), trial).p_frequency
        assert p_value is not None
        small += p_value <= LEVEL
    return small / trials


def line(name: str, trials: int) -> str:
    """Return a metric's line of the table."""
    metric = make_metric(name.partition(":")[0], **METRICS[name])
    sizes = [one for one in SIZES if not metric.paired or one[0] == one[1]]
    apart = np.random.default_rng(7).normal(size=(4, DIMENSION)) * SPREAD
    alike = apart[[0, 0, 2, 3]]
    held = [
        coverage(metric, own, means, heavy=heavy, trials=trials)
        for own, means, heavy in product(sizes, (alike, apart), (False, True))
    ]
    small = sizes[:-1]  # labels of more words are drawn, not all tried
    labels = [
        label_rate(metric, name, own, alike, heavy=heavy, trials=trials)
        for own, heavy in product(small, (False, True))
    ]
    random = [frequency_rate(metric, name, own, trials=max(1, trials // 10)) for own in small]
    cells = [labels if metric.permuted else [], random, *zip(*held, strict=True)]
    return f"| `{name}` | {' | '.join(span(list(shares)) for shares in cells)} |"


def span(shares: list[float]) -> str:
    """Say the lowest and the highest of some shares."""
    return f"{100 * min(shares):.1f} to {100 * max(shares):.1f} %" if shares else "-"


def lines(trials: int) -> Iterator[str]:
    """Return the lines of the table."""
    yield "| metric | p, labels ≤ 0.05 | p, random words ≤ 0.05 | 95 % interval holds | 99.5 % interval holds |"
    yield "|---|---|---|---|---|"
    with ProcessPoolExecutor() as workers:
        yield from workers.map(line, METRICS, repeat(trials))


if __name__ == "__main__":
    for printed in lines(int(sys.argv[1]) if len(sys.argv) > 1 else 300):
        print(printed, flush=True)
