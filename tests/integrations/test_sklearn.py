"""LEACE in scikit-learn: the library's own checks, pipelines and clones."""

import numpy as np
import pytest
from sklearn.base import clone
from sklearn.linear_model import LogisticRegression
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler
from sklearn.utils.estimator_checks import parametrize_with_checks

from imprint.errors import SettingError
from imprint.integrations.sklearn import LeaceTransformer


@parametrize_with_checks([LeaceTransformer()])
@pytest.mark.filterwarnings("ignore")  # warnings that its checks provoke
def test_it_passes_the_checks_of_scikit_learn(estimator, check):
    check(estimator)


@pytest.fixture
def data():
    """Return rows, a target and a concept that the target does not depend on."""
    generator = np.random.default_rng(4)
    concept = generator.integers(0, 3, size=400)
    target = generator.integers(0, 2, size=400)
    rows = generator.normal(size=(400, 6)) + 3.0 * generator.normal(size=(3, 6))[concept]
    return rows + 4.0 * np.outer(target, generator.normal(size=6)), target, concept


def accuracy(rows, labels):
    return LogisticRegression(max_iter=2000).fit(rows, labels).score(rows, labels)


def test_the_concept_is_found_before_and_a_constant_is_as_good_after(data):
    rows, _, concept = data
    after = LeaceTransformer().fit(rows, concept).transform(rows)
    assert accuracy(rows, concept) > 0.9
    assert accuracy(after, concept) == pytest.approx(np.bincount(concept).max() / len(concept), abs=1e-9)


def test_a_pipeline_learns_its_target_while_another_label_is_erased(data):
    rows, target, concept = data
    pipeline = make_pipeline(StandardScaler(), LeaceTransformer(), LogisticRegression())
    pipeline.fit(rows, target, leacetransformer__z=concept)
    assert pipeline.score(rows, target) > 0.8
    assert accuracy(pipeline[:-1].transform(rows), concept) < 0.4


def test_a_clone_is_not_fitted_and_fits_the_same(data):
    rows, _, concept = data
    fitted = LeaceTransformer().fit(rows, concept)
    again = clone(fitted)
    assert not hasattr(again, "matrix_")
    np.testing.assert_array_equal(again.fit(rows, concept).matrix_, fitted.matrix_)
    assert list(fitted.classes_) == [0, 1, 2]


def test_one_class_alone_is_refused(data):
    with pytest.raises(SettingError) as caught:
        LeaceTransformer().fit(data[0], np.zeros(400, dtype=int))
    assert caught.value.got == 1
