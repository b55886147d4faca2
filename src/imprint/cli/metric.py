"""`imprint metric` and `imprint metrics`: metrics by name, ours and those of plug-ins."""

from typing import Annotated

import typer

import imprint
from imprint.checks import check_choice
from imprint.cli.encoders import ENCODER_HELP
from imprint.cli.options import JsonOption, is_subject


def metric_command(
    subject: Annotated[
        str,
        typer.Argument(callback=is_subject, metavar="SUBJECT", help=f"An embedding or an encoder. {ENCODER_HELP}"),
    ],
    metric: Annotated[list[str], typer.Option(help="A metric's name; may repeat. See imprint metrics.")],
    test: Annotated[list[str], typer.Option(help="A test's id, or a pattern such as 'seat-*'; may repeat.")],
    json: JsonOption = False,
) -> None:
    """Run several metrics on the same tests and words."""
    from imprint.cli.console import show_findings
    from imprint.stimuli.catalog import choose

    tests = choose(imprint.catalogue(), test)
    from imprint.kinds.metrics import metrics  # after the choice: it loads numpy

    for name in metric:
        check_choice("metric", name, metrics())
    opened = imprint.open_subject(subject)
    show_findings(
        [row for name in metric for one in tests for row in imprint.metric(name, opened, one).findings()], json=json
    )


def metrics_command() -> None:
    """List the metrics by name."""
    from imprint.cli.console import print_answer
    from imprint.kinds.metrics import metrics

    for name, measure in metrics().items():
        print_answer(f"{name:12}{(measure.__doc__ or '').strip().partition(chr(10))[0]}")
