"""A server that speaks the OpenAI-compatible /v1/embeddings protocol, as an encoder.

It is trusted with the texts and with the key, and with nothing else: neither to answer, nor in time, nor with vectors.
The protocol says what a request's body is, and what may be made of an answer's.
"""

import json
import time
from collections.abc import Sequence
from http.client import responses
from itertools import groupby
from operator import itemgetter
from types import NoneType
from typing import Any

import numpy as np

from imprint.checks import check_between, check_whole
from imprint.encoders.base import Encoder, identify, stated
from imprint.encoders.http import (
    KEY_VARIABLE,
    LONGEST_WAIT,
    HttpReply,
    NoAnswerError,
    base_of,
    check_key,
    exchange,
    make_opener,
)
from imprint.errors import EncoderError, SettingError
from imprint.masking import one_line
from imprint.programs import LONGEST_TIMEOUT, QUOTED
from imprint.types import Floats32

FIRST_DELAY = 0.5  # seconds before the second try; doubled before each one after

_BYTES_PER_TEXT = 512 * 1024  # some 20,000 numbers in full, more than any model gives
_BYTES_ASIDE = 1024 * 1024  # what an answer may hold besides its vectors
_TELLING = 8  # characters of a key, in a row, that a message must not repeat
_UNAUTHORIZED = 401
_LISTED = 8  # models named in a message
_PATIENCE = 3.0  # seconds to wait for a list of models, which only betters a message
_ADVICE = {
    400: "check --model and the texts",
    401: f"set {KEY_VARIABLE} to a key that it accepts",
    403: f"set {KEY_VARIABLE} to a key that may use this model",
    404: "check the URL and --model",
    413: "lower --batch",
    429: "wait, or have the limit raised",
}

# A null is how a server writes NaN; it is refused as one. bool is a class of its own here.
_NUMBERS = {int, float, NoneType}


class ServerEncoder(Encoder):
    """An encoder behind a URL; texts travel to it in batches, and a batch is sent again where that may help.

    `url` is the base, with or without /v1, or the whole address of the embeddings. `timeout` is for one whole answer.
    `identity` takes the server's word that a model keeps its weights as long as it keeps its name.
    """

    def __init__(
        self,
        url: str,
        *,
        model: str,
        key: str | None = None,
        prefix: str = "",
        batch: int = 64,
        timeout: float = 10.0,
        retries: int = 4,
        max_texts: int | None = 20_000,
        first_delay: float = FIRST_DELAY,
    ) -> None:
        check_whole("batch", batch)
        check_whole("retries", retries, 0)
        check_whole("max_texts", 1 if max_texts is None else max_texts)
        check_between("timeout", timeout, 0.0, LONGEST_TIMEOUT)
        self._base = base_of(url)
        self._key = check_key(key, self._base)
        self._timeout, self._retries, self._first_delay = timeout, retries, first_delay
        self._opener = make_opener()
        if not model.strip():
            raise SettingError(
                "has no model named", option="model", where=self._base, hint=f"give --model{self._offered()}"
            )
        self._model, self._prefix = model, prefix
        self._jitter = np.random.default_rng(0)
        self._size: int | None = None
        self.name = model
        self.identity = identify(adapter="server", url=self._base, model=model, prefix=prefix)
        pooling = "the server's own"
        self.settings = stated(adapter="server", url=self._base, model=model, pooling=pooling, prefix=prefix)
        self.chunk = batch
        self.max_texts = max_texts

    def embed(self, texts: Sequence[str]) -> Floats32:
        """Return one row per text, in order, asking for `chunk` of them at a time."""
        parts = [self._embed(texts[start : start + self.chunk]) for start in range(0, len(texts), self.chunk)]
        return np.concatenate(parts) if parts else np.empty((0, self._size or 0), np.float32)

    def _embed(self, texts: Sequence[str]) -> Floats32:
        request = write_request(self._model, [self._prefix + text for text in texts])
        body = self.ask(request, limit=len(texts) * _BYTES_PER_TEXT + _BYTES_ASIDE)
        try:
            rows = read_vectors(body, len(texts))
        except ProtocolError as error:
            raise self._error(str(error), "check the server and --model", said=error.said) from error
        size = rows.shape[1]
        if self._size not in {None, size}:
            problem = f"gave vectors of {size} numbers after vectors of {self._size}"
            raise self._error(problem, "check that only one model answers there")
        self._size = size
        return rows

    def ask(self, request: bytes, limit: int) -> bytes:
        """Return the body of a success, sending the request again while that may help."""
        wait = 0.0
        for attempt in range(self._retries + 1):
            if attempt:
                time.sleep(max(wait, self._delay(attempt)))
            tried = f" (tried {attempt + 1} times)" if attempt else ""
            try:
                answer = self._exchange("embeddings", body=request, timeout=self._timeout, limit=limit)
            except NoAnswerError as error:
                failure, wait, final = self._error(f"{error}{tried}", error.advice), 0.0, error.final
            else:
                if 200 <= answer.status < 300:
                    return answer.body
                failure, wait = self._refusal(answer, tried), answer.wait
                final = answer.status not in {408, 429} and answer.status < 500
            if final:
                break
        raise failure

    def _delay(self, attempt: int) -> float:
        doubled = self._first_delay * 2.0 ** min(attempt - 1, 10)
        return min(doubled * self._jitter.uniform(0.5, 1.5), LONGEST_WAIT)

    def _exchange(self, endpoint: str, *, body: bytes | None = None, timeout: float, limit: int) -> HttpReply:
        url = f"{self._base}/{endpoint}"
        return exchange(self._opener, url, body=body, key=self._key, timeout=timeout, limit=limit)

    def _offered(self) -> str:
        """Return the models that the server says it has, for a message; nothing if it does not say so soon."""
        try:
            answer = self._exchange("models", timeout=min(self._timeout, _PATIENCE), limit=_BYTES_ASIDE)
        except NoAnswerError:
            return ""
        models = read_models(answer.body)[:_LISTED]
        return f", such as {', '.join(self._quote(model) for model in models)}" if models else ""

    def _refusal(self, answer: HttpReply, tried: str) -> EncoderError:
        if 300 <= answer.status < 400:
            target = answer.headers.get("location", "nowhere")
            return self._error("redirects, which is not followed, to", "give that URL if you trust it", said=target)
        refusal = read_refusal(answer.status, answer.body)
        advice = _ADVICE.get(answer.status, "check the server and --model")
        # What is said about a key that was refused may hold the key, written in some other way.
        said = "" if answer.status == _UNAUTHORIZED and self._key else refusal.said
        return self._error(f"{refusal}{tried}", advice, said=said)

    def _error(self, problem: str, advice: str, *, said: str = "") -> EncoderError:
        quoted = f": {self._quote(said)}" if said else ""
        return EncoderError(f"{problem}{quoted}", where=self._base, hint=advice)

    def _quote(self, said: str) -> str:
        """Return the beginning of what a server said, in one line, and without the key that it may have repeated."""
        return one_line(self._without_key(said[: 10 * QUOTED]))[:QUOTED]

    def _without_key(self, said: str) -> str:
        """Put a mark in the place of the key, and of every part of it that is long enough to tell."""
        if not self._key:
            return said
        size = min(_TELLING, len(self._key))
        parts = {self._key[start : start + size] for start in range(len(self._key) - size + 1)}
        hidden = bytearray(len(said))
        for start in range(len(said) - size + 1):
            if said[start : start + size] in parts:
                hidden[start : start + size] = b"\1" * size
        runs = groupby(zip(hidden, said, strict=True), itemgetter(0))
        return "".join("[key]" if is_key else "".join(letter for _, letter in run) for is_key, run in runs)


class Client(ServerEncoder):
    """Its limits, retries and rules for keys, for any other address, which is posted to as it is given."""

    def __init__(self, url: str, key: str | None, **settings: Any) -> None:
        super().__init__(url, model="none", key=key, **settings)
        self._base = url
        check_key(key, url)

    def _exchange(self, endpoint: str, *, body: bytes | None = None, timeout: float, limit: int) -> HttpReply:
        return exchange(self._opener, self._base, body=body, key=self._key, timeout=timeout, limit=limit)


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
    return [items[index] for index in np.argsort(indices)]


def _text(body: bytes) -> str:
    # JSON may write a slash as \/; undone, so that a key with a slash is still found in what is quoted.
    return body.decode(errors="replace").replace("\\/", "/")
