"""The reference pages, written from the code when the documentation is built: no list in them is kept by hand."""

import re
import tomllib
from collections.abc import Iterator, Sequence
from importlib import import_module
from pathlib import Path
from typing import Any

import typer

import imprint
from imprint.cli.app import make_app

_PYPROJECT = Path(__file__).parents[1] / "pyproject.toml"
_VERSION = "__version__"


def command_reference() -> str:
    """Return every command with its arguments and options, as its --help tells them."""
    whole = typer.main.get_command(make_app())
    return "\n".join(line for command in _commands(whole, None) for line in command)


def python_reference() -> str:
    """Return every public name, under the room it lives in, for autodoc to describe from its docstring."""
    lines = [f"`imprint.{_VERSION}` is the version, a string.\n"]
    for room, names in _rooms().items():
        sentence = (import_module(f"imprint.{room}").__doc__ or "").splitlines()[0]
        lines += [f"## {room}\n", f"{sentence}\n"]
        for name in names:
            kind = "autoclass" if isinstance(getattr(imprint, name), type) else "autofunction"
            lines += ["```{eval-rst}", f".. {kind}:: imprint.{name}", "```\n"]
    return "\n".join(lines)


def plain_docstring(lines: Sequence[str]) -> list[str]:
    """Escape what reStructuredText would take for markup: docstrings are plain text with `names` in backquotes.

    Names of parameters, alone in their line, and examples stay as they are.
    """
    plain, example = [], False
    for line in lines:
        example = line.lstrip().startswith(">>>") or (example and bool(line.strip()))
        kept = example or line.strip().isidentifier()
        plain.append(line if kept else "".join(_escaped(part) for part in re.split(r"(`[^`]*`)", line)))
    return plain


MARKERS = {"<!-- commands -->": command_reference, "<!-- names -->": python_reference}


def _escaped(part: str) -> str:
    return part if part.startswith("`") else re.sub(r"([*|_\\])", r"\\\1", part)


def _commands(command: Any, parent: typer.Context | None) -> Iterator[list[str]]:
    """Yield the lines of a command, then those of the commands below it."""
    context = typer.Context(command, info_name=command.name, parent=parent)
    rows = [record for one in command.get_params(context) if (record := one.get_help_record(context))]
    lines = [f"## {context.command_path}\n", f"{command.help or ''}\n", "| | |", "|---|---|"]
    yield [*lines, *(f"| `{names}` | {_cell(text)} |" for names, text in rows), ""]
    for below in getattr(command, "commands", {}).values():
        yield from _commands(below, context)


def _cell(text: str) -> str:
    """Put a text into one cell of a table of Markdown; its stars and brackets are meant."""
    return re.sub(r"([|<>*\[\]])", r"\\\1", " ".join(text.split()))


def _rooms() -> dict[str, list[str]]:
    """Return the public names by room, rooms in the order of the import contract, the lowest first."""
    contract = tomllib.loads(_PYPROJECT.read_text(encoding="utf-8"))["tool"]["importlinter"]["contracts"][0]
    order = [layer.removeprefix("imprint.") for layer in reversed(contract["layers"])]
    rooms: dict[str, list[str]] = {}
    for name in imprint.__all__:
        if name != _VERSION:
            rooms.setdefault(getattr(imprint, name).__module__.split(".")[1], []).append(name)
    return dict(sorted(rooms.items(), key=lambda item: order.index(item[0])))
