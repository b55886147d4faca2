import numpy as np
import pytest
from refusals import refuses

from imprint.errors import SettingError
from imprint.significance.partitions import permutation_test
from imprint.significance.power import smallest_detectable_shift


@pytest.mark.parametrize(
    ("n", "m", "alternative", "alpha"),
    [
        (6, 6, "greater", 0.05),
        (8, 5, "less", 0.02),
        (9, 9, "two-sided", 0.05),
        (12, 12, "greater", 0.01),
        (3, 8, "two-sided", 0.01),
        (12, 3, "two-sided", 0.05),
    ],
)
def test_the_shift_is_found_four_times_in_five_by_the_exact_test(n, m, alternative, alpha):
    rng = np.random.default_rng(3)
    x, y = rng.gamma(2, 0.1, n), rng.gamma(2, 0.1, m)
    shift = smallest_detectable_shift(x, y, alpha=alpha, alternative=alternative)
    residuals = np.concatenate([x - x.mean(), y - y.mean()]) * np.sqrt((n + m) / (n + m - 2))
    signed = -shift if alternative == "less" else shift
    deals = [rng.permutation(residuals) for _ in range(1_000)]
    found = [permutation_test(d[:n] + signed, d[n:], alternative=alternative).p_value <= alpha for d in deals]
    assert np.mean(found) == pytest.approx(0.8, abs=0.06)


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
