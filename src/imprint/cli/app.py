"""The commands, put together. Each module imports what it computes with only when it runs."""

from collections.abc import Callable, Iterable
from typing import Annotated, Any

import typer
from typer.core import TyperGroup

from imprint.errors import ImprintError
from imprint.registry import Registry
from imprint.version import __version__

# A command is a function as typer reads it, or a typer.Typer of several. imprint's own pyproject.toml registers the
# commands of boards, studies and the explorer, as a plug-in does.
COMMANDS = Registry(
    "imprint.commands",
    {
        "audit": "imprint.cli.audit:audit_command",
        "report": "imprint.cli.report:report_command",
        "gate": "imprint.cli.gate:gate_command",
        "policy": "imprint.cli.policy:policy_app",
        "card": "imprint.cli.card:card_command",
        "schema": "imprint.cli.schema:schema_command",
        "weat": "imprint.cli.weat:weat_command",
        "wefat": "imprint.cli.wefat:wefat_command",
        "seat": "imprint.cli.seat:seat_command",
        "metric": "imprint.cli.metric:metric_command",
        "metrics": "imprint.cli.metric:metrics_command",
        "calibrate": "imprint.cli.calibrate:calibrate_command",
        "enumerate": "imprint.cli.enumerate:enumerate_command",
        "reproduce": "imprint.cli.reproduce:reproduce_command",
        "project": "imprint.cli.project:project_command",
        "analogies": "imprint.cli.analogies:analogies_command",
        "neighbours": "imprint.cli.neighbours:neighbours_command",
        "debias": "imprint.cli.debias:debias_command",
        "evaluate": "imprint.cli.evaluate:evaluate_command",
        "compare": "imprint.cli.compare:compare_command",
        "swap": "imprint.cli.swap:swap_command",
        "translate-probe": "imprint.cli.translate_probe:translate_probe_command",
        "stimuli": "imprint.cli.stimuli:stimuli_command",
        "convert": "imprint.cli.convert:convert_command",
    },
)
# The order of the help. Commands of plug-ins come after these, by name.
ORDER = (
    *("audit", "report", "gate", "card", "schema", "weat", "wefat", "seat", "metric", "metrics", "calibrate"),
    *("enumerate", "reproduce", "project", "analogies", "neighbours", "debias", "evaluate", "compare", "board"),
    *("swap", "translate-probe", "serve", "stimuli", "convert", "policy", "study"),
)


class _OrderedCommands(TyperGroup):
    """All commands, listed in their order."""

    def list_commands(self, ctx: Any) -> list[str]:
        """Return the names in the order of the help."""
        return sorted(self.commands, key=lambda name: (ORDER.index(name) if name in ORDER else len(ORDER), name))


def make_app(names: Iterable[str] | None = None) -> typer.Typer:
    """Return the command line with these commands alone, which starts sooner, or with all.

    Among all, a plug-in that is broken is listed with what is wrong; by its name, it is refused.
    """
    app = typer.Typer(
        name="imprint",
        help="Which social biases are imprinted in a word embedding or a sentence encoder, and how sure can we be? "
        "EMBEDDING is a file, or 'default' for the bundled GloVe.",
        cls=_OrderedCommands,
        no_args_is_help=True,
        rich_markup_mode=None,
        pretty_exceptions_enable=False,
        context_settings={"help_option_names": ["-h", "--help"]},
        callback=_options,
    )
    for name in COMMANDS.names() if names is None else names:
        problem = None if COMMANDS.is_own(name) else _problem_of(name)
        if problem is None:
            _add(app, name)
        elif names is None:
            app.command(name, help=f"Broken plug-in: `imprint {name}` says why.")(_refusing(problem))
        else:
            raise problem
    return app


def _add(app: typer.Typer, name: str) -> None:
    command = COMMANDS.get(name)
    if isinstance(command, typer.Typer):
        app.add_typer(command, name=name)
    else:
        app.command(name)(command)


def _problem_of(plugin: str) -> ImprintError | None:
    """Return what is wrong with a plug-in's command, None where typer can read it."""
    trial = typer.Typer()
    try:
        _add(trial, plugin)
        typer.main.get_command(trial)
    except ImprintError as error:
        return error
    except Exception as error:  # noqa: BLE001 - code of others: it may be anything
        return COMMANDS.broken(plugin, "is not a command", error)
    return None


def _refusing(problem: ImprintError) -> Callable[[], None]:
    def refuse() -> None:
        raise problem

    return refuse


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
