"""One thread a worker: workers share the cores already, and oversubscription cost six times over."""

import contextlib
import sys
import threading
from collections.abc import Iterator
from typing import Any

_lock = threading.Lock()
_inside = 0
_held: list[Any] = []
_known: tuple[int, Any] = (0, None)  # how many modules there were, and the libraries loaded then


@contextlib.contextmanager
def single_threaded() -> Iterator[None]:
    """Hold BLAS and OpenMP to one thread while any worker of this process is inside; restore after the last.

    BLAS has one limit for the process, so workers that come and go must not restore it under each other. The limit of
    OpenMP belongs to each thread. It also fixes the order of sums: results do not depend on how many cores a machine
    has. Use it after importing what brings a BLAS of its own, as scipy does.
    """
    global _inside  # noqa: PLW0603 - the limit is the process's own
    with _lock:
        every = _libraries()
        libraries = every.select(user_api="blas")
        if any(library["num_threads"] != 1 for library in libraries.info()):
            _let_any_thread_set_limits()
            _held.append(libraries.limit(limits=1))
        _inside += 1
    try:
        with every.limit(limits=1, user_api="openmp"):
            yield
    finally:
        with _lock:
            _inside -= 1
            if _inside == 0:
                _let_any_thread_set_limits()
                while _held:
                    _held.pop().restore_original_limits()
                _let_any_thread_set_limits()


def _libraries() -> Any:
    """Return the libraries with threads; to look for them takes milliseconds, so again only after an import."""
    global _known  # noqa: PLW0603 - of the process
    from threadpoolctl import ThreadpoolController

    modules = len(sys.modules)
    if _known[0] != modules:
        _known = modules, ThreadpoolController()
    return _known[1]


def _let_any_thread_set_limits() -> None:
    """Undo threadpoolctl's rule, since 3.8, that only the first thread to limit OpenBLAS may; others do nothing.

    Here the worker that comes first limits and the one that leaves last restores, and the lock keeps them apart.
    """
    import threadpoolctl

    clear = getattr(threadpoolctl.OpenBLASController, "clear_controlling_thread", None)
    if clear is not None:
        clear(force=True)
