"""The area under the curve beside scipy's, and its interval."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy.stats import mannwhitneyu, spearmanr

from imprint.significance.ranks import area

NUMBERS = st.lists(st.floats(-100, 100), min_size=2, max_size=9, unique=True)


@given(NUMBERS, st.data())
def test_without_ties_p_is_scipys_exact_one(pool, data):
    n = data.draw(st.integers(1, len(pool) - 1))
    x, y = np.array(pool[:n]), np.array(pool[n:])
    found, other = area(x, y, confidence=0.95), mannwhitneyu(x, y, method="exact")
    assert found.value == pytest.approx(other.statistic / (n * len(y)))
    assert found.p_value == pytest.approx(other.pvalue)
    assert 0 <= found.low <= found.value <= found.high <= 1


@pytest.mark.parametrize("seed", range(5))
def test_turning_the_groups_round_turns_the_interval_round(seed):
    generator = np.random.default_rng(seed)
    x, y = generator.integers(0, 6, 7).astype(float), generator.integers(2, 8, 11).astype(float)
    one, other = (area(*sides, confidence=0.95) for sides in ((x, y), (y, x)))
    assert (one.value, one.low, one.high) == pytest.approx((1 - other.value, 1 - other.high, 1 - other.low))
    assert (one.p_value, one.explained) == pytest.approx((other.p_value, other.explained))
    labels = [1.0] * 7 + [0.0] * 11
    assert one.explained == pytest.approx(np.corrcoef(_ranks(np.concatenate([x, y])), labels)[0, 1] ** 2)
    assert one.explained == pytest.approx(spearmanr(np.concatenate([x, y]), labels).statistic ** 2)


def _ranks(values):
    return (values[:, None] > values).sum(axis=1) + 0.5 * (values[:, None] == values).sum(axis=1)


def test_a_complete_separation_has_an_interval_and_equal_numbers_none_of_the_effect():
    found = area(np.arange(10.0, 14.0), np.arange(4.0), confidence=0.95)
    assert (found.value, found.high, found.p_value) == (1.0, 1.0, 2 / 70)
    assert 0.4 < found.low < 0.8
    flat = area(np.ones(4), np.ones(5), confidence=0.95)
    assert (flat.value, flat.p_value, flat.explained) == (0.5, 1.0, 0.0)


@pytest.mark.parametrize(("confidence", "least", "most"), [(0.95, 0.91, 0.99), (0.995, 0.98, 1.0)])
def test_the_interval_covers_the_true_area(confidence, least, most):
    """Two normal distributions half a standard deviation times root two apart: the area is Phi(1)."""
    generator = np.random.default_rng(0)
    samples = ((generator.normal(2**0.5, 1, 12), generator.normal(0, 1, 15)) for _ in range(300))
    intervals = [area(*sides, confidence=confidence) for sides in samples]
    assert least <= np.mean([one.low <= 0.8413 <= one.high for one in intervals]) <= most
