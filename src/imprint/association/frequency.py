"""Could frequency alone make the difference? Words are replaced by random words of their own frequencies.

Replacing all four sets at once is not enough: random attributes have a shorter v than words of one kind have, so any
coherent names would seem to reach further than chance. So targets alone are replaced, then attributes alone, then
both, and the largest of the three p-values counts. Questions need none of this, as their lists are matched in
frequency; but not those that lack words, of which more may be rare on one side than on the other.
"""

import math

import numpy as np

from imprint.association.vectors import SetVectors
from imprint.embeddings.background import Background
from imprint.significance.outcomes import FREQUENCY_LEVEL
from imprint.stimuli.definition import WeatTest, word_sets
from imprint.threads import single_threaded
from imprint.types import Floats, Floats32, Ints

REPLACEMENTS = 10_000  # draws of targets, and of attributes, beside words of the test
DRAWS = 2_000  # random targets, and as many random attributes, in all pairs

_SEED = 0x5EA7
_ROUNDING = 1e-6  # relative, of sums in single precision
_OCTAVE = 1.0


def is_matched(test: WeatTest, words: SetVectors) -> bool:
    """Tell whether lists are matched in frequency, as those of questions are while no word of them is missing."""
    return test.is_question and words.counts == tuple(map(len, word_sets(test).values()))


def replacement_p(words: SetVectors, background: Background, seed: int) -> float | None:
    """Return the largest p-value of replacing targets, attributes, or both by words of like frequency; two-sided.

    None where the words' frequencies are not known.
    """
    if words.target_ranks is None or words.attribute_ranks is None:
        return None
    u, v = words.share.u, words.share.v
    observed = abs(float(u @ v)) * (1 - _ROUNDING)
    targets_rng, attributes_rng, *both_rngs = (
        np.random.default_rng(child) for child in np.random.SeedSequence([seed, _SEED]).spawn(4)
    )
    with single_threaded():
        rows = background.rows
        along_v, along_u = (rows @ way.astype(np.float32) for way in (v, u))
        targets = background.draw(words.target_ranks, REPLACEMENTS, targets_rng, half=0)
        attributes = background.draw(words.attribute_ranks, REPLACEMENTS, attributes_rng, half=1)
        sizes = (
            _differences(along_v[targets].astype(np.float64), words.n_x),
            _differences(along_u[attributes].astype(np.float64), words.n_a),
        )
        random_u, random_v = (
            _random_differences(rows, background.draw(ranks, DRAWS, rng, half), first)
            for ranks, rng, half, first in (
                (words.target_ranks, both_rngs[0], 0, words.n_x),
                (words.attribute_ranks, both_rngs[1], 1, words.n_a),
            )
        )
        both = random_u @ random_v.T
    alone = [(1 + int(np.count_nonzero(np.abs(drawn) >= observed))) / (1 + REPLACEMENTS) for drawn in sizes]
    reached = int(np.count_nonzero(np.abs(both, out=both) >= observed))
    # Pairs share draws, so none is 0.
    return max(*alone, 1 / (DRAWS + 1), reached / DRAWS**2)


def octaves_apart(words: SetVectors) -> float:
    """Return how many octaves lie between the median ranks of X and Y, or of A and B where that is more."""
    sides = ((words.target_ranks, words.n_x), (words.attribute_ranks, words.n_a))
    return max(math.inf if ranks is None else octaves(*np.split(ranks, [first])) for ranks, first in sides)


def octaves(*ranks: Ints) -> float:
    """Return how many octaves lie between the median ranks of the least and the most frequent of some sets."""
    medians = [float(np.median(side)) + 1 for side in ranks]
    return math.log2(max(medians) / min(medians)) if medians else 0.0


def is_explained_by_frequency(p_replacement: float | None, octaves: float) -> bool:
    """Tell whether frequency could be the reason for a difference; None for a p-value that could not be counted."""
    return p_replacement is None or p_replacement > FREQUENCY_LEVEL or octaves >= _OCTAVE


def median_ranks(words: SetVectors) -> tuple[float, float] | None:
    """Return the median frequency ranks of X and of Y, from 1; None where they are not known."""
    if words.target_ranks is None:
        return None
    x, y = (float(np.median(side)) + 1 for side in np.split(words.target_ranks, [words.n_x]))
    return x, y


def _differences(scores: Floats, first: int) -> Floats:
    return np.asarray(scores[:, :first].mean(axis=1) - scores[:, first:].mean(axis=1))


def _random_differences(rows: Floats32, chosen: Ints, first: int) -> Floats32:
    """Return the mean of the first chosen rows less that of the others, one difference per draw."""
    draws, size = chosen.shape
    total = np.zeros((draws, rows.shape[1]), dtype=np.float32)
    for column, drawn in enumerate(chosen.T):
        total += rows[drawn] / np.float32(first if column < first else first - size)
    return total
