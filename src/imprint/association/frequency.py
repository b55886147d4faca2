"""Could frequency alone make the difference? Words are replaced by random words of their own frequencies.

Replacing all four sets at once is not enough: random attributes have a shorter v than words of one kind have, so any
coherent names would seem to reach further than chance. So targets alone are replaced, then attributes alone, then
both, and the largest of the three p-values counts. Questions whose lists are matched in frequency need none of this.
"""

import math

import numpy as np

from imprint.association.evidence import DRAWS, SetVectors, frequency_p, random_contrasts
from imprint.embeddings.background import Background
from imprint.significance.outcomes import FREQUENCY_LEVEL
from imprint.threads import single_threaded
from imprint.types import Floats, Ints

REPLACEMENTS = 10_000  # draws of targets, and of attributes, beside words of the test

_SEED = 0x5EA7
_ROUNDING = 1e-6  # relative, of sums in single precision
_OCTAVE = 1.0


def replacement_p(contrast: SetVectors, background: Background, seed: int) -> float:
    """Return the largest p-value of replacing targets, attributes, or both by words of like frequency; two-sided."""
    observed = abs(float(contrast.u @ contrast.v)) * (1 - _ROUNDING)
    of_targets, of_attributes = (
        np.random.default_rng(child) for child in np.random.SeedSequence([seed, _SEED]).spawn(2)
    )
    with single_threaded():
        rows = background.rows
        along_v, along_u = (rows @ way.astype(np.float32) for way in (contrast.v, contrast.u))
        targets = background.draw(contrast.target_ranks, REPLACEMENTS, of_targets, half=0)
        attributes = background.draw(contrast.attribute_ranks, REPLACEMENTS, of_attributes, half=1)
        sizes = (
            _differences(along_v[targets + contrast.target_offsets].astype(np.float64), contrast.n_x),
            _differences(along_u[attributes + contrast.attribute_offsets].astype(np.float64), contrast.n_a),
        )
        # All pairs of 2,000 draws each: their share varies less than that of 10,000 pairs would.
        u, v = random_contrasts(contrast, background, seed)
        both = u @ v.T
    alone = [(1 + int(np.count_nonzero(np.abs(drawn) >= observed))) / (1 + REPLACEMENTS) for drawn in sizes]
    reached = int(np.count_nonzero(np.abs(both, out=both) >= observed))
    return max(*alone, float(frequency_p(reached, DRAWS)))


def octaves_apart(contrast: SetVectors) -> float:
    """Return how many octaves lie between the median ranks of X and Y, or of A and B where that is more."""
    return max(_octaves(contrast.target_ranks, contrast.n_x), _octaves(contrast.attribute_ranks, contrast.n_a))


def is_explained_by_frequency(p_replacement: float | None, octaves: float) -> bool:
    """Tell whether frequency could be the reason for a difference; None for a p-value that could not be counted."""
    return p_replacement is None or p_replacement > FREQUENCY_LEVEL or octaves >= _OCTAVE


def _differences(scores: Floats, first: int) -> Floats:
    return np.asarray(scores[:, :first].mean(axis=1) - scores[:, first:].mean(axis=1))


def _octaves(ranks: Ints, first: int) -> float:
    return abs(math.log2((float(np.median(ranks[:first])) + 1) / (float(np.median(ranks[first:])) + 1)))
