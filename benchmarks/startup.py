"""What it costs to start: the import and the help, in seconds of wall time, best of several."""

import subprocess
import sys
import time
from pathlib import Path

GOAL = 0.3
_ROUNDS = 10
IMPRINT = str(Path(sys.executable).with_name("imprint"))
COMMANDS = {
    "python -c 'pass'": [sys.executable, "-c", "pass"],
    "import numpy": [sys.executable, "-c", "import numpy"],
    "import imprint": [sys.executable, "-c", "import imprint"],
    "imprint --help": [IMPRINT, "--help"],
    "imprint stimuli": [IMPRINT, "stimuli"],
}


def seconds(command: list[str]) -> float:
    before = time.perf_counter()
    subprocess.run(command, check=True, stdout=subprocess.DEVNULL)
    return time.perf_counter() - before


def main() -> None:
    print(f"{'':20}{'seconds':>8}{'of Python alone':>17}  goal {GOAL} s")
    bare = min(seconds(COMMANDS["python -c 'pass'"]) for _ in range(_ROUNDS))
    for label, command in COMMANDS.items():
        took = min(seconds(command) for _ in range(_ROUNDS))
        verdict = "met" if took < GOAL else f"missed by {took - GOAL:.3f} s"
        print(f"{label:20}{took:8.3f}{took / bare:16.1f}x  {verdict}")


if __name__ == "__main__":
    main()
