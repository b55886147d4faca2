"""How often one may ask: token buckets in memory, forgotten when the server stops."""

import threading
import time
from collections import OrderedDict
from collections.abc import Callable


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
