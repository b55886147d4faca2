from unittest.mock import patch

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from refusals import refuses
from statsmodels.stats.multitest import multipletests

from imprint.enumeration.null import adjust
from imprint.enumeration.settings import Settings
from imprint.errors import SettingError
from imprint.significance.combining import holm

p_values = st.lists(st.one_of(st.floats(0, 1), st.sampled_from([0.01, 0.02, 0.05])), min_size=1, max_size=30)


def paper(correction):
    return lambda p: adjust(np.array([p]), Settings(method="paper", correction=correction))[0]


@pytest.mark.parametrize(("ours", "theirs"), [(holm, "holm"), (paper("bh"), "fdr_bh"), (paper("by"), "fdr_by")])
@given(p=p_values)
def test_adjusted_p_values_equal_statsmodels(ours, theirs, p):
    with patch("gc.collect"):  # statsmodels calls it each time, which takes longer than all the rest
        expected = multipletests(p, method=theirs)[1]
    np.testing.assert_allclose(ours(p), expected, rtol=1e-12, atol=1e-15)


def test_what_is_no_p_value_is_refused():
    with refuses(SettingError, option="p_values"):
        holm([0.5, 1.5])
    with refuses(SettingError, option="p_values"):
        holm([float("nan")])
