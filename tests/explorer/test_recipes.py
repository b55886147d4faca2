"""What can be copied from the page is run, and gives the page's numbers to the last digit."""

import ast
import contextlib
import io
import json
import os
import subprocess
import sys
import tomllib
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st
from systems import posix

from imprint.explorer.queries import (
    axis_command,
    axis_python,
    sets_of,
    split_words,
    weat_command,
    weat_python,
    weat_test,
)
from imprint.stimuli.seeds import read_pairs, read_seeds

from .conftest import A, B, X, Y

CUSTOM = {"x": X, "y": Y, "a": A, "b": B}
NAMED = {name: list(words) for name, words in CUSTOM.items()}
PRINTED = ("size", "outcome", "effect_size", "p_value")
WORDS = st.text(st.characters(codec="utf-8"), min_size=1, max_size=64).filter(
    lambda word: word.isprintable() and split_words(word) == (word,)
)
LISTS = st.lists(WORDS, min_size=1, max_size=40, unique=True)


def in_shell(command, folder):
    """Paste a command into bash."""
    path = os.pathsep.join((str(Path(sys.executable).parent), os.environ["PATH"]))
    ran = subprocess.run(
        ["bash", "-c", command],
        capture_output=True,
        text=True,
        cwd=folder,
        env=os.environ | {"PATH": path},
        check=False,
    )
    assert ran.returncode == 0, ran.stderr
    return json.loads(ran.stdout.splitlines()[0])


def in_python(code):
    printed = io.StringIO()
    with contextlib.redirect_stdout(printed):
        exec(compile(code, "recipe", "exec"), {})
    return printed.getvalue()


@posix
@pytest.mark.parametrize("alternative", ["greater", "two-sided"])
def test_typed_words_give_the_row_of_the_command_line_and_of_python(ask, tmp_path, alternative):
    answer = ask("POST", "/api/weat", json=NAMED | {"alternative": alternative}).json()
    assert in_shell(answer["command"], tmp_path) == answer["finding"]
    finding = answer["finding"]
    assert in_python(answer["python"]) == " ".join(str(finding[field]) for field in PRINTED) + "\n"
    assert list(tmp_path.iterdir()) == [], "nothing is left behind"


@posix
def test_a_catalogue_test_gives_the_row_of_the_command_line(asking, tmp_path):
    from imprint.stimuli.catalog import get
    from imprint.subjects.opening import load

    ask = asking(load("default"))
    words = {name: list(words) for name, words in sets_of(get("caliskan-8")).items()}
    answer = ask("POST", "/api/weat", json=words).json()
    assert answer["command"] == "imprint weat default --test caliskan-8 --json\n"
    assert in_shell(answer["command"], tmp_path) == answer["finding"]
    assert answer["finding"]["published"]
    assert in_python(answer["python"]).split()[0] == repr(answer["finding"]["size"])


@posix
@pytest.mark.parametrize(
    ("pairs", "method"), [([["he", "she"]], "difference"), ([["he", "she"], ["him", "her"]], "pca")]
)
def test_an_axis_gives_the_row_of_the_command_line_and_of_python(ask, tmp_path, pairs, method):
    words = ["nurse", "engineer", "rose", "absent"]
    answer = ask("POST", "/api/axis", json={"pairs": pairs, "words": words, "method": method}).json()
    assert in_shell(answer["command"], tmp_path) == answer["finding"]
    lines = "".join(f"{one['word']} {one['value']!r}\n" for one in answer["finding"]["coordinates"])
    assert in_python(answer["python"]) == lines
    assert answer["finding"]["missing"] == ["absent"]


@posix
@pytest.mark.parametrize("word", ["rose", "-x"])
def test_neighbours_are_those_of_the_command_line_and_of_python(asking, tmp_path, word):
    from imprint.subjects.opening import load

    (tmp_path / "odd.txt").write_text("-x 1 0\n$HOME 0 1\nrose 1 1\nlily 1 2\n")
    answer = asking(load(tmp_path / "odd.txt"), tmp_path / "odd.txt")(
        "GET", "/api/neighbours", params={"word": word, "count": 2}
    ).json()
    assert in_shell(answer["command"], tmp_path) == answer["finding"]
    nearest = answer["finding"]["nearest"]
    assert in_python(answer["python"]) == "".join(f"{near['word']} {near['value']!r}\n" for near in nearest)
    assert len(nearest) == 2


@given(LISTS)
def test_whatever_words_are_typed_the_recipes_hold_them_whole(tmp_path_factory, words):
    folder = tmp_path_factory.getbasetemp()
    test = weat_test({"x": tuple(words), "y": ("b",), "a": ("c",), "b": ("d",)})
    _, _, toml = weat_command("default", test, "greater").partition("<<'END'\n")
    assert toml.splitlines().count("END") == 1
    assert tomllib.loads(toml.removesuffix("END\n"))["weat"][0]["x"] == words
    assert _assigned(weat_python("default", test, "greater"))["x"] == words

    pairs = [(word, "z") for word in words]
    csv, _, rest = axis_command("default", [("a", "b"), *pairs], "difference", words).partition("END\ncat > ")
    (folder / "words.csv").write_text(csv.partition("<<'END'\n")[2], newline="")
    assert read_seeds(folder / "words.csv").words == tuple(words)
    (folder / "pairs.csv").write_text(rest.partition("<<'END'\n")[2].partition("END\nimprint")[0], newline="")
    assert list(read_pairs(folder / "pairs.csv")) == [("a", "b"), *pairs]
    assert _assigned(axis_python("default", pairs, "difference", words))["words"] == words


@posix
def test_a_shell_takes_nothing_in_the_words_for_its_own(ask, tmp_path):
    odd = [
        "$(touch broken)",
        "`touch broken`",
        "END",
        "' && touch broken '",
        "#metoo",
        "\\",
        '"quoted"',
        "-x",
        "$HOME",
    ]
    answer = ask("POST", "/api/weat", json=NAMED | {"x": [*X, *odd]}).json()
    assert in_shell(answer["command"], tmp_path) == answer["finding"]
    assert answer["finding"]["missing"] == odd
    answer = ask(
        "POST", "/api/axis", json={"pairs": [["he", "she"], ["$HOME", "END"]], "words": ["rose", *odd]}
    ).json()
    assert in_shell(answer["command"], tmp_path) == answer["finding"]
    assert not (tmp_path / "broken").exists()


@posix
def test_one_odd_pair_reaches_the_command_whole(asking, tmp_path):
    from imprint.subjects.opening import load

    (tmp_path / "odd.txt").write_text("-x 1 0\n$HOME 0 1\nrose 1 1\n")
    ask = asking(load(tmp_path / "odd.txt"), "odd.txt")
    answer = ask("POST", "/api/axis", json={"pairs": [["-x", "$HOME"]], "words": ["rose", "-x"]}).json()
    assert in_shell(answer["command"], tmp_path) == answer["finding"]


def _assigned(code):
    """Return what the code assigns to names, where that is a list."""
    return {
        node.targets[0].id: ast.literal_eval(node.value)
        for node in ast.parse(code).body
        if isinstance(node, ast.Assign) and isinstance(node.value, ast.List)
    }
