"""For tests of any folder: the command within this process, and an environment in which this machine is near."""

import os
import signal
import subprocess
import sys

import pytest

from imprint.cli import main

# What a shell starts in the background ignores Ctrl-C, and so would every command started here; tests send it.
signal.signal(signal.SIGINT, signal.default_int_handler)

# A proxy would be asked for this machine's own servers too. Taken away before any fixture starts a process.
for variable in [name for name in os.environ if name.lower().endswith("_proxy")]:
    del os.environ[variable]


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
