"""Student's t distribution, with real degrees of freedom, without loading scipy.

Importing scipy takes longer than a whole test. The tail is a regularised incomplete beta function, by its continued
fraction (Lentz's method); scipy is its oracle in the tests.
"""

import math

_TINY = 1e-300
_STEPS = 500


def two_sided(t: float, df: float) -> float:
    """Return the chance of a value at least as far from zero as t; never exactly 0."""
    if not math.isfinite(t):
        return math.nan if math.isnan(t) else _TINY
    return max(_TINY, _incomplete_beta(df / 2, 0.5, t * t / df))


def quantile(tail: float, df: float) -> float:
    """Return the t that a two-sided test at level `tail` is held against."""
    low, high = 0.0, 1.0
    while two_sided(high, df) > tail:
        low, high = high, 2 * high
    while high - low > 1e-13 * high:
        middle = (low + high) / 2
        low, high = (middle, high) if two_sided(middle, df) > tail else (low, middle)
    return (low + high) / 2


def _incomplete_beta(a: float, b: float, odds: float) -> float:
    """Return I_x(a, b) at x = 1 / (1 + odds): odds keep what lies next to one precise."""
    x, rest = 1 / (1 + odds), odds / (1 + odds)
    if x == 0 or rest == 0:
        return float(rest == 0)
    log = math.lgamma(a + b) - math.lgamma(a) - math.lgamma(b) + a * math.log(x) + b * math.log(rest)
    if x < (a + 1) / (a + b + 2):
        return math.exp(log) * _fraction(a, b, x) / a
    return 1 - math.exp(log) * _fraction(b, a, rest) / b


def _fraction(a: float, b: float, x: float) -> float:
    c, d = 1.0, 1 / _away_from_zero(1 - (a + b) * x / (a + 1))
    value = d
    for m in range(1, _STEPS):
        for term in (
            m * (b - m) * x / ((a + 2 * m - 1) * (a + 2 * m)),
            -(a + m) * (a + b + m) * x / ((a + 2 * m) * (a + 2 * m + 1)),
        ):
            d = 1 / _away_from_zero(1 + term * d)
            c = _away_from_zero(1 + term / c)
            value *= d * c
        if abs(d * c - 1) < 1e-15:
            break
    return value


def _away_from_zero(value: float) -> float:
    return value if abs(value) > _TINY else _TINY
