"""Talking to the person at the terminal: progress on stderr, tables and JSON on stdout."""

import contextlib
import math
import os
import re
import sys
import time
from collections.abc import Iterable, Iterator, Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING

import imprint
from imprint.errors import SettingError
from imprint.masking import one_line, printable

if TYPE_CHECKING:
    from rich.progress import Progress as Bar

    from imprint.types import Progress, Report
    from imprint.view import Block

_PATIENCE = 0.5  # seconds of work before a bar appears: quick things should not flicker
_EXACT, _MINUTES = 10, 100  # seconds left that are shown one by one, and from which minutes are shown
_MASKED = re.compile(r"\w\*{2,}")
_BAR = 20  # columns, so that the step's name fits beside it
_LOG_EVERY = 30.0  # seconds between two lines about long work where there is no terminal


def print_note(message: str) -> None:
    """Print a line about the run on stderr."""
    sys.stderr.write(f"{printable(message)}\n")
    sys.stderr.flush()


def print_answer(answer: str, end: str = "\n") -> None:
    """Print a line, or lines, of the answer on stdout."""
    sys.stdout.write(f"{printable(answer)}{end}")
    sys.stdout.flush()


def print_written(what: str, path: Path) -> None:
    """Print where something was written, in one line whatever the file's name."""
    print_answer(f"{what}: {one_line(str(path))}")


def note_missing_charts() -> None:
    """Say so where a page was written without its charts."""
    from imprint.render.vega import why_not_drawn

    if reason := why_not_drawn():
        print_note(f"warning: {reason} The page has their numbers.")


def print_findings(findings: "Iterable[imprint.Row]") -> None:
    """Print JSON lines."""
    for finding in findings:
        sys.stdout.write(f"{finding.to_json()}\n")


def show_findings(
    findings: "Sequence[imprint.Row]", *, json: bool, unmask: bool = False, more: bool = False, note: str = ""
) -> None:
    """Print rows as JSON lines, or as their kinds show them; warn in either case, and say what could not be run.

    `more` prints what a page keeps one click away; a `note` comes before the tables.
    """
    from imprint.kinds.sections import blocks
    from imprint.rows import SkippedRow
    from imprint.view import Prose, flat

    if json:
        print_findings(findings)
        for row in findings:
            if isinstance(row, SkippedRow):
                print_note(f"not run: {row.test}: {row.reason}")
        warnings = [block for block in flat(blocks(findings)) if isinstance(block, Prose) and block.tone == "warning"]
        show_blocks(warnings, unmask=True)
        return
    show_blocks(blocks(findings), unmask=unmask, more=more, note=note)


def write_report(page: Path | None, findings: "Sequence[imprint.Row]", *, json: bool) -> None:
    """Write the page that was asked for, if any, and say where it is."""
    if page is not None:
        imprint.report(findings, page)
        if not json:
            print_answer(f"report: {page}")


def show_blocks(blocks: "Iterable[Block]", *, unmask: bool = False, more: bool = False, note: str = "") -> None:
    """Print tables to stdout, and what is said about them to stderr; a note also says whether slurs are masked."""
    from imprint.render.terminal import draw_blocks, draw_text

    tables, said = draw_blocks(blocks, unmask=unmask, more=more)
    if note:
        print_note(draw_text(f"{note} Slurs are masked; --unmask prints them." if _MASKED.search(tables) else note))
    if tables:
        # Made printable cell by cell: headings are bold on a terminal.
        sys.stdout.write(tables if tables.endswith("\n") else f"{tables}\n")
        sys.stdout.flush()
    for line in said:
        print_note(line)


@contextlib.contextmanager
def progress_bar(label: str) -> "Iterator[Progress]":
    """Give a callback (done, total) that draws a bar with the time left once work takes noticeably long."""
    started = time.monotonic()
    with steps() as draw:

        def report(done: int, total: int) -> None:
            if time.monotonic() - started >= _PATIENCE:
                draw(label, done, total)

        yield report


@contextlib.contextmanager
def steps(units: int | None = None) -> "Iterator[Report]":
    """Give a callback (what, done, total) that draws one bar for all steps of long work, and names the step.

    Where so many `units` of the total usually take a second, the time left is known from the start.
    """
    bar: Bar | None = None
    started = logged = time.monotonic()

    def report(label: str, done: int, total: int) -> None:
        nonlocal bar, logged
        expected = None if units is None else total / units
        if bar is None:
            if not sys.stderr.isatty():
                now = time.monotonic()
                if now - logged >= _LOG_EVERY:
                    logged, share = now, done / total if total else 0.0
                    left = time_left(share, now - started, expected)
                    print_note(one_line(f"{label}: {share:.0%}{left and f', {left}'}"))
                return
            bar = _open_bar(label)
        # The estimate is made where something is done; in between it stays.
        left = time_left(done / total if total else 0.0, bar.tasks[0].elapsed or 0.0, expected)
        bar.update(bar.task_ids[0], description=one_line(label), completed=done, total=total, left=left)

    try:
        yield report
    finally:
        if bar is not None:
            bar.stop()


@contextlib.contextmanager
def phases() -> "Iterator[Report]":
    """Give a callback (what, done, total) that draws a bar for one phase of work after the other."""
    with contextlib.ExitStack() as bars:
        current = ""
        draw: Progress

        def report(label: str, done: int, total: int) -> None:
            nonlocal current, draw
            if label != current:
                bars.close()
                current, draw = label, bars.enter_context(progress_bar(label))
            draw(done, total)

        yield report


def open_embedding(source: str, only: Iterable[str] | None = None) -> "imprint.Embedding":
    """Load an embedding, showing progress and saying what reading it had to decide."""
    with progress_bar(f"reading {source}") as report:
        embedding = imprint.load(source, only=only, background=True, progress=report)
    with progress_bar(f"hashing {source}") as report:
        # Every finding names the file by its hash; computed here, it is there when the first one asks.
        vars(embedding)["sha256"] = embedding.identify(report)
    for note in (*embedding.notes, *(() if only is None else embedding.frequency_notes)):
        print_note(f"note: {note}")
    return embedding


def open_in_browser(page: Path) -> None:
    """Open a page in the default browser; where there is none, say where the page is."""
    import webbrowser

    place = page.resolve()
    try:
        opened = webbrowser.open(place.as_uri())
    except (OSError, webbrowser.Error):
        opened = False
    if not opened:
        print_note(f"no browser was found; open {place}")


def check_target(path: Path | None, *, reading: str = "") -> None:
    """Refuse a place, if one was named, that cannot be written, or the file being read, before any work is done."""
    from imprint.files import writable

    if path is None:
        return
    folder = writable(path).parent
    if not folder.is_dir() or not os.access(folder, os.W_OK):
        raise SettingError(
            "cannot be written", where=path, hint="give a file name in a folder that exists and that you may write to"
        )
    if path.exists() and Path(reading).exists() and path.samefile(reading):
        raise SettingError("is the file being read", where=path, hint="give another name for the output")


def check_targets(targets: Mapping[str, Path | None], *, reading: Iterable[object]) -> None:
    """Refuse two outputs in one file, and whatever `check_target` refuses; outputs go by their options."""
    from imprint.files import writable

    options: dict[Path, str] = {}
    for option, path in targets.items():
        if path is None:
            continue
        place = writable(path)
        if place in options:
            raise SettingError(
                f"is named by both {options[place]} and {option}", option=option, where=path, hint="give two files"
            )
        options[place] = option
        for source in filter(None, reading):
            check_target(path, reading=str(source))


def time_left(share: float, elapsed: float, expected: float | None = None) -> str:
    """Say how long the rest takes, from the share done and its seconds; `expected` weighs as much as a whole run."""
    whole, trust = expected or 1.0, expected or 0.0
    work = share * whole
    if work + trust <= 0 or share >= 1:
        return ""
    left = (whole - work) * (elapsed + trust) / (work + trust)
    if left > _MINUTES:
        return f"{round(left / 60)} min left"
    step = 1 if left <= _EXACT else 5
    return f"{step * math.ceil(left / step)} s left"


def _open_bar(label: str) -> "Bar":
    from rich.console import Console
    from rich.progress import BarColumn, Progress, TaskProgressColumn, TextColumn

    bar = Progress(
        TextColumn("{task.description}", markup=False),  # a file's name may hold brackets and braces
        BarColumn(bar_width=_BAR),
        TaskProgressColumn(),
        TextColumn("{task.fields[left]}"),
        console=Console(stderr=True),
        transient=True,
    )
    bar.add_task(printable(label), left="")
    bar.start()
    return bar
