"""How results look in a terminal: numbers rounded for reading, tables, and blocks where tables do not fit."""

import math
import shutil
import sys
import textwrap
from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING, Any

from imprint.cli.console import tell
from imprint.printable import printable
from imprint.rounding import SIGNS, round_count, round_end, round_number
from imprint.significance.intervals import Interval
from imprint.significance.partitions import PermutationTest

if TYPE_CHECKING:
    from rich.table import Table

    from imprint.evaluation.resampling import Estimate

number = round_number

TABLE_WIDTH = 118  # columns below which results are listed one by one instead

_PIPED_WIDTH = 140  # columns when stdout is a file: no terminal to ask


def p_value(p: PermutationTest) -> str:
    """Return p, with a sign before it where it is an upper bound or an estimate."""
    return f"{SIGNS[p.p_method]}{p.p_value:.3g}"


def bracketed(one: "Estimate", show: Callable[[float], str]) -> str:
    """Return a value with the ends of its interval, or with a dash where the data cannot tell them."""
    ends = "-" if math.isnan(one.low) else f"{show(one.low)}, {show(one.high)}"
    return f"{show(one.value)} [{ends}]"


def counts(p: PermutationTest) -> str:
    """Return the partitions behind p: those at least as extreme, of all."""
    if p.p_method == "sampled":
        return f"sampled of {round_count(p.partitions)}"
    if p.extreme is None:
        assert p.extreme_low is not None
        assert p.extreme_high is not None
        return f"{round_count(p.extreme_low, 4)} to {round_count(p.extreme_high, 4)}\nof {round_count(p.partitions)}"
    return f"{round_count(p.extreme)} of {round_count(p.partitions)}"


def ends(interval: Interval) -> str:
    """Return both ends of an interval."""
    return f"[{round_end(interval.low, 3)}, {round_end(interval.high, 3)}]"


def make_table(title: str, *columns: tuple[str, str]) -> "Table":
    """Make a table of columns (name, left or right)."""
    from rich.box import SIMPLE_HEAD
    from rich.table import Table

    table = Table(title=title, title_justify="left", title_style="bold", header_style="bold", box=SIMPLE_HEAD)
    for name, justify in columns:
        table.add_column(name, justify=justify, overflow="fold")  # type: ignore[arg-type]
    return table


def print_blocks(title: str, blocks: Sequence[tuple[str, ...]]) -> None:
    """Print lines under a title, the first of each block as its heading, wrapped to the terminal."""
    tell(textwrap.fill(title, width()))
    for heading, *lines in blocks:
        tell(f"\n{textwrap.fill(heading, width(), subsequent_indent='  ')}")
        for line in lines:
            wrapped = textwrap.fill(
                line, width(), initial_indent="  ", subsequent_indent="    ", break_long_words=False
            )
            tell(wrapped)
    tell("")


def show_table(table: "Table") -> None:
    """Print a table to stdout."""
    from rich.console import Console
    from rich.text import Text

    class Plain(Console):
        def render_str(self, text: str, **options: Any) -> Text:
            """Return what every title, heading and cell is made of."""
            return super().render_str(printable(text), **options)

    # Words come from files: markup and the names of emoji in them are text, not style.
    Plain(width=width(), markup=False, emoji=False, highlight=False).print(table)


def width() -> int:
    """Return the columns there are: the terminal's, or a page's where stdout is a file."""
    return shutil.get_terminal_size().columns if sys.stdout.isatty() else _PIPED_WIDTH


def flat(text: str) -> str:
    """Return the text on one line."""
    return " ".join(text.split())
