"""SC-WEAT and ValNorm against WEFAT and their definitions."""

from dataclasses import replace

import numpy as np
import pytest
from refusals import refuses

from imprint import Embedding, WordSet, metric, wefat
from imprint.errors import StimulusError
from imprint.metrics.metric import MetricWords
from imprint.metrics.valnorm import ValNorm
from imprint.stimuli.catalog import get, languages
from imprint.stimuli.definition import words_of


def cosines(bundled, test):
    words = MetricWords.of(bundled, test, unit=True)
    return words, words.targets @ words.attributes.T


def test_each_word_has_wefat_s_score_and_the_p_of_words_of_like_frequency(bundled, names):
    words, near = cosines(bundled, names)
    found = metric("sc-weat", bundled, names).findings()
    assert [row.about for row in found] == list(words.target_words)
    background = bundled.background
    for row, own, rank in zip(found, near, words.target_ranks, strict=True):
        others = background.rows[background.near(int(rank), 1_000)].astype(float) @ words.attributes.T
        every = np.vstack([own, others])
        every = (every[:, :8].mean(axis=1) - every[:, 8:].mean(axis=1)) / every.std(axis=1, ddof=1)
        assert row.value == pytest.approx(every[0], abs=1e-12)
        assert row.p_value == row.p_frequency == np.mean(np.abs(every) >= abs(every[0]) - 1e-9)
        assert row.words_low < row.value < row.words_high
        assert (row.permuted, row.expected) == (None, 0.0)
    predicted = [1] * words.n_x + [-1] * words.n_y
    assert [row.excess for row in found] == [row.value * sign for row, sign in zip(found, predicted, strict=True)]
    assert all(row.directed for row in found)


def test_random_words_have_small_p_values_as_often_as_they_should_and_are_hardly_ever_found(bundled, names):
    rng = np.random.default_rng(2)
    found = []
    for _ in range(60):
        own = rng.choice(bundled.words[1_000:20_000], 16, replace=False)
        test = replace(names, x=WordSet.of("x", own[:8]), y=WordSet.of("y", own[8:]))
        found.append(metric("sc-weat", bundled, test).findings())
    assert np.mean([row.found for rows in found for row in rows]) <= 0.02
    assert np.mean([row.p_value <= 0.05 for rows in found for row in rows]) == pytest.approx(0.05, abs=0.03)


def test_valnorm_has_a_lexicon_of_german_and_refuses_other_languages(bundled, names):
    words, _ = cosines(bundled, names)
    german = languages()["de"].valence
    assert set(ValNorm().also([replace(names, language="de")])) == set(german)
    rng = np.random.default_rng(3)
    listed = [*german, *words.attribute_words, *words.target_words]
    made = Embedding("made", listed, rng.normal(size=(len(listed), 8)).astype(np.float32))
    (row,) = metric("valnorm", made, replace(names, language="de")).findings()
    assert row.n_x == len(german)
    with refuses(StimulusError, got="fr"):
        next(ValNorm().parts(words, replace(names, language="fr")))


def test_valnorm_is_the_correlation_that_wefat_finds_with_valence(bundled):
    test = get("caliskan-5")
    rated = {word: value for word, value in languages()["en"].valence.items() if word in bundled}
    found = bundled.lookup(dict.fromkeys((*rated, *words_of([test]))))
    few = Embedding("few", list(found.words), found.vectors)
    correlation = wefat(few, targets=list(rated), attributes=(test.a.words, test.b.words), property=rated)
    (row,) = metric("valnorm", few, test).findings()
    assert row.value == pytest.approx(correlation.r, abs=1e-12)
    assert (row.n_x, row.n_y, row.labellings) == (len(rated), 0, "12870")
    assert row.expected == pytest.approx(0.0, abs=1e-12)
    assert row.p_value < 0.001
    assert row.words_low > 0.6


def test_valnorm_of_exchanged_labels_is_the_correlation_of_those(bundled, names):
    words, _ = cosines(bundled, names)
    from imprint.significance.relabelled import LEFT_OUT, Chosen

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
    ratings = [languages()["en"].valence[word] for word in part.words.target_words]
    expected = np.corrcoef(scores[5:], ratings[5:])[0, 1]
    assert ValNorm().values(
        part.words, Chosen(np.where(x, 0, LEFT_OUT), np.where(a, 0, np.where(b, 1, LEFT_OUT)))
    ) == pytest.approx([expected], abs=1e-12)
