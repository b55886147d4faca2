"""The client of embeddings servers, with its limits, retries and rules for keys, for any other address."""

from typing import Any

from imprint.encoders.address import check_key
from imprint.encoders.http import HttpReply, exchange
from imprint.encoders.server import ServerEncoder


class Client(ServerEncoder):
    """Posts to one address as it is given, and raises EncoderError where no success comes back."""

    def __init__(self, url: str, key: str | None, **settings: Any) -> None:
        super().__init__(url, model="none", key=key, **settings)
        self._base = url
        check_key(key, url)

    def ask(self, request: bytes, limit: int) -> bytes:
        """Return the body of a success, sending the request again while that may help."""
        return self._ask(request, limit=limit)

    def _exchange(self, endpoint: str, *, body: bytes | None = None, timeout: float, limit: int) -> HttpReply:
        return exchange(self._opener, self._base, body=body, key=self._key, timeout=timeout, limit=limit)
