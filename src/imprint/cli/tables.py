"""Tables of results for a terminal; the same rows as the findings, rounded for reading."""

from collections.abc import Sequence
from typing import Literal

from imprint.association.battery import Battery, WeatRow
from imprint.association.weat import WeatResult
from imprint.association.wefat import WefatResult
from imprint.association.wordrows import SPARSE
from imprint.cli.console import print_findings, say
from imprint.cli.formats import (
    TABLE_WIDTH,
    counts,
    ends,
    flat,
    make_table,
    number,
    p_value,
    print_blocks,
    show_table,
    width,
)
from imprint.finding import Skipped
from imprint.rounding import round_corrected
from imprint.significance.partitions import smallest_p
from imprint.stimuli.definition import Test, quote, word_sets

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
        say_skipped(battery.skipped)
        for line in _word_notes(battery):
            say(line)
        return
    if battery.weats:
        _print_weats(battery)
    if battery.wefats:
        _print_wefats(battery.wefats)
    if battery.skipped:
        print_skipped(battery.skipped)
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
            if kept[key] < SPARSE * len(words):
                notes.append(
                    f"warning: {result.test.id} keeps {kept[key]} of {len(words)} words of {words.name}; "
                    "is this the right language and embedding for it?"
                )
        both = {*result.test.x.words, *result.test.y.words} & {*result.test.a.words, *result.test.b.words}
        if both:
            notes.append(f"warning: {result.test.id} has words as target and attribute at once: {quote(sorted(both))}")
    return notes


def _print_weats(battery: Battery) -> None:
    title = f"WEAT on {battery.weats[0].result.embedding}"
    if width() < TABLE_WIDTH:
        print_blocks(title, [_weat_block(row) for row in battery.weats])
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
            number(result.effect_size),
            _published(result.test, "effect"),
            f"{result.mean_difference:.3f}\n{ends(result.interval)}",
            f"{p_value(p)}\n{counts(p)}",
            f"{round_corrected(row.p_holm, p.p_method)}\n{_verdict(row)}",
            _missing(result),
        )
    show_table(table)


def _weat_block(row: WeatRow) -> tuple[str, ...]:
    """Say in a few lines what the table says in a row, for narrow terminals."""
    result, p = row.result, row.result.significance
    published = _published(result.test, "effect")
    return (
        f"{result.test.id}: {result.test.title}",
        f"d = {number(result.effect_size)}{f' (published {published})' if published else ''}, difference "
        f"{result.mean_difference:.3f} {ends(result.interval)}, missing {_missing(result)}",
        f"p = {p_value(p)} ({flat(counts(p))} partitions), after Holm "
        f"{round_corrected(row.p_holm, p.p_method)}: {flat(_verdict(row))}",
    )


def _print_wefats(results: Sequence[WefatResult]) -> None:
    title = f"WEFAT on {results[0].embedding}"
    if width() < TABLE_WIDTH:
        print_blocks(title, [_wefat_block(result) for result in results])
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


def say_skipped(skipped: Sequence[Skipped]) -> None:
    """Say what could not be run, and why, beside findings or a table that hold the rest."""
    for row in skipped:
        say(f"not run: {row.test}: {row.reason}")


def print_skipped(skipped: Sequence[Skipped]) -> None:
    """Print the tests that could not be run, and why."""
    if width() < TABLE_WIDTH:
        print_blocks("Not run", [(row.test, row.reason) for row in skipped])
        return
    table = make_table("Not run", ("test", "left"), ("why", "left"))
    for row in skipped:
        table.add_row(row.test, row.reason)
    show_table(table)


def _published(test: Test, field: Literal["effect", "r"]) -> str:
    """Return the first published figure; figures for other words than ours are not comparable."""
    figures = [getattr(figure, field) for figure in test.published if getattr(figure, field) is not None]
    return number(figures[0]) if figures and not test.adapted else ""


def _missing(result: WeatResult | WefatResult) -> str:
    targets = len(result.scores)
    return f"{len(result.missing)}/{len(result.missing) + targets + result.n_a + result.n_b}"


def _verdict(row: WeatRow) -> str:
    if row.verdict == "not significant" and row.detectable_shift is not None:
        return f"not significant (would find\na shift of {row.detectable_shift:.3f})"
    if row.verdict == "cannot reach":
        result, p = row.result, row.result.significance
        of_words = smallest_p(result.n_x + result.n_y, result.n_x, p.alternative)
        few = "draws" if p.p_floor > of_words else "words"
        return f"cannot reach: with so\nfew {few} p ≥ {p.p_floor:.2g}"
    return row.verdict
