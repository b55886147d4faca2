"""Holm's correction for having asked many questions at once, as papers use it.

Ours because importing statsmodels takes seconds; it is the oracle in the tests.
"""

import numpy as np
import numpy.typing as npt

from imprint.errors import SettingError
from imprint.types import Floats


def holm(p_values: npt.ArrayLike) -> Floats:
    """Adjust p-values so that the chance of any false discovery stays below alpha (Holm 1979)."""
    p = np.asarray(p_values, dtype=np.float64)
    if p.ndim != 1 or not np.all((p >= 0) & (p <= 1)):
        raise SettingError(option="p_values", got=p_values, expected="a list of numbers between 0 and 1")
    order = np.argsort(p, kind="stable")
    adjusted = np.empty_like(p)
    adjusted[order] = np.minimum(1.0, np.maximum.accumulate(p[order] * np.arange(len(p), 0, -1)))
    return adjusted
