"""The command as a person runs it, within this process unless it is given an environment of its own."""

import subprocess
import sys
from pathlib import Path

import pytest

IMPRINT = Path(sys.executable).with_name("imprint")


@pytest.fixture
def imprint(in_process, tmp_path):
    def run(*arguments, **options):
        if not options:
            return in_process(*arguments)
        command = [str(IMPRINT), *(str(argument) for argument in arguments)]
        return subprocess.run(command, capture_output=True, text=True, cwd=tmp_path, check=False, **options)

    return run


@pytest.fixture
def vectors(tmp_path):
    """Eight words in two dimensions, GloVe's text form."""
    path = tmp_path / "tiny.txt"
    rows = {
        "rose": (1.0, 0.1), "lily": (0.9, 0.2), "iris": (1.0, 0.3), "ant": (0.1, 1.0), "flea": (0.2, 0.9),
        "wasp": (0.3, 1.0), "love": (1.0, 0.0), "peace": (0.9, 0.1), "filth": (0.0, 1.0), "grief": (0.1, 0.9),
    }  # fmt: skip
    path.write_text("".join(f"{word} {x} {y}\n" for word, (x, y) in rows.items()))
    return path


@pytest.fixture
def word_files(tmp_path):
    """Four files of words, as options."""
    sets = {"x": "rose lily iris", "y": "ant flea wasp", "a": "love peace", "b": "filth grief"}
    options = []
    for name, words in sets.items():
        (tmp_path / f"{name}.txt").write_text(words.replace(" ", "\n"))
        options += [f"--{name}", f"{name}.txt"]
    return options
