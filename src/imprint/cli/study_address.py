"""Where people reach a study's server, and what the administrator must know about it."""

import socket
from ipaddress import ip_address

from imprint.web.serving import address

# Kept for documentation: nobody has them, so they stand for anybody outside.
_OUTSIDE = {socket.AF_INET: "192.0.2.1", socket.AF_INET6: "2001:db8::1"}
_DISCARD = 9
_EVERYWHERE = "listening on every address of this machine"
_READABLE = "warning: without TLS others can read answers and links on the way; use a web server with TLS, and --url"


def public_address(bound: socket.socket) -> tuple[str, list[str]]:
    """Return the address to hand out, and what whoever runs the server has to know of it."""
    host = ip_address(bound.getsockname()[0])
    if host.is_loopback:
        return address(bound), []
    if not host.is_unspecified:
        return address(bound), [_READABLE]
    outward = _outward_address(bound.family)
    if outward is None:
        told = f"{_EVERYWHERE}; the printed one works only here, other people need this machine's name or address"
    else:
        told = f"{_EVERYWHERE}; other people can use {outward}"
    return address(bound, outward), [told, _READABLE]


def _outward_address(family: int) -> str | None:
    """Return the address from which this machine would send to others, None where it would not; nothing is sent."""
    try:
        with socket.socket(family, socket.SOCK_DGRAM) as probe:
            probe.connect((_OUTSIDE[socket.AddressFamily(family)], _DISCARD))
            found = str(probe.getsockname()[0])
    except OSError:
        return None
    chosen = ip_address(found)
    return None if chosen.is_loopback or chosen.is_link_local else found
