"""The interval over words: a hand-made oracle, its coverage in simulation, and what it refuses."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra.numpy import arrays
from scipy import stats

from imprint.significance.crossed import (
    Factor,
    contrast,
    crossed_interval,
    crossed_terms,
    sample_quantile,
    total_spread,
)


def differences(*groups):
    """Return factors of two groups each, given by the units of all their levels."""
    return [Factor(units, (1.0, -1.0)) for units in groups]


def of_sizes(n_x, n_y, n_a, n_b):
    return differences((np.arange(n_x), np.arange(n_y)), (np.arange(n_a), np.arange(n_b)))


def simulate(rng, sizes, variances, copies, *, heavy):
    """Draw tables without a difference: words of rows, of columns, and what is left, each normal or Student's t3."""

    def draw(*shape):
        return rng.standard_t(3, size=shape) / np.sqrt(3) if heavy else rng.normal(size=shape)

    (n_x, n_y, n_a, n_b), (of_rows, of_columns, rest) = sizes, variances
    rows = np.repeat(draw(copies, n_x + n_y, 2), [n_a, n_b], axis=2) * np.sqrt(of_rows)
    columns = np.repeat(draw(copies, 2, n_a + n_b), [n_x, n_y], axis=1) * np.sqrt(of_columns)
    return rows + columns + draw(copies, n_x + n_y, n_a + n_b) * np.sqrt(rest)


def coverage(sizes, variances, *, heavy, copies, seed=0):
    n_x, n_y, n_a, n_b = sizes
    tables = simulate(np.random.default_rng(seed), sizes, variances, copies, heavy=heavy)
    factors = of_sizes(n_x, n_y, n_a, n_b)
    found = total_spread(*crossed_terms(tables, factors))
    t = np.abs(contrast(tables, factors)) / np.sqrt(found.variance)
    return float(np.mean(t <= stats.t.isf(0.025, found.df)))


@pytest.mark.parametrize("heavy", [False, True])
@pytest.mark.parametrize("sizes", [(4, 4, 4, 4), (8, 8, 8, 8), (25, 25, 8, 8), (4, 25, 25, 4), (4, 4, 18, 18)])
@pytest.mark.parametrize("variances", [(1, 1, 1), (1, 0.05, 1), (1, 1, 0.05)])
def test_intervals_cover_what_they_promise(sizes, variances, heavy):
    assert 0.93 <= coverage(sizes, variances, heavy=heavy, copies=3_000) <= 0.97


@pytest.mark.slow
@pytest.mark.parametrize("heavy", [False, True])
@pytest.mark.parametrize("size", range(4, 26, 3))
def test_intervals_cover_from_four_words_up(size, heavy):
    assert 0.93 <= coverage((size,) * 4, (1, 0.5, 1), heavy=heavy, copies=20_000) <= 0.97


def test_the_variance_is_the_formula_written_out():
    rng = np.random.default_rng(3)
    n_x, n_a = 5, 4
    table = rng.normal(size=(11, 10))
    blocks = [table[r, c] for r in (slice(0, 5), slice(5, 11)) for c in (slice(0, 4), slice(4, 10))]
    s = table[:, :n_a].mean(axis=1) - table[:, n_a:].mean(axis=1)
    t = table[:n_x].mean(axis=0) - table[n_x:].mean(axis=0)
    terms = [side.var(ddof=1) / len(side) for side in (s[:n_x], s[n_x:], t[:n_a], t[n_a:])]
    both = 0.0
    for block in blocks:
        n, m = block.shape
        rest = block - block.mean(axis=0) - block.mean(axis=1)[:, None] + block.mean()
        both += (rest**2).sum() / ((n - 1) * (m - 1)) / (n * m)
    variance = max(sum(terms) - both, *terms)
    df = sum(terms) ** 2 / sum(one**2 / (n - 1) for one, n in zip(terms, (5, 6, 4, 6), strict=True))
    found = crossed_interval(table, of_sizes(n_x, 6, n_a, 6), 0.9)
    difference = s[:n_x].mean() - s[n_x:].mean()
    low, high = stats.t.interval(0.9, df, difference, np.sqrt(variance))
    assert (found.low, found.high) == pytest.approx((low, high))
    assert (found.error, found.df) == pytest.approx((np.sqrt(variance), df))


def test_a_word_written_twice_counts_once():
    tables = np.random.default_rng(4).normal(size=(400, 10, 10))
    doubled = np.concatenate([tables[:, :1], tables], axis=1)  # the first word of X twice
    two_units = of_sizes(6, 5, 5, 5)
    one_unit = differences((np.array([0, 0, *range(1, 5)]), np.arange(5)), (np.arange(5), np.arange(5)))
    as_two, as_one = (total_spread(*crossed_terms(doubled, factors)) for factors in (two_units, one_unit))
    assert as_one.variance.mean() > 1.02 * as_two.variance.mean()
    whole, other = (crossed_interval(doubled[0], factors, 0.95) for factors in (one_unit, two_units))
    assert whole.difference == other.difference


@pytest.mark.parametrize(("shape", "n_x", "n_a"), [((7, 10), 3, 5), ((10, 7), 5, 4)])
def test_three_words_are_too_few(shape, n_x, n_a):
    factors = of_sizes(n_x, shape[0] - n_x, n_a, shape[1] - n_a)
    assert crossed_interval(np.random.default_rng(5).normal(size=shape), factors, 0.95) is None


def test_words_that_do_not_vary_cannot_tell():
    assert crossed_interval(np.zeros((10, 10)), of_sizes(5, 5, 5, 5), 0.95) is None


@given(arrays(np.float64, st.integers(1, 60), elements=st.floats(-1e6, 1e6)), st.floats(0, 1))
def test_quantiles_are_numpys_to_the_last_bit(values, share):
    assert sample_quantile(values, share) == np.quantile(values, share)
