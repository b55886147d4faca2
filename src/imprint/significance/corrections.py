"""Corrections of p-values for having asked many questions at once.

Ours because importing statsmodels takes seconds, and scipy.stats half of one; both are oracles in the tests.
"""

import numpy as np
import numpy.typing as npt

from imprint.errors import SettingError
from imprint.types import Floats


def holm(p_values: npt.ArrayLike) -> Floats:
    """Adjust p-values so that the chance of any false discovery stays below alpha (Holm 1979)."""
    p = _checked(p_values)
    order = np.argsort(p, kind="stable")
    adjusted = np.empty_like(p)
    adjusted[order] = np.minimum(1.0, np.maximum.accumulate(p[order] * np.arange(len(p), 0, -1)))
    return adjusted


def benjamini_hochberg(p_values: npt.ArrayLike) -> Floats:
    """Adjust p-values so that the expected share of false discoveries stays below alpha."""
    return _false_discovery(_checked(p_values), 1.0)


def benjamini_yekutieli(p_values: npt.ArrayLike) -> Floats:
    """Adjust like Benjamini-Hochberg, but valid under any dependence between the tests."""
    p = _checked(p_values)
    return _false_discovery(p, float(np.sum(1 / np.arange(1, len(p) + 1))))


def _false_discovery(p: Floats, factor: float) -> Floats:
    order = np.argsort(p, kind="stable")
    adjusted = np.empty_like(p)
    each = p[order] * (len(p) / np.arange(1, len(p) + 1)) * factor
    adjusted[order] = np.minimum(1.0, np.minimum.accumulate(each[::-1])[::-1])
    return adjusted


def _checked(p_values: npt.ArrayLike) -> Floats:
    p = np.asarray(p_values, dtype=np.float64)
    if p.ndim != 1 or not np.all((p >= 0) & (p <= 1)):
        raise SettingError(option="p_values", got=p_values, expected="a list of numbers between 0 and 1")
    return p
