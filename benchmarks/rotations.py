"""The rotational null on the CPU: against the paper's literal algorithm, against the machine, and as it grows.

Every row is CPU time of one process with one BLAS thread; the ratios of the first table are taken in one run. The
literal algorithm draws a Haar-random d x d matrix for every rotation (QR of a Gaussian, signs fixed), turns the names,
scores all words and selects: it runs a few rotations and is scaled. It is timed as numpy would run it, in double
precision, and once more with its large product in single precision, which is ours to exploit as well.
"""

import argparse
import json
import resource
import subprocess
import sys
import time
from concurrent.futures import ThreadPoolExecutor
from itertools import pairwise
from typing import Any

import numpy as np
from threadpoolctl import threadpool_limits

from imprint.significance.rotations import CHUNK, Cells, null_scores

DIMENSION, GROUPS, CATEGORIES, TOP = 300, 12, 64, 3
WORDS, ROTATIONS = 30_000, 10_000
LITERAL_ROTATIONS = 20
GOALS = {"ratio": 12.0, "sgemm": 0.5, "gigabytes": 1.0}


def random_cells(words: int) -> Cells:
    rng = np.random.default_rng(0)
    vectors = rng.standard_normal((words, DIMENSION), dtype=np.float32)
    vectors /= np.linalg.norm(vectors, axis=1, keepdims=True)
    offsets = np.linspace(0, words, CATEGORIES + 1).astype(np.int64)
    means = rng.normal(size=(GROUPS, DIMENSION)) * 0.05
    centres = np.stack([vectors[start:end].mean(axis=0) for start, end in pairwise(offsets)])
    return Cells(vectors, offsets, means - means.mean(axis=0), centres, TOP)


def literal_seconds(cells: Cells, precision: type[np.floating[Any]]) -> float:
    """CPU seconds a rotation of the paper's algorithm, its products in the given precision."""
    rng = np.random.default_rng(1)
    words, centres = cells.words.astype(precision), cells.centres.astype(precision)
    before = time.process_time()
    for _ in range(LITERAL_ROTATIONS):
        q, r = np.linalg.qr(rng.standard_normal((DIMENSION, DIMENSION)))
        turned = (cells.directions @ (q * np.sign(np.diag(r)))).astype(precision)
        products = words @ turned.T
        own = products.argmax(axis=1)
        for j, (start, end) in enumerate(pairwise(cells.offsets)):
            centre = turned @ centres[j]
            for i in range(GROUPS):
                members = products[start:end, i][own[start:end] == i]
                if len(members) >= TOP:
                    np.sort(np.partition(members, -TOP)[-TOP:]).mean() - centre[i]
    return (time.process_time() - before) / LITERAL_ROTATIONS


def our_seconds(cells: Cells, rotations: int) -> float:
    """CPU seconds a rotation of ours, with one worker, compiled before."""
    with ThreadPoolExecutor(1) as executor:
        list(null_scores(cells, 8, seed=np.random.SeedSequence(0), executor=executor))
        before = time.process_time()
        for _ in null_scores(cells, rotations, seed=np.random.SeedSequence(1), executor=executor):
            pass
        return (time.process_time() - before) / rotations


def sgemm_rate() -> float:
    """Single-thread FLOP/s of a large single-precision product, the best of several."""
    rng = np.random.default_rng(2)
    left, right = (rng.standard_normal((2_000, 2_000), dtype=np.float32) for _ in range(2))
    rates = []
    for _ in range(5):
        before = time.process_time()
        left @ right
        rates.append(2 * 2_000**3 / (time.process_time() - before))
    return max(rates)


def measure(words: int, rotations: int, *, compare: bool) -> dict[str, float]:
    cells = random_cells(words)
    with threadpool_limits(1):
        row = {"ours": our_seconds(cells, rotations)}
        row["gigabytes"] = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1e6
        if compare:
            row["literal"] = literal_seconds(cells, np.float64)
            row["literal_single"] = literal_seconds(cells, np.float32)
            row["rate"] = sgemm_rate()
    return row


def in_a_process(words: int, rotations: int, *, compare: bool) -> dict[str, float]:
    command = [sys.executable, __file__, "--case", str(words), str(rotations), *(["--compare"] if compare else [])]
    output = subprocess.run(command, check=True, capture_output=True, text=True).stdout
    result: dict[str, float] = json.loads(output)
    return result


def verdict(value: float, goal: float, *, least: bool) -> str:
    met = value >= goal if least else value <= goal
    return "met" if met else f"missed: {value / goal:.2f} of it"


def main() -> None:
    parser = argparse.ArgumentParser()
    parser.add_argument("--case", nargs=2, type=int)
    parser.add_argument("--compare", action="store_true")
    arguments = parser.parse_args()
    if arguments.case:
        print(json.dumps(measure(*arguments.case, compare=arguments.compare)))
        return
    row = in_a_process(WORDS, 4 * CHUNK, compare=True)
    flops = 2.0 * WORDS * DIMENSION * GROUPS
    share = flops / row["ours"] / row["rate"]
    print(f"M={WORDS:,} d={DIMENSION} n={GROUPS} m={CATEGORIES} t={TOP}, CPU seconds for {ROTATIONS:,} rotations")
    print(f"  ours              {row['ours'] * ROTATIONS:10.1f}")
    for name, key in (("literal algorithm", "literal"), ("  single precision", "literal_single")):
        ratio, goal = row[key] / row["ours"], GOALS["ratio"]
        against = f"{ratio:.1f}x, goal {goal:g}: {verdict(ratio, goal, least=True)}"
        print(f"  {name:18}{row[key] * ROTATIONS:10.1f}   {against}")
    print(f"  of sgemm's rate   {share:10.2f}   goal {GOALS['sgemm']:g}: {verdict(share, GOALS['sgemm'], least=True)}")
    size, goal = row["gigabytes"], GOALS["gigabytes"]
    print(f"  gigabytes         {size:10.2f}   goal {goal:g}: {verdict(size, goal, least=False)}")
    counts = (1_000, 10_000, 100_000)
    print("\nCPU seconds as words and rotations grow")
    print(f"{'M':>10}{'GB':>8}" + "".join(f"{f'R={count:,}':>14}" for count in counts))
    for words in (10_000, 30_000, 100_000, 300_000):
        row = in_a_process(words, 2 * CHUNK, compare=False)
        cells = "".join(f"{row['ours'] * count:14.1f}" for count in counts)
        print(f"{words:10,}{row['gigabytes']:8.2f}{cells}")


if __name__ == "__main__":
    main()
