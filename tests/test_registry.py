"""A registry gives built-in things by name without looking for plug-ins, and plug-ins for other names."""

import json
import sys
from importlib import metadata

import pytest
from refusals import refuses

from imprint.checks import check_choice
from imprint.errors import SettingError
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
    def refuse(**_):
        raise AssertionError

    monkeypatch.setattr("importlib.metadata.entry_points", refuse)
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
