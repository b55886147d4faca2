"""Progress of an audit: one measure of many parts, each by its usual share of the time, and shares of one part."""

import threading
from collections.abc import Mapping, Sequence
from concurrent.futures import CancelledError

from imprint.types import Progress, Report

UNITS = 1_000  # of progress per second that a part usually takes
STARTING = "Starting"

_FINE = 1_000  # steps of a part's progress


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


def stretch(progress: Progress, low: float, high: float) -> Progress:
    """Let some work of a part go from one share of it to another."""
    return lambda done, total: progress(round(_FINE * (low + (high - low) * done / max(total, 1))), _FINE)


def by_label(progress: Progress, shares: Sequence[float]) -> Report:
    """Let each phase of work, known by its label, take its share; what comes after the last share is not reported."""
    labels: list[str] = []

    def report(label: str, done: int, total: int) -> None:
        if label not in labels:
            labels.append(label)
        number = labels.index(label)
        if number < len(shares):
            stretch(progress, sum(shares[:number]), sum(shares[: number + 1]))(done, total)

    return report
