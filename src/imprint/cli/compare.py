"""`imprint compare`: two embeddings side by side."""

from typing import TYPE_CHECKING, Annotated

import typer

from imprint.cli.encoders import SUBJECT_HELP, EncoderSettings, opened_subjects
from imprint.cli.evaluate import BenchmarksOption, WordsOption
from imprint.cli.options import JsonOption, SeedOption, is_subject, with_settings
from imprint.errors import SettingError

if TYPE_CHECKING:
    from imprint.stimuli.definition import WeatTest


@with_settings
def compare_command(
    first: Annotated[str, typer.Argument(callback=is_subject, metavar="A", help=SUBJECT_HELP)],
    second: Annotated[str, typer.Argument(callback=is_subject, metavar="B", help="Another.")],
    test: Annotated[
        list[str] | None,
        typer.Option("--test", help="A WEAT's id, or a pattern; may repeat. [default: questions, Caliskan's ten]"),
    ] = None,
    benchmarks: BenchmarksOption = None,
    most_words: WordsOption = 300_000,
    *,
    about: EncoderSettings,
    seed: SeedOption = 0,
    json: JsonOption = False,
) -> None:
    """Compare two subjects: biases, associations, benchmarks.

    Among others: do both associate the same words alike? A sentence encoder is asked about words in sentences.
    """
    from imprint.cli.console import phases, show_findings
    from imprint.evaluation.benchmarks import all_benchmarks

    chosen = _choose(test)
    found = all_benchmarks(benchmarks)
    from imprint.evaluation.comparison import compare, comparison_words  # after the choice: it loads numpy

    with opened_subjects([first, second], about) as opened:
        words = opened.words(comparison_words(chosen, found))
    with phases() as report:
        comparison = compare(*words, tests=chosen, benchmarks=found, most_words=most_words, seed=seed, report=report)
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
