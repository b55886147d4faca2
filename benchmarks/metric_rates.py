"""How often metrics of other works are significant without a difference, and how often their intervals hold the truth.

Run: python benchmarks/metric_rates.py [trials]. Words are drawn around the means of their sets. "label" and "words"
are the shares of p-values of at most 5 % where X and Y have one mean; "frequency" is that of words drawn at random
from a vocabulary of 4,000. "covered" is how often the 95 % interval over words holds the mean value of all trials,
where X and Y have one mean and where they have different means.
"""

import sys
from collections.abc import Iterator
from itertools import chain

import numpy as np

from imprint import Embedding, WeatTest, WordSet
from imprint.metrics.by_name import make_metric
from imprint.metrics.metric import Metric
from imprint.metrics.run import MetricResult, measure_metric

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
SIZES = {"6, 6, 8, 8": (6, 6, 8, 8), "5, 8, 6, 12": (5, 8, 6, 12)}
DIMENSION = 30
VOCABULARY = 4_000
LEVEL = 0.05


def world(
    rng: np.random.Generator, sizes: tuple[int, ...], means: np.ndarray, *, heavy: bool, paired: bool
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


def measured(metric: Metric, name: str, embedding: Embedding, test: WeatTest, seed: int) -> MetricResult:
    """Return the first value of a metric: that of the whole test, or of A."""
    return next(iter(measure_metric(embedding, test, name, metric, seed=seed)))


def rates(name: str, sizes: tuple[int, ...], *, heavy: bool, trials: int, seed: int = 0) -> dict[str, float]:
    """Return the shares of small p-values without a difference, and the coverage of the interval."""
    metric = make_metric(name.partition(":")[0], **METRICS[name])
    found = {"label": np.nan, "words": np.nan}
    apart = np.random.default_rng(7).normal(size=(4, DIMENSION)) * 0.6
    for what, means in (("one mean", apart[[0, 0, 2, 3]]), ("apart", apart)):
        rng = np.random.default_rng(seed)
        results = [
            measured(metric, name, *world(rng, sizes, means, heavy=heavy, paired=metric.paired), trial)
            for trial in range(trials)
        ]
        values, lows, highs = (
            np.array(numbers)
            for numbers in zip(
                *((one.value, one.checks.words_low, one.checks.words_high) for one in results), strict=True
            )
        )
        found[f"covered, {what}"] = float(np.mean((lows <= values.mean()) & (values.mean() <= highs)))
        if what == "one mean" and metric.permuted is not None:
            found["label"] = float(np.mean([one.checks.p_of("label") <= LEVEL for one in results]))
            found["words"] = float(np.mean([one.checks.p_of("words") <= LEVEL for one in results]))
    return found


def frequency_rate(name: str, sizes: tuple[int, ...], *, trials: int, seed: int = 1) -> float:
    """Return the share of small p-values of words that are drawn at random from a vocabulary, frequent and rare."""
    metric = make_metric(name.partition(":")[0], **METRICS[name])
    rng = np.random.default_rng(seed)
    frequency = np.linspace(1, -1, VOCABULARY)[:, None] * rng.normal(size=DIMENSION)
    vectors = rng.normal(size=(VOCABULARY, DIMENSION)) + frequency + rng.normal(size=DIMENSION)
    embedding = Embedding("simulated", [f"w{place}" for place in range(VOCABULARY)], vectors.astype(np.float32))
    small = 0
    for trial in range(trials):
        places = rng.permutation(VOCABULARY)[: sum(sizes)]
        names = [[f"w{place}" for place in part] for part in np.split(places, np.cumsum(sizes)[:-1])]
        p_value = measured(metric, name, embedding, test_of(names), trial).checks.p_frequency
        assert p_value is not None
        small += p_value <= LEVEL
    return small / trials


def lines(trials: int) -> Iterator[str]:
    """Return one line per metric, sizes and distribution."""
    columns = ("label", "words", "covered, one mean", "covered, apart")
    yield f"{'metric':26}{'words of sets':16}{'rows':8}{'frequency':>10}" + "".join(f"{one:>20}" for one in columns)
    for name, settings in METRICS.items():
        paired = make_metric(name.partition(":")[0], **settings).paired
        for label, sizes in SIZES.items():
            if paired and sizes[0] != sizes[1]:
                continue
            random = frequency_rate(name, sizes, trials=trials)
            for heavy in (False, True):
                found = rates(name, sizes, heavy=heavy, trials=trials)
                numbers = "".join(f"{found[one]:20.3f}" for one in columns)
                yield f"{name:26}{label:16}{'t3' if heavy else 'normal':8}{random:10.3f}{numbers}"


if __name__ == "__main__":
    for line in lines(int(sys.argv[1]) if len(sys.argv) > 1 else 1_000):
        print(line, flush=True)
