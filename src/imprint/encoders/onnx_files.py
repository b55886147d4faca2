"""What an ONNX file says of itself before a runtime opens it: the files its tensors lie in, and what its nodes do.

The layout is that of onnx.proto3; a walk over the few fields that lead to tensors and nodes needs no library.
"""

import mmap
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

from imprint.errors import EncoderError, raising_as, reading_file

# The fields of each message that hold others on the way to a tensor or a node.
_FIELDS = {
    "model": {7: "graph", 25: "function"},
    "function": {7: "node"},
    "graph": {1: "node", 5: "tensor", 15: "sparse"},
    "node": {5: "attribute"},
    "attribute": {5: "tensor", 6: "graph", 10: "tensor", 11: "graph", 22: "sparse", 23: "sparse"},
    "sparse": {1: "tensor", 2: "tensor"},
    "tensor": {13: "entry"},
    "entry": {},
}
_OPERATION = 4  # of a node
_KEY, _VALUE = 1, 2  # of an entry
_VARINT, _EIGHT_BYTES, _LENGTH, _FOUR_BYTES = 0, 1, 2, 5
_DEEPEST = 64


@dataclass(frozen=True)
class Contents:
    """The names of external data files and of the operations, as the file spells them."""

    locations: frozenset[str]
    operations: frozenset[str]


def inspect(path: Path) -> Contents:
    """Return what an ONNX file names, refusing one that is not a protocol buffer with a graph."""
    locations: set[str] = set()
    operations: set[str] = set()
    again = {"where": path, "hint": "export or fetch it again"}
    with (
        reading_file(EncoderError, path),
        raising_as((ValueError, IndexError), EncoderError, "is not an ONNX file, or is damaged", **again),
        path.open("rb") as file,
        mmap.mmap(file.fileno(), 0, access=mmap.ACCESS_READ) as data,
    ):
        has_graph = any(field == 7 for field, _, _ in _fields(data, 0, len(data)))
        _walk(data, 0, len(data), "model", _DEEPEST, locations, operations)
    if not has_graph:
        raise EncoderError("has no ONNX graph", where=path, hint="export or fetch it again")
    return Contents(frozenset(locations), frozenset(operations))


def _walk(
    data: mmap.mmap, start: int, end: int, message: str, depth: int, locations: set[str], operations: set[str]
) -> None:
    if not depth:
        raise ValueError("graphs within graphs")
    entry = {}
    for field, begin, stop in _fields(data, start, end):
        if message == "node" and field == _OPERATION:
            operations.add(data[begin:stop].decode())
        elif message == "entry":
            entry[field] = data[begin:stop].decode()
        elif field in _FIELDS[message]:
            _walk(data, begin, stop, _FIELDS[message][field], depth - 1, locations, operations)
    if entry.get(_KEY) == "location":
        locations.add(entry.get(_VALUE, ""))


def _fields(data: mmap.mmap, at: int, end: int) -> Iterator[tuple[int, int, int]]:
    """Yield the number of every field that holds bytes, and where they begin and end."""
    while at < end:
        tag, at = _varint(data, at)
        kind = tag & 7
        if kind == _LENGTH:
            length, at = _varint(data, at)
            yield tag >> 3, at, at + length
            at += length
        elif kind == _VARINT:
            _, at = _varint(data, at)
        elif kind in (_EIGHT_BYTES, _FOUR_BYTES):
            at += 8 if kind == _EIGHT_BYTES else 4
        else:
            raise ValueError("unknown wire type")
        if at > end:
            raise ValueError("a field runs past its message")


def _varint(data: mmap.mmap, at: int) -> tuple[int, int]:
    value = 0
    for shift in range(0, 70, 7):
        byte = data[at]
        at += 1
        value |= (byte & 127) << shift
        if byte < 128:
            return value, at
    raise ValueError("a number without end")
