"""The rotational null on one CPU core: how much cheaper than the literal algorithm, and how near the matrix product?

The literal algorithm (Swinger et al., section 3.4) draws a Haar-random d x d matrix for every rotation. It, ours and a
large matrix product take turns in one process, so that the ratios stand whatever else the machine does; costs and
memory are of processes of their own. One BLAS thread throughout; seconds are CPU seconds.
"""

import argparse
import json
import os
import resource
import subprocess
import sys
import time
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from itertools import pairwise

import numpy as np
import numpy.typing as npt

from imprint.enumeration.null import rotation_p_values
from imprint.significance.rotations import CHUNK, Cells, observed_scores

Floats = npt.NDArray[np.float32]
Doubles = npt.NDArray[np.float64]

DIMENSION, GROUPS, CATEGORIES, TOP = 300, 12, 64, 3
WORDS, ROTATIONS = 30_000, 10_000

ROUNDS = 4  # turns each takes
_LITERAL = 10  # rotations of the literal algorithm a turn
_OURS = 2 * CHUNK
_SIDE = 2_000  # of the large matrix product

# words, rotations measured: the paper's problem in full, the others for long enough
SIZES = ((10_000, _OURS), (WORDS, ROTATIONS), (100_000, _OURS), (300_000, _OURS))
COUNTS = (1_000, 10_000, 100_000)
_SMALL = (10_000, 50)  # words and dimensions of the problem on which the number of rotations grows


def random_cells(
    words: int, dimension: int = DIMENSION, groups: int = GROUPS, categories: int = CATEGORIES, top: int = TOP
) -> Cells:
    """Make unit vectors in all directions, in categories of equal size."""
    rng = np.random.default_rng(0)
    vectors = rng.standard_normal((words, dimension), dtype=np.float32)
    vectors /= np.linalg.norm(vectors, axis=1, keepdims=True)
    offsets = np.linspace(0, words, categories + 1).astype(np.int64)
    means = rng.normal(size=(groups, dimension)) * 0.05
    centres = np.stack([vectors[a:b].mean(axis=0) for a, b in pairwise(offsets)])
    return Cells(vectors, offsets, means - means.mean(axis=0), centres, top)


def rotate_literally(cells: Cells, scores: Doubles, rotations: int) -> Doubles:
    """Follow the paper word by word: a d x d rotation, the nearest group of each word, each set of words, its mean."""
    rng = np.random.default_rng(1)
    reached = np.zeros(scores.shape)
    for _ in range(rotations):
        directions = _haar_directions(cells, rng)
        products = cells.words @ directions
        nearest = products.argmax(axis=1)
        for j, (start, end) in enumerate(pairwise(cells.offsets)):
            for i in range(GROUPS):
                members = start + np.flatnonzero(nearest[start:end] == i)
                if len(members) >= TOP:
                    chosen = members[np.argpartition(products[members, i], -TOP)[-TOP:]]
                    mean = cells.words[chosen].mean(axis=0)
                    reached[j, i] += (mean - cells.centres[j]) @ directions[:, i] >= scores[j, i]
    return np.asarray((reached + 1) / (rotations + 1))


def rotate_vectorised(cells: Cells, scores: Doubles, rotations: int) -> Doubles:
    """Do the same with all sets of a category chosen at once, and scored without knowing which words they are."""
    rng = np.random.default_rng(1)
    reached = np.zeros(scores.shape)
    for _ in range(rotations):
        directions = _haar_directions(cells, rng)
        products = cells.words @ directions
        products[products.argmax(axis=1)[:, None] != np.arange(GROUPS)] = -np.inf
        for j, (start, end) in enumerate(pairwise(cells.offsets)):
            largest = np.partition(products[start:end], -TOP, axis=0)[-TOP:]
            reached[j] += largest.mean(axis=0) - cells.centres[j] @ directions >= scores[j]
    return np.asarray((reached + 1) / (rotations + 1))


def _haar_directions(cells: Cells, rng: np.random.Generator) -> Floats:
    orthogonal, triangular = np.linalg.qr(rng.normal(size=(cells.words.shape[1],) * 2))
    rotation = orthogonal * np.sign(np.diag(triangular))
    return np.asarray((cells.directions @ rotation).astype(np.float32).T)


def cpu_seconds(work: Callable[[], object]) -> float:
    before = time.process_time()
    work()
    return time.process_time() - before


def rotate_ours(cells: Cells, scores: Doubles, rotations: int) -> Doubles:
    with ThreadPoolExecutor(1) as pool:
        return rotation_p_values(cells, scores, rotations, seed=np.random.SeedSequence(2), executor=pool)


def take_turns() -> dict[str, float]:
    """Return CPU seconds of ours and of the literal algorithm, for all rotations, and operations a second of BLAS."""
    cells = random_cells(WORDS)
    scores, _ = observed_scores(cells)
    square = np.random.default_rng(0).random((_SIDE, _SIDE), dtype=np.float32)
    rotate_ours(cells, scores, 1)  # compiles the kernel
    square @ square
    seconds = np.array(
        [
            (
                cpu_seconds(lambda: rotate_ours(cells, scores, _OURS)),
                cpu_seconds(lambda: [square @ square for _ in range(10)]) / 10,
                cpu_seconds(lambda: rotate_literally(cells, scores, _LITERAL)),
                cpu_seconds(lambda: rotate_vectorised(cells, scores, _LITERAL)),
            )
            for _ in range(ROUNDS)
        ]
    )
    ours, product, literal, vectorised = np.median(seconds, axis=0)
    return {
        "ours": ours * ROTATIONS / _OURS,
        "literal": literal * ROTATIONS / _LITERAL,
        "vectorised": vectorised * ROTATIONS / _LITERAL,
        "blas": 2 * _SIDE**3 / product,
    }


def measure(words: int, dimension: int, rotations: int) -> dict[str, float]:
    """Return CPU seconds and peak memory of this process."""
    cells = random_cells(words, dimension)
    scores, _ = observed_scores(cells)
    rotate_ours(cells, scores, 1)
    seconds = cpu_seconds(lambda: rotate_ours(cells, scores, rotations))
    return {"seconds": seconds, "gigabytes": resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1e6}


def in_own_process(*case: int) -> dict[str, float]:
    threads = dict.fromkeys(("OPENBLAS_NUM_THREADS", "MKL_NUM_THREADS", "OMP_NUM_THREADS"), "1")
    command = [sys.executable, __file__, "--case", *map(str, case)]
    ran = subprocess.run(command, check=True, stdout=subprocess.PIPE, text=True, env={**os.environ, **threads})
    row: dict[str, float] = json.loads(ran.stdout)
    return row


def verdict(value: float, *, at_least: float = 0.0, at_most: float = float("inf")) -> str:
    goal, words = (at_least, "at least") if at_least else (at_most, "at most")
    met = at_least <= value <= at_most
    return f"goal {words} {goal:g}: " + ("met" if met else f"missed, {value / goal:.2f} of it")


def main() -> None:
    parser = argparse.ArgumentParser()
    parser.add_argument("--case", nargs="*", type=int)
    case = parser.parse_args().case
    if case is not None:
        print(json.dumps(measure(*case) if case else take_turns()))
        return
    print(f"{WORDS:,} words, d={DIMENSION}, n={GROUPS}, m={CATEGORIES}, t={TOP}, {ROTATIONS:,} rotations")
    turns = in_own_process()
    rate = 2.0 * WORDS * DIMENSION * GROUPS * ROTATIONS / turns["ours"]
    sizes = {words: in_own_process(words, DIMENSION, rotations) for words, rotations in SIZES}
    gigabytes = sizes[WORDS]["gigabytes"]
    rows = (
        ("literal algorithm, CPU s", turns["literal"], ""),
        ("ours, CPU s", turns["ours"], ""),
        ("ratio", turns["literal"] / turns["ours"], verdict(turns["literal"] / turns["ours"], at_least=12)),
        ("ratio to it with selection vectorised", turns["vectorised"] / turns["ours"], ""),
        ("sgemm, one thread, GFLOP/s", turns["blas"] / 1e9, ""),
        ("share of it that ours reaches", rate / turns["blas"], verdict(rate / turns["blas"], at_least=0.5)),
        ("peak memory, GB", gigabytes, verdict(gigabytes, at_most=1.0)),
    )
    for label, value, judged in rows:
        print(f"{label:44}{value:10.2f}  {judged}".rstrip())
    print(
        f"\n{'words':>10}{'GB':>8}{'measured':>10}" + "".join(f"{f'R={count:,}':>14}" for count in COUNTS) + "  CPU s"
    )
    for words, rotations in SIZES:
        row = sizes[words]
        costs = "".join(f"{row['seconds'] * count / rotations:14,.1f}" for count in COUNTS)
        print(f"{words:10,}{row['gigabytes']:8.2f}{rotations:10,}{costs}")
    words, dimension = _SMALL
    print(f"\nmeasured at {words:,} words, d={dimension}")
    print(f"{'rotations':>10}{'GB':>8}{'CPU s':>10}{'ms each':>10}")
    for count in COUNTS:
        row = in_own_process(words, dimension, count)
        print(f"{count:10,}{row['gigabytes']:8.2f}{row['seconds']:10.1f}{row['seconds'] / count * 1e3:10.3f}")


if __name__ == "__main__":
    main()
