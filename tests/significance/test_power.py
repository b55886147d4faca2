import math

import numpy as np
import pytest
from refusals import refuses
from scipy.stats import nct, t

from imprint.errors import SettingError
from imprint.significance.partitions import permutation_test
from imprint.significance.shifts import smallest_detectable_shift

SETTINGS = [
    (4, 4, "greater", 0.05),
    (5, 9, "two-sided", 0.05),
    (8, 8, "less", 0.01),
    (16, 16, "greater", 0.05),
    (12, 30, "two-sided", 0.01),
    (25, 25, "greater", 0.01),
]


def simulated_power(n, m, alternative, alpha, samples):
    """How often new normal scores show the shift that others said is detectable, by the permutation test."""
    rng = np.random.default_rng([n, m])
    shifts = [
        smallest_detectable_shift(z[:n], z[n:], alpha=alpha, alternative=alternative, shuffles=200, seed=seed)
        for seed, z in enumerate(rng.normal(size=(samples, n + m)))
    ]
    if n + m > 10:  # Student's t, whose power is the permutation test's where scores are normal and not very few
        df, far = n + m - 2, np.array(shifts) / math.sqrt(1 / n + 1 / m)
        critical = t.isf(alpha / 2 if alternative == "two-sided" else alpha, df)
        return float(np.mean(nct.sf(critical, df, far)))
    found = [
        permutation_test(z[:n] + shift, z[n:], alternative=alternative).p_value <= alpha
        for shift in shifts
        for z in rng.normal(size=(20, n + m))
    ]
    return float(np.mean(found))


@pytest.mark.parametrize(("n", "m", "alternative", "alpha"), SETTINGS[:1])
def test_new_scores_of_few_words_show_the_shift_four_times_in_five(n, m, alternative, alpha):
    assert simulated_power(n, m, alternative, alpha, 200) == pytest.approx(0.8, abs=0.02)


@pytest.mark.slow
@pytest.mark.parametrize(("n", "m", "alternative", "alpha"), SETTINGS)
def test_new_scores_show_the_shift_four_times_in_five(n, m, alternative, alpha):
    samples = 400 if n + m < 16 else 200
    assert simulated_power(n, m, alternative, alpha, samples) == pytest.approx(0.8, abs=0.02)


@pytest.mark.slow
def test_more_words_see_smaller_shifts_and_stricter_tests_larger_ones():
    rng = np.random.default_rng(0)
    x, y = rng.normal(0, 1, 40), rng.normal(0, 1, 40)
    shifts = [smallest_detectable_shift(x[:n], y[:n], alpha=0.05) for n in (8, 40)]
    assert shifts[0] > shifts[1] > 0
    assert smallest_detectable_shift(x, y, alpha=0.001) > shifts[1]


def test_what_so_few_words_cannot_reach_has_no_detectable_shift():
    assert smallest_detectable_shift([0.1, 0.2, 0.3, 0.4], [0.0, 0.1, 0.2, 0.3], alpha=0.01) is None


def test_an_alpha_too_small_to_estimate_has_no_detectable_shift():
    rng = np.random.default_rng(0)
    assert smallest_detectable_shift(rng.normal(size=25), rng.normal(size=25), alpha=1e-7) is None


def test_where_scores_do_not_vary_any_shift_is_seen():
    assert smallest_detectable_shift([0.5] * 8, [0.1] * 8, alpha=0.05) == 0


def test_the_seed_alone_decides():
    rng = np.random.default_rng(0)
    x, y = rng.normal(0, 1, 20), rng.normal(0, 1, 20)
    first, again, other = (smallest_detectable_shift(x, y, alpha=0.05, seed=seed) for seed in (1, 1, 2))
    assert first == again != other


@pytest.mark.parametrize("settings", [{"alpha": 0.0}, {"power": 1.0}])
def test_settings_out_of_range_are_refused(settings):
    with refuses(SettingError, option=next(iter(settings))):
        smallest_detectable_shift([0.0, 1.0], [0.0, 1.0], **{"alpha": 0.05, **settings})
