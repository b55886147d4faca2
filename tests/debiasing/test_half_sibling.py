"""Half-sibling regression: equal to ridge regression word by word, the bias there before and less after."""

import numpy as np
import pytest
from refusals import refuses
from sklearn.linear_model import Ridge

from imprint.debiasing.frontier import stereotype_variances
from imprint.debiasing.half_sibling import HalfSiblingDebiaser
from imprint.directions.axis import pair_axis
from imprint.errors import SettingError

from .conftest import MEN, OTHERS, SEEDS, WOMEN, row

PAIRS = tuple(zip(MEN, WOMEN, strict=True))


@pytest.mark.parametrize("alpha", [0.5, 60.0])
def test_words_become_the_residuals_of_ridge_regression_on_defining_words(planted, alpha):
    """The paper's form, with a library's ridge regression: a dimension is a sample, a defining word a feature."""
    after = HalfSiblingDebiaser(alpha).fit(planted, pairs=PAIRS).apply(planted)
    features = np.array([row(planted, word) for word in MEN + WOMEN]).T
    for word in (*SEEDS[:10], *OTHERS[:10]):
        x = row(planted, word)
        predicted = Ridge(alpha=alpha, fit_intercept=False).fit(features, x).predict(features)
        np.testing.assert_allclose(row(after, word), x - predicted, atol=1e-5)


def test_no_other_weights_have_a_smaller_penalised_error(planted):
    """An oracle: the residual's objective is the least over random weights near and far from it."""
    alpha = 2.0
    transform = HalfSiblingDebiaser(alpha).fit(planted, pairs=PAIRS)
    features, generator = np.array([row(planted, word) for word in MEN + WOMEN]).T, np.random.default_rng(1)
    x = row(planted, SEEDS[0])
    left = transform(x[None])[0]
    weights, *_ = np.linalg.lstsq(features, x - left, rcond=None)
    least = left @ left + alpha * weights @ weights
    for size in (1e-3, 0.1, 1.0):
        for _ in range(50):
            other = weights + size * generator.normal(size=len(weights))
            assert np.square(x - features @ other).sum() + alpha * other @ other >= least - 1e-6


def test_a_small_penalty_takes_all_that_defining_words_span(planted):
    after = HalfSiblingDebiaser(1e-6).fit(planted, pairs=PAIRS[:2]).apply(planted)
    defining = np.array([row(planted, word) for pair in PAIRS[:2] for word in pair])
    assert np.abs(defining @ row(planted, SEEDS[0])).max() > 0.5
    assert np.abs(defining @ row(after, SEEDS[0])).max() < 1e-4


def test_defining_words_stay_and_their_other_spellings_too(bundled):
    transform = HalfSiblingDebiaser().fit(bundled, pairs=[("He", "She"), ("man", "woman")])
    after = transform.apply(bundled)
    assert transform.kept == {"he", "she", "man", "woman"}
    for word in transform.kept:
        np.testing.assert_array_equal(row(after, word), row(bundled, word))


def test_professions_lean_before_and_less_after(bundled):
    axis = pair_axis(bundled, [("he", "she")])
    after = HalfSiblingDebiaser().fit(bundled).apply(bundled)
    change = stereotype_variances(bundled, after, axis)
    assert change.held_out_fixed < 0.25 * change.held_out_before


def test_the_penalty_must_be_positive():
    with refuses(SettingError, option="alpha", got=0.0):
        HalfSiblingDebiaser(0.0)
