"""Student's t, against scipy."""

import math

import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy import stats

from imprint.significance.crossed import quantile, two_sided

DEGREES = st.floats(0.5, 1e5)


@given(st.floats(-60, 60), DEGREES)
def test_the_tail_is_scipys(t, df):
    assert two_sided(t, df) == pytest.approx(2 * stats.t.sf(abs(t), df), rel=1e-9, abs=1e-290)


@given(st.floats(1e-8, 0.9), DEGREES)
def test_the_quantile_undoes_the_tail(tail, df):
    assert two_sided(quantile(tail, df), df) == pytest.approx(tail, rel=1e-8)


def test_no_p_value_is_zero():
    assert two_sided(1e300, 200) > 0
    assert two_sided(math.inf, 5) > 0
    assert math.isnan(two_sided(math.nan, 5))
