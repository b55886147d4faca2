"""One measure of progress for an audit of many parts, each by its usual share of the time."""

import threading
from collections.abc import Mapping
from concurrent.futures import CancelledError

from imprint.types import Progress, Report

UNITS = 1_000  # of progress per second that a part usually takes
STARTING = "Starting"


class Meter:
    """Tells `report` (what, done, total) of parts that may run side by side: never less, everything at the end.

    What is done is named by the part that began last of those still running. After `stop`, a part that reports
    again is ended.
    """

    def __init__(self, report: Report | None, seconds: Mapping[str, float]) -> None:
        self._report = report
        self._sizes = {name: round(value * UNITS) for name, value in seconds.items()}
        self._done = dict.fromkeys(seconds, 0)
        self._running: dict[str, str] = {}
        self._stopped = False
        self._lock = threading.Lock()
        if report is not None:
            report(STARTING, 0, sum(self._sizes.values()))

    def part(self, name: str, label: str) -> Progress:
        """Return a callback (done, total) of one part."""

        def progress(done: int, total: int) -> None:
            reached = self._sizes[name] * min(done, total) // max(total, 1)
            with self._lock:
                if self._stopped:
                    raise CancelledError
                self._done[name] = max(self._done[name], reached)
                self._running[name] = label
                if done >= total:
                    del self._running[name]
                if self._report is not None:
                    current = next(reversed(self._running.values()), label)
                    self._report(current, sum(self._done.values()), sum(self._sizes.values()))

        return progress

    def stop(self) -> None:
        """End what is still running at its next step."""
        with self._lock:
            self._stopped = True
