"""Who hears what will be sent to a server, before the first request: the command line, which prints it."""

from collections.abc import Callable, Iterator
from contextlib import contextmanager

Listener = Callable[[str], None]

_listeners: list[Listener | None] = [None]


def announce(name: str, count: int, what: str = "texts") -> None:
    """Say how many texts a server, or a command, will be sent in all."""
    heard_by = listener()
    if heard_by is not None and count:
        heard_by(f"{name}: {count:,} {what} will be sent")


def listener() -> Listener | None:
    """Return who hears it, so that work in another process tells the same one."""
    return _listeners[-1]


@contextmanager
def announced_to(heard_by: Listener | None) -> Iterator[None]:
    """Have a function called with each announcement."""
    _listeners.append(heard_by)
    try:
        yield
    finally:
        _listeners.pop()
