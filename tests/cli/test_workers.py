"""--workers and --dask, on every command that shares its work out."""

import pytest

COMMANDS = {
    "audit": ("default", "--quick"),
    "calibrate": ("default", "--copies", 3, "--test", "caliskan-6", "--json"),
    "enumerate": ("default", "--repeats", 0),
    "seat": ("cbow", "--test", "caliskan-6", "--no-cache", "--json"),
}


@pytest.mark.parametrize("command", COMMANDS)
def test_a_cluster_brings_its_own_workers(in_process, command):
    result = in_process(command, *COMMANDS[command], "--workers", 2, "--dask", "127.0.0.1:1")
    assert (result.returncode, result.stdout) == (1, "")
    assert len(result.stderr.splitlines()) == 1
    assert "--dask" in result.stderr


@pytest.mark.parametrize("command", ["calibrate", "seat"])
def test_the_number_of_workers_changes_nothing(in_process, command):
    one, two = (in_process(command, *COMMANDS[command], "--workers", workers) for workers in (1, 2))
    assert one.returncode == two.returncode == 0
    assert one.stdout == two.stdout != ""
