"""What is right: effect sizes by the formula, partitions counted, correlations by ranks, debiased vectors looked at.

Nothing of imprint is used, so that an error of imprint's cannot confirm itself.
"""

import itertools
import math
from collections.abc import Iterator
from typing import Any

import numpy as np
import numpy.typing as npt

from peers.measuring import Given, Steps, run
from peers.rules import NEAR, TRUTH_DRAWS

Floats = npt.NDArray[np.float64]

LISTED = 16  # words in both sets whose partitions are listed one by one
HALVED = 50  # words whose partitions are counted from lists of the two halves
ROUNDING = 1e-12
FORMS = (str.lower, str.title, str.upper)  # in which the authors' own code looks pairs up
_BATCH = 10_000


def weat(given: Given) -> Steps:
    """Give the effect size, the p-value, and where draws with replacement tend to."""
    words, vectors = read_arrays(given["arrays"])

    def work() -> Any:
        x, y = read_scores(words, vectors, given)
        pool = np.concatenate([x, y])
        return {
            "effect": (x.mean() - y.mean()) / pool.std(ddof=1),
            "effect_n": (x.mean() - y.mean()) / pool.std(ddof=0),
            **_p_values(x, y),
            "replaced": _with_replacement(pool, len(x)),
        }

    return work, lambda result: result


def metric(given: Given) -> Steps:
    """Give the values of a metric of WEFE's by its formula, and their p-values over all labels."""
    words, vectors = read_arrays(given["arrays"])

    def work() -> Any:
        row = {word: place for place, word in enumerate(words)}
        x, y, a, b = (vectors[[row[word] for word in given[key] if word in row]].astype(np.float64) for key in "xyab")
        if given["metric"] == "MAC":
            cosines = [unit_rows(np.vstack([x, y])) @ unit_rows(side).T for side in (a, b)]
            return {"values": [float(np.mean([1 - one.mean(axis=1) for one in cosines]))], "p": [], "labels": 0}
        nulls = [np.array(list(_METRICS[given["metric"]](x, y, side))) for side in (a, b)]
        far = [-null if given["metric"] == "ECT" else np.abs(null - null.mean()) for null in nulls]
        return {
            "values": [float(null[0]) for null in nulls],
            "p": [float(np.mean(one >= one[0] - ROUNDING)) for one in far],
            "labels": len(nulls[0]),
        }

    return work, lambda result: result


def similarity(given: Given) -> Steps:
    """Give Spearman's correlation over the pairs that are there."""
    words, vectors = read_arrays(given["arrays"])
    return lambda: _spearman(words, vectors, given["scores"]), lambda result: result


def debiased(given: Given) -> Steps:
    """Say what is left along the axis, which pairs are equidistant from neutral words, and what it cost."""

    def work() -> Any:
        words, before = read_arrays(given["arrays"])
        changed_words, after = read_arrays(given["out"])
        assert changed_words == words
        row = {word: place for place, word in enumerate(words)}
        unit, changed = unit_rows(before), unit_rows(after)
        differences = [unit[row[a]] - unit[row[b]] for a, b in given["definitional"] if a in row and b in row]
        axis = np.linalg.svd(np.array(differences))[2][0]
        pairs = [(change(a), change(b)) for a, b in given["equalize"] for change in FORMS]
        others = [(a, b) for a, b in given["equalize"] if (a, b) not in pairs]
        pairs, others = ([pair for pair in dict.fromkeys(some) if row.keys() >= {*pair}] for some in (pairs, others))
        named = {*given["specific"], *itertools.chain(*pairs, *others, *given["definitional"])}
        neutral = np.array([place for word, place in row.items() if word not in named])

        def equal(a: str, b: str) -> bool:
            return bool(np.abs(changed[neutral] @ (changed[row[a]] - changed[row[b]])).max() <= NEAR)

        return {
            "left": float(np.abs(changed[neutral] @ axis).max()),
            "was": float(np.abs(unit[neutral] @ axis).max()),
            "neutral": len(neutral),
            "pairs": len(pairs),
            "equal": sum(equal(*pair) for pair in pairs),
            "others": [[*pair, equal(*pair)] for pair in others],
            "before": _spearman(words, before, given["scores"]),
            "after": _spearman(words, after, given["scores"]),
        }

    return work, lambda result: result


def read_scores(words: list[str], vectors: npt.NDArray[Any], given: Given) -> tuple[Floats, Floats]:
    """Return s(w, A, B) of the X and Y words that have a vector."""
    row = {word: place for place, word in enumerate(words)}
    x, y, a, b = (unit_rows(vectors[[row[word] for word in given[key] if word in row]]) for key in "xyab")
    of_x, of_y = ((part @ a.T).mean(axis=1) - (part @ b.T).mean(axis=1) for part in (x, y))
    return of_x, of_y


def count_by_halves(pool: Floats, size: int, *, strict: bool = False) -> int:
    """Count subsets of `size` that sum to at least (strictly: more than) the first `size`, from those of each half."""
    observed = pool[:size].sum() + (ROUNDING if strict else -ROUNDING)
    middle = len(pool) // 2
    (left, left_sizes), (right, right_sizes) = _subsets(pool[:middle]), _subsets(pool[middle:])
    total = 0
    for taken in range(min(size, middle) + 1):
        ones, others = np.sort(left[left_sizes == taken]), np.sort(right[right_sizes == size - taken])
        total += len(ones) * len(others) - int(np.searchsorted(others, observed - ones).sum())
    return total


def _p_values(x: Floats, y: Floats) -> dict[str, Any]:
    """Give shares of partitions at least as extreme and more extreme; two-sided ones where partitions are listed."""
    pool = np.concatenate([x, y])
    partitions = math.comb(len(pool), len(x))
    if len(pool) <= LISTED:
        sums = np.array([math.fsum(chosen) for chosen in itertools.combinations(pool.tolist(), len(x))])
        gaps, observed = sums / len(x) - (pool.sum() - sums) / len(y), x.mean() - y.mean()
        one_sided, two_sided = (
            [float(np.mean(found >= seen + error)) for error in (-ROUNDING, ROUNDING)]
            for found, seen in ((gaps, observed), (np.abs(gaps), abs(observed)))
        )
        return {"p": one_sided, "two_sided": two_sided, "how": f"all {partitions:,} listed", "drawn": []}
    if len(pool) <= HALVED:
        shares = [count_by_halves(pool, len(x), strict=strict) / partitions for strict in (False, True)]
        return {"p": shares, "how": "counted by halves", "drawn": []}
    rng = np.random.default_rng(0)
    reached = 0
    for _ in range(TRUTH_DRAWS // _BATCH):
        drawn = rng.permuted(np.broadcast_to(pool, (_BATCH, len(pool))), axis=1)[:, : len(x)].sum(axis=1)
        reached += int(np.count_nonzero(drawn >= x.sum() - ROUNDING))
    share = (reached + 1) / (TRUTH_DRAWS + 1)
    return {"p": [share, share], "how": f"{TRUTH_DRAWS:,} drawn", "drawn": [TRUTH_DRAWS]}


def _with_replacement(pool: Floats, size: int) -> float:
    rng = np.random.default_rng(0)
    observed = pool[:size].sum() - pool[size:].sum()
    passed = 0
    for _ in range(TRUTH_DRAWS // _BATCH):
        drawn = pool[rng.integers(len(pool), size=(_BATCH, len(pool)))]
        passed += int(np.count_nonzero(drawn[:, :size].sum(axis=1) - drawn[:, size:].sum(axis=1) > observed))
    return (passed + 1) / (TRUTH_DRAWS + 1)


def _subsets(scores: Floats) -> tuple[Floats, npt.NDArray[np.int8]]:
    sums, sizes = np.zeros(1), np.zeros(1, dtype=np.int8)
    for score in scores:
        sums, sizes = np.concatenate([sums, sums + score]), np.concatenate([sizes, sizes + np.int8(1)])
    return sums, sizes


def _splits(x: Floats, y: Floats) -> Iterator[tuple[Floats, Floats]]:
    """Give the means of both sets for every way to label the words, the observed one first."""
    pool, total = np.vstack([x, y]), x.sum(axis=0) + y.sum(axis=0)
    for chosen in itertools.combinations(range(len(pool)), len(x)):
        first = pool[list(chosen)].sum(axis=0)
        yield first / len(x), (total - first) / len(y)


def _rnd(x: Floats, y: Floats, a: Floats) -> Iterator[float]:
    for first, second in _splits(x, y):
        yield float(np.mean([math.dist(one, first) - math.dist(one, second) for one in a]))


def _ect(x: Floats, y: Floats, a: Floats) -> Iterator[float]:
    for first, second in _splits(x, y):
        ranks = [_ranks((unit_rows(a) @ mean).tolist()) for mean in (first, second)]
        yield float(np.corrcoef(ranks[0], ranks[1])[0, 1])


def _ripa(x: Floats, y: Floats, a: Floats) -> Iterator[float]:
    scores = (unit_rows(x - y) @ a.T).mean(axis=1)
    for signs in itertools.product((1, -1), repeat=len(x)):
        yield float(np.mean(scores * signs))


_METRICS = {"RND": _rnd, "ECT": _ect, "RIPA": _ripa}


def _spearman(words: list[str], vectors: npt.NDArray[Any], scores: list[tuple[str, str, float]]) -> dict[str, float]:
    row = {word: place for place, word in enumerate(words)}
    known = [(a, b, score) for a, b, score in scores if a in row and b in row]
    unit = unit_rows(vectors)
    cosines = [float(unit[row[a]] @ unit[row[b]]) for a, b, _ in known]
    ranks = [_ranks(values) for values in (cosines, [score for *_, score in known])]
    return {"spearman": float(np.corrcoef(ranks[0], ranks[1])[0, 1]), "found": len(known)}


def _ranks(values: list[float]) -> list[float]:
    """Rank by counting, ties shared."""
    return [sum(other < value for other in values) + sum(other == value for other in values) / 2 for value in values]


def unit_rows(vectors: npt.NDArray[Any]) -> Floats:
    """Return rows at unit length, in double precision."""
    wide = vectors.astype(np.float64)
    return np.asarray(wide / np.linalg.norm(wide, axis=1, keepdims=True))


def read_arrays(path: str) -> tuple[list[str], npt.NDArray[Any]]:
    """Return the words and their vectors."""
    with np.load(path) as arrays:
        return arrays["words"].tolist(), arrays["vectors"]


if __name__ == "__main__":
    run({"weat": weat, "metric": metric, "similarity": similarity, "debiased": debiased})
