"""The lines of a benchmark: what was measured, what was wanted, and whether that was met.

    python benchmarks/goals.py [NAME ...]    # start-up, audits, boards, encoders: each goal met, or by how much missed

Runs the benchmarks that have goals, one after the other, and prints their goals in one table. Takes some 15 minutes on
two quiet cores; with names of benchmarks, such as startup, only these.
"""

import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

WIDTH = 62  # of what a line is about
# What is run for the goals about each.
BENCHMARKS = {
    "startup": ["startup.py", "--audits"],
    "audits": ["audit.py"],
    "boards": ["scale.py", "subjects", "--count", "200"],
    "encoders": ["encoding.py"],
}


def head() -> None:
    print(f"{'':{WIDTH}}{'measured':>12}{'goal':>12}   verdict")


def row(what: str, measured: str, wanted: str = "", verdict: str = "") -> None:
    print(f"{what:{WIDTH}}{measured:>12}{wanted:>12}   {verdict}".rstrip(), flush=True)


def goal(what: str, value: float, limit: float, show: Callable[[float], str]) -> None:
    verdict = "met" if value <= limit else f"MISSED by {value / limit - 1:.0%}"
    row(what, show(value), f"<= {show(limit)}", verdict)


def main() -> None:
    names = sys.argv[1:] or list(BENCHMARKS)
    if unknown := set(names) - set(BENCHMARKS):
        raise SystemExit(f"expected {', '.join(BENCHMARKS)}, got {', '.join(sorted(unknown))}")
    head()
    missed = False
    for name in names:
        script, *options = BENCHMARKS[name]
        command = [sys.executable, str(Path(__file__).with_name(script)), *options]
        with subprocess.Popen(command, stdout=subprocess.PIPE, text=True, encoding="utf-8") as process:
            assert process.stdout is not None
            context = ""
            for line in process.stdout:
                if " <= " in line:
                    # An indented line is about the one before it.
                    print(f"{context}{line}" if line.startswith(" ") else line, end="", flush=True)
                    missed |= "MISSED" in line
                context = line if line.strip() and not line.startswith(" ") and " <= " not in line else ""
        if process.returncode:
            raise SystemExit(f"{script} failed (exit {process.returncode})")
    raise SystemExit(1 if missed else 0)


if __name__ == "__main__":
    main()
