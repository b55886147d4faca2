"""The Contextualized Embedding Association Test: d of one random context per word, many times, and all combined.

Guo and Caliskan (2021), section "Contextualized Embedding Association Test". Draws share their words, so the combined
effect's error falls with their number, however few words there are. So its p-value is given by its name, and decides
nothing.
"""

from collections.abc import Sequence
from typing import Any

import numpy as np

from imprint.significance.combining import combine_effects
from imprint.significance.crossed import sample_quantile
from imprint.threads import single_threaded
from imprint.types import Floats, Floats32, Ints

_SEED = 0xCEA7
_BATCH = 256  # draws at once
_ENDS = (0.025, 0.975)


def combined_fields(
    targets: Sequence[Floats], attributes: Sequence[Floats], n_x: int, n_a: int, *, draws: int, seed: int
) -> dict[str, Any]:
    """Return the combined effect as a row has it, from the unit vectors of each word's contexts: X first, and A."""
    with single_threaded():  # the same to the byte on any number of cores
        effects, variances = draw_effects(targets, attributes, n_x, n_a, draws=draws, seed=seed)
    varies = variances > 0
    if not varies.any():
        return {"draws": draws}
    combined = combine_effects(effects[varies], variances[varies])
    low, high = (sample_quantile(effects[varies], share) for share in _ENDS)
    return {
        "draws": int(varies.sum()),
        "d_ceat": combined.value,
        "d_ceat_low": low,
        "d_ceat_high": high,
        "between_draws": combined.between,
        "z_ceat": combined.z,
        "p_ceat": combined.p_value,
    }


def draw_effects(
    targets: Sequence[Floats], attributes: Sequence[Floats], n_x: int, n_a: int, *, draws: int, seed: int
) -> tuple[Floats, Floats]:
    """Return d of each draw, of one context per word, and the variance of the words' scores, the paper's V."""
    rng = np.random.default_rng(np.random.SeedSequence([seed, _SEED]))
    (rows, first_rows, counts), (columns, first_columns, others) = map(_stacked, (targets, attributes))
    n_b = len(attributes) - n_a
    shares = np.repeat(np.array([1 / n_a, -1 / n_b], dtype=np.float32), [n_a, n_b])
    effects, variances = np.zeros(draws), np.ones(draws)
    for start in range(0, draws, _BATCH):
        size = min(_BATCH, draws - start)
        of_attributes, of_targets = (
            firsts + (rng.random((size, len(numbers))) * numbers).astype(np.int64)
            for firsts, numbers in ((first_columns, others), (first_rows, counts))
        )
        weights = np.zeros((size, len(columns)), dtype=np.float32)
        np.put_along_axis(weights, of_attributes, shares[None, :], axis=1)
        scores = np.take_along_axis((weights @ columns) @ rows.T, of_targets, axis=1).astype(np.float64)
        chosen = slice(start, start + size)
        variances[chosen] = scores.var(axis=1, ddof=1)
        with np.errstate(divide="ignore", invalid="ignore"):
            difference = scores[:, :n_x].mean(axis=1) - scores[:, n_x:].mean(axis=1)
            effects[chosen] = difference / np.sqrt(variances[chosen])
    return effects, variances


def _stacked(words: Sequence[Floats]) -> tuple[Floats32, Ints, Ints]:
    """Return all words' rows, where each word's begin, and how many it has."""
    counts = np.array([len(rows) for rows in words])
    return np.concatenate(list(words)).astype(np.float32), np.cumsum(counts) - counts, counts
