"""Settings are described once: options of commands, keywords in Python, fields of rows, and the command on cards."""

import inspect
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Annotated, Literal

import msgspec
import pytest
import typer
from made_rows import make_row
from typer.main import get_command
from typer.testing import CliRunner

import imprint
from imprint.association.settings import (
    BatterySettings,
    CalibrationSettings,
    SeatSettings,
    SentenceSettings,
    WeatSettings,
)
from imprint.audits.settings import AuditOptions
from imprint.cli.app import make_app
from imprint.cli.encoders import EncoderSettings
from imprint.cli.findings import PageSettings
from imprint.cli.gate import VerdictFiles
from imprint.cli.options import with_settings
from imprint.cli.scoring import ConditionOptions
from imprint.corpora.settings import CorpusSettings
from imprint.debiasing.settings import DebiasOptions
from imprint.directions.settings import AnalogySettings
from imprint.enumeration.settings import Settings
from imprint.evaluation.benchmarks import BenchmarkSettings, EvaluationSettings
from imprint.jobs.settings import AuditSettings
from imprint.kinds.audit import AuditedSettings
from imprint.policies.settings import GateSettings
from imprint.scoring.settings import RetrievalOptions, RetrievalSettings, SwapOptions, SwapSettings
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
        ("audit", AuditOptions, ()),
        ("audit", EncoderSettings, ()),
        ("audit", PageSettings, ()),
        ("board", EncoderSettings, ()),
        ("calibrate", CalibrationSettings, ()),
        ("compare", BenchmarkSettings, ()),
        ("evaluate", EvaluationSettings, ()),
        ("gate", GateSettings, ()),
        ("gate", VerdictFiles, ()),
        ("report", PageSettings, ()),
        ("enumerate", Settings, ("groups",)),  # the command runs several numbers of groups
        ("analogies", AnalogySettings, ()),
        ("corpus", CorpusSettings, ()),
        ("retrieval", RetrievalOptions, ("edits",)),  # on, unless the option switches it off
        ("retrieval", EncoderSettings, ()),
        ("retrieval", ConditionOptions, ()),
        ("swap", SwapOptions, ()),
        ("seat", SeatSettings, ()),
        ("seat", EncoderSettings, ()),
        ("swap", EncoderSettings, ()),
        ("swap", ConditionOptions, ()),
        ("debias", DebiasOptions, ("target",)),  # an argument of the command
        ("debias", EncoderSettings, ()),
        ("weat", BatterySettings, ()),
    ],
)
def test_a_commands_options_are_the_fields_of_its_settings(command, settings, own):
    given = options(command)
    for name, (field, described) in fields_of(settings).items():
        if name not in own:
            names, default = given[name]
            assert tuple(names) == described.names_of(name)
            assert (tuple(default) if isinstance(default, list) else default) == field.default


@pytest.mark.parametrize(
    ("function", "settings"),
    [
        (imprint.enumerate_biases, Settings),
        (imprint.analogies, AnalogySettings),
        (imprint.corpus, CorpusSettings),
        (imprint.debias, DebiasOptions),
        (imprint.weat, WeatSettings),
        (imprint.run_battery, BatterySettings),
        (imprint.calibrate, CalibrationSettings),
        (imprint.compare, BenchmarkSettings),
        (imprint.evaluate, EvaluationSettings),
        (imprint.swap, SwapSettings),
        (imprint.retrieval, RetrievalSettings),
        (imprint.run_seat_battery, SeatSettings),
        (imprint.seat, SentenceSettings),
    ],
)
def test_python_takes_the_settings_of_the_command_as_keywords(function, settings):
    keywords = inspect.signature(function).parameters
    for name, (field, described) in fields_of(settings).items():
        assert keywords[name].default == field.default
        assert f"\n{name}\n    {described.help}\n" in function.__doc__


def test_a_new_option_of_an_audit_is_one_field():
    """Options of the command = fields = keywords in Python, but for what only a terminal, or only Python, has."""
    fields = {*fields_of(AuditOptions)}
    printed = {"findings", "dask", "json", *fields_of(PageSettings), *fields_of(VerdictFiles)}
    given_in_python = {"given", "parts", "cache", "workers", "report"}
    assert options("audit").keys() == {"subject", "workers"} | fields | {*fields_of(EncoderSettings)} | printed
    assert inspect.signature(imprint.audit).parameters.keys() == {"subject"} | fields | given_in_python
    assert all(f"\n{name}\n" in imprint.audit.__doc__ for name in fields | given_in_python)


def test_what_decides_an_audit_is_in_its_row_and_on_its_card():
    fields = msgspec.structs.fields(AuditSettings)
    assert [field.name for field in fields] == [*AuditedSettings.__struct_fields__][: len(fields)]
    others = {bool: True, int: 3, str: "other", tuple: ("other",)}
    changed = AuditSettings(**{field.name: others[type(field.default)] for field in fields})
    row = make_row("audit", settings=AuditedSettings(**msgspec.structs.asdict(changed), fdr=0.1))
    (command,) = (line for line in imprint.card([row]).splitlines() if line.startswith("$ imprint audit"))
    assert " ".join(as_options(changed)) in command


def test_a_gate_has_the_options_of_its_command():
    fields = {*fields_of(GateSettings)}
    assert options("gate").keys() == {"findings", "json"} | fields | {*fields_of(VerdictFiles)}
    assert inspect.signature(imprint.gate).parameters.keys() == {"findings"} | fields


@pytest.mark.parametrize(
    ("command", "function", "printed"),
    [
        ("report", imprint.report, {"open", "csv", "kinds", "all_columns", "latex", "methods"}),
        ("card", imprint.card, set()),
        ("schema", imprint.schema, set()),
    ],
)
def test_a_function_has_the_arguments_and_defaults_of_its_command(command, function, printed):
    arguments = {name: default for name, (_, default) in options(command).items() if name not in printed}
    parameters = dict(inspect.signature(function).parameters)
    parameters.pop("script", None)  # what a command made earlier
    assert list(arguments) == list(parameters)
    defaults = {name: one.default for name, one in parameters.items() if one.default is not inspect.Parameter.empty}
    assert {name: str(arguments[name]) for name in defaults} == {name: str(one) for name, one in defaults.items()}


@pytest.mark.parametrize("command", ["retrieval", "swap"])
def test_what_compares_scores_has_the_same_settings_in_a_command_and_in_python(command):
    of_terminal = {"no_cache", "fail_on", "require", "json"}
    in_command = options(command).keys() - of_terminal
    assert {*inspect.signature(getattr(imprint, command)).parameters} == in_command | {"report"}


def test_an_option_switches_off_what_is_on():
    @dataclass(frozen=True, kw_only=True)
    class Glazing:
        sugar: Annotated[bool, option("Leave the sugar out.", "--no-sugar")] = True
        colours: Annotated[Sequence[str] | None, option("A colour; may repeat.", "--colour")] = None

    glazed = []

    @with_settings
    def glaze(*, settings: Glazing) -> None:
        glazed.append(settings)

    app = typer.Typer()
    app.command()(glaze)
    assert CliRunner().invoke(app, []).exit_code == 0
    assert CliRunner().invoke(app, ["--no-sugar", "--colour", "red", "--colour", "blue"]).exit_code == 0
    assert glazed == [Glazing(), Glazing(sugar=False, colours=("red", "blue"))]


def test_a_corpus_has_the_same_settings_in_a_command_and_in_python():
    of_terminal = {"test", "dask", "page", "unmask", "json"}  # a test by its name; in Python it is among `tests`
    in_command = options("corpus").keys() - of_terminal
    assert {*inspect.signature(imprint.corpus).parameters} == in_command | {"report"}


def test_tests_in_sentences_have_the_same_settings_in_a_command_and_in_python():
    # A test by its name and a topic choose tests; in Python they are given.
    of_terminal = {"encoder", "test", "topic", "dask", "json", *fields_of(EncoderSettings)}
    in_command = options("seat").keys() - of_terminal
    of_python = {"encoders", "units", "alone", "cache", "skip", "report"}
    assert {*inspect.signature(imprint.run_seat_battery).parameters} == in_command | of_python


def test_debiasing_has_the_same_settings_in_a_command_and_in_python():
    names = {names[0].removeprefix("--") for names, _ in options("debias").values()}
    of_encoders = {name.replace("_", "-") for name in fields_of(EncoderSettings)}
    in_python = {"groups" if name == "group" else name for name in names - of_encoders - {"compare", "page", "json"}}
    assert {*inspect.signature(imprint.debias).parameters} == in_python | {"templates", "tests", "cache", "report"}


@pytest.mark.parametrize(
    ("command", "function", "of_terminal", "of_python"),
    [
        # Tests and benchmarks have names in a command and are values in Python; words are files or lists.
        ("weat", imprint.run_battery, {"test", "topic", "x", "y", "a", "b"}, {"skip", "foreign", "progress"}),
        ("calibrate", imprint.calibrate, {"test", "dask"}, {"tests", "report"}),
        ("compare", imprint.compare, {"test"}, {"tests", "resamples", "report"}),
        ("evaluate", imprint.evaluate, {"leakage", "group"}, {"report"}),
    ],
)
def test_a_measurement_has_the_same_settings_in_a_command_and_in_python(command, function, of_terminal, of_python):
    first = {"embedding": "subject", "first": "subject"}
    of_encoders = {*fields_of(EncoderSettings)} - {"cache"}
    in_command = {first.get(name, name) for name in options(command).keys() - of_terminal - of_encoders - {"json"}}
    in_python = {first.get(name, name) for name in inspect.signature(function).parameters}
    assert in_python - of_python == in_command
