"""docs/papers.md: every item's command exists, its figures are known, and no figure is left out."""

import re
import shlex
from fnmatch import fnmatchcase
from pathlib import Path

import click
import pytest
from typer.main import get_command

from imprint.cli.app import make_app
from imprint.reproduction.ube import _printed
from imprint.stimuli.catalog import catalogue
from imprint.stimuli.published import figures, name_groups, papers

PAGE = Path(__file__).parents[2] / "docs" / "papers.md"
STATES = {"works", "beside", "data", "people", "no"}


def items():
    lines = [line for line in PAGE.read_text(encoding="utf-8").splitlines() if line.startswith("|")]
    rows = [[cell.strip() for cell in line.strip("|").split("|")] for line in lines]
    return [row for row in rows if len(row) == 4 and row[0] != "item" and set(row[0]) - {"-"}]


def known():
    printed = [figure.id for table in name_groups() for figure in _printed(table)]
    return {*figures(), *printed, *(test.id for test in catalogue() if test.published)}


@pytest.mark.parametrize("row", items(), ids=lambda row: row[0][:40])
def test_an_item_has_a_state_known_figures_and_a_command_with_options_that_exist(row):
    _, command, listed, state = row
    assert state in STATES
    assert command or state == "no"
    for pattern in re.findall("`([^`]+)`", listed):
        assert any(fnmatchcase(figure, pattern) for figure in known()), pattern
    for text in re.findall("`([^`]+)`", command):
        program, name, *arguments = shlex.split(text)
        group = get_command(make_app())
        asked = group.get_command(click.Context(group), name)
        assert (program, asked is not None) == ("imprint", True)
        if arguments != ["--help"]:
            asked.make_parser(click.Context(asked)).parse_args(arguments)  # raises for an option that does not exist


def test_every_printed_figure_belongs_to_an_item():
    patterns = [pattern for row in items() for pattern in re.findall("`([^`]+)`", row[2])]
    assert [figure for figure in known() if not any(fnmatchcase(figure, pattern) for pattern in patterns)] == []


def test_every_work_has_a_section():
    headings = re.findall("^## (.+)$", PAGE.read_text(encoding="utf-8"), re.MULTILINE)
    assert headings == [*papers().values(), "Limits"]
