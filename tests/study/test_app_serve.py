"""`imprint study serve` as a process: what it prints, whom it answers, and how it ends."""

import re
import signal
import subprocess
import sys
from pathlib import Path

import pytest

from imprint.study.design import Block, Design, Item
from imprint.study.store import create_study

pytest.importorskip("fastapi", reason="the study's server needs fastapi")
import httpx

IMPRINT = Path(sys.executable).with_name("imprint")
DESIGN = Design("suggestion", "", "", (Block(("gender",), (Item("words", ("gender",)),)),), quota=5, least=1)


@pytest.fixture
def serve(tmp_path):
    """Start a server of a study on a free port; it is ended if it has not ended by then."""
    started = []

    def start(*options):
        path = tmp_path / f"{len(started)}.db"
        token = create_study(path, DESIGN)
        command = [str(IMPRINT), "study", "serve", str(path), "--port", "0", *options]
        process = subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
        started.append(process)
        process.token = token
        process.lines = [process.stdout.readline().strip() for _ in range(2)]
        return process

    yield start
    for process in started:
        process.kill()
        process.communicate()


def test_a_server_behind_a_proxy_answers_to_its_public_name(serve):
    process = serve("--url", "https://study.example.org/", "--no-join")
    assert process.lines == [
        "take part: https://study.example.org/",
        "administrator: https://study.example.org/admin",
    ]
    listening = re.match(r"listening on (http://127\.0\.0\.1:\d+), where the proxy", process.stderr.readline())
    with httpx.Client(base_url=listening[1]) as client:
        public = {"host": "study.example.org"}
        assert client.get("/", headers=public).status_code == 200
        assert client.get("/", headers={"host": "evil.example"}).status_code == 400
        assert client.post("/join", headers=public).status_code == 403
        entered = client.post("/admin", headers=public, data={"token": process.token})
        assert entered.status_code == 303
        assert "secure" in entered.headers["set-cookie"].lower()
        assert "server" not in entered.headers, "nobody needs to know what serves this"


def test_ctrl_c_ends_the_server_with_one_line_and_nothing_was_logged(serve):
    process = serve()
    address = process.lines[0].removeprefix("take part: ").rstrip("/")
    assert address.startswith("http://127.0.0.1:")
    assert httpx.post(f"{address}/join").status_code == 303
    process.send_signal(signal.SIGINT)
    output, errors = process.communicate(timeout=60)
    assert (process.returncode, output) == (130, "")
    assert errors.splitlines() == [
        "Ctrl-C stops the server; started again, it goes on where it was.",
        "imprint: stopped; nothing half-written is left",
    ]
