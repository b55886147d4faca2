"""`imprint study serve` as a process: what it prints, whom it answers, and how it ends."""

import re
import signal
import socket
import subprocess
import sys
from ipaddress import ip_address
from pathlib import Path

import pytest
from systems import posix

from imprint.errors import SettingError
from imprint.study.design import Design, Item, ItemBlock
from imprint.study.records import create_study
from imprint.study.store import Store
from imprint.web.serving import bind

pytest.importorskip("fastapi", reason="the study's server needs fastapi")
import httpx

IMPRINT = Path(sys.executable).with_name("imprint")
DESIGN = Design("suggestion", "", "", (ItemBlock(("gender",), (Item("words", ("gender",)),)),), quota=5, least=1)


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


@pytest.mark.parametrize("url", ["https://study.example.org", "HTTPS://study.example.org"])
def test_a_server_behind_a_proxy_answers_to_its_public_name(serve, url):
    process = serve("--url", f"{url}/", "--no-join")
    assert process.lines == [f"take part: {url}/", f"administrator: {url}/admin"]
    listening = re.match(r"listening on (http://127\.0\.0\.1:\d+); the proxy", process.stderr.readline())
    assert "no consent text" in process.stderr.readline()
    with httpx.Client(base_url=listening[1]) as client:
        public = {"host": "study.example.org"}
        assert client.get("/", headers=public).status_code == 200
        assert client.get("/", headers={"host": "evil.example"}).status_code == 400
        assert client.post("/join", headers=public).status_code == 403
        entered = client.post("/admin", headers=public, data={"token": process.token})
        assert entered.status_code == 303
        assert "secure" in entered.headers["set-cookie"].lower()
        assert "server" not in entered.headers, "nobody needs to know what serves this"
        forwarded = [public | {"x-forwarded-for": f"10.0.0.{number}"} for number in (1, 2)]
        assert any(client.get("/admin", headers=forwarded[0]).status_code == 429 for _ in range(5_000))
        assert client.get("/admin", headers=forwarded[1]).status_code == 200


@posix
def test_ctrl_c_ends_the_server_with_one_line_and_nothing_was_logged(serve):
    process = serve()
    address = process.lines[0].removeprefix("take part: ").rstrip("/")
    assert address.startswith("http://127.0.0.1:")
    assert httpx.post(f"{address}/join").status_code == 303
    process.send_signal(signal.SIGINT)
    output, errors = process.communicate(timeout=60)
    assert (process.returncode, output) == (130, "")
    assert errors.splitlines() == [
        "Ctrl-C stops the server. Start it again to continue.",
        "imprint: stopped; nothing half-written is left",
    ]


def test_half_an_answer_is_not_stored_and_the_whole_one_is_when_it_comes_again(serve, tmp_path):
    address = serve().lines[0].removeprefix("take part: ").rstrip("/")
    with httpx.Client(base_url=address) as client:
        link = client.post("/join").headers["location"]
        form = re.search(r'name="form" value="(\w+)"', client.get(link).text)[1]
        client.post(f"{link}/consent", data={"form": form})
        field = re.search(r'name="(answer-\d+)"', client.get(link).text)[1]
        whole = client.build_request("POST", f"{link}/answers", data={"form": form, field: "nurse, manager, engineer"})
        host, _, port = address.removeprefix("http://").partition(":")
        lines = [f"POST {link}/answers HTTP/1.1", *(f"{name}: {value}" for name, value in whole.headers.items())]
        with socket.create_connection((host, int(port))) as connection:
            connection.sendall("\r\n".join([*lines, "Expect: 100-continue", "", ""]).encode())
            assert b" 100 " in connection.recv(4096), "somebody waits for the body"
            connection.sendall(whole.content[:-4])
            connection.shutdown(socket.SHUT_WR)
            while connection.recv(4096):  # until the server has seen that nothing more comes
                pass
        assert client.send(whole).status_code == 303
    with Store.open(tmp_path / "0.db") as store:
        assert [answer.value for answer in store.answers()] == ["nurse, manager, engineer"]


@pytest.mark.parametrize(("host", "shown"), [("0.0.0.0", r"[\d.]+"), ("::", r"\[[\da-f:]+\]")])
def test_a_server_on_every_address_prints_one_that_others_can_use(serve, host, shown):
    try:
        bind(host).close()
    except SettingError:
        pytest.skip(f"this machine cannot listen on {host}")
    process = serve("--host", host)
    address = re.fullmatch(rf"take part: (http://({shown}):\d+)/", process.lines[0])
    notes = [process.stderr.readline() for _ in range(2)]
    assert notes[0].startswith("listening on every address of this machine; ")
    assert notes[1].startswith("warning: without TLS")
    name = address[2].strip("[]")
    # A machine without a network has no such address, and says so.
    assert ip_address(name).is_loopback == ("works on this machine only" in notes[0])
    assert httpx.get(address[1]).status_code == 200, "the server answers to the address it prints"
    assert name in notes[0] or ip_address(name).is_loopback


def test_a_server_on_this_machine_alone_warns_of_nothing(serve):
    process = serve("--host", "localhost")
    assert process.stderr.readline().startswith("Ctrl-C stops the server")


def test_silent_connections_shut_nobody_out(serve):
    address = serve().lines[0].removeprefix("take part: ").rstrip("/")
    host, _, port = address.removeprefix("http://").partition(":")
    silent = [socket.create_connection((host, int(port))) for _ in range(600)]
    try:
        silent[-1].sendall(b"POST /join HTTP/1.1\r\nHost: 127.0.0.1\r\nContent-Length: 9\r\n\r\nhalf")
        assert httpx.get(f"{address}/").status_code == 200
    finally:
        for connection in silent:
            connection.close()
