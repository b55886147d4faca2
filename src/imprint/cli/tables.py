"""Tables of results for a terminal; the same rows as the findings, rounded for reading."""

import math
import shutil
import sys
import textwrap
from collections.abc import Sequence
from typing import TYPE_CHECKING, Literal

from imprint.association.battery import Battery, Skipped, WeatRow
from imprint.association.weat import WeatResult
from imprint.association.wefat import WefatResult
from imprint.cli.console import print_findings, say
from imprint.significance.intervals import Interval
from imprint.significance.partitions import PermutationTest
from imprint.stimuli.definition import Test, quote, word_sets

if TYPE_CHECKING:
    from rich.table import Table

_PIPED_WIDTH = 140  # columns when stdout is a file: no terminal to ask
_EXACT_COUNT = 10**9  # counts below it are printed digit by digit


_TABLE_WIDTH = 118  # columns below which tests are listed one by one instead
_SPARSE = 0.75  # share of a set's words below which a test is not what its author wrote

WEAT_LEGEND = (
    "d: difference of means in standard deviations of all scores, at most 2 for equal sets; it is not Cohen's d.",
    "p: share of all ways to split the target words that give at least this difference. Holm: over all tests here.",
    "Not significant is not absent: the size given is the shift such a test would find four times in five.",
)
WEFAT_LEGEND = (
    "r: Pearson's correlation of each word's association score with the number known about it; p is two-sided.",
)


def show_battery(battery: Battery, *, json: bool) -> None:
    """Print the findings as JSON lines, or as tables with a legend; say in either case what could not be run."""
    if json:
        print_findings(battery.findings())
        for row in battery.skipped:
            say(f"not run: {row.test}: {row.reason}")
        return
    if battery.weats:
        _print_weats(battery)
    if battery.wefats:
        _print_wefats(battery.wefats)
    if battery.skipped:
        _print_skipped(battery.skipped)
    for line in (WEAT_LEGEND if battery.weats else ()) + (WEFAT_LEGEND if battery.wefats else ()):
        say(line)
    for line in _word_notes(battery):
        say(line)


def _word_notes(battery: Battery) -> list[str]:
    """Name the missing words, and warn of tests that lost so many that they ask another question."""
    results: list[WeatResult | WefatResult] = [*(row.result for row in battery.weats), *battery.wefats]
    notes = [f"missing words of {one.test.id}: {', '.join(one.missing)}" for one in results if one.missing]
    for row in battery.weats:
        result = row.result
        kept = {"x": result.n_x, "y": result.n_y, "a": result.n_a, "b": result.n_b}
        for key, words in word_sets(result.test).items():
            if kept[key] < _SPARSE * len(words):
                notes.append(
                    f"warning: {result.test.id} keeps {kept[key]} of {len(words)} words of {words.name}; "
                    "is this the right language and embedding for it?"
                )
        both = {*result.test.x.words, *result.test.y.words} & {*result.test.a.words, *result.test.b.words}
        if both:
            notes.append(f"warning: {result.test.id} has words as target and attribute at once: {quote(sorted(both))}")
    return notes


def summarise(battery: Battery) -> list[str]:
    """Say in plain sentences what the tables mean and what they do not."""
    lines = []
    if battery.weats:
        found = sum(row.verdict == "significant" for row in battery.weats)
        opposite = sum(row.result.effect_size < 0 for row in battery.weats)
        lines.append(
            f"{found} of {len(battery.weats)} association tests are significant at {battery.alpha:g} after Holm's "
            f"correction; {opposite} effects are negative, against the stereotype asked about."
        )
    if battery.wefats:
        strongest = max(battery.wefats, key=lambda result: abs(result.pearson.r))
        lines.append(
            f"Word vectors alone predict the {strongest.test.property_name} with r = {strongest.pearson.r:.2f} "
            f"({strongest.test.id})."
        )
    return lines


def _print_weats(battery: Battery) -> None:
    title = f"WEAT on {battery.weats[0].result.embedding}"
    if width() < _TABLE_WIDTH:
        _print_blocks(title, [_weat_block(row) for row in battery.weats])
        return
    table = make_table(
        title,
        ("test", "left"),
        ("d", "right"),
        ("published", "right"),
        ("difference of means\n[95 % interval]", "right"),
        ("p, and the partitions\nat least as extreme", "right"),
        ("after Holm", "left"),
        ("missing", "right"),
    )
    for row in battery.weats:
        result, p = row.result, row.result.significance
        table.add_row(
            f"{result.test.id}\n{result.test.title}",
            _number(result.effect_size),
            _published(result.test, "effect"),
            f"{result.mean_difference:.3f}\n{_interval(result.interval)}",
            f"{_p_value(p)}\n{_counts(p)}",
            f"{row.p_holm:.2g}\n{_verdict(row)}",
            _missing(result),
        )
    show_table(table)


def _weat_block(row: WeatRow) -> tuple[str, ...]:
    """Say in a few lines what the table says in a row, for narrow terminals."""
    result, p = row.result, row.result.significance
    published = _published(result.test, "effect")
    return (
        f"{result.test.id}: {result.test.title}",
        f"d = {_number(result.effect_size)}{f' (published {published})' if published else ''}, difference "
        f"{result.mean_difference:.3f} {_interval(result.interval)}, missing {_missing(result)}",
        f"p = {_p_value(p)} ({_flat(_counts(p))} partitions), after Holm {row.p_holm:.2g}: {_flat(_verdict(row))}",
    )


def _print_wefats(results: Sequence[WefatResult]) -> None:
    title = f"WEFAT on {results[0].embedding}"
    if width() < _TABLE_WIDTH:
        _print_blocks(title, [_wefat_block(result) for result in results])
        return
    table = make_table(
        title,
        ("test", "left"),
        ("r", "right"),
        ("published", "right"),
        ("95 % interval", "right"),
        ("p", "right"),
        ("Spearman", "right"),
        ("regression line", "left"),
        ("missing", "right"),
    )
    for result in results:
        table.add_row(
            f"{result.test.id}\n{result.test.title}",
            f"{result.pearson.r:.2f}",
            _published(result.test, "r"),
            f"[{result.pearson.low:.2f}, {result.pearson.high:.2f}]",
            f"{result.p_value:.2g}",
            f"{result.spearman.r:.2f}",
            f"{result.intercept:.1f} {result.slope:+.1f} × score",
            _missing(result),
        )
    show_table(table)


def _wefat_block(result: WefatResult) -> tuple[str, ...]:
    published = _published(result.test, "r")
    return (
        f"{result.test.id}: {result.test.title}",
        f"r = {result.pearson.r:.2f}{f' (published {published})' if published else ''} "
        f"[{result.pearson.low:.2f}, {result.pearson.high:.2f}], p = {result.p_value:.2g}, Spearman "
        f"{result.spearman.r:.2f}, missing {_missing(result)}",
    )


def _print_skipped(skipped: Sequence[Skipped]) -> None:
    if width() < _TABLE_WIDTH:
        _print_blocks("Not run", [(row.test, row.reason) for row in skipped])
        return
    table = make_table("Not run", ("test", "left"), ("why", "left"))
    for row in skipped:
        table.add_row(row.test, row.reason)
    show_table(table)


def _published(test: Test, field: Literal["effect", "r"]) -> str:
    """Return the first published figure; figures for other words than ours are not comparable."""
    figures = [getattr(figure, field) for figure in test.published if getattr(figure, field) is not None]
    return _number(figures[0]) if figures and not test.adapted else ""


def _missing(result: WeatResult | WefatResult) -> str:
    targets = len(result.scores)
    return f"{len(result.missing)}/{len(result.missing) + targets + result.n_a + result.n_b}"


def _flat(text: str) -> str:
    return " ".join(text.split())


def _verdict(row: WeatRow) -> str:
    if row.verdict == "not significant" and row.detectable_shift is not None:
        return f"not significant (would find\na shift of {row.detectable_shift:.3f})"
    if row.verdict == "cannot reach":
        return f"cannot reach: with so\nfew words p ≥ {row.result.significance.p_floor:.2g}"
    return row.verdict


def _p_value(p: PermutationTest) -> str:
    sign = {"exact": "", "certified": "≤ ", "sampled": "≈ "}[p.p_method]
    return f"{sign}{p.p_value:.3g}"


def _counts(p: PermutationTest) -> str:
    if p.p_method == "sampled":
        return f"sampled of {_whole(p.partitions)}"
    if p.extreme is None:
        assert p.extreme_low is not None
        assert p.extreme_high is not None
        return f"{_whole(p.extreme_low, 4)} to {_whole(p.extreme_high, 4)}\nof {_whole(p.partitions)}"
    return f"{_whole(p.extreme)} of {_whole(p.partitions)}"


def _whole(count: int, digits: int = 2) -> str:
    if count < _EXACT_COUNT:
        return f"{count:,}"
    exponent = len(str(count)) - 1
    return f"{count / 10**exponent:.{digits}f}e{exponent}"


def _interval(interval: Interval) -> str:
    return f"[{_number(interval.low, 3)}, {_number(interval.high, 3)}]"


def _number(value: float | None, digits: int = 2) -> str:
    if value is None or math.isnan(value):
        return "-"
    return ("∞" if value > 0 else "-∞") if math.isinf(value) else f"{value:.{digits}f}"


def make_table(title: str, *columns: tuple[str, str]) -> "Table":
    """Make a table of columns (name, left or right)."""
    from rich.box import SIMPLE_HEAD
    from rich.table import Table

    table = Table(title=title, title_justify="left", title_style="bold", header_style="bold", box=SIMPLE_HEAD)
    for name, justify in columns:
        table.add_column(name, justify=justify, overflow="fold")  # type: ignore[arg-type]
    return table


def _print_blocks(title: str, blocks: Sequence[tuple[str, ...]]) -> None:
    """Print lines under a title, the first of each block as its heading, wrapped to the terminal."""
    sys.stdout.write(f"{title}\n")
    for heading, *lines in blocks:
        sys.stdout.write(f"\n{textwrap.fill(heading, width(), subsequent_indent='  ')}\n")
        for line in lines:
            wrapped = textwrap.fill(
                line, width(), initial_indent="  ", subsequent_indent="    ", break_long_words=False
            )
            sys.stdout.write(f"{wrapped}\n")
    sys.stdout.write("\n")


def show_table(table: "Table") -> None:
    """Print a table to stdout."""
    from rich.console import Console

    # Words come from files: markup in them is text, not style.
    Console(width=width(), markup=False, highlight=False).print(table)


def width() -> int:
    """Return the columns there are: the terminal's, or a page's where stdout is a file."""
    return shutil.get_terminal_size().columns if sys.stdout.isatty() else _PIPED_WIDTH
