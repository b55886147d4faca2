"""The whole audits of the bundled embedding and encoder: seconds, memory, and where the time goes.

The command runs in a fresh process, as a person runs it. Wall seconds mean something on two quiet cores only; CPU
seconds, of all threads together, are less disturbed by what else runs, though not free of it.
"""

import os
import resource
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

from goals import WIDTH, goal, head, row

from imprint.jobs.job import Job, Plan
from imprint.kinds import all_kinds
from imprint.kinds.findings import read_findings
from imprint.reports.page import render_page
from imprint.rows import Row
from imprint.subjects.opening import load

IMPRINT = Path(sys.executable).with_name("imprint")
GOALS = {"audit default": ((), 90.0), "audit default --quick": (("--quick",), 15.0)}
ENCODER_GOALS = {
    "audit default-encoder --quick": (("--quick",), 40.0),
    "audit default-encoder": ((), 150.0),
}  # CPU seconds, nothing cached
MEMORY_GOAL = 1.5  # gigabytes


@dataclass(frozen=True)
class Run:
    """What one process took: seconds, and the most memory of it or of any process before it."""

    wall: float
    cpu: float
    peak: float
    findings: list[Row]


def main() -> None:
    print(f"imprint audit, {os.cpu_count()} cores, load {os.getloadavg()[0]:.1f} before it starts\n")
    head()
    # The quick run comes first: the peak is that of the largest child so far.
    for name, (options, seconds) in reversed(GOALS.items()):
        run = audit("default", *options)
        goal(f"{name}: wall", run.wall, seconds, seconds_of)
        row(f"{name}: CPU, all threads", f"{run.cpu:.1f} s")
        goal(f"{name}: peak memory", run.peak, MEMORY_GOAL, gigabytes)
    for name, (options, seconds) in ENCODER_GOALS.items():
        encoded = audit("default-encoder", "--no-cache", *options)
        goal(f"{name}: CPU, all threads", encoded.cpu, seconds, seconds_of)
        goal(f"{name}: peak memory", encoded.peak, MEMORY_GOAL, gigabytes)
    print("\nWhere the time goes: parts one by one in this process, seconds\n")
    print(f"{'':{WIDTH}}{'wall':>12}{'CPU':>12}")
    for name, (options, _) in GOALS.items():
        print(name)
        by_part(quick="--quick" in options)
    timed("drawing the page", lambda: render_page(run.findings))


def seconds_of(value: float) -> str:
    return f"{value:.1f} s"


def gigabytes(value: float) -> str:
    return f"{value:.1f} GB"


def audit(*arguments: str) -> Run:
    with tempfile.TemporaryDirectory() as folder:
        before = resource.getrusage(resource.RUSAGE_CHILDREN)
        start = time.perf_counter()
        subprocess.run([str(IMPRINT), "audit", *arguments], cwd=folder, check=True, capture_output=True)
        wall = time.perf_counter() - start
        after = resource.getrusage(resource.RUSAGE_CHILDREN)
        findings = read_findings(Path(folder) / "findings.jsonl")
    cpu = after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime
    return Run(wall, cpu, after.ru_maxrss * 1024 / 1e9, findings)


def by_part(*, quick: bool) -> None:
    embedding = load("default")
    job = Job(embedding, Plan(quick=quick))
    timed("  hash, index and lengths of the embedding", lambda: (embedding.sha256, embedding.index, embedding.norms))
    for kind in all_kinds():
        if kind.run is not None and job.asked(kind.part):
            timed(f"  {kind.part.name}", lambda run=kind.run: list(run(job, lambda done, total: None)))  # type: ignore[misc]


def timed(what: str, work: Callable[[], object]) -> None:
    wall, cpu = time.perf_counter(), time.process_time()
    work()
    row(what, f"{time.perf_counter() - wall:.2f}", f"{time.process_time() - cpu:.2f}")


if __name__ == "__main__":
    main()
