"""The repaired check of frequency: what each of its three replacements counts, and what it refuses that one passed."""

from dataclasses import replace

import numpy as np
import pytest

from imprint.association.sizes import is_explained_by_frequency, octaves_apart, replacement_p
from imprint.association.vectors import SetVectors
from imprint.embeddings.background import Background
from imprint.embeddings.embedding import unit_rows

SIZE = 4_000
RANKS = np.arange(SIZE)


@pytest.fixture(scope="module")
def rows():
    """Random unit rows; the rarer a word, the more it points along the first axis."""
    drawn = np.random.default_rng(0).normal(size=(SIZE, 40))
    drawn[:, 0] += 3 * np.log2(RANKS + 2) / 12
    return unit_rows(drawn).astype(np.float32)


@pytest.fixture(scope="module")
def background(rows):
    return Background.of(lambda places: rows[places], RANKS)


def contrast_of(rows, x, y, a, b, *, along=0.0):
    """Take words by rank, with A and B moved apart along the second axis."""
    attributes = rows[[*a, *b]].astype(np.float64)
    attributes[:, 1] += along * np.where(np.arange(len(attributes)) < len(a), 1, -1)
    ranks = (np.array([*x, *y]), np.array([*a, *b]))
    targets = rows[[*x, *y]].astype(np.float64)
    words = [tuple(f"w{rank}" for rank in side) for side in ranks]
    return SetVectors(*words, len(x), len(a), targets, unit_rows(attributes), *ranks)


def sets(seed=1, low=0, high=SIZE):
    return np.random.default_rng(seed).choice(np.arange(low, high), size=(4, 12), replace=False)


def random_difference(background, ranks, rng):
    """Draw 4,000 times two sets of twelve words of like frequency, and return the differences of their means."""
    drawn = background.rows[background.draw(ranks, 4_000, rng)].astype(np.float64)
    return drawn[:, :12].mean(axis=1) - drawn[:, 12:].mean(axis=1)


def test_it_is_the_largest_of_three_shares(rows, background):
    """Each share is counted again, with draws of other random numbers."""
    contrast = contrast_of(rows, *sets(), along=0.1)
    rng = np.random.default_rng(9)
    observed = abs(contrast.share.difference)

    u, v = (random_difference(background, ranks, rng) for ranks in (contrast.target_ranks, contrast.attribute_ranks))
    shares = [
        np.mean(np.abs(sizes) >= observed)
        for sizes in (u @ contrast.share.v, v @ contrast.share.u, np.sum(u * v, axis=1))
    ]
    assert replacement_p(contrast, background, 0) == pytest.approx(max(shares), abs=0.03)


def test_random_names_beside_coherent_attributes_are_no_finding(rows, background):
    """Random attributes have a shorter v, so with all sets replaced random names seem to differ."""
    rng = np.random.default_rng(3)
    all_replaced, largest = [], []
    for seed in range(25):
        contrast = contrast_of(rows, *sets(seed), along=0.5)
        u, v = (
            random_difference(background, ranks, rng) for ranks in (contrast.target_ranks, contrast.attribute_ranks)
        )
        all_replaced.append(np.mean(np.abs(np.sum(u * v, axis=1)) >= abs(contrast.share.difference)))
        largest.append(replacement_p(contrast, background, seed))
    assert np.mean(np.array(all_replaced) <= 0.05) > 0.3
    assert np.mean(np.array(largest) <= 0.05) < 0.15


def test_an_association_passes(rows, background):
    contrast = contrast_of(rows, *sets(), along=1.0)
    targets = contrast.targets.copy()
    targets[:12, 1] += 0.7
    named = replace(contrast, targets=targets)
    p_value = replacement_p(named, background, 0)
    assert 0 < p_value <= 0.005
    assert p_value == replacement_p(named, background, 0)
    assert not is_explained_by_frequency(p_value, octaves_apart(named))


def test_an_octave_between_two_sets_explains_a_difference(rows):
    near = contrast_of(rows, *sets())
    far = contrast_of(rows, *sets()[:3], range(3_000, 3_012))
    a, b = np.median(far.attribute_ranks[:12]) + 1, np.median(far.attribute_ranks[12:]) + 1
    x, y = np.median(far.target_ranks[:12]) + 1, np.median(far.target_ranks[12:]) + 1
    assert octaves_apart(far) == pytest.approx(max(abs(np.log2(a / b)), abs(np.log2(x / y))))
    assert octaves_apart(near) < octaves_apart(contrast_of(rows, range(10, 20), range(2_000, 2_010), *sets()[2:]))
    assert is_explained_by_frequency(0.0001, 1.0)
    assert not is_explained_by_frequency(0.005, 0.99)


def test_a_check_that_could_not_run_is_not_passed():
    assert is_explained_by_frequency(None, 0.0)
