"""The lines of a benchmark: what was measured, what was wanted, and whether that was met."""

from collections.abc import Callable

WIDTH = 62  # of what a line is about


def head() -> None:
    print(f"{'':{WIDTH}}{'measured':>12}{'goal':>12}   verdict")


def row(what: str, measured: str, wanted: str = "", verdict: str = "") -> None:
    print(f"{what:{WIDTH}}{measured:>12}{wanted:>12}   {verdict}".rstrip(), flush=True)


def goal(what: str, value: float, limit: float, show: Callable[[float], str]) -> None:
    verdict = "met" if value <= limit else f"MISSED by {value / limit - 1:.0%}"
    row(what, show(value), f"<= {show(limit)}", verdict)
