"""The commands, put together. Each module imports what it computes with only when it runs."""

from collections.abc import Iterable
from importlib import import_module
from typing import Annotated

import typer

from imprint.version import __version__

# The module of each command, in the order of the help.
COMMANDS = {
    "audit": "audit",
    "report": "report",
    "gate": "gate",
    "policy": "policy",
    "card": "card",
    "schema": "schema",
    "weat": "weat",
    "wefat": "wefat",
    "seat": "seat",
    "metric": "metric",
    "metrics": "metric",
    "calibrate": "calibrate",
    "enumerate": "enumerate",
    "reproduce": "reproduce",
    "project": "project",
    "analogies": "analogies",
    "neighbours": "neighbours",
    "debias": "debias",
    "evaluate": "evaluate",
    "compare": "compare",
    "board": "board",
    "swap": "swap",
    "translate-probe": "translate_probe",
    "serve": "serve",
    "study": "study",
    "stimuli": "stimuli",
    "convert": "convert",
}


def make_app(names: Iterable[str] = COMMANDS) -> typer.Typer:
    """Return the command line with all commands, or with these alone, which starts sooner."""
    app = typer.Typer(
        name="imprint",
        help="Which social biases are imprinted in a word embedding or a sentence encoder, and how sure can we be? "
        "EMBEDDING is a file, or 'default' for the bundled GloVe.",
        no_args_is_help=True,
        rich_markup_mode=None,
        pretty_exceptions_enable=False,
        context_settings={"help_option_names": ["-h", "--help"]},
        callback=_options,
    )
    for name in names:
        module = import_module(f"imprint.cli.{COMMANDS[name]}")
        if group := getattr(module, f"{name}_app", None):
            app.add_typer(group, name=name)
        else:
            app.command(name)(getattr(module, f"{name.replace('-', '_')}_command"))
    return app


def _print_version(asked: bool) -> None:
    if asked:
        typer.echo(__version__)
        raise typer.Exit


def _options(
    version: Annotated[
        bool, typer.Option("--version", help="Print the version and stop.", callback=_print_version, is_eager=True)
    ] = False,
) -> None:
    """Options before the command."""
