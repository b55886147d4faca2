"""A registry gives built-in things by name without looking for plug-ins, and plug-ins for other names."""

import json
import sys
from importlib import metadata

import pytest
from refusals import refuses

from imprint.checks import check_choice
from imprint.cli.app import COMMANDS
from imprint.errors import ImprintError, SettingError
from imprint.kinds import REGISTRY
from imprint.registry import Registry

BUILTIN = {"dumps": "json:dumps", "decoder": "json.decoder", "gone": "no_such_module_here:thing"}


@pytest.fixture
def registry():
    return Registry("imprint.toys", BUILTIN)


def test_a_built_in_name_gives_an_attribute_or_a_module(registry):
    assert registry.get("dumps") is json.dumps
    assert registry.get("decoder") is json.decoder


@pytest.mark.parametrize(("name", "hint"), [("dump", "did you mean 'dumps'?"), ("zebra", None), (7, None)])
def test_an_unknown_name_is_refused_with_the_nearest(registry, name, hint):
    with refuses(SettingError, "dumps", "gone", option="toy", got=name, hint=hint):
        registry.get(name)
    with refuses(SettingError, "dumps", "gone", option="toy", got=name, hint=hint):
        check_choice("toy", name, BUILTIN)


def test_nothing_is_imported_before_it_is_asked_for(registry):
    assert registry.names() == ("dumps", "decoder", "gone")
    with pytest.raises(ModuleNotFoundError):
        registry.get("gone")


def test_a_built_in_name_does_not_look_for_plug_ins(registry, monkeypatch):
    def refuse():
        raise AssertionError

    monkeypatch.setattr("imprint.registry._entry_points", refuse)
    assert registry.get("dumps") is json.dumps
    with pytest.raises(AssertionError):
        registry.get("other")


def test_a_plug_in_gives_a_name_that_is_not_built_in(registry, plug_in):
    plug_in("imprint.toys", "zebra = toy_plugin_code:VALUE", "ant = toy_plugin_code")
    assert registry.names() == ("dumps", "decoder", "gone", "ant", "zebra")
    assert "toy_plugin_code" not in sys.modules
    assert registry.get("zebra") == 7
    assert registry.get("ant") is sys.modules["toy_plugin_code"]


def test_a_plug_in_cannot_replace_what_is_built_in(registry, plug_in):
    plug_in("imprint.toys", "dumps = toy_plugin_code:VALUE")
    assert registry.get("dumps") is json.dumps
    assert registry.names().count("dumps") == 1


def test_plug_ins_of_other_groups_are_not_seen(registry, plug_in):
    plug_in("imprint.others", "zebra = toy_plugin_code:VALUE")
    assert metadata.entry_points(group="imprint.others").names == {"zebra"}
    with pytest.raises(SettingError):
        registry.get("zebra")


def test_an_unknown_name_is_refused_with_the_known_ones(registry, plug_in):
    plug_in("imprint.toys", "zebra = toy_plugin_code:VALUE")
    with pytest.raises(SettingError) as raised:
        registry.get("dump")
    assert all(name in str(raised.value) for name in ("toy ", "'dump'", "dumps, decoder, gone, zebra"))


@pytest.mark.parametrize("code", ["1 / 0", "import no_such_module_here", "OTHER = 1"])
def test_a_broken_plug_in_is_an_error_of_ours_that_names_it(registry, plug_in, code):
    plug_in("imprint.toys", "zebra = toy_plugin_code:VALUE", code=code)
    with pytest.raises(SettingError) as raised:
        registry.get("zebra")
    assert "'zebra' (toy_plugin_code:VALUE, group imprint.toys)" in str(raised.value)


def test_entry_points_are_those_that_python_finds(plug_in):
    plug_in("imprint.toys", "# ant = no:thing", "zebra=toy_plugin_code:VALUE [extra]", "ox = json:dumps")
    groups = set(metadata.entry_points().groups) - {"imprint.commands", "imprint.kinds"}
    assert len(groups) > 1
    for group in groups:
        points = metadata.entry_points(group=group)
        expected = {point.name: point.value for point in points if point.dist.name != "imprint-audit"}
        assert Registry(group, {}).plugins() == expected
    assert Registry("imprint.toys", {}).get("zebra") == 7
    own = metadata.distribution("imprint-audit").entry_points.select(group="imprint.kinds")
    assert REGISTRY.registered == {point.name: point.value for point in own}


OWN = "ours = toy_plugin_code:OURS"


@pytest.fixture
def own_points(plug_in, monkeypatch):
    """Let a package count as imprint's own distribution."""
    monkeypatch.setattr("imprint.registry.DISTRIBUTION", "toy-core")
    monkeypatch.setattr(Registry, "used_plugin", False)

    def install(*lines, code="OURS = 5\nVALUE = 7\n"):
        plug_in("imprint.toys", *lines, code=code, package="toy-core")

    return install


def test_what_imprint_registers_comes_before_plug_ins_and_is_none(registry, own_points, plug_in):
    own_points(OWN)
    plug_in("imprint.toys", "ant = toy_plugin_code:VALUE", code="OURS = 5\nVALUE = 7\n")
    assert registry.names() == ("dumps", "decoder", "gone", "ours", "ant")
    assert registry.plugins().keys() == {"ant"}
    assert [name for name in ("dumps", "ours", "ant", "bee") if name in registry] == ["dumps", "ours", "ant"]
    assert [name for name in ("dumps", "ours", "ant", "bee") if registry.is_own(name)] == ["dumps", "ours"]
    assert registry.get("ours") == 5
    assert not Registry.used_plugin
    with refuses(SettingError, "dumps, decoder, gone, ours, ant", option="toy", hint="did you mean 'ours'?"):
        registry.get("our")
    assert registry.get("ant") == 7
    assert Registry.used_plugin


def test_a_plug_in_cannot_replace_what_imprint_registers(registry, own_points, plug_in):
    own_points(OWN)
    plug_in("imprint.toys", "ours = toy_plugin_code:VALUE", code="OURS = 5\nVALUE = 7\n")
    assert sorted(point.value for point in metadata.entry_points(group="imprint.toys")) == [
        "toy_plugin_code:OURS",
        "toy_plugin_code:VALUE",
    ]
    assert registry.get("ours") == 5
    assert registry.plugins() == {}
    assert registry.names().count("ours") == 1


def test_what_imprint_registers_is_found_without_other_packages(registry, own_points, monkeypatch):
    own_points(OWN)

    def refuse(_):
        raise AssertionError

    monkeypatch.setattr(Registry, "plugins", refuse)
    assert registry.get("ours") == 5


def test_an_error_in_what_imprint_registers_is_not_a_plug_ins(registry, own_points):
    own_points(OWN, code="1 / 0")
    with pytest.raises(ZeroDivisionError):
        registry.get("ours")


def test_a_broken_plug_in_counts_as_used(registry, own_points, plug_in):
    own_points(OWN)
    plug_in("imprint.toys", "zebra = toy_plugin_code:VALUE", code="1 / 0")
    with refuses(SettingError, "'zebra' (toy_plugin_code:VALUE, group imprint.toys)", hint="reinstall or remove it"):
        registry.get("zebra")
    assert Registry.used_plugin


def test_without_its_metadata_imprint_says_that_it_is_not_installed(registry, monkeypatch):
    monkeypatch.setattr("imprint.registry.DISTRIBUTION", "no-such-package")
    assert registry.get("dumps") is json.dumps
    with refuses(ImprintError, "no-such-package is not installed"):
        registry.get("zebra")


@pytest.mark.parametrize("registry", [COMMANDS, REGISTRY], ids=["commands", "kinds"])
def test_all_that_imprint_registers_is_there(registry):
    assert registry.registered
    assert not registry.registered.keys() & registry.builtin.keys()
    assert all(registry.get(name) is not None for name in registry.registered)


def test_the_core_names_no_kind_or_command_of_what_is_above_it():
    named = {*COMMANDS.builtin.values(), *REGISTRY.builtin.values()}
    parts = {value.partition(":")[0].split(".")[1] for value in named}
    assert parts == {"cli", "kinds"}
    assert {"board", "serve", "study"} <= COMMANDS.registered.keys()
    assert {name.partition("-")[0] for name in REGISTRY.registered} == {"gate", "board", "study"}
