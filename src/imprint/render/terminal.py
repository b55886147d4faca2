"""Blocks on a terminal: tables where they fit, one row after the other where they do not."""

import shutil
import sys
import textwrap
from collections.abc import Iterable, Iterator, Sequence
from typing import Any

from rich.cells import cell_len

from imprint.masking import Words, printable
from imprint.render.numbers import plain
from imprint.view import NOTHING, Block, Cell, Column, Listing, Prose, Table, Text, flat

_PIPED_WIDTH = 140  # columns when stdout is a file: no terminal to ask
_MEASURE = 100  # columns of sentences, read across
_READABLE = 12  # columns of a text that is wrapped in a cell
_BETWEEN = 3  # columns from one cell to the next
_GLUE = "\N{NO-BREAK SPACE}"


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
    return _fill(shown, min(width(), _MEASURE), then="  ")


def width() -> int:
    """Return the columns there are: the terminal's, or a page's where stdout is a file."""
    return shutil.get_terminal_size().columns if sys.stdout.isatty() else _PIPED_WIDTH


def _table(table: Table, words: Words, *, more: bool) -> str:
    shown = [index for index, column in enumerate(table.columns) if not column.extra]
    columns = [table.columns[index] for index in shown]
    titles = [plain(column.title, words) for column in columns]
    rows = [[_cell(row[index], words, more=more) for index in shown] for row in table.rows]
    caption = printable(plain(table.caption, words))
    widths = _fit(columns, [titles, *rows], width() - _BETWEEN * len(columns) - 1)
    if widths is None:
        return "\n".join(_listed(caption, titles, rows))
    return _ruled(caption, columns, titles, rows, widths)


def _fit(columns: Sequence[Column], lines: Sequence[Sequence[str]], space: int) -> list[int] | None:
    """Return a width for each column that breaks no word, and no number if it can be avoided; None where none fit.

    Headings, the first line, are wrapped before cells are.
    """
    cells = list(zip(*lines, strict=True))
    whole = [max(map(cell_len, column)) for column in cells]
    if sum(whole) <= space:
        return whole
    words = [max((cell_len(word) for cell in column for word in cell.split()), default=0) for column in cells]
    widths = [
        max(word, _halved(heading), *map(cell_len, column))
        for word, (heading, *column) in zip(words, cells, strict=True)
    ]
    wrapped = [min(wide, max(word, _READABLE)) for wide, word in zip(widths, words, strict=True)]
    unbroken = [widths[index] if column.numeric else wrapped[index] for index, column in enumerate(columns)]
    least = next((each for each in (unbroken, wrapped, words) if sum(each) <= space), None)
    if least is None:
        return None
    while sum(widths) > space:
        widest = max((index for index in range(len(widths)) if widths[index] > least[index]), key=widths.__getitem__)
        widths[widest] -= 1
    return widths


def _halved(heading: str) -> int:
    """Return the width at which a heading takes two lines."""
    words = heading.split()
    halves = ((" ".join(words[:cut]), " ".join(words[cut:])) for cut in range(len(words) + 1))
    return min(max(map(cell_len, pair)) for pair in halves)


def _cell(cell: Cell | Text, words: Words, *, more: bool) -> str:
    if not isinstance(cell, Cell):
        return plain(cell, words)
    shown = plain(cell.text, words)
    return f"{shown}: {plain(cell.more, words)}" if more and cell.more is not None else shown


def _ruled(
    caption: str,
    columns: Sequence[Column],
    titles: Sequence[str],
    rows: Sequence[Sequence[str]],
    widths: Sequence[int],
) -> str:
    from rich.box import SIMPLE_HEAD
    from rich.console import Console
    from rich.table import Table as Ruled
    from rich.text import Text as Styled

    class Plain(Console):
        def render_str(self, text: str, **options: Any) -> Styled:
            """Return what every title, heading and cell is made of."""
            return super().render_str(printable(text), **options)

    drawn = Ruled(header_style="bold", box=SIMPLE_HEAD)
    for column, heading, wide in zip(columns, titles, widths, strict=True):
        drawn.add_column(heading, justify="right" if column.numeric else "left", overflow="fold", width=wide)
    for row in rows:
        drawn.add_row(*row)
    # Words come from files: markup and the names of emoji in them are text, not style.
    console = Plain(width=width(), markup=False, emoji=False, highlight=False, file=sys.stdout)
    with console.capture() as captured:
        console.print(drawn)
    return f"{_fill(caption, width())}\n{captured.get()}"


def _listed(caption: str, titles: Sequence[str], rows: Sequence[Sequence[str]]) -> Iterator[str]:
    """Give each row a heading, its first cell, and lines with the others; lines end between two of them."""
    yield _fill(caption, width())
    nothing = plain(NOTHING, Words())
    for heading, *cells in rows:
        items = [f"{name} {cell}" for name, cell in zip(titles[1:], cells, strict=True) if cell not in ("", nothing)]
        line = f"{_GLUE}· ".join(item if len(item) > width() - 6 else item.replace(" ", _GLUE) for item in items)
        yield ""
        yield _fill(printable(heading), width(), then="  ")
        filled = _fill(printable(line), width(), first="  ", then="    ")
        yield filled.replace(_GLUE, " ")
    yield ""


def _fill(text: str, columns: int, *, first: str = "", then: str = "") -> str:
    """Break a text into lines, and no word of it."""
    return textwrap.fill(
        text, columns, initial_indent=first, subsequent_indent=then, break_long_words=False, break_on_hyphens=False
    )
