"""The commands, put together. Each module imports what it computes with only when it runs."""

import inspect
from collections.abc import Iterator, Mapping
from typing import Annotated, Any

import typer
from typer.core import TyperCommand, TyperGroup

from imprint.cli.options import with_settings
from imprint.errors import ImprintError
from imprint.registry import Registry
from imprint.version import __version__

# A command is a function as typer reads it, or a typer.Typer of several. imprint's own pyproject.toml registers the
# commands of boards, studies and the explorer, as a plug-in does.
COMMANDS = Registry(
    "imprint.commands",
    {
        "audit": "imprint.cli.audit:audit_command",
        "report": "imprint.cli.findings:report_command",
        "gate": "imprint.cli.gate:gate_command",
        "policy": "imprint.cli.gate:policy_app",
        "card": "imprint.cli.findings:card_command",
        "schema": "imprint.cli.findings:schema_command",
        "weat": "imprint.cli.association:weat_command",
        "wefat": "imprint.cli.association:wefat_command",
        "seat": "imprint.cli.association:seat_command",
        "metric": "imprint.cli.metric:metric_command",
        "metrics": "imprint.cli.metric:metrics_command",
        "calibrate": "imprint.cli.association:calibrate_command",
        "enumerate": "imprint.cli.enumerate:enumerate_command",
        "reproduce": "imprint.cli.evaluation:reproduce_command",
        "project": "imprint.cli.directions:project_command",
        "analogies": "imprint.cli.directions:analogies_command",
        "neighbours": "imprint.cli.directions:neighbours_command",
        "debias": "imprint.cli.debias:debias_command",
        "evaluate": "imprint.cli.evaluation:evaluate_command",
        "compare": "imprint.cli.evaluation:compare_command",
        "swap": "imprint.cli.scoring:swap_command",
        "retrieval": "imprint.cli.scoring:retrieval_command",
        "translate-probe": "imprint.cli.scoring:translate_probe_command",
        "corpus": "imprint.cli.corpus:corpus_command",
        "stimuli": "imprint.cli.stimuli:stimuli_command",
        "convert": "imprint.cli.debias:convert_command",
    },
)
# The order of the help. Commands of plug-ins come after these, by name.
ORDER = (
    *("audit", "report", "gate", "card", "schema", "weat", "wefat", "seat", "metric", "metrics", "calibrate"),
    *("enumerate", "reproduce", "project", "analogies", "neighbours", "debias", "evaluate", "compare", "board"),
    *("swap", "retrieval", "translate-probe", "corpus", "serve", "stimuli", "convert", "policy", "study"),
)


class _Commands(Mapping[str, Any]):
    """All commands in the order of the help, made when asked for: to make all of them takes longer than the rest."""

    def __getitem__(self, name: str) -> Any:
        if name not in COMMANDS:
            raise KeyError(name)
        command, app = COMMANDS.get(name), typer.Typer(rich_markup_mode=None)
        try:
            if isinstance(command, typer.Typer):
                app.add_typer(command, name=name)
            else:
                app.command(name)(with_settings(command))
            return typer.main.get_group(app).commands[name]
        except Exception as error:
            # Any exception: a plug-in's command is code of others, which typer may be unable to read.
            if COMMANDS.is_own(name):
                raise
            raise COMMANDS.broken(name, "is not a command", error) from error

    def __iter__(self) -> Iterator[str]:
        return iter((*ORDER, *sorted(COMMANDS.plugins())))

    def __len__(self) -> int:
        return len(COMMANDS.names())


class _Group(TyperGroup):
    """All commands; the help lists them without their options."""

    def __init__(self, **attributes: Any) -> None:
        super().__init__(**attributes | {"commands": _Commands()})

    def format_commands(self, ctx: Any, formatter: Any) -> None:
        """Write the first line about each command."""
        TyperGroup(commands=list(map(_listed, self.commands))).format_commands(ctx, formatter)


def make_app() -> typer.Typer:
    """Return the command line. A plug-in that is broken is listed with what is wrong; by its name, it is refused."""
    return typer.Typer(
        name="imprint",
        help="Which social biases are imprinted in a word embedding or a sentence encoder, and how sure can we be? "
        "EMBEDDING is a file, or 'default' for the bundled GloVe.",
        cls=_Group,
        no_args_is_help=True,
        rich_markup_mode=None,
        pretty_exceptions_enable=False,
        context_settings={"help_option_names": ["-h", "--help"]},
        callback=_options,
    )


def _listed(name: str) -> Any:
    """Return a command that has its help alone; of a plug-in, whatever its command is once it is made."""
    if not COMMANDS.is_own(name):
        try:
            return _Commands()[name]
        except ImprintError:
            return TyperCommand(name, help=f"Broken plug-in: `imprint {name}` says why.", rich_markup_mode=None)
    command = COMMANDS.get(name)
    text = command.info.help if isinstance(command, typer.Typer) else inspect.getdoc(command)
    return TyperCommand(name, help=text, rich_markup_mode=None)


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
