import asyncio
import socket
import threading

import pytest
from refusals import refuses

from imprint.errors import MissingExtraError, SettingError
from imprint.masking import printable
from imprint.web.serving import address, bind, make_server, require_server


def test_nothing_is_bound_beyond_this_machine_unless_told():
    with bind() as bound:
        host, port = bound.getsockname()
        assert host == "127.0.0.1"
        assert address(bound) == f"http://127.0.0.1:{port}"


def test_a_port_in_use_is_one_line():
    with bind() as bound:
        bound.listen()
        port = bound.getsockname()[1]
        with refuses(SettingError, "--port", option="port", got=port):
            bind("127.0.0.1", port)


@pytest.mark.parametrize("host", ["no such host", "256.1.1.1", "x" * 100, "\udc80"])
def test_a_host_that_is_not_ours_is_one_line(host):
    with refuses(SettingError, printable(host), got=host):
        bind(host)


def test_a_server_on_every_interface_is_opened_under_a_name_that_works():
    with bind("0.0.0.0") as bound:
        port = bound.getsockname()[1]
        assert address(bound) == f"http://127.0.0.1:{port}"
        assert address(bound, "study.example.org") == f"http://study.example.org:{port}"


def test_a_missing_library_is_named_with_the_command_that_installs_it(monkeypatch):
    require_server()
    monkeypatch.setattr("importlib.util.find_spec", lambda name: None)
    with refuses(MissingExtraError, library="fastapi", extra="study"):
        require_server()


@pytest.fixture
def port(monkeypatch):
    """A server of one sentence that waits a moment for a request."""
    pytest.importorskip("uvicorn", reason="these tests need uvicorn")

    async def app(scope, receive, send):
        await send({"type": "http.response.start", "status": 200, "headers": [(b"content-length", b"5")]})
        await send({"type": "http.response.body", "body": b"hello"})

    monkeypatch.setattr("imprint.web.connections.PATIENCE", 0.2)
    server = make_server(app)
    with bind() as bound:
        thread = threading.Thread(target=lambda: asyncio.run(server.serve(sockets=[bound])))
        thread.start()
        yield bound.getsockname()[1]
        server.should_exit = True
        thread.join()


GET = b"GET / HTTP/1.1\r\nHost: x\r\n\r\n"


@pytest.mark.parametrize("sent", [b"", b"GET / HT", GET, GET + b"GET / HT"])
def test_a_connection_that_never_finishes_its_request_is_closed(port, sent):
    with socket.create_connection(("127.0.0.1", port), timeout=30) as connection:
        connection.sendall(sent)
        answered = b""
        while piece := connection.recv(4096):
            answered += piece
    assert answered.count(b"hello") == sent.count(GET)
