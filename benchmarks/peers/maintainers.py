"""What maintainers of other tools may want to look at: values that are not right, read off the page's tables."""

import re
from collections.abc import Iterator
from typing import NamedTuple

HEADING = "## For maintainers of other tools"
_OWN = ("imprint", "truth", "literal", "sampling")  # and what is only simulated here
_RIGHT = re.compile(r"(yes\b|-$|value yes|d yes( \(printed: yes\))?; p (yes|not judged)$)")
_ABOUT = (
    "Here a tool's value differs from the truth of the same run, table by table. The notes below each table say with "
    "which call. If you maintain the tool and the mistake is ours, please open an issue. These lines are written from "
    "the tables, and go when they agree."
)


class Judged(NamedTuple):
    """A row of a table, with the truth of the same work."""

    section: str
    work: str
    tool: str
    gives: str
    right: str
    truth: str


def with_maintainers(page: str) -> str:
    """Return the page with its section for maintainers, written anew from its tables."""
    tables = page.partition(f"\n{HEADING}")[0].rstrip()
    return "\n\n".join([tables, HEADING, _ABOUT, "\n".join(_lines(tables))]) + "\n"


def differing(page: str) -> list[Judged]:
    """Return the rows of other tools that are not judged right."""
    return [
        row
        for row in _rows(page)
        if row.tool not in _OWN and not row.tool.startswith("our ") and not _RIGHT.match(row.right)
    ]


def _lines(page: str) -> Iterator[str]:
    """Say each difference once, with the first work that shows it and how many do."""
    alike: dict[tuple[str, str, str], list[Judged]] = {}
    for row in differing(page):
        alike.setdefault((row.tool, row.section, row.right), []).append(row)
    for (tool, section, right), rows in alike.items():
        others = f" ({len(rows)} rows, this is the first)" if len(rows) > 1 else ""
        truth = f" Truth: {rows[0].truth}." if rows[0].truth else ""
        yield f"- **{tool}**, {section}, {rows[0].work}{others}: {right}. It gives {rows[0].gives}.{truth}"


def _rows(page: str) -> Iterator[Judged]:
    section = work = truth = ""
    for line in page.splitlines():
        if line.startswith("## "):
            section = line.removeprefix("## ")
        if line.startswith("| ") and not line.startswith("| work "):
            named, tool, gives, right, *_ = (cell.strip() for cell in re.split(r"(?<!\\)\|", line)[1:])
            if named:
                work, truth = named, ""
            if tool == "truth":
                truth = gives
            yield Judged(section, work, tool, gives, right, truth)
