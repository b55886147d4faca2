"""The command within this process, for tests of any folder."""

import signal
import subprocess
import sys

import pytest

from imprint.cli import main

# What a shell starts in the background ignores Ctrl-C, and so would every command started here; tests send it.
signal.signal(signal.SIGINT, signal.default_int_handler)


@pytest.fixture
def in_process(tmp_path, monkeypatch, capsys):
    """Run the command here: what it imports takes longer than most of these runs."""

    def run(*arguments):
        monkeypatch.setattr(sys, "argv", ["imprint", *map(str, arguments)])
        with pytest.raises(SystemExit, match=r"^[01]?$") as ended:
            main()
        return subprocess.CompletedProcess(arguments, ended.value.code or 0, *capsys.readouterr())

    monkeypatch.chdir(tmp_path)
    return run
