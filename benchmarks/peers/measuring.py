"""One job in one process: what it gives, its CPU seconds and its memory. Standard library alone: all can run it."""

import contextlib
import json
import resource
import sys
import time
from collections.abc import Callable
from typing import Any

Given = dict[str, Any]
# A job prepares, and returns the work to be measured and how to tell its result; neither end of it is timed.
Job = Callable[[Given], tuple[Callable[[], Any], Callable[[Any], Any]]]


def run(jobs: dict[str, Job]) -> None:
    """Do the job named by the first argument with the JSON of standard input; print one line of JSON."""
    given = json.load(sys.stdin)
    with contextlib.redirect_stdout(sys.stderr):  # tools that talk
        work, tell = jobs[sys.argv[1]](given)
        held = _peak()
        before = time.process_time()
        result = work()
        seconds = time.process_time() - before
        peak = _peak()
        value = tell(result)
    print(json.dumps({"value": value, "cpu": seconds, "peak": peak, "added": peak - held}))


def _peak() -> int:
    return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss * 1024
