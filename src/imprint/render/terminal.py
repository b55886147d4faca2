"""Blocks on a terminal: tables where they fit, one row after the other where they do not."""

import shutil
import sys
import textwrap
from collections.abc import Iterable, Iterator, Sequence
from typing import Any

from imprint.masking import Words
from imprint.printable import printable
from imprint.render.numbers import plain
from imprint.view import Block, Cell, Column, Listing, Prose, Table, Text, flat

_PIPED_WIDTH = 140  # columns when stdout is a file: no terminal to ask
_MEASURE = 100  # columns of sentences, read across
_NARROWEST = 11  # columns of a column, on average, below which a table is listed row by row


def draw_blocks(blocks: Iterable[Block], *, unmask: bool = False, more: bool = False) -> tuple[str, list[str]]:
    """Return the tables as one text, for stdout, and the paragraphs beside them, for stderr.

    `more` shows what a page keeps one click away.
    """
    words, tables, said = Words(unmask=unmask), list[str](), list[str]()
    for block in flat(blocks):
        if "terminal" not in block.media:
            continue
        if isinstance(block, Table) and not block.folded:
            tables.append(_table(block, words, more=more))
        elif isinstance(block, Prose):
            said.append(draw_text(block.text, words, first="warning: " if block.tone == "warning" else ""))
        elif isinstance(block, Listing):
            said += [draw_text(line, words) for line in block.lines]
    return "\n".join(tables), said


def draw_text(text: Text, words: Words | None = None, *, first: str = "") -> str:
    """Return a sentence, broken into lines."""
    shown = printable(first + plain(text, words or Words()))
    return textwrap.fill(shown, min(width(), _MEASURE), subsequent_indent="  ", break_long_words=False)


def width() -> int:
    """Return the columns there are: the terminal's, or a page's where stdout is a file."""
    return shutil.get_terminal_size().columns if sys.stdout.isatty() else _PIPED_WIDTH


def _table(table: Table, words: Words, *, more: bool) -> str:
    kept = [place for place, column in enumerate(table.columns) if not column.extra]
    columns = [table.columns[place] for place in kept]
    rows = [[_cell(row[place], words, more=more) for place in kept] for row in table.rows]
    caption = printable(plain(table.caption, words))
    if _NARROWEST * len(columns) > width():
        return "\n".join(_listed(caption, [plain(column.title, words) for column in columns], rows))
    return _ruled(caption, columns, rows, words)


def _cell(cell: Cell | Text, words: Words, *, more: bool) -> str:
    if not isinstance(cell, Cell):
        return plain(cell, words)
    shown = plain(cell.text, words)
    return f"{shown}: {plain(cell.more, words)}" if more and cell.more is not None else shown


def _ruled(caption: str, columns: Sequence[Column], rows: Sequence[Sequence[str]], words: Words) -> str:
    from rich.box import SIMPLE_HEAD
    from rich.console import Console
    from rich.table import Table as Ruled
    from rich.text import Text as Styled

    class Plain(Console):
        def render_str(self, text: str, **options: Any) -> Styled:
            """Return what every title, heading and cell is made of."""
            return super().render_str(printable(text), **options)

    drawn = Ruled(header_style="bold", box=SIMPLE_HEAD)
    for column in columns:
        # A column of numbers keeps its numbers on one line.
        drawn.add_column(plain(column.title, words), justify="right" if column.numeric else "left", overflow="fold")
    for row in rows:
        drawn.add_row(*row)
    # Words come from files: markup and the names of emoji in them are text, not style.
    console = Plain(width=width(), markup=False, emoji=False, highlight=False, file=sys.stdout)
    with console.capture() as captured:
        console.print(drawn)
    return f"{textwrap.fill(caption, width())}\n{captured.get()}"


def _listed(caption: str, titles: Sequence[str], rows: Sequence[Sequence[str]]) -> Iterator[str]:
    """Give each row a heading, its first cell, and a line with the others, wrapped to the terminal."""
    yield textwrap.fill(caption, width())
    for heading, *cells in rows:
        line = ", ".join(f"{name} {cell}" for name, cell in zip(titles[1:], cells, strict=True) if cell)
        yield ""
        yield textwrap.fill(printable(heading), width(), subsequent_indent="  ")
        yield textwrap.fill(
            printable(line), width(), initial_indent="  ", subsequent_indent="    ", break_long_words=False
        )
    yield ""
