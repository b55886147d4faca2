"""Settings of a job, each described once: options of commands, keywords in Python and what explains them follow.

A class of settings is a dataclass or a msgspec.Struct, whose fields are annotated with `option(...)`. A command that
has a parameter of this class gets its options (`imprint.cli.options.with_settings`), and a function that is `settable`
gets its keywords.
"""

import inspect
import re
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from functools import wraps
from typing import Annotated, Any, Concatenate, ParamSpec, TypeVar, get_args, get_origin, get_type_hints

P = ParamSpec("P")
Subject = TypeVar("Subject")
SettingsType = TypeVar("SettingsType")
Found = TypeVar("Found")


@dataclass(frozen=True)
class Option:
    """What a setting is for, its names on the command line where they are not the field's, and what typer needs."""

    help: str
    names: tuple[str, ...]
    more: dict[str, Any]

    def names_of(self, field: str) -> tuple[str, ...]:
        """Return its names on the command line; a yes or no has no opposite there."""
        return self.names or (f"--{field.replace('_', '-')}",)


def option(help: str, *names: str, **more: Any) -> Option:  # noqa: A002 - as typer calls it
    """Describe a setting; `more` goes to `typer.Option`: min, metavar, callback."""
    return Option(help, names, more)


def fields_of(settings: Any) -> dict[str, tuple[inspect.Parameter, Option]]:
    """Return the fields that have an option, each as a parameter of its type alone; none of any other class."""
    if not isinstance(settings, type) or settings.__module__ == "builtins":
        return {}
    hints = get_type_hints(settings, include_extras=True)
    given = {name: get_args(hint) for name, hint in hints.items() if get_origin(hint) is Annotated}
    options = {name: found for name, (_, *extras) in given.items() for found in extras if isinstance(found, Option)}
    parameters = inspect.signature(settings).parameters
    return {
        name: (one.replace(annotation=given[name][0]), options[name])
        for name, one in parameters.items()
        if name in options
    }


def as_options(settings: object) -> list[str]:
    """Return the words of a command line that give these settings."""
    said: list[str] = []
    for name, (_, described) in fields_of(type(settings)).items():
        flag, value = described.names_of(name)[0], getattr(settings, name)
        if isinstance(value, bool):
            said += [flag] if value else []
        else:
            several = value if isinstance(value, tuple) else (value,)
            said += [word for one in several for word in (flag, "none" if one is None else str(one))]
    return said


def explained(settings: type[SettingsType]) -> type[SettingsType]:
    """Let the docstring of a class of settings explain each."""
    settings.__doc__ = _explained(settings.__doc__ or "", fields_of(settings))
    return settings


def settable(
    settings: Callable[P, SettingsType],
) -> Callable[[Callable[[Subject, SettingsType], Found]], Callable[Concatenate[Subject, P], Found]]:
    """Let a function of a subject and settings take these as keywords; its docstring then explains each."""

    def with_keywords(function: Callable[[Subject, SettingsType], Found]) -> Callable[Concatenate[Subject, P], Found]:
        own = inspect.signature(function)
        subject, _ = own.parameters.values()
        fields = fields_of(settings)
        signature = own.replace(parameters=[subject, *(field for field, _ in fields.values())])

        @wraps(function)
        def with_settings(subject: Subject, /, *args: P.args, **kwargs: P.kwargs) -> Found:
            return function(subject, settings(*args, **kwargs))

        with_settings.__doc__ = _explained(function.__doc__ or "", fields)
        vars(with_settings)["__signature__"] = signature
        return with_settings

    return with_keywords


def _explained(text: str, fields: Mapping[str, tuple[inspect.Parameter, Option]]) -> str:
    """Put what each setting is for at the end of the parameters of a docstring in numpy's style."""
    before, heading, after = re.split(r"(\n(?:Returns|Examples)\n)", inspect.cleandoc(text), maxsplit=1)
    own = "" if "\nParameters\n" in before else "\nParameters\n----------\n"
    lines = "".join(f"{name}\n    {one.help}\n" for name, (_, one) in fields.items())
    return f"{before}{own}{lines}{heading}{after}"
