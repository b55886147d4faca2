"""Rows of measurements, and the page of tables they make."""

import os
import platform
import sys
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

HEAD = "| work | tool | gives | right? | CPU s | peak MB | CPU / imprint's |\n|---|---|---|---|--:|--:|--:|"
MB = 1e6


@dataclass(frozen=True)
class Row:
    """One piece of work by one tool; `ratio` is its CPU time over imprint's for the same work."""

    work: str
    tool: str
    gives: str
    right: str
    cpu: float | None = None
    peak: float | None = None
    ratio: float | None = None

    def line(self) -> str:
        """Return the row of the Markdown table."""
        cells = (
            self.work,
            self.tool,
            self.gives,
            self.right,
            "-" if self.cpu is None else f"{self.cpu:.3g}",
            "-" if self.peak is None else f"{self.peak / MB:.0f}",
            "-" if self.ratio is None else f"{self.ratio:.3g}",
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


def measured(work: str, tool: str, ran: dict[str, Any], gives: str, right: str, ours: dict[str, Any]) -> Row:
    """Make the row of a job that ran, beside imprint's run of the same work."""
    return Row(work, tool, gives, right, ran["cpu"], ran["peak"], ran["cpu"] / ours["cpu"])


def yes(fine: bool) -> str:
    """Return the word for a verdict."""
    return "yes" if fine else "**no**"


def draw(sections: Sequence[Section], *, date: str, versions: str, load: str) -> str:
    """Return the whole page."""
    cores = os.cpu_count()
    opening = f"""# imprint beside other tools

<!-- Written by `make compare`. Do not edit: run it again. -->

Run on {date} UTC. Machine: {platform.machine()}, {cores} cores, Python {platform.python_version()} on {sys.platform}.
Load average over one minute: {load}. Versions: {versions}.

Every job ran in a process of its own with one BLAS thread. CPU seconds are those of the work alone, without imports
and, where loading is not the work, without loading. Peak memory is that of the whole process, imports included.
imprint's kernels were compiled before. A "-" means that the tool does not do the work, or that nothing was timed.

"Right" is judged in the same run against code of its own, none of it imprint's: partitions listed or counted,
formulas evaluated in double precision. A p-value from n draws is right when it lies within four standard errors of the
true one, that is 4 √(p(1−p)/n), and 1/n more; the true one is the share of partitions at least as extreme or, where a
tool follows the paper's printed formula, more extreme. Word lists, vectors and the groups of the last table come from
imprint; that its vectors are those of the file is what the table on loading checks."""
    return "\n\n".join([opening, *(section.text() for section in sections)]) + "\n"
