"""What many tests come to: Holm's correction of their p-values, and a random-effects meta-analysis of their effects.

Holm's correction is ours because importing statsmodels takes seconds; it is the oracle in the tests. The meta-analysis
is that of DerSimonian and Laird (1986), as Guo and Caliskan (2021, CEAT) use it: one effect out of many, as if they
were studies of their own. Its error falls with the number of effects, also where these share the words that were
tested: then it says how often was drawn, not how sure one can be.
"""

import math
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from imprint.checks import SMALLEST_P
from imprint.errors import SettingError
from imprint.types import Floats


@dataclass(frozen=True)
class CombinedEffect:
    """The weighted mean of effects, its standard error, and the standard deviation between effects."""

    value: float
    error: float
    between: float

    @property
    def z(self) -> float:
        """The effect in units of its error."""
        return self.value / self.error

    @property
    def p_value(self) -> float:
        """Two-sided, from the normal distribution; one that would be 0 is a bound."""
        return max(SMALLEST_P, math.erfc(abs(self.z) / math.sqrt(2)))


def combine_effects(effects: Floats, variances: Floats) -> CombinedEffect:
    """Combine effects by the variance within each and that between them."""
    weights = 1 / variances
    total = weights.sum()
    mean = float(weights @ effects / total)
    excess = float(weights @ (effects - mean) ** 2) - (len(effects) - 1)
    between = max(0.0, excess / float(total - weights @ weights / total)) if len(effects) > 1 else 0.0
    weights = 1 / (variances + between)
    total = float(weights.sum())
    return CombinedEffect(float(weights @ effects) / total, 1 / math.sqrt(total), math.sqrt(between))


def holm(p_values: npt.ArrayLike) -> Floats:
    """Adjust p-values so that the chance of any false discovery stays below alpha (Holm 1979)."""
    p = np.asarray(p_values, dtype=np.float64)
    if p.ndim != 1 or not np.all((p >= 0) & (p <= 1)):
        raise SettingError(option="p_values", got=p_values, expected="a list of numbers between 0 and 1")
    order = np.argsort(p, kind="stable")
    adjusted = np.empty_like(p)
    adjusted[order] = np.minimum(1.0, np.maximum.accumulate(p[order] * np.arange(len(p), 0, -1)))
    return adjusted
