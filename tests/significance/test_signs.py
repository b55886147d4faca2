"""Sums with random signs, against all signs of a few terms."""

from itertools import product

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy import stats

from imprint.significance.relabelled import exact_sign_test

TERMS = st.lists(st.floats(-5, 5).filter(lambda one: abs(one) > 1e-3), min_size=1, max_size=11)


def all_signs(terms):
    sums = np.array(list(product((1, -1), repeat=len(terms)))) @ np.abs(terms)
    return float(np.mean(np.abs(sums) >= abs(sum(terms)) - 1e-9))


@given(TERMS)
def test_the_exact_p_value_is_at_least_the_share_of_signs(terms):
    assert exact_sign_test(np.array(terms)) >= all_signs(terms) - 1e-12


def test_the_grid_hides_little():
    rng = np.random.default_rng(0)
    for _ in range(20):
        terms = np.abs(rng.normal(size=14)) * np.where(rng.random(14) < 0.75, 1, -1)
        assert exact_sign_test(terms) == pytest.approx(all_signs(terms), rel=0.02)


def test_many_even_terms_are_normal():
    terms = np.random.default_rng(1).normal(size=400)
    terms *= np.sign(terms.sum())
    normal = 2 * stats.norm.sf(terms.sum() / np.linalg.norm(terms))
    assert normal * 0.98 < exact_sign_test(terms) < normal * 1.1


def test_terms_that_are_all_zero_show_nothing():
    assert exact_sign_test(np.zeros(5)) == 1.0
