"""`imprint compare`: two embeddings side by side."""

from typing import TYPE_CHECKING, Annotated

import typer

from imprint.cli.evaluate import BenchmarksOption, WordsOption
from imprint.cli.options import AlphaOption, JsonOption, SeedOption
from imprint.errors import SettingError

if TYPE_CHECKING:
    from imprint.evaluation.agreement import Agreement
    from imprint.evaluation.comparison import EffectRow, EmbeddingComparison, Family
    from imprint.stimuli.definition import WeatTest

LEGEND = (
    "WEAT: both on the words that both have. d: difference of means in standard deviations of all scores.",
    "Holm: over all tests on both; * after it, significant. 'cannot reach': too few words for any p to pass.",
    "Agreement: of scores of the same words in both; names and occupations have WEFAT's. [ ]: the middle 95 % over",
    "resamples of words, each with all of its scores.",
    "paper: GloVe 840B and Google News, Caliskan et al. (2016), Methods.",
)


def compare_command(
    first: Annotated[str, typer.Argument(metavar="A", help="An embedding file, or 'default'.")],
    second: Annotated[str, typer.Argument(metavar="B", help="Another.")],
    test: Annotated[
        list[str] | None,
        typer.Option("--test", help="A WEAT's id, or a pattern; may repeat. [default: Caliskan's ten]"),
    ] = None,
    benchmarks: BenchmarksOption = None,
    alpha: AlphaOption = 0.05,
    most_words: WordsOption = 300_000,
    seed: SeedOption = 0,
    json: JsonOption = False,
) -> None:
    """Compare two embeddings: their biases, whether they associate the same words alike, and their benchmarks."""
    from imprint.cli.console import open_embedding, phases, print_findings
    from imprint.cli.tables import say_skipped
    from imprint.evaluation.benchmarks import all_benchmarks
    from imprint.evaluation.comparison import compare

    chosen = _choose(test)
    found = all_benchmarks(benchmarks)
    opened = [open_embedding(source) for source in (first, second)]
    with phases() as report:
        comparison = compare(
            *opened, tests=chosen, benchmarks=found, alpha=alpha, most_words=most_words, seed=seed, report=report
        )
    if json:
        print_findings(comparison.findings())
        say_skipped(comparison.skipped)
    else:
        _show(comparison)


def _choose(patterns: list[str] | None) -> "list[WeatTest] | None":
    from imprint.stimuli.catalog import catalogue, choose
    from imprint.stimuli.definition import WeatTest

    if not patterns:
        return None
    found = [test for test in choose(catalogue(), patterns) if isinstance(test, WeatTest)]
    if not found:
        raise SettingError("the tests chosen are all WEFATs; choose WEATs: every WEFAT is compared anyway")
    return found


def _show(comparison: "EmbeddingComparison") -> None:
    from imprint.cli.console import say
    from imprint.cli.evaluate import legend, print_evaluation
    from imprint.cli.tables import print_skipped

    names = f"{comparison.first} and {comparison.second}"
    sides = ("d", "p", "after Holm")
    columns = ("test", *(f"{name}: {side}" for name in "AB" for side in sides), "d of B - d of A", "words left out")
    if comparison.effects:
        _print(f"WEAT on A, {comparison.first}, and B, {comparison.second}", columns, map(_effect, comparison.effects))
    if comparison.agreements:
        columns = ("scores of", "words", "Pearson", "Spearman", "paper")
        _print(f"Do {names} associate the same words alike?", columns, map(_agreement, comparison.agreements))
    if comparison.benchmarks.rows:
        title = f"Benchmarks of A, {comparison.first}, and B, {comparison.second}"
        print_evaluation(comparison.benchmarks, title=title, sides=("A", "B", "B - A"))
    if comparison.skipped:
        print_skipped(comparison.skipped)
    for line in (*LEGEND, *(legend(comparison.benchmarks) if comparison.benchmarks.rows else ())):
        say(line)


def _print(title: str, columns: tuple[str, ...], rows: "map[tuple[str, ...]]") -> None:
    from imprint.cli.formats import TABLE_WIDTH, make_table, print_blocks, show_table, width

    if width() < TABLE_WIDTH:
        blocks = []
        for first, *cells in rows:
            pairs = zip(columns[1:], cells, strict=True)
            blocks.append((first, ", ".join(f"{name} {cell}" for name, cell in pairs if cell)))
        print_blocks(title, blocks)
        return
    table = make_table(title, *((name, "right" if place else "left") for place, name in enumerate(columns)))
    for row in rows:
        table.add_row(*row)
    show_table(table)


def _effect(row: "EffectRow") -> tuple[str, ...]:
    left_out = str(len(row.left_out) or "")
    return (row.test.id, *_side(row.first), *_side(row.second), f"{round(row.change, 2) + 0.0:+.2f}", left_out)


def _side(side: "Family") -> tuple[str, ...]:
    from imprint.cli.formats import number, p_value
    from imprint.rounding import round_corrected

    result, p_holm, verdict = side
    method = result.significance.p_method
    corrected = verdict if verdict == "cannot reach" else round_corrected(p_holm, method)
    star = "*" if verdict == "significant" else " "
    return (f"{number(result.effect_size)}{star}", p_value(result.significance), corrected)


def _agreement(one: "Agreement") -> tuple[str, ...]:
    from imprint.cli.formats import bracketed, number

    cells = [bracketed(one.measures[name], number) for name in ("pearson", "spearman")]
    paper = f"{one.published['pearson']:.2f} / {one.published['spearman']:.2f}" if one.published else ""
    words = str(one.words) if one.words == len(one.points) else f"{one.words}, {len(one.points)} scores"
    return (one.title, words, *cells, paper)
