"""What an ONNX file says of itself before a runtime opens it: the files its tensors lie in, and what its nodes do.

The layout is that of onnx.proto3; a walk over the few fields that lead to tensors and nodes needs no library.
"""

import itertools
import mmap
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

import numpy as np

from imprint.errors import EncoderError, raising_as, reading_file
from imprint.types import Floats32

# The fields of each message that hold others on the way to a tensor or a node.
_FIELDS = {
    "model": {7: "graph", 25: "function"},
    "function": {7: "node", 11: "attribute"},
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
_GRAPH = 7  # of a model
_NODE, _INITIALIZER, _RESULT = 1, 5, 12  # of a graph
_NAME = 1  # of a result
_INPUT, _OUTPUT = 1, 2  # of a node
_FLOAT = 1  # the type of a tensor's numbers
_MAPPED = "imprint_debias"  # begins the names of what is added, with a number where that is taken


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
        has_graph = any(number == _GRAPH for number, *_ in _fields(data, 0, len(data)))
        _walk(data, 0, len(data), "model", _DEEPEST, locations, operations)
    if not has_graph:
        raise EncoderError("has no ONNX graph", where=path, hint="export or fetch it again")
    return Contents(frozenset(locations), frozenset(operations))


def append_map(model: bytes, output: str, matrix: Floats32, bias: Floats32) -> bytes:
    """Return a model whose output is multiplied by a matrix, from the right, with a bias added; it keeps its name.

    Nodes that make or read the output get another name for it, and two more nodes make what is called so now. The
    model's other outputs, which the map does not reach, are left out.
    """
    names = (f"{_MAPPED}{number or ''}" for number in itertools.count())
    added = next(name for name in names if name.encode() not in model)
    with raising_as((ValueError, IndexError), EncoderError, "is not an ONNX file, or is damaged"):
        return b"".join(
            _message(_GRAPH, _mapped_graph(model[begin:stop], output, matrix, bias, added))
            if number == _GRAPH
            else model[start:stop]
            for number, start, begin, stop in _fields(model, 0, len(model))
        )


def _mapped_graph(graph: bytes, output: str, matrix: Floats32, bias: Floats32, added: str) -> bytes:
    inner, product = f"{added}_input", f"{added}_product"
    names = (f"{added}_weight", f"{added}_bias")
    fields = []
    for number, start, begin, stop in _fields(graph, 0, len(graph)):
        if number == _NODE:
            fields.append(_message(_NODE, _renamed(graph[begin:stop], output, inner)))
        elif number != _RESULT or _name(graph[begin:stop]) == output.encode():
            fields.append(graph[start:stop])
    fields += [_message(_NODE, _node("MatMul", (inner, names[0]), product, added))]
    fields += [_message(_NODE, _node("Add", (product, names[1]), output, added))]
    fields += [_message(_INITIALIZER, _tensor(*named)) for named in zip(names, (matrix, bias), strict=True)]
    return b"".join(fields)


def _name(result: bytes) -> bytes:
    return b"".join(
        result[begin:stop] for number, _, begin, stop in _fields(result, 0, len(result)) if number == _NAME
    )


def _renamed(node: bytes, old: str, new: str) -> bytes:
    return b"".join(
        _message(number, new.encode())
        if number in (_INPUT, _OUTPUT) and node[begin:stop] == old.encode()
        else node[start:stop]
        for number, start, begin, stop in _fields(node, 0, len(node))
    )


def _node(operation: str, inputs: tuple[str, ...], output: str, added: str) -> bytes:
    ends = (*((_INPUT, name) for name in inputs), (_OUTPUT, output), (3, f"{added}_{operation}"))
    return b"".join(_message(number, text.encode()) for number, text in (*ends, (_OPERATION, operation)))


def _tensor(name: str, values: Floats32) -> bytes:
    sizes = b"".join(_written(1 << 3 | _VARINT) + _written(size) for size in values.shape)
    kind = _written(2 << 3 | _VARINT) + _written(_FLOAT)
    return sizes + kind + _message(8, name.encode()) + _message(9, np.asarray(values, dtype="<f4").tobytes())


def _message(number: int, content: bytes) -> bytes:
    return _written(number << 3 | _LENGTH) + _written(len(content)) + content


def _written(value: int) -> bytes:
    out = bytearray()
    while value > 127:
        out.append(value & 127 | 128)
        value >>= 7
    return bytes((*out, value))


def _walk(
    data: mmap.mmap, start: int, end: int, message: str, depth: int, locations: set[str], operations: set[str]
) -> None:
    if not depth:
        raise ValueError("graphs within graphs")
    entry = {}
    for number, _, begin, stop in _fields(data, start, end):
        if message == "node" and number == _OPERATION:
            operations.add(data[begin:stop].decode())
        elif message == "entry" and number:
            entry[number] = data[begin:stop].decode()
        elif number in _FIELDS[message]:
            _walk(data, begin, stop, _FIELDS[message][number], depth - 1, locations, operations)
    if entry.get(_KEY) == "location":
        locations.add(entry.get(_VALUE, ""))


def _fields(data: mmap.mmap | bytes, at: int, end: int) -> Iterator[tuple[int, int, int, int]]:
    """Yield every field: its number, where it starts, and where its bytes begin and end; without bytes, number 0."""
    while at < end:
        start = at
        tag, at = _varint(data, at)
        if tag >> 32:  # a runtime would read the lower bits as another field
            raise ValueError("a field's number is too large")
        kind, number, begin = tag & 7, 0, at
        if kind == _LENGTH:
            length, begin = _varint(data, at)
            number, at = tag >> 3, begin + length
        elif kind == _VARINT:
            _, at = _varint(data, at)
        elif kind in (_EIGHT_BYTES, _FOUR_BYTES):
            at += 8 if kind == _EIGHT_BYTES else 4
        else:
            raise ValueError("unknown wire type")
        if at > end:
            raise ValueError("a field runs past its message")
        yield number, start, begin, at


def _varint(data: mmap.mmap | bytes, at: int) -> tuple[int, int]:
    value = 0
    for shift in range(0, 70, 7):
        byte = data[at]
        at += 1
        value |= (byte & 127) << shift
        if byte < 128:
            return value, at
    raise ValueError("a number without end")
