"""`imprint compare`: two embeddings side by side."""

from dataclasses import asdict
from typing import Annotated

import typer

from imprint.cli.encoders import SUBJECT_HELP, EncoderSettings, opened_subjects
from imprint.cli.evaluate import BenchmarksOption
from imprint.cli.options import JsonOption, chosen_weats, is_subject, with_settings
from imprint.evaluation.benchmarks import BenchmarkSettings


@with_settings
def compare_command(
    first: Annotated[str, typer.Argument(callback=is_subject, metavar="A", help=SUBJECT_HELP)],
    second: Annotated[str, typer.Argument(callback=is_subject, metavar="B", help="Another.")],
    test: Annotated[
        list[str] | None,
        typer.Option("--test", help="A WEAT's id, or a pattern; may repeat. [default: questions, Caliskan's ten]"),
    ] = None,
    benchmarks: BenchmarksOption = None,
    *,
    settings: BenchmarkSettings,
    about: EncoderSettings,
    json: JsonOption = False,
) -> None:
    """Compare two subjects: biases, associations, benchmarks.

    Among others: do both associate the same words alike? A sentence encoder is asked about words in sentences.
    """
    from imprint.cli.console import phases, show_findings
    from imprint.evaluation.benchmarks import all_benchmarks

    hint = "every WEFAT is compared anyway"
    tests = None if not test else chosen_weats(test, None, None, default=(), hint=hint)
    chosen = all_benchmarks(benchmarks)
    from imprint.evaluation.comparison import compare, comparison_words  # after the choice: they load numpy
    from imprint.evaluation.controls import with_controls

    with opened_subjects([first, second], about) as opened:
        words = opened.words(
            comparison_words(tests, chosen), languages={test.language for test in tests or ()} or {"en"}
        )
        with phases() as report:
            rows = compare(*words, tests=tests, benchmarks=chosen, report=report, **asdict(settings))
        judged = with_controls(rows, *opened.subjects, cache=opened.cache)
    show_findings(judged.findings(), json=json)
