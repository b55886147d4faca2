"""RNSB against scikit-learn's classifier on the same split, and against what WEFE 1.0.1 printed."""

import sys
from dataclasses import replace

import numpy as np
import pytest
from refusals import refuses
from scipy.stats import entropy
from sklearn.linear_model import LogisticRegression
from sklearn.model_selection import train_test_split

from imprint import WeatTest, WordSet, metric
from imprint.errors import MissingExtraError, StimulusError
from imprint.metrics.metric import MetricWords
from imprint.metrics.rnsb import Rnsb

# WEFE 1.0.1 on caliskan-6 and the bundled vectors; liblinear's tolerance set to 1e-12, which WEFE leaves at 1e-4.
# holdout, normalize, random_state: rnsb
WEFE = {
    (True, True, 0): 0.007552511337267657,
    (True, True, 1): 0.006336321055944201,
    (True, False, 0): 0.08527565599772842,
    (True, False, 1): 0.05188286727539140,
    (False, True, 0): 0.01086202215694669,
    (False, False, 0): 0.08513379219990624,
}


def by_sklearn(targets, attributes, labels):
    found = LogisticRegression(solver="liblinear", tol=1e-12, max_iter=10_000).fit(attributes, labels)
    negative = found.predict_proba(targets)[:, list(found.classes_).index(-1)]
    return entropy(negative / negative.sum(), np.full(len(targets), 1 / len(targets)))


@pytest.mark.parametrize(("holdout", "normalize", "split"), WEFE)
def test_it_is_wefe_s(bundled, names, holdout, normalize, split):
    (found,) = metric("rnsb", bundled, names, holdout=holdout, normalize=normalize, split=split).findings()
    assert found.value == pytest.approx(WEFE[holdout, normalize, split], abs=1e-6)


@pytest.mark.parametrize("holdout", [True, False])
def test_it_is_the_divergence_of_a_classifier_s_probabilities(bundled, names, holdout):
    words = MetricWords.of(bundled, names, unit=True)
    labels, train = np.repeat([1, -1], [words.n_a, words.n_b]), np.arange(words.n_a + words.n_b)
    if holdout:
        train, _ = train_test_split(train, test_size=0.2, stratify=labels, random_state=3)
    expected = by_sklearn(words.targets, words.attributes[train], labels[train])
    value = Rnsb(holdout=holdout, split=3).values(words, words.observed())
    assert value == pytest.approx([expected], abs=1e-8)


def test_p_counts_random_targets_of_the_same_classifier(bundled):
    sets = ("John Paul Mike", "Amy Joan Lisa", "salary office business career", "home parents children family")
    test = WeatTest("few", "few", "me", "en", *(WordSet.of(one, one.split()) for one in sets))
    words = MetricWords.of(bundled, test, unit=True)
    drawn = bundled.background.draw(words.target_ranks, 500, np.random.default_rng(0))
    labels = np.repeat([1, -1], 4)
    values = [by_sklearn(bundled.background.rows[own], words.attributes, labels) for own in drawn]
    (found,) = metric("rnsb", bundled, test).findings()
    assert found.p_value == found.p_frequency == pytest.approx(np.mean(np.array(values) >= found.value), abs=0.07)
    assert found.expected == pytest.approx(np.mean(values), rel=0.2)
    assert (found.permuted, found.p_floor, found.directed) == (None, 1e-4, False)


def test_random_targets_have_small_p_values_about_as_often_as_they_should(bundled, names):
    rng = np.random.default_rng(1)
    asked = [rng.choice(bundled.words[1_000:20_000], 16, replace=False) for _ in range(60)]
    tests = [replace(names, x=WordSet.of("x", own[:8]), y=WordSet.of("y", own[8:])) for own in asked]
    small = [metric("rnsb", bundled, test).findings()[0].p_value <= 0.05 for test in tests]
    assert np.mean(small) <= 0.15


def test_sets_that_are_too_small_to_split_are_refused(bundled):
    sets = ("John Paul", "Amy Joan", "salary office", "home parents")
    test = WeatTest("few", "few", "me", "en", *(WordSet.of(one, one.split()) for one in sets))
    words = MetricWords.of(bundled, test, unit=True)
    with refuses(StimulusError, hint="use holdout=false"):
        Rnsb(holdout=True).values(words, words.observed())


def test_the_split_of_wefe_needs_scikit_learn(bundled, monkeypatch):
    monkeypatch.setitem(sys.modules, "sklearn.model_selection", None)
    with refuses(MissingExtraError, library="scikit-learn", extra="sklearn"):
        metric("rnsb", bundled, "caliskan-6", holdout=True)
    assert metric("rnsb", bundled, "caliskan-6").findings()
