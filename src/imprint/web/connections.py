"""Connections that keep nobody else out: a deadline for a request's headers, and a limit per address."""

import asyncio

from uvicorn.protocols.http.h11_impl import H11Protocol

from imprint.web.serving import network_of

CROWD = 500  # connections at once; one more takes the place of the one that has been silent longest
PATIENCE = 10.0  # seconds from the connection, or the last answer, to the end of a request's headers

_PER_ADDRESS = CROWD // 2


class PatientProtocol(H11Protocol):
    """uvicorn's own, which waits for ever for the first request."""

    since = 0.0  # when it began to wait for the other side
    _timer: asyncio.TimerHandle | None = None

    def connection_made(self, transport: asyncio.Transport) -> None:  # type: ignore[override]
        """Admit a connection; close another one where there are too many."""
        super().connection_made(transport)
        self._wait()
        every = [
            one for one in self.connections if isinstance(one, PatientProtocol) and not one.transport.is_closing()
        ]
        same = [one for one in every if one.address == self.address]
        crowd = same if len(same) > _PER_ADDRESS else every if len(every) > CROWD else []
        if crowd:
            waiting = [one for one in crowd if one.is_owed and one is not self]
            min(waiting or [self], key=lambda one: one.since).transport.close()

    def connection_lost(self, exc: Exception | None) -> None:
        """Forget the deadline."""
        super().connection_lost(exc)
        if self._timer is not None:
            self._timer.cancel()

    def on_response_complete(self) -> None:
        """Wait for the next request."""
        super().on_response_complete()
        self._wait()

    @property
    def address(self) -> str:
        """Where it comes from."""
        return network_of(self.client[0]) if self.client else ""

    @property
    def is_owed(self) -> bool:
        """Whether a request, or the rest of one, is still to come."""
        return self._is_silent or self.cycle.more_body

    @property
    def _is_silent(self) -> bool:
        return self.cycle is None or self.cycle.response_complete

    def _wait(self) -> None:
        if self._timer is not None:
            self._timer.cancel()
        self.since = self.loop.time()
        self._timer = self.loop.call_later(PATIENCE, self._give_up)

    def _give_up(self) -> None:
        if self._is_silent:
            self.transport.close()
