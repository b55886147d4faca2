"""Who does the work of a command or function: threads, processes, any executor, or a Dask cluster."""

import contextlib
import logging
import socket
from collections.abc import Iterator
from concurrent.futures import CancelledError, Executor
from typing import Any, TypeAlias

from imprint.checks import check_whole
from imprint.errors import SettingError, requiring
from imprint.version import DISTRIBUTION, __version__
from imprint.workers import processes, threads

Workers: TypeAlias = Executor | int | str

WORKERS = (
    "How many workers, the address of a Dask scheduler, or any `concurrent.futures.Executor`; the result is the same "
    "to the byte."
)

_PATIENCE = 10  # seconds to wait for a scheduler
_LARGEST_GREETING = 1 << 16  # bytes; it names versions and compressions


def working(workers: Workers | None, *, separate: bool = False) -> contextlib.AbstractContextManager[Executor | None]:
    """Give an executor of what was asked for: of a number threads, or `separate` processes; none if there is none."""
    if isinstance(workers, str):
        return open_cluster(workers)
    if workers is None or isinstance(workers, Executor):
        client = getattr(workers, "_client", None)
        if client is not None and client.status == "running":
            _check_versions(client, client.scheduler.address)
        return contextlib.nullcontext(workers)
    check_whole("workers", workers)
    return processes(workers) if separate else threads(workers)


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
            option="workers",
            got=address,
            hint="start one, or leave its address out",
        ) from error
    try:
        _check_versions(client, address)
        yield client.get_executor()
    except (CancelledError, KilledWorker, TimeoutError, ModuleNotFoundError) as error:
        raise SettingError(
            f"the Dask cluster at {address!r} failed ({str(error) or type(error).__name__})",
            option="workers",
            got=address,
            hint="it needs a scheduler and workers that stay, with imprint installed",
        ) from error
    finally:
        _close(client)


def _check_versions(client: Any, address: str) -> None:
    """Refuse workers without this version of imprint: tasks would be pending for ever, or give other results."""
    for worker in client.get_versions(packages=[DISTRIBUTION])["workers"].values():
        if (version := worker["packages"][DISTRIBUTION]) != __version__:
            raise SettingError(
                f"a worker of the Dask cluster at {address!r} has {f'imprint {version}' if version else 'no imprint'}",
                option="workers",
                got=version,
                expected=f"imprint {__version__}",
                hint="install this version on every worker",
            )


def _close(client: Any) -> None:
    """Close a client, also one whose scheduler is gone: that may raise whatever broke its connection."""
    try:
        client.close()
    except Exception:  # noqa: BLE001 - the work is done, or its failure is on its way to the user
        client.status = "closed"  # otherwise it is closed again, and fails again, when it is collected


def _await_greeting(address: str) -> None:
    """Raise unless something at a TCP address speaks first, and says as much as it announces, as a scheduler does.

    A web server, a dashboard's say, waits to be asked something it understands, and the client would wait with it.
    """
    from distributed.comm.addressing import parse_address, parse_host_port

    scheme, host = parse_address(address)
    if scheme == "tcp":
        with socket.create_connection(parse_host_port(host), timeout=_PATIENCE) as connection:
            if (size := int.from_bytes(_receive(connection, 8), "little")) > _LARGEST_GREETING:
                raise ConnectionError("what answers is another program")
            _receive(connection, size)


def _receive(connection: socket.socket, size: int) -> bytes:
    """Return as many bytes, each of which is waited for as long as for a scheduler."""
    received = b""
    while len(received) < size:
        if not (part := connection.recv(size - len(received))):
            raise ConnectionError("the connection was closed at once")
        received += part
    return received
