"""Corrections for having asked many questions at once, of p-values alone or of estimates that share words.

Ours because importing statsmodels takes seconds, and scipy.stats half of one; both are oracles in the tests.

Estimates that share words are correlated, and Holm's correction would not know. What each unit contributes to each
estimate is known (`pooled`), so the units are drawn again for all of them at once: with one random multiplier per unit
their joint law is that of the estimates, given these words. Each estimate keeps its own Student's t, so that few words
stay valid: an observed p-value is held against the smallest p-value of each draw (single-step minP; Westfall and
Young, 1993). The same level gives intervals that hold together. `benchmarks/board.py` simulates it.
"""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from imprint.errors import SettingError
from imprint.types import Floats

DRAWS = 10_000  # of the units, for all estimates at once

_CHUNK = 1_000  # draws at once
_SEED = 0xB0A2D


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


def holm_level(p_values: npt.ArrayLike, alpha: float) -> float:
    """Return the alpha that the first test Holm's procedure could not reject was held against."""
    p = _checked(p_values)
    remaining = len(p) - int(np.sum(holm(p) <= alpha))
    return alpha / max(1, remaining)


@dataclass(frozen=True, eq=False)
class Together:
    """The smallest p-value of each draw, in order."""

    smallest: Floats

    def adjusted(self, p_value: float) -> float:
        """Return the share of draws whose smallest p-value is as small; never below that of one estimate alone."""
        reached = int(np.searchsorted(self.smallest, p_value, side="right"))
        return max(p_value, (1 + reached) / (1 + len(self.smallest)))

    def level(self, alpha: float) -> float:
        """Return the level of each interval at which all of them hold with a chance of 1 - alpha."""
        place = int(np.floor(alpha * (1 + len(self.smallest)))) - 1
        return min(alpha, float(self.smallest[place])) if place >= 0 else 0.0


def together(influences: Sequence[Floats], seed: int, draws: int = DRAWS) -> Together:
    """Draw the units again for all estimates at once; `influences` has what each unit contributes, by its number."""
    size = max(map(len, influences))
    rows = np.array([np.pad(one, (0, size - len(one))) for one in influences])
    rows /= np.linalg.norm(rows, axis=1, keepdims=True)
    farthest = []
    children = np.random.SeedSequence([seed, _SEED]).spawn(-(-draws // _CHUNK))
    for place, child in enumerate(children):
        multipliers = np.random.default_rng(child).standard_normal((min(_CHUNK, draws - place * _CHUNK), size))
        farthest.append(np.abs(multipliers @ rows.T).max(axis=1))
    return Together(np.sort(_two_sided_normal(np.concatenate(farthest))))


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


def _two_sided_normal(values: Floats) -> Floats:
    """Return the chance of a normal value at least as far from zero."""
    from scipy.special import erfc

    return np.asarray(erfc(values / np.sqrt(2)), dtype=np.float64)
