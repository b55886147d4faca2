"""What it costs to start, beside the goals: imports and small commands, and audits with `--audits`.

Each command runs in a process of its own, on modules that are compiled to bytecode already. CPU seconds are those of
all its threads and children, the best of several runs.
"""

import os
import resource
import subprocess
import sys
import tempfile
import time
from pathlib import Path

from goals import goal, head, row

_ROUNDS = 9
IMPRINT = str(Path(sys.executable).with_name("imprint"))
SMALL = [IMPRINT, "weat", "default", "--test", "caliskan-6"]
# Seconds of CPU time and gigabytes.
AUDITS = {"audit default --quick": (["--quick"], 12.0), "audit default": ([], 75.0)}
MEMORY = 1.0


def measure(command: list[str], rounds: int = _ROUNDS) -> tuple[float, float]:
    """Return the least wall and the least CPU seconds; the first run, which fills caches, does not count."""
    with tempfile.TemporaryDirectory() as folder:
        taken = [_run(command, folder) for _ in range(rounds + 1)][1:]
    return min(wall for wall, _ in taken), min(cpu for _, cpu in taken)


def _run(command: list[str], folder: str) -> tuple[float, float]:
    environment = {key: value for key, value in os.environ.items() if key != "PYTHONDONTWRITEBYTECODE"}
    environment.setdefault("PYTHONPYCACHEPREFIX", str(Path(tempfile.gettempdir()) / "imprint-startup"))
    before, start = resource.getrusage(resource.RUSAGE_CHILDREN), time.perf_counter()
    subprocess.run(command, check=True, capture_output=True, cwd=folder, env=environment)
    wall, after = time.perf_counter() - start, resource.getrusage(resource.RUSAGE_CHILDREN)
    return wall, after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime


def main() -> None:
    head()
    _, numpy = measure([sys.executable, "-c", "import numpy"])
    row("import numpy, CPU", f"{numpy:.3f} s")
    for label, command in {
        "import imprint": [sys.executable, "-c", "import imprint"],
        "imprint --help": [IMPRINT, "--help"],
    }.items():
        _, cpu = measure(command)
        goal(f"{label}, CPU", cpu, 0.15, lambda seconds: f"{seconds:.3f} s")
        row("  as a multiple of import numpy", f"{cpu / numpy:.2f} x")
    _, small = measure(SMALL)
    row(f"imprint {' '.join(SMALL[1:])}, CPU", f"{small:.3f} s")
    goal("  as a multiple of import numpy", small / numpy, 5.0, lambda ratio: f"{ratio:.1f} x")
    if "--audits" in sys.argv:
        for label, (options, seconds) in AUDITS.items():
            _, cpu = measure([IMPRINT, "audit", "default", *options], rounds=1)
            goal(f"imprint {label}, CPU", cpu, seconds, lambda seconds: f"{seconds:.1f} s")
            largest = resource.getrusage(resource.RUSAGE_CHILDREN).ru_maxrss * 1024 / 1e9
            goal("  peak memory of one process", largest, MEMORY, lambda peak: f"{peak:.2f} GB")


if __name__ == "__main__":
    main()
