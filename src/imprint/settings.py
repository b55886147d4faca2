"""Settings of a job, each described once: options of commands, keywords in Python and what explains them follow.

A class of settings is a dataclass or a msgspec.Struct, whose fields are annotated with `option(...)`. A command that
has a parameter of this class gets its options (`imprint.cli.options.with_settings`), and a function that is `settable`
gets its keywords. Parameters of a command are annotated likewise.
"""

import inspect
import re
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from functools import wraps
from typing import Annotated, Any, Concatenate, Literal, ParamSpec, TypeVar, get_args, get_origin, get_type_hints

P = ParamSpec("P")
Subject = TypeVar("Subject")
SettingsType = TypeVar("SettingsType")
Returned = TypeVar("Returned")

Named = Literal["file", "encoder", "subject", "debiaser", "words", "number"]


@dataclass(frozen=True)
class Option:
    """What a setting is for, its names on the command line where they are not the field's, and what typer needs.

    Where Python takes an object, such as an encoder, the command line takes a text that `names_a` file or an encoder.
    """

    help: str
    names: tuple[str, ...]
    names_a: Named | None
    more: dict[str, Any]

    def names_of(self, field: str) -> tuple[str, ...]:
        """Return its names on the command line; a yes or no has no opposite there."""
        return self.names or (f"--{field.replace('_', '-')}",)


def option(help: str, *names: str, names_a: Named | None = None, **more: Any) -> Option:  # noqa: A002 - as typer calls it
    """Describe a setting; `more` goes to `typer.Option`: min, metavar, callback."""
    return Option(help, names, names_a, more)


SEED = option("Random seed.", "--seed", min=0)
CACHE = option("Where encodings are kept between runs.")
REPORT = option("Called with the name of the step, the work done and the total work.")
TOPIC = option("Only tests about this topic, such as gender; may repeat.", "--topic", metavar="TOPIC")


def options_of(annotation: Any) -> list[tuple[Any, Option]]:
    """Return the type and the option of an annotation that has one."""
    if get_origin(annotation) is not Annotated:
        return []
    kind, *extras = get_args(annotation)
    return [(kind, extra) for extra in extras if isinstance(extra, Option)]


def fields_of(settings: Any) -> dict[str, tuple[inspect.Parameter, Option]]:
    """Return the fields that have an option, each as a parameter of its type alone; none of any other class."""
    if not isinstance(settings, type) or settings.__module__ == "builtins":
        return {}
    hints = get_type_hints(settings, include_extras=True)
    return {
        name: (parameter.replace(annotation=kind), setting)
        for name, parameter in inspect.signature(settings).parameters.items()
        for kind, setting in options_of(hints.get(name))
    }


def as_options(settings: object) -> list[str]:
    """Return the words of a command line that give these settings."""
    said: list[str] = []
    for name, (_, setting) in fields_of(type(settings)).items():
        flag, value = setting.names_of(name)[0], getattr(settings, name)
        if isinstance(value, bool):
            said += [flag] if value else []
        else:
            several = value if isinstance(value, tuple) else (value,)
            said += [word for each in several for word in (flag, "none" if each is None else str(each))]
    return said


def explained(settings: type[SettingsType]) -> type[SettingsType]:
    """Let the docstring of a class of settings explain each."""
    settings.__doc__ = _explained(settings.__doc__ or "", fields_of(settings))
    return settings


def settable(
    settings: Callable[P, SettingsType],
) -> Callable[[Callable[[Subject, SettingsType], Returned]], Callable[Concatenate[Subject, P], Returned]]:
    """Let a function of a subject and settings take these as keywords; its docstring then explains each."""

    def with_keywords(
        function: Callable[[Subject, SettingsType], Returned],
    ) -> Callable[Concatenate[Subject, P], Returned]:
        own = inspect.signature(function)
        subject, _ = own.parameters.values()
        fields = fields_of(settings)
        signature = own.replace(parameters=[subject, *(field for field, _ in fields.values())])

        @wraps(function)
        def with_settings(subject: Subject, /, *args: P.args, **kwargs: P.kwargs) -> Returned:
            return function(subject, settings(*args, **kwargs))

        with_settings.__doc__ = _explained(function.__doc__ or "", fields)
        vars(with_settings)["__signature__"] = signature
        return with_settings

    return with_keywords


def _explained(text: str, fields: Mapping[str, tuple[inspect.Parameter, Option]]) -> str:
    """Put what each setting is for at the end of the parameters of a docstring in numpy's style."""
    before, heading, after = re.split(r"(\n(?:Returns|Examples)\n)", inspect.cleandoc(text), maxsplit=1)
    own = "" if "\nParameters\n" in before else "\nParameters\n----------\n"
    lines = "".join(f"{name}\n    {setting.help}\n" for name, (_, setting) in fields.items())
    return f"{before}{own}{lines}{heading}{after}"
