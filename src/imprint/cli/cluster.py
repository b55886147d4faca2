"""Who does the work that a command splits: threads, processes, or a Dask cluster, whose failures are one line."""

import contextlib
import logging
import socket
from collections.abc import Iterator
from concurrent.futures import CancelledError, Executor
from typing import Any

import imprint
from imprint.errors import SettingError, requiring
from imprint.version import DISTRIBUTION

_PATIENCE = 10  # seconds to wait for a scheduler


def given_workers(
    workers: int | None, dask: str | None, *, separate: bool = False
) -> contextlib.AbstractContextManager[Executor | None]:
    """Give what --workers or --dask ask for; threads, or `separate` processes. None leaves it to the measurement."""
    if dask is not None and workers is not None:
        raise SettingError("--dask brings its own workers", option="--dask", got=dask, hint="leave --workers out")
    if dask is not None:
        return open_cluster(dask)
    if workers is None:
        return contextlib.nullcontext()
    from imprint.workers import processes, threads

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
            option="--dask",
            got=address,
            hint="start one, or leave --dask out",
        ) from error
    try:
        _check_versions(client, address)
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


def _check_versions(client: Any, address: str) -> None:
    """Refuse workers without this version of imprint: tasks would be pending for ever, or give other results."""
    for worker in client.get_versions(packages=[DISTRIBUTION])["workers"].values():
        if (found := worker["packages"][DISTRIBUTION]) != imprint.__version__:
            raise SettingError(
                f"a worker of the Dask cluster at {address!r} has {f'imprint {found}' if found else 'no imprint'}",
                option="--dask",
                got=found,
                expected=f"imprint {imprint.__version__}",
                hint="install this version on every worker",
            )


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
