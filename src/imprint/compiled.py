"""Kernels: functions that numba compiles, and keeps on disk where it can."""

# mypy: disable-error-code="no-untyped-call"

import contextlib
import pickle
from collections.abc import Callable
from hashlib import sha256
from typing import Any, TypeVar

from numba import njit
from numba.core.caching import FunctionCache, IndexDataCacheFile

_Kernel = TypeVar("_Kernel", bound=Callable[..., Any])


def compiled(**options: Any) -> Callable[[_Kernel], _Kernel]:
    """Compile a function at its first call, to run without the interpreter's lock."""

    def compile_it(function: _Kernel) -> _Kernel:
        kernel = njit(nogil=True, **options)(function)
        # Where neither the package's folder nor the user's is writable, as in some containers, every process compiles
        # anew. A folder that others can write is no place for it, since what is kept there is loaded as code.
        with contextlib.suppress(RuntimeError):
            if kernel is not function:  # as it is with NUMBA_DISABLE_JIT
                kernel._cache = _Cache(function)
        return kernel  # type: ignore[no-any-return]

    return compile_it


class _Cache(FunctionCache):
    """numba's files of one function, compiled and written anew where they are damaged."""

    def __init__(self, function: Callable[..., Any]) -> None:
        super().__init__(function)
        stamp = self._impl.locator.get_source_stamp()
        self._cache_file = _CacheFile(self._cache_path, self._impl.filename_base, stamp)

    def load_overload(self, *arguments: Any) -> Any:
        """Return the compiled code, or None."""
        try:
            return super().load_overload(*arguments)
        except Exception:  # noqa: BLE001 - whatever unpickling makes of damaged bytes
            with contextlib.suppress(OSError):
                self.flush()
            return None

    def save_overload(self, *arguments: Any) -> None:
        """Keep the compiled code, unless the disk is full."""
        with contextlib.suppress(OSError):
            super().save_overload(*arguments)


class _CacheFile(IndexDataCacheFile):
    """With a checksum: a changed bit in compiled code would change results, or end the process."""

    def _save_data(self, name: str, data: object) -> None:
        content = self._dump(data)
        super()._save_data(name, (sha256(content).digest(), content))

    def _load_data(self, name: str) -> Any:
        digest, content = super()._load_data(name)
        if sha256(content).digest() != digest:
            raise ValueError(f"{name} is damaged")
        return pickle.loads(content)  # noqa: S301 - numba's own, from a folder that only its owner can write
