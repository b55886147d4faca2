"""Settings are described once: options of commands, keywords in Python, fields of rows, and the command on cards."""

import inspect
from dataclasses import dataclass
from typing import Annotated, Literal

import msgspec
import pytest
import typer
from typer.main import get_command
from typer.testing import CliRunner

import imprint
from imprint.audit.kinds import AuditedSettings
from imprint.cli.app import make_app
from imprint.cli.encoders import EncoderSettings
from imprint.cli.options import with_settings
from imprint.enumeration.settings import Settings
from imprint.jobs.settings import AuditSettings
from imprint.settings import as_options, fields_of, option, settable


@dataclass(frozen=True, kw_only=True)
class Baking:
    """How a cake is baked."""

    flour: Annotated[Literal["rye", "wheat"], option("Which flour.")] = "wheat"
    eggs: Annotated[int, option("How many eggs.", "--number-of-eggs", min=0)] = 3
    fillings: Annotated[tuple[str, ...], option("A filling; may repeat.", "--filling")] = ()
    is_vegan: Annotated[bool, option("Leave out the eggs.")] = False
    oven: object = None


def run(arguments):
    baked = []

    @with_settings
    def bake(cake: str, *, settings: Baking, eggs_of: int = 1) -> None:
        baked.append((cake, settings, eggs_of))

    app = typer.Typer()
    app.command()(bake)
    result = CliRunner().invoke(app, arguments)
    return result, baked


def test_a_command_gets_its_settings_made_of_its_options():
    result, baked = run(["Torte", "--flour", "rye", "--filling", "plum", "--filling", "nut", "--is-vegan"])
    assert result.exit_code == 0
    assert baked == [("Torte", Baking(flour="rye", fillings=("plum", "nut"), is_vegan=True), 1)]
    assert run(["Torte"])[1] == [("Torte", Baking(), 1)]


@pytest.mark.parametrize(
    "arguments",
    [["--flour", "oat"], ["--number-of-eggs", "-1"], ["--eggs", "2"], ["--oven", "hot"], ["--no-is-vegan"]],
)
def test_what_no_setting_takes_is_refused(arguments):
    result, baked = run(["Torte", *arguments])
    assert result.exit_code == 2
    assert baked == []


def test_the_words_of_a_command_line_give_the_same_settings():
    settings = Baking(flour="rye", eggs=0, fillings=("plum", "nut"), is_vegan=True)
    assert run(["Torte", *as_options(settings)])[1] == [("Torte", settings, 1)]


def test_a_function_takes_settings_as_keywords_and_explains_them():
    @settable(Baking)
    def bake(cake: str, settings: Baking) -> tuple[str, Baking]:
        """Bake.

        Parameters
        ----------
        cake
            Which cake.

        Returns
        -------
        tuple
            The cake.
        """
        return cake, settings

    assert bake("Torte", eggs=1) == ("Torte", Baking(eggs=1))
    keywords = inspect.signature(bake).parameters
    assert [*keywords] == ["cake", "flour", "eggs", "fillings", "is_vegan"]
    assert keywords["eggs"].annotation is int
    assert "\ncake\n    Which cake.\nflour\n    Which flour.\n" in bake.__doc__
    with pytest.raises(TypeError, match="sugar"):
        bake("Torte", sugar=1)


def options(command):
    found = get_command(make_app()).commands[command].params
    return {one.name: (one.opts, one.default) for one in found}


@pytest.mark.parametrize(
    ("command", "settings", "own"),
    [
        ("audit", AuditSettings, ()),
        ("audit", EncoderSettings, ()),
        ("board", EncoderSettings, ()),
        ("enumerate", Settings, ("groups",)),  # the command runs several numbers of groups
    ],
)
def test_a_commands_options_are_the_fields_of_its_settings(command, settings, own):
    given = options(command)
    for name, (field, described) in fields_of(settings).items():
        if name not in own:
            names, default = given[name]
            assert tuple(names) == described.names_of(name)
            assert (tuple(default) if isinstance(default, list) else default) == field.default


def test_an_audit_has_one_set_of_settings_everywhere():
    keywords = inspect.signature(imprint.run_audit).parameters
    fields = {field.name: field.default for field in msgspec.structs.fields(AuditSettings)}
    assert {*fields_of(AuditSettings)} == {*fields}
    assert fields.items() <= {name: one.default for name, one in keywords.items()}.items()
    assert {*fields} <= {*AuditedSettings.__struct_fields__}
    assert all(f"\n{name}\n" in imprint.run_audit.__doc__ for name in keywords)


def test_debiasing_has_the_same_settings_in_a_command_and_in_python():
    names = {names[0].removeprefix("--") for names, _ in options("debias").values()}
    of_encoders = {name.replace("_", "-") for name in fields_of(EncoderSettings)}
    in_python = {"groups" if name == "group" else name for name in names - of_encoders - {"compare", "page", "json"}}
    assert {*inspect.signature(imprint.debias).parameters} == in_python | {"templates", "tests", "cache", "report"}
