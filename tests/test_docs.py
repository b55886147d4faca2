"""Documentation that cannot fall behind: snippets run and print what is shown, commands and tests are named."""

import contextlib
import io
import os
import re
import shlex
import subprocess
import sys
from pathlib import Path

import pytest

from imprint.cli.app import app
from imprint.stimuli.catalog import catalogue, read_tests

ROOT = Path(__file__).parents[1]
PAGES = [ROOT / "README.md", *sorted((ROOT / "docs").glob("*.md"))]
BLOCK = re.compile(r"^```(\w*)\n(.*?)^```$", re.MULTILINE | re.DOTALL)


def blocks(language):
    found = []
    for page in PAGES:
        every = BLOCK.findall(page.read_text())
        for number, (name, text) in enumerate(every):
            if name == language:
                following = every[number + 1] if number + 1 < len(every) else ("", "")
                found.append(pytest.param(text, following, id=f"{page.stem}-{number}"))
    return found


@pytest.mark.parametrize(("code", "following"), blocks("python"))
def test_python_snippets_print_what_is_shown(code, following):
    printed = io.StringIO()
    with contextlib.redirect_stdout(printed):
        exec(compile(code, "snippet", "exec"), {})
    assert following[0] == "", "a snippet is followed by what it prints"
    assert printed.getvalue() == following[1]


@pytest.mark.parametrize(("text", "following"), blocks("console"))
def test_console_snippets_print_what_is_shown(text, following, tmp_path):
    for command, shown in re.findall(r"^\$ (.*?)$\n((?:(?!\$ ).*\n)*)", text, flags=re.MULTILINE):
        words = shlex.split(command, comments=True)
        if not words[0].endswith("imprint"):
            continue
        assert words[1] in {one.name for one in app.registered_commands}
        if shown.strip():
            words[0] = str(Path(sys.executable).with_name("imprint"))
            environment = os.environ | {"IMPRINT_CACHE": str(tmp_path)}
            ran = subprocess.run(words, capture_output=True, text=True, cwd=tmp_path, env=environment, check=True)
            # Column widths follow the terminal; every figure and word shown has to be there.
            assert set(re.sub("─+", " ", shown).split()) <= set(ran.stdout.split())


@pytest.mark.parametrize(("text", "following"), blocks("toml"))
def test_toml_snippets_are_valid_tests(text, following, tmp_path):
    (tmp_path / "snippet.toml").write_text(text)
    assert read_tests(tmp_path / "snippet.toml")


def test_every_command_is_in_the_readme():
    readme = (ROOT / "README.md").read_text()
    for command in app.registered_commands:
        assert f"imprint {command.name}" in readme


def test_every_test_of_the_catalogue_is_documented():
    text = (ROOT / "docs" / "stimuli.md").read_text()
    for test in catalogue():
        family = re.sub(r"-\d+$", "-1", test.id)
        assert f"`{family}`" in text, test.id


def test_links_between_pages_lead_somewhere():
    for page in [*PAGES, ROOT / "CONTRIBUTING.md"]:
        for target in re.findall(r"\]\((?!https?:)([^)#]+)\)", page.read_text()):
            assert (page.parent / target).exists(), f"{page.name}: {target}"
