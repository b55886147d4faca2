"""The command as a person runs it, on a real socket."""

import signal
import socket
import subprocess
import sys
from pathlib import Path

import httpx
import pytest
from refusals import refuses
from systems import posix

from imprint.cli.serve import serve_command
from imprint.errors import SettingError, SubjectError

IMPRINT = Path(sys.executable).with_name("imprint")


@pytest.fixture
def serving(file):
    pytest.importorskip("fastapi", reason="the explorer needs fastapi")
    command = [str(IMPRINT), "serve", str(file), "--port", "0"]
    with subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True) as process:
        yield process
        process.kill()


@posix
def test_it_prints_its_address_serves_this_machine_alone_and_stops_on_ctrl_c(serving):
    said, _, address = serving.stdout.readline().strip().partition(" ")
    assert said == "explorer:"
    assert address.startswith("http://127.0.0.1:")
    assert "Ctrl-C stops it" in serving.stderr.readline()
    assert httpx.get(address, timeout=60).status_code == 200
    assert httpx.get(address, headers={"host": "rebound.example"}).status_code == 400
    port = int(address.rpartition(":")[2])
    with pytest.raises(ConnectionRefusedError, match="refused"):
        socket.create_connection(("127.0.0.2", port))  # this machine too, but not the address that is served
    serving.send_signal(signal.SIGINT)
    rest, complaints = serving.communicate()
    assert (serving.returncode, rest, complaints) == (0, "", "")


def test_mistakes_are_told_before_anything_is_served(file, tmp_path):
    with refuses(SubjectError, "absent.txt"):
        serve_command(str(tmp_path / "absent.txt"), port=0)
    with refuses(SettingError, option="host", got="http://localhost"):
        serve_command(str(file), host="http://localhost", port=0)
    with socket.create_server(("127.0.0.1", 0)) as taken, refuses(SettingError, option="port"):
        serve_command(str(file), port=taken.getsockname()[1])
