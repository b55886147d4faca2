"""The commands, put together. Each module imports what it computes with only when it runs."""

from typing import Annotated

import typer

from imprint.cli import (
    analogies,
    audit,
    board,
    calibrate,
    card,
    compare,
    convert,
    debias,
    enumerate,  # noqa: A004 - the command's own name
    evaluate,
    gate,
    metric,
    neighbours,
    policy,
    project,
    report,
    reproduce,
    schema,
    seat,
    serve,
    stimuli,
    study,
    swap,
    translate_probe,
    weat,
    wefat,
)
from imprint.version import __version__

app = typer.Typer(
    name="imprint",
    help="Which social biases are imprinted in a word embedding or a sentence encoder, and how sure can we be? "
    "EMBEDDING is a file, or 'default' for the bundled GloVe.",
    no_args_is_help=True,
    add_completion=False,
    rich_markup_mode=None,
    pretty_exceptions_enable=False,
    context_settings={"help_option_names": ["-h", "--help"]},
)
app.command("audit")(audit.audit_command)
app.command("report")(report.report_command)
app.command("gate")(gate.gate_command)
app.add_typer(policy.policy_app, name="policy")
app.command("card")(card.card_command)
app.command("schema")(schema.schema_command)
app.command("weat")(weat.weat_command)
app.command("wefat")(wefat.wefat_command)
app.command("seat")(seat.seat_command)
app.command("metric")(metric.metric_command)
app.command("metrics")(metric.metrics_command)
app.command("calibrate")(calibrate.calibrate_command)
app.command("enumerate")(enumerate.enumerate_command)
app.command("reproduce")(reproduce.reproduce_command)
app.command("project")(project.project_command)
app.command("analogies")(analogies.analogies_command)
app.command("neighbours")(neighbours.neighbours_command)
app.command("debias")(debias.debias_command)
app.command("evaluate")(evaluate.evaluate_command)
app.command("compare")(compare.compare_command)
app.command("board")(board.board_command)
app.command("swap")(swap.swap_command)
app.command("translate-probe")(translate_probe.translate_probe_command)
app.command("serve")(serve.serve_command)
app.add_typer(study.study_app, name="study")
app.command("stimuli")(stimuli.stimuli_command)
app.command("convert")(convert.convert_command)


def _print_version(asked: bool) -> None:
    if asked:
        typer.echo(__version__)
        raise typer.Exit


@app.callback()
def options(
    version: Annotated[
        bool, typer.Option("--version", help="Print the version and stop.", callback=_print_version, is_eager=True)
    ] = False,
) -> None:
    """Options before the command."""
