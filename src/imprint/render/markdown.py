"""Blocks in GitHub's Markdown: text stays text, whatever it contains."""

import re
from collections.abc import Iterable, Iterator

from imprint.masking import Words
from imprint.render.numbers import plain
from imprint.view import Block, Cell, Listing, Prose, Table, Text, flat

# As references these mean nothing to Markdown, also in a table; the others need a backslash.
_REFERENCES = {character: f"&#{ord(character)};" for character in "\\`<>&|"}
_ESCAPES = str.maketrans(_REFERENCES | {character: f"\\{character}" for character in "*_[]#~$@!"})
_START = re.compile(r"^([-+]|[0-9]+(?=[.)]))")
_CODE = re.compile(r"[\w.+-]{1,128}", re.ASCII)
_WORDS = Words()


def draw_blocks(blocks: Iterable[Block]) -> Iterator[str]:
    """Return the lines of what a card shows: paragraphs, lists, and tables without their extra columns."""
    for block in flat(blocks):
        if "card" in block.media and isinstance(block, Prose | Listing | Table):
            yield from (*_lines(block), "")


def draw_text(text: Text) -> str:
    """Return the text on one line, slurs masked, without anything that Markdown or HTML would read as more."""
    return _START.sub(_harmless, _escaped(text))


def code(text: str) -> str:
    """Return a hash or a version as code, anything else as text."""
    return f"`{text}`" if _CODE.fullmatch(text) else draw_text(text)


def _lines(block: Prose | Listing | Table) -> Iterator[str]:
    if isinstance(block, Prose):
        yield draw_text(block.text)
    elif isinstance(block, Listing):
        yield from (f"- {draw_text(line)}" for line in block.lines)
    else:
        shown = [index for index, column in enumerate(block.columns) if not column.extra]
        yield f"**{draw_text(block.caption)}**"
        yield ""
        yield _row(draw_text(block.columns[index].title) for index in shown)
        yield _row("---" for _ in shown)
        for row in block.rows:
            yield _row(_cell(row[index]) for index in shown)


def _row(cells: Iterable[str]) -> str:
    return f"| {' | '.join(cells)} |"


def _cell(cell: Cell | Text) -> str:
    return _escaped(cell.text if isinstance(cell, Cell) else cell)  # inside a table nothing begins a list


def _escaped(text: Text) -> str:
    return " ".join(plain(text, _WORDS).split()).translate(_ESCAPES)


def _harmless(found: re.Match[str]) -> str:
    """Take the meaning from what would begin a list or a heading: the sign itself, or the one after a number."""
    return f"{found[1]}\\" if found[1].isdigit() else f"\\{found[1]}"
