"""The random-effects meta-analysis against its definition, solved and summed with exact fractions."""

import math
from fractions import Fraction

import numpy as np
import pytest
from scipy.stats import norm

from imprint.checks import SMALLEST_P
from imprint.significance.combining import combine_effects


def homogeneity(effects, variances):
    """Return Q: the sum of squares around the weighted mean, each over its variance."""
    weights = [1 / variance for variance in variances]
    mean = sum(weight * effect for weight, effect in zip(weights, effects, strict=True)) / sum(weights)
    return sum(weight * (effect - mean) ** 2 for weight, effect in zip(weights, effects, strict=True))


def expected_homogeneity(variances, between):
    """Return the mean of Q where the effects have these variances and one between them, from its quadratic form.

    Q is e' M e with M = W - W 11' W / 1'W1, so its mean is the trace of M times the covariance of e.
    """
    weights = [1 / variance for variance in variances]
    total = sum(weights)
    return sum(
        (weight - weight**2 / total) * (variance + between)
        for weight, variance in zip(weights, variances, strict=True)
    )


def brute_force(effects, variances):
    """Find the variance between effects at which the mean of Q is the observed one, by bisection in fractions."""
    effects, variances = ([Fraction(value) for value in values] for values in (effects, variances))
    observed, low, high = homogeneity(effects, variances), Fraction(0), Fraction(1)
    if expected_homogeneity(variances, low) >= observed:
        high = low
    while expected_homogeneity(variances, high) < observed:
        high *= 2
    while high - low > Fraction(1, 10**15) * high and high:
        middle = (low + high) / 2
        low, high = (middle, high) if expected_homogeneity(variances, middle) < observed else (low, middle)
    weights = [1 / (variance + high) for variance in variances]
    value = sum(weight * effect for weight, effect in zip(weights, effects, strict=True)) / sum(weights)
    return float(value), 1 / math.sqrt(sum(weights)), math.sqrt(high)


@pytest.mark.parametrize("seed", range(12))
def test_it_is_the_moment_estimate_of_dersimonian_and_laird(seed):
    rng = np.random.default_rng(seed)
    count = int(rng.integers(2, 30))
    variances = rng.gamma(2.0, 0.1, count)
    effects = rng.normal(0.3, rng.choice([0.0, 0.1, 2.0]), count) + rng.normal(size=count) * np.sqrt(variances)
    combined = combine_effects(effects, variances)
    expected = brute_force(effects.tolist(), variances.tolist())
    assert (combined.value, combined.error, combined.between) == pytest.approx(expected, rel=1e-7, abs=1e-12)
    assert combined.p_value == pytest.approx(2 * norm.sf(abs(expected[0] / expected[1])), rel=1e-6)


def test_effects_that_vary_less_than_their_variances_say_have_nothing_between_them():
    effects, variances = np.array([0.5, 0.5, 0.6]), np.array([1.0, 2.0, 4.0])
    combined = combine_effects(effects, variances)
    weights = 1 / variances
    assert combined.between == 0
    assert combined.value == pytest.approx(weights @ effects / weights.sum())


def test_its_error_falls_with_the_number_of_effects_whatever_they_are_of():
    """Ten times as many draws of the same effects: z grows by the root of ten, and p as far as one wishes."""
    rng = np.random.default_rng(0)
    effects, variances = rng.normal(0.1, 0.4, 100), np.full(100, 1e-4)
    once, often = (
        combine_effects(effects, variances),
        combine_effects(np.tile(effects, 1000), np.tile(variances, 1000)),
    )
    assert often.value == pytest.approx(once.value)
    assert often.z / once.z == pytest.approx(math.sqrt(1000), rel=0.02)
    assert often.p_value == SMALLEST_P < once.p_value
