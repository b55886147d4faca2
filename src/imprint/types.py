"""Types that many modules share, each with one meaning: arrays by what they hold, and callbacks of long work."""

from collections.abc import Callable
from typing import TypeAlias

import numpy as np
import numpy.typing as npt

Floats: TypeAlias = npt.NDArray[np.float64]
Floats32: TypeAlias = npt.NDArray[np.float32]
Ints: TypeAlias = npt.NDArray[np.int64]
Ints32: TypeAlias = npt.NDArray[np.int32]
Indices: TypeAlias = npt.NDArray[np.intp]
Flags: TypeAlias = npt.NDArray[np.bool_]

Subword: TypeAlias = Callable[[str], Floats32 | None]  # makes a vector of an unseen word, or None
Progress: TypeAlias = Callable[[int, int], None]  # done, total
Report: TypeAlias = Callable[[str, int, int], None]  # label, done, total
