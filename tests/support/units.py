"""Units of work to be run by tests; as a script, run so many in two processes, until it is killed."""

import os
import signal
import sys
import time
from pathlib import Path

import numpy as np

from imprint.errors import VocabularyError
from imprint.work import WorkUnit, run_units, unit_key
from imprint.workers import processes


def doubled(number, log=None):
    if log is not None:
        with Path(log).open("a") as file:
            file.write(f"{number}\n")
    return str(2 * number).encode()


def refused(number):
    raise VocabularyError("knows none of the words", words=["rose"], where=str(number))


def disconnected(kind):
    raise kind("the task's own")


def broken(number):
    return str(1 // number).encode()


def fatal(path, deaths):
    """Kill the own process so many times, then answer."""
    with Path(path).open("a") as file:
        file.write("x")
    if len(Path(path).read_text()) <= deaths:
        os.kill(os.getpid(), signal.SIGKILL)
    return b"alive"


def unit(run, *arguments):
    return WorkUnit(unit_key(run.__name__, *arguments), run, arguments, f"{run.__name__} {arguments[0]}")


def pages_taken(rounds):
    """Use and free arrays of 4 MB; return how many pages that took from the system."""
    import resource

    before = resource.getrusage(resource.RUSAGE_SELF).ru_minflt
    for _ in range(rounds):
        np.ones(500_000)
    return b"%d" % (resource.getrusage(resource.RUSAGE_SELF).ru_minflt - before)


def pages_taken_by_task(shared, rounds):
    return pages_taken(rounds)


def slowly(number):
    time.sleep(0.05)
    return bytes([number]) * 10_000


if __name__ == "__main__":
    with processes(2) as pool:
        run_units([unit(slowly, number) for number in range(int(sys.argv[2]))], executor=pool, folder=sys.argv[1])
