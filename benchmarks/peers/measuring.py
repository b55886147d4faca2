"""One job in one process: what it gives, its CPU seconds and its memory. Standard library alone: all can run it."""

import contextlib
import hashlib
import json
import resource
import sys
import time
from collections.abc import Callable, Iterable
from typing import Any

SHORT = 2  # CPU seconds; what takes less is done again
Given = dict[str, Any]
# A job prepares, and returns the work to be measured and how to tell its result; neither end of it is timed.
Steps = tuple[Callable[[], Any], Callable[[Any], Any]]
Job = Callable[[Given], Steps]


def run(jobs: dict[str, Job]) -> None:
    """Do the job named by the first argument with the JSON of standard input; print one line of JSON.

    Short work is called a second time, since what a process does only once can outweigh it.
    """
    given = json.load(sys.stdin)
    with contextlib.redirect_stdout(sys.stderr):  # tools that talk
        work, tell = jobs[sys.argv[1]](given)
        held = peak()
        result, seconds = _clock(work)
        highest, compiled = peak(), _compiled()
        value = tell(result)
        again = _clock(work)[1] if seconds < SHORT else None
    numbers = {"cpu": seconds, "again": again, "peak": highest, "added": highest - held}
    print(json.dumps({"value": value, "compiled": compiled, **numbers}))


def peak() -> int:
    """Return the most memory this process has held, in bytes."""
    return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss * 1024


def digest(words: Iterable[str], vectors: bytes) -> str:
    """Hash words in their order, and the bytes of their vectors."""
    return hashlib.sha256("\n".join(words).encode() + b"\0" + vectors).hexdigest()


def _clock(work: Callable[[], Any]) -> tuple[Any, float]:
    before = time.process_time()
    return work(), time.process_time() - before


def _compiled() -> bool:
    """Say whether numba compiled a kernel of imprint's in this process instead of reading it from disk."""
    ours = [module for name, module in sys.modules.items() if name.startswith("imprint")]
    kept = (getattr(value, "stats", None) for module in ours for value in vars(module).values())
    return any(sum(getattr(stats, "cache_misses", {}).values()) for stats in kept)
