import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra.numpy import arrays
from refusals import refuses

from imprint.errors import SettingError
from imprint.significance.crossed import sample_quantile, word_choice_stability

rng = np.random.default_rng(0)
A, B = rng.normal(0, 0.05, (12, 5)), rng.normal(0, 0.05, (12, 7))


def by_plain_loops(cosines_a, cosines_b, n_x, resamples, rng):
    effects = []
    for _ in range(resamples):
        a = rng.integers(0, cosines_a.shape[1], cosines_a.shape[1])
        b = rng.integers(0, cosines_b.shape[1], cosines_b.shape[1])
        x = rng.integers(0, n_x, n_x)
        y = rng.integers(n_x, len(cosines_a), len(cosines_a) - n_x)
        s = cosines_a[:, a].mean(axis=1) - cosines_b[:, b].mean(axis=1)
        effects.append((s[x].mean() - s[y].mean()) / np.concatenate([s[x], s[y]]).std(ddof=1))
    return np.quantile(effects, [0.025, 0.975])


def test_the_quantiles_are_those_of_resampling_all_four_sets_word_by_word():
    shifted = A.copy()
    shifted[:6] += 0.03
    ours = word_choice_stability(shifted, B, 6, resamples=8_000)
    assert (ours.low, ours.high) == pytest.approx(by_plain_loops(shifted, B, 6, 8_000, rng), abs=0.08)


def test_an_effect_that_every_choice_of_words_agrees_on_keeps_its_sign():
    shifted = A.copy()
    shifted[:6] += 1.0
    stability = word_choice_stability(shifted, B, 6)
    assert stability.same_sign == 1.0
    assert stability.low > 1.5


def test_the_seed_alone_decides():
    first, again, other = (word_choice_stability(A, B, 6, seed=seed) for seed in (1, 1, 2))
    assert first == again != other


def test_no_resamples_are_refused():
    with refuses(SettingError, option="resamples", got=0):
        word_choice_stability(A, B, 6, resamples=0)


@given(arrays(np.float64, st.integers(1, 60), elements=st.floats(-1e6, 1e6)), st.floats(0, 1))
def test_quantiles_are_numpys_to_the_last_bit(values, share):
    assert sample_quantile(values, share) == np.quantile(values, share)
