"""A random-effects meta-analysis: one effect out of many, as if they were studies of their own.

DerSimonian and Laird (1986), as Guo and Caliskan (2021, CEAT) use it. Its error falls with the number of effects, also
where these share the words that were tested: then it says how often was drawn, not how sure one can be.
"""

import math
from dataclasses import dataclass

from imprint.checks import SMALLEST_P
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
