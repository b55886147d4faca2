"""Rows of measurements, and the page of tables they make."""

import os
import platform
import sys
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from peers.environment import REPEATS
from peers.measuring import SHORT
from peers.rules import ERRORS

HEAD = "| work | tool | gives | right? | CPU s | second call | peak MB | CPU / imprint's |\n"
HEAD += "|---|---|---|---|--:|--:|--:|--:|"
MB = 1e6


@dataclass(frozen=True)
class Row:
    """One piece of work by one tool; `ratio` is its CPU time over imprint's for the same work."""

    work: str
    tool: str
    gives: str
    right: str
    cpu: float | None = None
    again: float | None = None
    peak: float | None = None
    ratio: float | None = None

    def line(self) -> str:
        """Return the row of the Markdown table."""
        cells = (
            self.work,
            self.tool,
            self.gives,
            self.right,
            "-" if self.cpu is None else two_digits(self.cpu),
            "-" if self.again is None else two_digits(self.again),
            "-" if self.peak is None else f"{self.peak / MB:.0f}",
            "-" if self.ratio is None else two_digits(self.ratio),
        )
        return "| " + " | ".join(cell.replace("|", "\\|") for cell in cells) + " |"


@dataclass(frozen=True)
class Section:
    """A table with its title, what the work is, and notes below it."""

    title: str
    about: str
    rows: Sequence[Row]
    notes: Sequence[str] = ()

    def text(self) -> str:
        """Return the section in Markdown."""
        parts = [f"## {self.title}", self.about, "\n".join([HEAD, *(row.line() for row in self.rows)])]
        if self.notes:
            parts.append("\n".join(f"- {note}" for note in self.notes))
        return "\n\n".join(parts)


def measured(work: str, tool: str, ran: dict[str, Any], gives: str, right: str, ours: dict[str, Any] | None) -> Row:
    """Make the row of a job that ran, beside imprint's run of the same work, where there is one."""
    ratio = ran["cpu"] / ours["cpu"] if ours else None
    return Row(work, tool, gives, right, ran["cpu"], ran["again"], ran["peak"], ratio)


def yes(fine: bool) -> str:
    """Return the word for a verdict."""
    return "yes" if fine else "**no**"


def two_digits(value: float) -> str:
    """Round to two significant digits, written out."""
    return f"{float(f'{value:.2g}'):,.6g}"


def short(p: float) -> str:
    """Write a p-value."""
    return f"{p:.3g}"


def draw(sections: Sequence[Section], *, date: str, versions: str, load: str, beside: str) -> str:
    """Return the whole page; `beside` names the job that ran beside the others."""
    cores = os.cpu_count()
    opening = f"""# imprint beside other tools

<!-- Written by `make compare`. Do not edit: run it again. -->

Run on {date} UTC. Machine: {platform.machine()}, {cores} cores, Python {platform.python_version()} on {sys.platform}.
Load average over one minute: {load}. Versions: {versions}.

Every job ran in a process of its own with one BLAS thread. CPU seconds are those of the work alone, without the
imports before it and, where loading is not the work, without loading. Peak memory is that of the whole process,
imports included. Work of less than {SHORT} CPU seconds was run in {REPEATS} processes, and medians are shown. One long
job ran beside the others on another core: {beside}.

imprint's kernels are compiled at their first use on a machine; a run that compiled one was thrown away and done again.
Reading them from disk, and modules that imprint imports only when they are needed, are in its CPU time, since every
process pays them once. "Second call" is the CPU time of the same short work when the same process does it again;
ratios are of first calls. A "-" means that the tool does not do the work, that nothing was timed, or that two times
are not of the same work.

"Right" is judged in the same run against code of its own, none of it imprint's: partitions listed or counted,
formulas evaluated in double precision. A p-value from n draws is right when it lies within {ERRORS} standard errors of
the true one, that is {ERRORS} √(p(1−p)/n), and 1/n more. The true one is the share of partitions at least as extreme.
Where a tool follows the paper's printed formula, it is the share of more extreme ones. Word lists, vectors and the
groups of the last table come from imprint. The table on loading checks that its words and vectors are those of the
file. The project's own tests refuse a page on which a value of imprint's is judged wrong: such a page would not be
committed."""
    return "\n\n".join([opening, *(section.text() for section in sections)]) + "\n"
