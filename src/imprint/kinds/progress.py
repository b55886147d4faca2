"""Progress of work that has several steps, as progress of the whole."""

from collections.abc import Sequence

from imprint.types import Progress, Report

_FINE = 1_000  # steps of the whole


def stretch(progress: Progress, low: float, high: float) -> Progress:
    """Let some of the work go from one share of the whole to another."""
    return lambda done, total: progress(round(_FINE * (low + (high - low) * done / max(total, 1))), _FINE)


def by_label(progress: Progress, shares: Sequence[float]) -> Report:
    """Let each step, known by its label, take its share of the whole; steps after the last share are not reported."""
    labels: list[str] = []

    def report(label: str, done: int, total: int) -> None:
        if label not in labels:
            labels.append(label)
        place = labels.index(label)
        if place < len(shares):
            stretch(progress, sum(shares[:place]), sum(shares[: place + 1]))(done, total)

    return report
