"""Many subjects on one process, two processes and a Dask cluster of two; and one very large embedding.

    python benchmarks/scale.py subjects --count 1000    # 1,000 of 20,000 x 100: throughput, growth, memory, a kill
    python benchmarks/scale.py large                    # one of 2,000,000 x 300: seconds and memory of its whole audit

Wall seconds mean something on two quiet cores only; the load before the start is printed.
"""

import argparse
import os
import resource
import signal
import subprocess
import sys
import tempfile
import time
from concurrent.futures import Executor
from dataclasses import dataclass
from pathlib import Path

import numpy as np
from distributed import Client, LocalCluster
from goals import goal, head

from imprint.association.battery import run_battery
from imprint.embeddings.convert import convert
from imprint.embeddings.embedding import BLOCK_ROWS, Embedding
from imprint.errors import ImprintError
from imprint.files import hash_file
from imprint.stimuli.catalog import catalogue, choose
from imprint.stimuli.definition import WeatTest
from imprint.subjects.opening import load
from imprint.work import WorkUnit, run_units, unit_key
from imprint.workers import processes

DASK_GOAL = 1.3  # of two processes


def write_subject(path: Path, words: int, dimension: int, seed: int) -> None:
    """Write words of the bundled embedding, turned and with noise of their own, then words that are made up."""
    bundled = load("default")
    rng = np.random.default_rng(seed)
    turn = np.linalg.qr(rng.standard_normal((max(dimension, bundled.dimension),) * 2))[0].astype(np.float32)
    turn = turn[: bundled.dimension, :dimension]
    names = [*bundled.words[:words], *(f"made{number}" for number in range(words - len(bundled)))]
    spread = float(np.asarray(bundled.vectors[:words]).std())
    with tempfile.NamedTemporaryFile(dir=path.parent) as file:
        rows = np.memmap(file, dtype=np.float32, mode="w+", shape=(words, dimension))
        for start in range(0, words, BLOCK_ROWS):
            block = rng.standard_normal((min(BLOCK_ROWS, words - start), dimension), dtype=np.float32) * spread
            known = np.asarray(bundled.vectors[start : min(start + BLOCK_ROWS, words)])
            block[: len(known)] *= 0.3
            block[: len(known)] += known @ turn
            rows[start : start + len(block)] = block
        convert(Embedding(path.stem, names, rows), path)


@dataclass(frozen=True)
class Run:
    """What became of the units, when each was done, and each worker's pid, bytes in use and CPU seconds before it."""

    found: list[bytes | ImprintError]
    ended: list[float]
    said: list[tuple[int, int, float]]

    @property
    def rate(self) -> float:
        """Subjects per second; the start of the workers is not counted, as it is the same however many follow."""
        return (len(self.found) - 1) / (self.ended[-1] - self.ended[0])

    @property
    def cpu(self) -> float:
        """CPU seconds per subject, of the workers that measured several."""
        workers = [
            [seconds for pid, _, seconds in self.said if pid == worker] for worker in {pid for pid, _, _ in self.said}
        ]
        return sum(own[-1] - own[0] for own in workers) / sum(len(own) - 1 for own in workers)


def measure(path: str, log: str) -> bytes:
    """Run three tests about gender on one subject: half a second of work, more or less."""
    with Path(log).open("a") as file:
        file.write(f"{os.getpid()} {_bytes_in_use()} {time.process_time()}\n")
    tests = [one for one in choose(catalogue(), ["caliskan-[678]"]) if isinstance(one, WeatTest)]
    battery = run_battery(load(path), tests)
    return "\n".join(row.to_json() for row in battery.findings()).encode()


def run(folder: Path, executor: Executor | None, *, kill: bool = False) -> Run:
    paths = sorted(folder.glob("*.safetensors"))
    with tempfile.NamedTemporaryFile("r") as log:
        units = []
        for path in paths:
            key = unit_key(hash_file(path), "weat")
            units.append(WorkUnit(key, measure, (str(path), log.name), path.stem))
        start, ended = time.perf_counter(), []

        def report(name: str, done: int, total: int) -> None:
            ended.append(time.perf_counter() - start)
            if kill and done == total // 2:
                os.kill(_said(log.name)[-1][0], signal.SIGKILL)

        found = run_units(units, executor=executor, report=report)
        return Run(found, ended, _said(log.name))


def subjects(count: int, words: int, dimension: int) -> None:
    print(f"{count:,} subjects of {words:,} x {dimension}, {os.cpu_count()} cores, load {os.getloadavg()[0]:.1f}\n")
    print(
        f"{'':34}{'subjects/s':>12}{'CPU s each':>12}{'s each, by quarters':>28}"
        f"{'MB per worker, first and last':>34}{'runs':>8}"
    )
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        for seed in range(count):
            write_subject(folder / f"{seed:04}.safetensors", words, dimension, seed)
        alone = show("one process", run(folder, None))
        with processes(2) as pool:
            local = show("two processes", run(folder, pool))
            killed = show("two processes, one killed", run(folder, pool, kill=True))
            same = local.found == killed.found == alone.found
        cluster = LocalCluster(n_workers=2, threads_per_worker=1, dashboard_address="127.0.0.1:0")  # type: ignore[no-untyped-call]
        with cluster, Client(cluster) as client:  # type: ignore[no-untyped-call]
            dask = show("Dask, two processes", run(folder, client.get_executor()))
            killed = show("Dask, one killed", run(folder, client.get_executor(), kill=True))
            same &= dask.found == killed.found == alone.found
    failed = sum(isinstance(one, ImprintError) for one in alone.found)
    print(f"\nthe same bytes in every run: {'yes' if same else 'NO'}; failed subjects: {failed}\n")
    head()
    goal("Dask: time per subject, of two processes", local.rate / dask.rate, DASK_GOAL, lambda ratio: f"{ratio:.2f} x")
    goal(
        "Dask: CPU time per subject, of two processes", dask.cpu / local.cpu, DASK_GOAL, lambda ratio: f"{ratio:.2f} x"
    )


def show(name: str, run: Run) -> Run:
    quarters = [part for part in np.array_split(np.diff([0.0, *run.ended]), 4) if len(part)]
    growth = " ".join(f"{part.mean():.2f}" for part in quarters)
    memory = []
    for worker in dict.fromkeys(pid for pid, _, _ in run.said):
        own = [used / 1e6 for pid, used, _ in run.said if pid == worker]
        memory.append(f"{own[min(1, len(own) - 1)]:.0f}-{own[-1]:.0f}")  # the first has not loaded anything yet
    print(
        f"{name:34}{run.rate:>12.2f}{run.cpu:>12.3f}{growth:>28}{' '.join(memory):>34}{len(run.said):>8}", flush=True
    )
    return run


def large(words: int, dimension: int) -> None:
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "large.safetensors"
        write_subject(path, words, dimension, 0)
        print(f"imprint audit of {words:,} x {dimension}, load {os.getloadavg()[0]:.1f} before it starts")
        before, start = resource.getrusage(resource.RUSAGE_CHILDREN), time.perf_counter()
        command = [sys.executable, "-c", "from imprint.cli import main; main()", "audit", str(path), "--workers", "2"]
        subprocess.run(command, cwd=folder, check=True)
        wall, after = time.perf_counter() - start, resource.getrusage(resource.RUSAGE_CHILDREN)
    cpu = after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime
    print(f"wall {wall:.0f} s, CPU {cpu:.0f} s, peak {after.ru_maxrss * 1024 / 1e9:.2f} GB (goals: 300 s, 6 GB)")


def _said(log: str) -> list[tuple[int, int, float]]:
    lines = map(str.split, Path(log).read_text().splitlines())
    return [(int(pid), int(used), float(seconds)) for pid, used, seconds in lines]


def _bytes_in_use() -> int:
    return int(Path("/proc/self/statm").read_text().split()[1]) * os.sysconf("SC_PAGE_SIZE")


def main() -> None:
    parser = argparse.ArgumentParser(description="Measure imprint on many subjects, or on a very large one.")
    parser.add_argument("what", choices=("subjects", "large"))
    parser.add_argument("--count", type=int, default=1_000)
    parser.add_argument("--words", type=int)
    parser.add_argument("--dimension", type=int)
    given = parser.parse_args()
    if given.what == "subjects":
        subjects(given.count, given.words or 20_000, given.dimension or 100)
    else:
        large(given.words or 2_000_000, given.dimension or 300)


if __name__ == "__main__":
    main()
