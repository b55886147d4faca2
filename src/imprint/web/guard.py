"""The guard before an app: host names, request size and pace are checked, and every answer gets the security headers.

Plain ASGI, outside of everything else, so that error pages too go through it. Pace is kept by token buckets in memory,
forgotten when the server stops.
"""

import asyncio
import logging
import threading
import time
from collections import OrderedDict
from collections.abc import Callable, Mapping

from starlette.datastructures import MutableHeaders
from starlette.types import ASGIApp, Message, Receive, Scope, Send

from imprint.web.pages import Pages, RefusedError
from imprint.web.serving import Hosts, forwarded_address, network_of

LARGEST = 64 * 1024  # bytes of a request's body
PATIENCE = 30.0  # seconds for all of it

HEADERS = {
    "content-security-policy": "default-src 'none'; style-src 'self'; script-src 'self'; connect-src 'self'; "
    "img-src 'self'; form-action 'self'; frame-ancestors 'none'; base-uri 'none'",
    "referrer-policy": "no-referrer",
    "x-content-type-options": "nosniff",
    "cross-origin-opener-policy": "same-origin",
    "cross-origin-resource-policy": "same-origin",
    "cache-control": "no-store",
}

_LONGEST_KEY = 100  # characters of what a request is counted under: paths are long, and many are remembered
_READING = frozenset({"GET", "HEAD", "OPTIONS"})
_OURS = frozenset({"", "none", "same-origin"})  # what a browser says of a request that no other site started
_log = logging.getLogger(__name__)


class RateLimit:
    """A bucket a key: `burst` requests at once, refilled by `per_second`.

    Keys come from requests, so the number of buckets is bounded. The one longest unused goes first; a bucket unused
    that long is full again anyway.
    """

    def __init__(
        self, *, burst: float, per_second: float, most: int = 10_000, clock: Callable[[], float] = time.monotonic
    ) -> None:
        self._burst, self._rate, self._most, self._clock = burst, per_second, most, clock
        self._buckets: OrderedDict[str, tuple[float, float]] = OrderedDict()
        self._lock = threading.Lock()

    def wait(self, key: str) -> float:
        """Take one request out of the key's bucket; return 0, or the seconds until there will be one."""
        with self._lock:
            now = self._clock()
            left, then = self._buckets.pop(key, (self._burst, now))
            left = min(self._burst, left + (now - then) * self._rate)
            admitted = left >= 1
            self._buckets[key] = (left - 1 if admitted else left, now)
            if len(self._buckets) > self._most:
                self._buckets.popitem(last=False)
            return 0.0 if admitted else (1 - left) / self._rate


class Guard:
    """An app behind its checks.

    Requests are counted in buckets. `buckets` names those of a request, by its path and the address it came from.
    `pace` limits each bucket, and `overall` all together, of which one address gets at most half. Whoever is
    `trusted`, by the headers, is not limited. `behind_proxy` says that a proxy on this machine names the address.
    """

    def __init__(
        self,
        app: ASGIApp,
        pages: Pages,
        *,
        hosts: Hosts,
        buckets: Callable[[str, str], tuple[str, ...]],
        trusted: Callable[[Mapping[str, str]], bool] = lambda headers: False,
        pace: RateLimit | None = None,
        behind_proxy: bool = False,
    ) -> None:
        self._app, self._pages, self._hosts, self._buckets, self._trusted = app, pages, hosts, buckets, trusted
        self._behind_proxy = behind_proxy
        self._pace = pace or RateLimit(burst=60, per_second=5)
        self._overall = RateLimit(burst=2_000, per_second=500)
        self._each = RateLimit(burst=1_000, per_second=250)

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Serve one request, or refuse it."""
        if scope["type"] == "lifespan":
            await self._app(scope, receive, send)
            return
        if scope["type"] != "http":
            await send({"type": "websocket.close", "code": 1008})
            return
        started = False

        async def answer(message: Message) -> None:
            nonlocal started
            if message["type"] == "http.response.start":
                started = True
                MutableHeaders(scope=message).update(HEADERS)  # in place of any of the same name
            await send(message)

        try:
            self._check(scope)
            await self._app(scope, await _read(receive), answer)
        except RefusedError as refusal:
            if not started:
                await self._refuse(scope, receive, answer, refusal)
        except Exception:  # noqa: BLE001
            # Whatever it was, the person gets a page, and the log gets the reason.
            _log.exception("a request failed")
            if not started:
                await self._refuse(scope, receive, answer, RefusedError(500))

    async def _refuse(self, scope: Scope, receive: Receive, answer: Send, refusal: RefusedError) -> None:
        await self._pages.refuse(scope["path"], refusal)(scope, receive, answer)

    def _check(self, scope: Scope) -> None:
        headers = {name.decode("latin-1").lower(): value.decode("latin-1") for name, value in scope["headers"]}
        if not self._hosts.admits(headers.get("host", "")):
            raise RefusedError(
                400, "This server does not answer to that host name. Use the address that it printed when it started."
            )
        if scope["method"] not in _READING and headers.get("sec-fetch-site", "") not in _OURS:
            raise RefusedError(403, "This form came from another site. Open your own link and answer there.")
        if not self._trusted(headers):
            self._check_pace(scope, headers)
        length = headers.get("content-length", "0")
        if not length.isdigit() or int(length) > LARGEST:
            raise RefusedError(413)

    def _check_pace(self, scope: Scope, headers: Mapping[str, str]) -> None:
        address = (scope.get("client") or ("",))[0]
        if self._behind_proxy:
            address = forwarded_address(address, headers.get("x-forwarded-for", ""))
        address = network_of(address)
        wait = self._each.wait(address)
        if not wait:  # whoever has asked too often takes nothing from the others
            keys = self._buckets(scope["path"], address)
            wait = max(self._overall.wait(""), *(self._pace.wait(key[:_LONGEST_KEY]) for key in keys), 0.0)
        if wait > 0:
            raise RefusedError(429, headers={"retry-after": str(int(wait) + 1)})


async def _read(receive: Receive) -> Receive:
    """Read the whole body, however its headers announced it, and give it to the app in one piece.

    Read here, not in the app, where a body too large would end as whatever the app makes of a failed read.
    """
    body, more = b"", True
    end = asyncio.get_running_loop().time() + PATIENCE
    while more:
        try:
            async with asyncio.timeout_at(end):
                message = await receive()
        except TimeoutError:
            raise RefusedError(408) from None
        if message["type"] == "http.disconnect":
            # No end of the body: half an answer would be stored, and the whole one refused when it comes again.
            raise RefusedError(400)
        body += message.get("body", b"")
        more = message.get("more_body", False)
        if len(body) > LARGEST:
            raise RefusedError(413)
    given = False

    async def replay() -> Message:
        nonlocal given
        if given:
            return await receive()  # waits for the other side to leave
        given = True
        return {"type": "http.request", "body": body, "more_body": False}

    return replay
