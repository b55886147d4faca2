"""Chance that a restart repeats: orders that follow from the study's seed and the participant's number.

Hashes, not a generator: the order must be the same after the server is started again under another version of numpy.
"""

import hashlib
from collections.abc import Iterable
from typing import TypeVar

Thing = TypeVar("Thing")


def shuffled(things: Iterable[Thing], *key: object) -> list[Thing]:
    """Return things in an order that depends on nothing but the key and how each thing is written."""
    return sorted(things, key=lambda thing: _place(repr(thing), key))


def _place(thing: str, key: tuple[object, ...]) -> bytes:
    return hashlib.sha256("\x1f".join((*map(repr, key), thing)).encode()).digest()
