"""Scores of names in texts, one row per name: does the first group score differently from the second?

Names are what was drawn, and so are texts where there are at least four.
"""

import math
from itertools import product

import numpy as np

from imprint.significance.crossed import FEWEST_UNITS, Factor, OverWords, crossed_interval, two_sided
from imprint.significance.relabelled import exact_sign_test
from imprint.types import Floats

FEW_SIGNS = 16  # that are tried one by one
_OVERLAP = 0.5  # share of names whose frequency the other group has too, at the least
_SAME = 1e-12  # relative: what rounding may take off a sum


def over_names(scores: Floats, names: Factor, confidence: float) -> OverWords | None:
    """Return the interval of a contrast of groups of names, over names and texts.

    With fewer than four texts it is over names alone. None where a group has fewer than four names, or none varies.
    """
    n_texts = scores.shape[1]
    return crossed_interval(scores, (names, Factor.of(n_texts, is_random=n_texts >= FEWEST_UNITS)), confidence)


def over_texts(differences: Floats, confidence: float) -> OverWords | None:
    """Return the interval of the mean of one difference per text; None of fewer than four, or where none varies."""
    return crossed_interval(differences, (Factor.of(len(differences)),), confidence)


def sign_flips(differences: Floats) -> float:
    """Return the share of all signs of the differences whose sum is at least as far from zero, two-sided.

    Exact for few differences, and for many at most a little too large.
    """
    if len(differences) > FEW_SIGNS:
        return exact_sign_test(differences)
    observed = abs(math.fsum(differences))
    slack = _SAME * math.fsum(np.abs(differences))
    signs = np.array(list(product((1.0, -1.0), repeat=len(differences))))
    return float(np.mean(np.abs(signs @ differences) >= observed - slack))


def at_equal_frequency(means: Floats, n_x: int, log_ranks: Floats) -> tuple[float, float] | None:
    """Return the difference of the groups' means adjusted for the log rank, and its two-sided p-value over names.

    None where names are too few, or where frequencies hardly overlap: then the adjustment would extrapolate.
    """
    if _overlap(log_ranks[:n_x], log_ranks[n_x:]) < _OVERLAP:
        return None
    groups = (np.arange(len(means)) < n_x).astype(np.float64)
    model = np.column_stack([np.ones(len(means)), groups, log_ranks - log_ranks.mean()])
    df = len(means) - model.shape[1]
    if df < 1 or np.linalg.matrix_rank(model) < model.shape[1]:
        return None
    solution, *_ = np.linalg.lstsq(model, means, rcond=None)
    left = means - model @ solution
    variance = float(left @ left) / df * float(np.linalg.inv(model.T @ model)[1, 1])
    adjusted = float(solution[1])
    if adjusted == 0:
        return adjusted, 1.0
    error = max(math.sqrt(variance), _SAME * abs(adjusted))  # of no error, where the group alone decides a score
    return adjusted, two_sided(adjusted / error, df)


def _overlap(first: Floats, second: Floats) -> float:
    """Return the share of values within the other group's range, in the group that has fewer."""
    within = (
        np.mean((group >= other.min()) & (group <= other.max())) for group, other in ((first, second), (second, first))
    )
    return float(min(within))


def pair_shares(scores: Floats, n_x: int) -> tuple[float, float]:
    """Return the share of pairs, one name of each group in the same text, that the second lowers, and of ties."""
    first, second = scores[:n_x, None], scores[None, n_x:]
    return float(np.mean(second < first)), float(np.mean(second == first))


def in_the_top(scores: Floats, n_x: int, top: int) -> float:
    """Return how many of the best `top` names are of the second group, as a mean over texts; ties share places."""
    counts = []
    for column in scores.T:
        last = np.sort(column)[-top]
        above, at = column > last, column == last
        left = top - int(above.sum())
        counts.append(above[n_x:].sum() + left * at[n_x:].sum() / at.sum())
    return float(np.mean(counts))
