"""Where a server is, whether a key may travel there, and one bounded exchange with it over HTTP.

An exchange has no redirects, verified TLS, a deadline for the whole and a limit on its size.
"""

import http.client
import io
import math
import os
import re
import socket
import ssl
import time
import urllib.request
from collections.abc import Mapping
from dataclasses import dataclass
from datetime import UTC
from email.utils import parsedate_to_datetime
from functools import cached_property
from ipaddress import ip_address
from typing import Any
from urllib.error import URLError
from urllib.parse import SplitResult, urlsplit

from imprint.errors import SettingError
from imprint.version import __version__

KEY_VARIABLE = "IMPRINT_API_KEY"
OPENAI_KEY_VARIABLE = "OPENAI_API_KEY"
OPENAI_HOST = "api.openai.com"

_EXPECTED = "an address such as http://127.0.0.1:8080/v1"
_VERSION = re.compile(r"v\d+\w*")  # the part of a path that makes a base whole: v1, v1beta
_ENDPOINT = "/embeddings"

LONGEST_WAIT = 60.0  # seconds between two tries, whatever a server asks for

_LONGEST_COMPLAINT = 65_536  # bytes read of an answer that is no success


def base_of(url: str) -> str:
    """Return the base that /embeddings and /models are appended to, one spelling for each way to write it."""
    refuse_credentials(url)
    parts = _split(url)
    host = f"[{parts.hostname}]" if ":" in (parts.hostname or "") else parts.hostname
    port = "" if parts.port is None else f":{parts.port}"
    path = parts.path.rstrip("/")
    if path.endswith(_ENDPOINT):
        path = path.removesuffix(_ENDPOINT)
    elif not any(_VERSION.fullmatch(part) for part in path.split("/")):
        path += "/v1"
    return f"{parts.scheme}://{host}{port}{path}"


def refuse_credentials(url: str) -> None:
    """Refuse a URL with credentials, without repeating it: what comes before the @ is a secret."""
    if "@" in url:
        raise SettingError(
            "the URL holds credentials (user:password@host)",
            option="url",
            hint=f"leave them out and set {KEY_VARIABLE}",
        )


def key_from_environment(url: str) -> str | None:
    """Return the key that the environment holds for this URL: ours for any, OpenAI's for their own host alone."""
    key = os.environ.get(KEY_VARIABLE)
    if not key and urlsplit(base_of(url)).hostname == OPENAI_HOST:
        key = os.environ.get(OPENAI_KEY_VARIABLE)
    return key or None


def check_key(key: str | None, base: str) -> str | None:
    """Return the key without blanks at its ends, refusing one that cannot travel, or cannot travel there unseen."""
    if key is None or not (key := key.strip()):
        return None
    if not key.isascii() or not key.isprintable() or " " in key:
        raise SettingError(
            option="the key",
            expected="printable ASCII without blanks",
            where=base,
            hint=f"copy it to {KEY_VARIABLE} again",
        )
    parts = urlsplit(base)
    if parts.scheme == "http" and not _is_loopback(parts.hostname or ""):
        raise SettingError(
            "a key is not sent over plain http to another machine",
            where=base,
            hint=f"use https, or unset {KEY_VARIABLE}",
        )
    return key


def _split(url: str) -> SplitResult:
    try:
        if not url.isascii() or not url.isprintable() or " " in url or "\\" in url:
            raise SettingError(option="url", got=url, expected=_EXPECTED)
        parts = urlsplit(url)
        if parts.scheme not in {"http", "https"} or not parts.hostname:
            raise SettingError(option="url", got=url, expected=_EXPECTED)
        parts.hostname.encode("idna")
        parts.port  # noqa: B018 - raises where it is no port
    except ValueError as error:
        raise SettingError(option="url", got=url, expected=_EXPECTED) from error
    if parts.query or parts.fragment:
        raise SettingError(
            f"the URL of {parts.hostname} has a query or a fragment", option="url", hint="give it up to /v1"
        )
    return parts


def _is_loopback(host: str) -> bool:
    try:
        return host == "localhost" or ip_address(host).is_loopback
    except ValueError:
        return False


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
        value = self.headers.get("retry-after", "")
        try:
            seconds = float(value)
        except ValueError:
            seconds = _seconds_until(value)
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
