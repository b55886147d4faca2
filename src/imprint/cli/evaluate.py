"""`imprint evaluate`: what an embedding is good for, alone or against another."""

import math
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from imprint.cli.options import DEFAULT_PAIR, EmbeddingArgument, JsonOption, SeedOption

if TYPE_CHECKING:
    from imprint.evaluation.evaluate import BenchmarkRow, Evaluation
    from imprint.evaluation.leakage import Leakage
    from imprint.evaluation.resampling import Estimate

LEGEND = (
    "Spearman, Pearson: of cosines with people's scores. 3CosAdd, 3CosMul: share of analogies right, case ignored.",
    "[ ]: 95 % intervals; pairs that share a word rise and fall together, and so do questions that share a pair.",
)
NO_INTERVAL_LEGEND = "[-]: too few, or too much alike, for an interval."
AGAINST_LEGEND = "Both on the same pairs and questions: the interval is the difference's own."
PAPER_LEGEND = "paper: Google News vectors before and after debiasing, Bolukbasi et al. (2016), table 2."

_NAMES = {"spearman": "Spearman", "pearson": "Pearson", "3cosadd": "3CosAdd", "3cosmul": "3CosMul"}

BenchmarksOption = Annotated[
    Path | None,
    typer.Option(
        "--benchmarks", metavar="FOLDER", help="A folder of further benchmarks: .tsv, .csv or .txt files, .gz or not."
    ),
]
WordsOption = Annotated[
    int, typer.Option("--most-words", min=1, help="Search so many of the most frequent words for analogies.")
]


def evaluate_command(
    embedding: EmbeddingArgument,
    against: Annotated[
        str | None,
        typer.Option("--against", metavar="OTHER", help="The embedding before: print the difference to it."),
    ] = None,
    benchmarks: BenchmarksOption = None,
    most_words: WordsOption = 300_000,
    leakage: Annotated[
        bool,
        typer.Option("--leakage", help="Try to recover gender from names, professions and the words furthest out."),
    ] = False,
    resamples: Annotated[
        int, typer.Option("--resamples", min=1, help="Resamples behind intervals of analogies.")
    ] = 1_000,
    seed: SeedOption = 0,
    json: JsonOption = False,
) -> None:
    """Run benchmarks of word similarity and analogy; with --against, what was lost or won.

    Bundled: RG-65, WordSim-353, MEN and Google's analogies. Others may not be redistributed: give their files.
    """
    from imprint.cli.console import open_embedding, phases, print_findings
    from imprint.cli.tables import say_skipped
    from imprint.directions.axis import pair_axis
    from imprint.evaluation.benchmarks import all_benchmarks
    from imprint.evaluation.evaluate import evaluate
    from imprint.evaluation.leakage import leakage as recover

    chosen = all_benchmarks(benchmarks)
    opened = open_embedding(embedding)
    before = None if against is None else open_embedding(against)
    with phases() as report:
        evaluation = evaluate(
            opened, chosen, against=before, most_words=most_words, resamples=resamples, seed=seed, report=report
        )
        left = None
        if leakage:
            first, second = (opened, None) if before is None else (before, opened)
            left = recover(first, pair_axis(first, [DEFAULT_PAIR]), after=second, seed=seed, report=report)
    if json:
        print_findings([*evaluation.findings(), *(left.findings() if left else ())])
        say_skipped(evaluation.skipped)
    else:
        show_evaluation(evaluation)
        if left:
            show_leakage(left)


def show_evaluation(evaluation: "Evaluation") -> None:
    """Print one table, the benchmarks that could not be run, and what the columns mean."""
    from imprint.cli.console import say
    from imprint.cli.tables import print_skipped

    print_evaluation(evaluation)
    if evaluation.skipped:
        print_skipped(evaluation.skipped)
    for line in legend(evaluation):
        say(line)


def show_leakage(left: "Leakage") -> None:
    """Print how often gender is recovered from each list of words, by each method."""
    from imprint.cli.console import say
    from imprint.cli.formats import make_table, show_table
    from imprint.evaluation.leakage import FEWEST_OF_A_LABEL

    values = ("before", "after", "difference") if left.after else ("recovered",)
    names = left.before if left.after is None else f"{left.before}, then {left.after}"
    columns = [("words", "left"), ("women, men", "right"), ("by", "left"), ("chance", "right")]
    table = make_table(f"Gender recovered: {names}", *columns, *((value, "right") for value in values))
    for row in left.rows:
        numbers = [_percent(row.before)] if row.change is None else [f"{row.before.value:.1%}", _percent(row.after)]
        if row.change is not None:
            numbers.append(_points(row.change))
        table.add_row(row.words, f"{row.women}, {row.men}", row.method, f"{row.chance:.1%}", *numbers)
    show_table(table)
    for name in left.untried:
        say(f"not tried: {name}: fewer than {FEWEST_OF_A_LABEL} words of women or of men are there")
    say("Recovered: the mean share of either gender put right, over five folds or by two clusters. [ ]: 95 %, of")
    say("classifiers allowing for other words to train on, of clusters over resamples of words; [-]: all alike.")
    say("Words furthest out were chosen by the axis: all were recovered.")
    say("A debiaser fitted on some of these words has an easier time with them.")
    say("A bias that is gone from an axis and still recovered here was hidden, not removed.")


def _percent(one: "Estimate | None") -> str:
    from imprint.cli.formats import bracketed

    return "" if one is None else bracketed(one, "{:.1%}".format)


def _points(one: "Estimate") -> str:
    from imprint.cli.formats import bracketed

    return bracketed(one, lambda value: f"{100 * value:+.1f}")


def print_evaluation(
    evaluation: "Evaluation",
    *,
    title: str | None = None,
    sides: tuple[str, str, str] = ("before", "after", "difference"),
) -> None:
    """Print a row a benchmark and measure; with another embedding, both `sides` and the second less the first."""
    from imprint.cli.formats import TABLE_WIDTH, make_table, print_blocks, show_table, width

    first = evaluation.rows[0]
    name = first.result.embedding
    if title is None:
        other = first.against
        title = f"Benchmarks of {name}" if other is None else f"Benchmarks: {other.embedding}, then {name}"
    rows = [cells for row in evaluation.rows for cells in _cells(row)]
    columns = ["benchmark", "found", "measure", *(("value",) if first.against is None else sides)]
    with_paper = any(row.published for row in evaluation.rows)
    if with_paper:
        columns.append("paper")
    if width() < TABLE_WIDTH:
        blocks: dict[str, list[str]] = {}
        for benchmark, found, measure, *cells in rows:
            said = ", ".join(f"{column} {cell}" for column, cell in zip(columns[3:], cells, strict=False) if cell)
            blocks.setdefault(f"{benchmark}, {found}", []).append(f"{measure}: {said}")
        print_blocks(title, [(heading, *lines) for heading, lines in blocks.items()])
        return
    table = make_table(title, *((column, "left" if column in columns[:3:2] else "right") for column in columns))
    shown = None
    for benchmark, found, *cells in rows:
        again = benchmark == shown
        table.add_row("" if again else benchmark, "" if again else found, *cells[: len(columns) - 2])
        shown = benchmark
    show_table(table)


def legend(evaluation: "Evaluation") -> list[str]:
    """Explain the columns, and name the words that were missing."""
    from imprint.stimuli.definition import quote

    lines = [*LEGEND]
    estimates = [one for row in evaluation.rows for one in (*row.result.measures.values(), *row.change.values())]
    if any(math.isnan(one.low) for one in estimates):
        lines.append(NO_INTERVAL_LEGEND)
    if evaluation.rows[0].against is not None:
        lines += [AGAINST_LEGEND, *_searched(evaluation)]
    if any(row.published for row in evaluation.rows):
        lines.append(PAPER_LEGEND)
    for row in evaluation.rows:
        for one in (row.against, row.result):
            if one is not None and one.missing:
                lines.append(f"missing words of {one.benchmark} in {one.embedding}: {quote(one.missing)}")
    return lines


def _searched(evaluation: "Evaluation") -> list[str]:
    """Say how many words were searched for analogies where the two embeddings differ in that."""
    from imprint.evaluation.analogy import AnalogyResult

    for row in evaluation.rows:
        one, other = row.against, row.result
        if isinstance(one, AnalogyResult) and isinstance(other, AnalogyResult) and one.words != other.words:
            return [
                f"Analogies are easier among fewer words: {one.words:,} were searched in {one.embedding} and "
                f"{other.words:,} in {other.embedding},",
                "so the accuracies are not of one task; --most-words with the smaller number cuts both to one size.",
            ]
    return []


def _cells(row: "BenchmarkRow") -> list[tuple[str, ...]]:
    from imprint.cli.formats import bracketed

    result, published = row.result, row.published
    lines = []
    for place, (measure, value) in enumerate(result.measures.items()):
        # The paper's figures are Spearman's correlations and, for analogies, 3CosAdd: the first measure of either.
        paper = f"{published[0]:.3f} → {published[1]:.3f}" if published and place == 0 else ""
        numbers = [bracketed(value, "{:.3f}".format)]
        if row.against is not None:
            numbers = [
                f"{row.against.measures[measure].value:.3f}",
                f"{value.value:.3f}",
                _signed(row.change[measure]),
            ]
        found = f"{result.found:,} of {result.asked:,}"
        lines.append((result.benchmark, found, _NAMES[measure], *numbers, paper))
    return lines


def _signed(one: "Estimate") -> str:
    from imprint.cli.formats import bracketed

    # Adding nothing makes a negative zero a zero.
    return "" if math.isnan(one.value) else bracketed(one, lambda value: f"{round(value, 3) + 0.0:+.3f}")
