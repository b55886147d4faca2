"""Which names a server answers to: a foreign page cannot reach it under a name of its own (DNS rebinding)."""

import ipaddress
import re
from collections.abc import Iterable
from dataclasses import dataclass

from imprint.errors import SettingError

LOOPBACK = "127.0.0.1"

_LOOPBACK_NAMES = frozenset({LOOPBACK, "localhost", "::1"})
_EVERYWHERE = frozenset({"0.0.0.0", "::"})  # noqa: S104 - recognised, never chosen
_HOST = re.compile(r"(?:\[(?P<six>[0-9A-Fa-f:.]+)\]|(?P<name>[A-Za-z0-9._-]+))(?::[0-9]{1,5})?")
_NAME = re.compile(r"[A-Za-z0-9._:-]{1,253}")


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
    try:
        found = ipaddress.ip_address(address.partition("%")[0])
    except ValueError:
        return address
    return found.exploded[:19] if found.version == 6 else str(found)


def _is_address(name: str) -> bool:
    try:
        ipaddress.ip_address(name)
    except ValueError:
        return False
    return True
