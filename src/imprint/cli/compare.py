"""`imprint compare`: two embeddings side by side."""

from typing import TYPE_CHECKING, Annotated

import typer

from imprint.cli.evaluate import BenchmarksOption, WordsOption
from imprint.cli.options import AlphaOption, JsonOption, SeedOption, is_embedding
from imprint.errors import SettingError

if TYPE_CHECKING:
    from imprint.stimuli.definition import WeatTest


def compare_command(
    first: Annotated[str, typer.Argument(callback=is_embedding, metavar="A", help="An embedding file, or 'default'.")],
    second: Annotated[str, typer.Argument(callback=is_embedding, metavar="B", help="Another.")],
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
    """Compare two embeddings: biases, associations, benchmarks.

    Among others: do both associate the same words alike?
    """
    from imprint.cli.console import open_embedding, phases, show_findings
    from imprint.evaluation.benchmarks import all_benchmarks

    chosen = _choose(test)
    found = all_benchmarks(benchmarks)
    from imprint.evaluation.comparison import compare  # after the choice: it loads numpy

    opened = [open_embedding(source) for source in (first, second)]
    with phases() as report:
        comparison = compare(
            *opened, tests=chosen, benchmarks=found, alpha=alpha, most_words=most_words, seed=seed, report=report
        )
    show_findings(comparison.findings(), json=json)


def _choose(patterns: list[str] | None) -> "list[WeatTest] | None":
    from imprint.stimuli.catalog import catalogue, choose
    from imprint.stimuli.definition import WeatTest

    if not patterns:
        return None
    found = [test for test in choose(catalogue(), patterns) if isinstance(test, WeatTest)]
    if not found:
        raise SettingError(
            option="--test",
            got=", ".join(patterns),
            expected="at least one WEAT",
            hint="every WEFAT is compared anyway",
        )
    return found
