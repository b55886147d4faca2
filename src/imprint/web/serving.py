"""Serving an app from this machine until somebody stops it, and the names under which the server answers.

A foreign page cannot reach it under a name of its own (DNS rebinding).
"""

import importlib.util
import ipaddress
import re
import socket
from collections.abc import Iterable
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any
from urllib.parse import urlsplit

from imprint.errors import MissingExtraError, SettingError

if TYPE_CHECKING:
    import uvicorn


LOOPBACK = "127.0.0.1"

# Kept for documentation: nobody has them, so they stand for anybody outside.
_OUTSIDE = {socket.AF_INET: "192.0.2.1", socket.AF_INET6: "2001:db8::1"}
_DISCARD = 9
_ON_EVERY_ADDRESS = "listening on every address of this machine"
_READABLE = "warning: without TLS others can read answers and links on the way; use a web server with TLS, and --url"
_QUEUE = 512
_NEEDED = ("fastapi", "uvicorn")
_LOOPBACK_NAMES = frozenset({LOOPBACK, "localhost", "::1"})
_EVERYWHERE = frozenset({"0.0.0.0", "::"})  # noqa: S104 - recognised, never chosen
_HOST = re.compile(r"(?:\[(?P<six>[0-9A-Fa-f:.]+)\]|(?P<name>[A-Za-z0-9._-]+))(?::[0-9]{1,5})?")
_NAME = re.compile(r"[A-Za-z0-9._:-]{1,253}")


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


def public_address(bound: socket.socket) -> tuple[str, list[str]]:
    """Return the address to hand out, and what whoever runs the server has to know of it."""
    host = ipaddress.ip_address(bound.getsockname()[0])
    if host.is_loopback:
        return address(bound), []
    if not host.is_unspecified:
        return address(bound), [_READABLE]
    outward = _outward_address(bound.family)
    if outward is None:
        told = (
            f"{_ON_EVERY_ADDRESS}; the printed one works only here, other people need this machine's name or address"
        )
    else:
        told = f"{_ON_EVERY_ADDRESS}; other people can use {outward}"
    return address(bound, outward), [told, _READABLE]


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


@dataclass(frozen=True)
class Hosts:
    """The names admitted; a server bound to every interface admits any plain address too.

    An address in figures cannot be rebound: only names go through DNS.
    """

    names: frozenset[str]
    any_address: bool = False

    @classmethod
    def bound_to(cls, host: str, names: Iterable[str] = ()) -> "Hosts":
        """Return the names of a server bound to `host`, and further ones under which it is known."""
        given = [name.lower().strip("[]") for name in (host, *names)]
        for name in given:
            if not _NAME.fullmatch(name):
                raise SettingError(
                    option="host", got=name, expected="a host name or an address, without http:// and port"
                )
        local = _LOOPBACK_NAMES if {*given} & (_LOOPBACK_NAMES | _EVERYWHERE) else frozenset()
        return cls(frozenset(given) | local, any_address=given[0] in _EVERYWHERE)

    def admits(self, header: str) -> bool:
        """Tell whether a request's Host header names this server."""
        found = _HOST.fullmatch(header)
        if found is None:
            return False
        name = (found["six"] or found["name"]).lower()
        return name in self.names or (self.any_address and _is_address(name))


def network_of(address: str) -> str:
    """Return an address, or of IPv6 the network: one household has very many of those."""
    ip = _parse(address)
    if ip is None:
        return address
    return ip.exploded[:19] if ip.version == 6 else str(ip)


def forwarded_address(peer: str, header: str) -> str:
    """Return where a request comes from: what a proxy on this machine names last in X-Forwarded-For, else its peer.

    Names before the last one came with the request, and may be invented. So is the whole header of any other peer.
    """
    last = header.rpartition(",")[2].strip()
    proxy = _parse(peer)
    return last if proxy is not None and proxy.is_loopback and _is_address(last) else peer


def _is_address(name: str) -> bool:
    return _parse(name) is not None


def _parse(address: str) -> ipaddress.IPv4Address | ipaddress.IPv6Address | None:
    """Return an address, of IPv4 also where a socket of IPv6 tells it; None for any other text."""
    try:
        ip = ipaddress.ip_address(address.partition("%")[0])
    except ValueError:
        return None
    return ip.ipv4_mapped or ip if isinstance(ip, ipaddress.IPv6Address) else ip


def _outward_address(family: int) -> str | None:
    """Return the address from which this machine would send to others, None where it would not; nothing is sent."""
    try:
        with socket.socket(family, socket.SOCK_DGRAM) as probe:
            probe.connect((_OUTSIDE[socket.AddressFamily(family)], _DISCARD))
            found = str(probe.getsockname()[0])
    except OSError:
        return None
    chosen = ipaddress.ip_address(found)
    return None if chosen.is_loopback or chosen.is_link_local else found
