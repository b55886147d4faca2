"""One thread a worker: workers share the cores already, and oversubscription cost six times over."""

import contextlib
import threading
from collections.abc import Iterator
from typing import Any

_lock = threading.Lock()
_inside = 0
_limits: Any = None


@contextlib.contextmanager
def single_threaded() -> Iterator[None]:
    """Hold BLAS and OpenMP to one thread while any worker of this process is inside; restore after the last.

    The limit belongs to the process, so workers that come and go must not restore it under each other. It also
    fixes the order of sums: results do not depend on how many cores a machine has.
    """
    global _inside, _limits  # noqa: PLW0603 - the limit is the process's own
    with _lock:
        if _inside == 0:
            from threadpoolctl import threadpool_limits

            _limits = threadpool_limits(1)
        _inside += 1
    try:
        yield
    finally:
        with _lock:
            _inside -= 1
            if _inside == 0:
                _limits.restore_original_limits()
                _limits = None
