"""SC-WEAT and ValNorm against WEFAT and their definitions."""

from itertools import combinations

import numpy as np
import pytest

from imprint import metric, wefat
from imprint.evaluation.controls import valence
from imprint.metrics.metric import MetricWords
from imprint.stimuli.catalog import get


def cosines(bundled, test):
    words = MetricWords.of(bundled, test, unit=True)
    return words, words.targets @ words.attributes.T


def test_each_word_has_wefat_s_score_and_the_p_of_all_labels(bundled, names):
    words, near = cosines(bundled, names)
    found = metric("sc-weat", bundled, names).findings()
    assert [row.about for row in found] == list(words.target_words)
    for row, own in zip(found, near, strict=True):
        spread = own.std(ddof=1)
        every = np.array(
            [own[list(one)].sum() / 8 - (own.sum() - own[list(one)].sum()) / 8 for one in combinations(range(16), 8)]
        )
        assert row.value == pytest.approx(every[0] / spread, abs=1e-12)
        assert row.p_value == np.mean(np.abs(every) >= abs(every[0]) - 1e-12)
        assert row.words_low < row.value < row.words_high
    predicted = [1] * words.n_x + [-1] * words.n_y
    signs = [np.sign(row.value) * sign for row, sign in zip(found, predicted, strict=True)]
    assert [row.direction for row in found] == ["as predicted" if sign > 0 else "reversed" for sign in signs]


def test_valnorm_is_the_correlation_that_wefat_finds_with_valence(bundled):
    test = get("caliskan-5")
    rated = {word: value for word, value in valence().items() if word in bundled}
    correlation = wefat(
        bundled, words=list(rated), attributes=(test.a.words, test.b.words), property=rated
    ).findings()[0]
    (found,) = metric("valnorm", bundled, test).findings()
    assert found.value == pytest.approx(correlation.effect_size, abs=1e-12)
    assert (found.n_x, found.n_y, found.labellings) == (len(rated), 0, "12870")
    assert found.expected == pytest.approx(0.0, abs=1e-12)
    assert found.p_value < 0.001
    assert found.words_low > 0.6


def test_valnorm_of_exchanged_labels_is_the_correlation_of_those(bundled, names):
    words, _ = cosines(bundled, names)
    from imprint.metrics.valnorm import ValNorm
    from imprint.significance.relabelled import Chosen

    part = next(ValNorm().parts(words, names))
    a = np.zeros((1, 16), dtype=bool)
    a[0, [0, 3, 4, 9, 15]] = True
    b = ~a
    b[0, 7] = False  # one is left out
    x = np.ones((1, part.words.n_x), dtype=bool)
    x[0, :5] = False
    near = part.words.targets @ part.words.attributes.T
    kept = np.concatenate([near[:, a[0]], near[:, b[0]]], axis=1)
    scores = (near[:, a[0]].mean(axis=1) - near[:, b[0]].mean(axis=1)) / kept.std(axis=1, ddof=1)
    ratings = [valence()[word] for word in part.words.target_words]
    expected = np.corrcoef(scores[5:], ratings[5:])[0, 1]
    assert ValNorm().values(part.words, Chosen(x, ~x & False, a, b)) == pytest.approx([expected], abs=1e-12)
