"""The checks of a refactoring: findings of two commits that differ are named, and packages keep to their budgets."""

import ast
import sys
from pathlib import Path

import pytest

SCRIPTS = Path(__file__).parents[1] / "scripts"


@pytest.fixture
def scripts(monkeypatch):
    monkeypatch.syspath_prepend(SCRIPTS)
    import same_findings
    import structure_goals

    yield same_findings, structure_goals
    for name in ("same_findings", "structure_goals"):
        sys.modules.pop(name, None)


def test_rows_differ_in_values_fields_and_their_order(scripts):
    net, _ = scripts
    row = {"kind": "weat", "test": "t", "d": 1.5}
    assert not list(net.differing(row, dict(row)))
    assert len(list(net.differing(row, row | {"d": 1.5000000000000002}))) == 1
    assert len(list(net.differing(row, row | {"more": None}))) == 1
    assert len(list(net.differing(row, {key: row[key] for key in ("kind", "d", "test")}))) == 1
    assert len(list(net.differing(row, None))) == len(list(net.differing(None, row))) == 1


def test_a_renamed_field_is_the_same_field(scripts, monkeypatch):
    net, _ = scripts
    monkeypatch.setitem(net.RENAMED, "weat", {"d": "effect_size"})
    old, new = ({"kind": "weat", "test": "t", name: 1.5} for name in ("d", "effect_size"))
    assert not list(net.differing(old, new))
    assert list(net.differing(new, old))


def test_a_package_without_a_budget_or_above_it_is_named(scripts, monkeypatch, tmp_path):
    _, goals = scripts
    monkeypatch.setattr(goals, "BUDGETS", tmp_path / "budgets.toml")
    lines = goals.sizes()
    kept = {package: count for package, count in lines.items() if package != "web"} | {"cli": lines["cli"] - 1}
    goals.BUDGETS.write_text("".join(f"{package} = {count}\n" for package, count in kept.items()))
    problems = goals.over_budget()
    assert [problem.split()[0] for problem in problems] == ["cli", "web"]


@pytest.mark.parametrize(
    ("code", "counted"),
    [
        ("isinstance(row, WeatRow)", 1),
        ("isinstance(row, SkippedRow | PartRow)", 0),
        ("type(row) is TopicRow", 1),
        ("getattr(row, 'about_people', False)", 1),
        ("number(finding, 'p_frequency')", 1),
        ("number(finding, field)", 0),
        ("getattr(module, 'weat_app', None)", 0),
        ("row.kind == 'topic'", 1),
        ("row.kind in _BRIEF", 1),
        ("row.kind == kind.name", 0),
        ("row.part in (None, condition.part)", 0),
        ("part_of(row) == 'weat'", 1),
        ("match row:\n    case TopicRow(): pass", 1),
    ],
)
def test_places_that_tell_kinds_apart_are_counted(scripts, code, counted):
    _, goals = scripts
    assert len(list(goals._suspects(ast.parse(code)))) == counted


def test_report_policy_and_commands_know_no_kind(scripts):
    _, goals = scripts
    assert goals.tells_kinds_apart() == []
