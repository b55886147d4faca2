"""Kernels: functions that numba compiles, and keeps on disk where it can."""

from collections.abc import Callable
from typing import Any, TypeVar

from numba import njit

_Kernel = TypeVar("_Kernel", bound=Callable[..., Any])


def compiled(**options: Any) -> Callable[[_Kernel], _Kernel]:
    """Compile a function at its first call, to run without the interpreter's lock."""

    def compile_it(function: _Kernel) -> _Kernel:
        try:
            return njit(cache=True, nogil=True, **options)(function)  # type: ignore[no-any-return]
        except RuntimeError:
            # Neither the package's folder nor the user's is writable, as in some containers: compiled anew by every
            # process. A folder that others can write is no place for it, since what is kept there is loaded as code.
            return njit(nogil=True, **options)(function)  # type: ignore[no-any-return]

    return compile_it
