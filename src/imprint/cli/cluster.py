"""A Dask cluster to work on; whatever goes wrong with it is one line."""

import contextlib
import logging
import socket
from collections.abc import Iterator
from concurrent.futures import CancelledError, Executor
from typing import Any

from imprint.errors import SettingError, requiring

_PATIENCE = 10  # seconds to wait for a scheduler


@contextlib.contextmanager
def open_cluster(address: str) -> Iterator[Executor]:
    """Give the workers of the Dask cluster whose scheduler has this address."""
    with requiring("distributed", "dask"):
        from distributed import Client, KilledWorker
    # What goes wrong is told below, in one line.
    logging.disable()
    try:
        _await_greeting(address)
        client: Any = Client(address, timeout=_PATIENCE)  # type: ignore[no-untyped-call]
    except Exception as error:  # what answers may be anything, a web server say, and breaks the client in its own way
        raise SettingError(
            f"there is no Dask scheduler at {address!r} ({error})",
            option="--dask",
            got=address,
            hint="start one, or leave --dask out",
        ) from error
    try:
        yield client.get_executor()
    except (CancelledError, KilledWorker, TimeoutError, ModuleNotFoundError) as error:
        raise SettingError(
            f"the Dask cluster at {address!r} failed ({str(error) or type(error).__name__})",
            option="--dask",
            got=address,
            hint="it needs a scheduler and workers that stay, with imprint installed",
        ) from error
    finally:
        _close(client)


def _close(client: Any) -> None:
    """Close a client, also one whose scheduler is gone: that may raise whatever broke its connection."""
    try:
        client.close()
    except Exception:  # noqa: BLE001 - the work is done, or its failure is on its way to the user
        client.status = "closed"  # otherwise it is closed again, and fails again, when it is collected


def _await_greeting(address: str) -> None:
    """Raise unless something at a TCP address speaks first, as a scheduler does.

    A web server, a dashboard's say, waits to be asked something it understands, and the client would wait with it.
    """
    from distributed.comm.addressing import parse_address, parse_host_port

    scheme, place = parse_address(address)
    if scheme == "tcp":
        with socket.create_connection(parse_host_port(place), timeout=_PATIENCE) as connection:
            if not connection.recv(1):
                raise ConnectionError("the connection was closed at once")
