"""What the OpenAI-compatible embeddings protocol says: a request's body, and what may be made of an answer's."""

import json
from collections.abc import Sequence
from http.client import responses
from types import NoneType
from typing import Any

import numpy as np

from imprint.types import Floats32

# A null is how a server writes NaN; it is refused as one. bool is a class of its own here.
_NUMBERS = {int, float, NoneType}


class ProtocolError(Exception):
    """An answer that gives no vectors: what is wrong with it, and what it `said` in full."""

    def __init__(self, problem: str, said: str = "") -> None:
        super().__init__(problem)
        self.said = said


def write_request(model: str, texts: Sequence[str]) -> bytes:
    """Return the body that asks for the vectors of the texts."""
    return json.dumps({"model": model, "input": list(texts), "encoding_format": "float"}).encode()


def read_vectors(body: bytes, count: int) -> Floats32:
    """Return the vectors of an answer in the order of the texts; what is too large for float32 becomes infinite."""
    document = _parse(body)
    items = document.get("data") if isinstance(document, dict) else None
    if not isinstance(items, list) or not all(isinstance(item, dict) for item in items):
        raise ProtocolError("its answer has no list of vectors under 'data', it begins", _text(body))
    if len(items) != count:
        raise ProtocolError(f"gave {len(items)} vectors for {count} texts")
    rows: list[Any] = [item.get("embedding") for item in _in_order(items)]
    if not all(isinstance(row, list) and row and set(map(type, row)) <= _NUMBERS for row in rows):
        raise ProtocolError("gave an 'embedding' that is not a list of numbers, its answer begins", _text(body))
    if len(sizes := {len(row) for row in rows}) > 1:
        raise ProtocolError(f"gave vectors of {' and '.join(map(str, sorted(sizes)))} numbers in one answer")
    try:
        with np.errstate(over="ignore"):
            return np.array(rows, dtype=np.float64).astype(np.float32)
    except OverflowError as error:
        raise ProtocolError("gave a whole number too large for a float") from error


def read_models(body: bytes) -> list[str]:
    """Return the names of the models that an answer lists; none if it lists none."""
    try:
        return [str(model["id"]) for model in _parse(body)["data"]]
    except (ProtocolError, KeyError, TypeError):
        return []


def read_refusal(status: int, body: bytes) -> ProtocolError:
    """Return what a status other than success means, with the server's own words where they can be found."""
    problem = f"answered {status} {responses.get(status, '')}".rstrip()
    try:
        document = _parse(body)
    except ProtocolError:
        return ProtocolError(problem, _text(body))
    # {"error": {"message": ...}} is the protocol's; the others are seen in servers that speak it.
    said = document
    for name in ("error", "message", "detail"):
        said = said.get(name, said) if isinstance(said, dict) else said
    return ProtocolError(problem, said if isinstance(said, str) else _text(body))


def _parse(body: bytes) -> Any:
    try:
        return json.loads(body)
    except (ValueError, RecursionError) as error:
        raise ProtocolError("its answer is not complete JSON, it begins", _text(body)) from error


def _in_order(items: list[dict[str, Any]]) -> list[dict[str, Any]]:
    indices: list[Any] = [item.get("index") for item in items]
    if all(index is None for index in indices):
        return items
    if not all(type(index) is int for index in indices) or sorted(indices) != list(range(len(items))):
        raise ProtocolError(
            f"numbered its vectors wrongly, expected each from 0 to {len(items) - 1} once; it gave", str(indices)
        )
    return [items[place] for place in np.argsort(indices)]


def _text(body: bytes) -> str:
    # JSON may write a slash as \/; undone, so that a key with a slash is still found in what is quoted.
    return body.decode(errors="replace").replace("\\/", "/")
