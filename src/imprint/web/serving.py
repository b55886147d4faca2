"""Serving an app from this machine until somebody stops it."""

import importlib.util
import socket
from typing import TYPE_CHECKING, Any
from urllib.parse import urlsplit

from imprint.errors import MissingExtraError, SettingError
from imprint.web.hosts import LOOPBACK

if TYPE_CHECKING:
    import uvicorn

_QUEUE = 512
_NEEDED = ("fastapi", "uvicorn")


def require_server() -> None:
    """Refuse if the server's libraries are not installed, with the command that installs them."""
    for library in _NEEDED:
        if importlib.util.find_spec(library) is None:
            raise MissingExtraError(library, "study")


def bind(host: str = LOOPBACK, port: int = 0) -> socket.socket:
    """Return a socket bound to the host; port 0 takes any free one."""
    try:
        family, kind, protocol, _, address = socket.getaddrinfo(host, port, type=socket.SOCK_STREAM)[0]
        bound = socket.socket(family, kind, protocol)
    except (OSError, UnicodeError) as error:
        raise SettingError(
            f"{host} is not an address of this machine ({error})",
            option="host",
            got=host,
            hint="give 127.0.0.1 or another one it has",
        ) from error
    try:
        bound.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        bound.bind(address)
        bound.listen(_QUEUE)  # from here on nobody is turned away: who comes before the app is ready waits
    except (OSError, OverflowError) as error:
        bound.close()
        raise SettingError(
            f"cannot listen on {host} port {port} ({error})",
            option="port",
            got=port,
            hint="give another --port or --host",
        ) from error
    return bound


def address(bound: socket.socket, name: str | None = None) -> str:
    """Return the address to open, under the host's own name or another."""
    host, port = bound.getsockname()[:2]
    host = {"0.0.0.0": LOOPBACK, "::": "::1"}.get(host, host)  # noqa: S104 - read, not bound to
    shown = name or host
    return f"http://{f'[{shown}]' if ':' in shown else shown}:{port}"


def public_name(url: str) -> str:
    """Return the host name of a public address."""
    try:
        parts = urlsplit(url)
        name = parts.hostname
    except ValueError:
        name = None
    if name is None or parts.scheme not in ("http", "https") or parts.path.strip("/") or parts.query or parts.fragment:
        raise SettingError(option="public_url", got=url, expected="an address such as https://study.example.org")
    return name


def run(app: Any, bound: socket.socket) -> None:
    """Serve until Ctrl-C."""
    make_server(app).run(sockets=[bound])


def make_server(app: Any) -> "uvicorn.Server":
    """Return a server. No access log: its lines would hold addresses and private links."""
    import uvicorn

    from imprint.web.connections import CROWD, PatientProtocol

    config = uvicorn.Config(
        app,
        http=PatientProtocol,
        ws="none",
        loop="asyncio",
        lifespan="off",
        access_log=False,
        log_level="warning",
        server_header=False,
        proxy_headers=False,
        limit_concurrency=CROWD + 2,  # the newest, and the one whose place it takes
        backlog=_QUEUE,
        timeout_graceful_shutdown=5,
    )
    return uvicorn.Server(config)
