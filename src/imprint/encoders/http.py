"""One bounded exchange over HTTP: no redirects, verified TLS, a deadline for the whole and a limit on its size."""

import http.client
import io
import math
import socket
import ssl
import time
import urllib.request
from collections.abc import Mapping
from dataclasses import dataclass
from datetime import UTC
from email.utils import parsedate_to_datetime
from functools import cached_property
from typing import Any
from urllib.error import URLError

from imprint.version import __version__

LONGEST_WAIT = 60.0  # seconds between two tries, whatever a server asks for

_LONGEST_COMPLAINT = 65_536  # bytes read of an answer that is no success


class NoAnswerError(Exception):
    """An exchange that gave no whole answer, and what to do about it; `final` if trying again cannot help."""

    def __init__(self, reason: str, advice: str, *, final: bool = False) -> None:
        super().__init__(reason)
        self.advice = advice
        self.final = final


@dataclass(frozen=True)
class HttpReply:
    """What a server said, whatever its status."""

    status: int
    headers: Mapping[str, str]  # names in lower case
    body: bytes

    @property
    def wait(self) -> float:
        """The seconds its Retry-After asks for, in digits or as a date, capped; 0 where it asks for nothing."""
        asked = self.headers.get("retry-after", "")
        try:
            seconds = float(asked)
        except ValueError:
            seconds = _seconds_until(asked)
        return min(max(seconds, 0.0), LONGEST_WAIT) if math.isfinite(seconds) else 0.0


def make_opener() -> urllib.request.OpenerDirector:
    """Return what `exchange` speaks through.

    Nothing in it follows a redirect or raises for a status. A proxy of the environment is used for https alone,
    where it sees a tunnel; over plain http it would read the key.
    """
    opener = urllib.request.OpenerDirector()
    opener.add_handler(_Handler())
    proxies = {scheme: proxy for scheme, proxy in urllib.request.getproxies().items() if scheme == "https"}
    opener.add_handler(urllib.request.ProxyHandler(proxies))
    return opener


def exchange(
    opener: urllib.request.OpenerDirector,
    url: str,
    *,
    body: bytes | None = None,
    key: str | None = None,
    timeout: float,
    limit: int,
) -> HttpReply:
    """POST the body, or GET without one, and return the answer if it is whole in time and at most `limit` bytes."""
    headers = {"Accept": "application/json", "User-Agent": f"imprint/{__version__}"}
    if body is not None:
        headers["Content-Type"] = "application/json"
    if key is not None:
        headers["Authorization"] = f"Bearer {key}"
    try:
        with opener.open(urllib.request.Request(url, body, headers), timeout=timeout) as response:  # noqa: S310
            return _read(response, limit)
    except (OSError, http.client.HTTPException) as error:
        cause = error.reason if isinstance(error, URLError) else error
        if isinstance(cause, TimeoutError):
            reason = f"no complete answer within {timeout:g} s"
            raise NoAnswerError(reason, "raise --timeout, or lower --batch") from error
        if isinstance(cause, ssl.SSLCertVerificationError):
            reason = f"its certificate is not trusted ({cause.verify_message})"
            raise NoAnswerError(reason, "check the URL, or SSL_CERT_FILE", final=True) from error
        raise NoAnswerError(_describe(cause), "check the URL and that the server runs") from error


def _read(response: http.client.HTTPResponse, limit: int) -> HttpReply:
    success = 200 <= response.status < 300
    body = response.read(limit + 1 if success else _LONGEST_COMPLAINT)
    if success and len(body) > limit:
        reason = f"its answer is longer than {limit:,} bytes"
        raise NoAnswerError(reason, "check that the URL is an embeddings endpoint", final=True)
    if success and response.length:
        reason = f"the connection broke {response.length:,} bytes before the end of the answer"
        raise NoAnswerError(reason, "check that the server runs")
    return HttpReply(response.status, {name.lower(): value for name, value in response.headers.items()}, body)


def _describe(cause: object) -> str:
    if isinstance(cause, http.client.RemoteDisconnected):
        return "the connection was closed without an answer"
    if isinstance(cause, http.client.IncompleteRead):
        return "the connection broke before the end of the answer"
    if isinstance(cause, http.client.HTTPException):
        return f"its answer is not HTTP ({type(cause).__name__})"
    return str(getattr(cause, "strerror", None) or cause).lower()


def _seconds_until(date: str) -> float:
    try:
        moment = parsedate_to_datetime(date)
        if moment.tzinfo is None:
            moment = moment.replace(tzinfo=UTC)
        return moment.timestamp() - time.time()
    except (ValueError, OverflowError):
        return 0.0


class _TimedReader(io.RawIOBase):
    """A socket's bytes until a deadline: a timeout of the socket itself starts anew with every byte."""

    def __init__(self, sock: socket.socket, deadline: float) -> None:
        self._sock = sock
        self._deadline = deadline
        self._raw = sock.makefile("rb", buffering=0)

    def readable(self) -> bool:
        return True

    def readinto(self, buffer: Any) -> int | None:
        self._sock.settimeout(_left(self._deadline))
        return self._raw.readinto(buffer)

    def close(self) -> None:
        self._raw.close()
        super().close()


class _BoundedReader(io.BufferedReader):
    """What http.client reads from: never all there is, which a chunk of length -1 would ask for."""

    def read(self, size: int | None = -1, /) -> bytes:
        if size is None or size < 0:
            raise http.client.HTTPException("a negative length")
        return super().read(size)


class _TimedSocket:
    """As much of a socket as http.client asks for, with one deadline for all that is sent and read."""

    def __init__(self, sock: socket.socket, deadline: float) -> None:
        self._sock = sock
        self._deadline = deadline

    def sendall(self, data: Any) -> None:
        self._sock.settimeout(_left(self._deadline))
        self._sock.sendall(data)

    def makefile(self, _mode: str) -> io.BufferedReader:
        return _BoundedReader(_TimedReader(self._sock, self._deadline))

    def close(self) -> None:
        self._sock.close()


class _Connection(http.client.HTTPConnection):
    def connect(self) -> None:
        deadline = time.monotonic() + float(self.timeout or 0)
        super().connect()
        self.sock = _TimedSocket(self.sock, deadline)


class _SecureConnection(_Connection, http.client.HTTPSConnection):
    """The same over TLS, whose handshake lies within the deadline: `connect` above calls HTTPSConnection's."""


class _Handler(urllib.request.AbstractHTTPHandler):
    @cached_property
    def _verifying(self) -> ssl.SSLContext:
        return ssl.create_default_context()  # reads every certificate: not for plain http

    def http_open(self, request: urllib.request.Request) -> http.client.HTTPResponse:
        return self.do_open(_Connection, request)

    def https_open(self, request: urllib.request.Request) -> http.client.HTTPResponse:
        return self.do_open(_SecureConnection, request, context=self._verifying)

    http_request = https_request = urllib.request.AbstractHTTPHandler.do_request_


def _left(deadline: float) -> float:
    left = deadline - time.monotonic()
    if left <= 0:
        raise TimeoutError
    return left
