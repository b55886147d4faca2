"""The paper's p-values: how often something is found where there is nothing, and how much of it is false.

Everything here is decided by fixed seeds; bounds are those of chance at one in ten thousand.
"""

from itertools import pairwise

import numpy as np
import pytest
from scipy.stats import binom, ortho_group

from imprint.enumeration.null import Tally, adjust
from imprint.enumeration.settings import Settings
from imprint.significance.rotations import Cells, chunks, observed_scores, rotated_scores

RUNS = 100
ALPHA = 0.05
GROUPS, CATEGORIES, WORDS_EACH, DIMENSION, TOP = 4, 6, 40, 16, 2
CELLS = GROUPS * CATEGORIES
ROTATIONS = 479  # with the observation CELLS / ALPHA: a lone cell can just be found
RARE = 1e-4


def unit(rows):
    return rows / np.linalg.norm(rows, axis=1, keepdims=True)


def make_cells(rng, *, real_categories, overlapping):
    """Words of categories, in the first few of which each group has words of its own; names turned at random.

    The names' directions are not round and lie in the words' own strongest ones, so that before they are turned
    every category would be full of associations.
    """
    stretch = np.geomspace(2, 0.5, DIMENSION)
    means = rng.normal(size=(GROUPS, DIMENSION)) * stretch
    means = 0.4 * unit(means - means.mean(axis=0))
    directions = means - means.mean(axis=0)
    turn = ortho_group.rvs(DIMENSION, random_state=rng)
    words = []
    for category in range(CATEGORIES):
        rows = rng.normal(size=(WORDS_EACH, DIMENSION)) * stretch + rng.normal(size=DIMENSION) * stretch
        if category < real_categories:
            for group in range(GROUPS):
                planted = 12 * directions[group] / np.linalg.norm(directions[group])
                rows[group * TOP : (group + 1) * TOP] = planted + rng.normal(size=(TOP, DIMENSION))
        else:
            rows = rows @ turn
        words.append(unit(rows))
    words = np.concatenate(words).astype(np.float32)
    offsets = np.arange(CATEGORIES + 1) * WORDS_EACH
    centres = np.array([words[start:end].mean(axis=0) for start, end in pairwise(offsets)])
    return Cells(words, offsets, directions, centres, TOP, overlapping)


def discoveries(run, **kind):
    """Which cells are called significant under each correction, in one run on an embedding of its own."""
    cells = make_cells(np.random.default_rng([7, run]), **kind)
    scores, _ = observed_scores(cells)
    plain, largest = (Tally(scores, np.zeros(cells.shape, dtype=np.int64), kept=kept) for kept in (None, []))
    for task in chunks(ROTATIONS, np.random.SeedSequence([8, run])):
        chunk = rotated_scores(cells, *task)
        plain.add(chunk)
        largest.add(chunk)
    found = {}
    for correction, tally in (("bh", plain), ("by", plain), ("max", largest)):
        settings = Settings(method="paper", correction=correction)
        found[correction] = adjust(tally.p_values(), settings) <= ALPHA
    return found


@pytest.fixture(scope="module", params=[False, True], ids=["voronoi", "overlapping"])
def overlapping(request):
    return request.param


def test_where_every_discovery_is_false_runs_with_any_are_as_rare_as_promised(overlapping):
    runs = [discoveries(run, real_categories=0, overlapping=overlapping) for run in range(RUNS)]
    bound = int(binom.ppf(1 - RARE, RUNS, ALPHA))
    for correction in ("bh", "by", "max"):
        false = sum(bool(found[correction].any()) for found in runs)
        assert false <= bound, (
            f"{correction}: {false} of {RUNS} runs found something where nothing is ({false / RUNS:.1%}); {ALPHA:.0%} "
            f"were promised, and more than {bound} come by chance once in {1 / RARE:,.0f}"
        )
    # Nor does it keep the promise by never finding anything.
    assert any(found["bh"].any() for found in runs)


def test_under_a_partial_null_the_false_share_of_what_is_found_stays_within_the_promise(overlapping):
    real = CATEGORIES // 2
    runs = [discoveries(RUNS + run, real_categories=real, overlapping=overlapping) for run in range(RUNS)]
    for correction in ("bh", "by"):
        shares, found_real = [], []
        for found in runs:
            false, everything = found[correction][real:].sum(), found[correction].sum()
            shares.append(false / max(1, everything))
            found_real.append(found[correction][:real].mean())
        margin = 3.72 * np.std(shares, ddof=1) / np.sqrt(RUNS)  # one in ten thousand
        assert np.mean(shares) <= ALPHA + margin, (
            f"{correction}: {np.mean(shares):.2%} of what was found was false on average; {ALPHA:.0%} were promised, "
            f"and {ALPHA + margin:.2%} come by chance once in {1 / RARE:,.0f}"
        )
        assert np.mean(found_real) > 0.6
    errors = sum(bool(found["max"][real:].any()) for found in runs)
    bound = int(binom.ppf(1 - RARE, RUNS, ALPHA))
    assert errors <= bound, f"max: a false discovery in {errors} of {RUNS} runs; {bound} is the most chance allows"


def test_the_runs_would_tell_a_null_that_is_too_low():
    """Had rotations lost a part of every name, as in a space too large, the promise would be seen to be broken."""
    false, runs = 0, 80
    for run in range(runs):
        cells = make_cells(np.random.default_rng([7, run]), real_categories=0, overlapping=False)
        scores, _ = observed_scores(cells)
        tally = Tally(scores, np.zeros(cells.shape, dtype=np.int64))
        for task in chunks(ROTATIONS, np.random.SeedSequence([8, run])):
            tally.add(0.85 * rotated_scores(cells, *task))
        false += bool((adjust(tally.p_values(), Settings(method="paper")) <= ALPHA).any())
    assert false > binom.ppf(1 - RARE, runs, ALPHA)
