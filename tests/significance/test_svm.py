"""Support vector machines against scikit-learn's, and against the conditions of their optimum."""

import numpy as np
import pytest
from refusals import refuses
from scipy.optimize import minimize
from sklearn.model_selection import StratifiedKFold, cross_val_predict
from sklearn.svm import SVC, LinearSVC

from imprint.errors import SettingError
from imprint.significance.kernels import solve_dual
from imprint.significance.learners import held_out_labels, separating_plane, stratified_folds


def labelled(sizes, dimension, apart, seed=0):
    rng = np.random.default_rng(seed)
    labels = rng.permutation(np.repeat(np.arange(len(sizes)), sizes))
    centres = apart * rng.normal(size=(len(sizes), dimension))
    return (centres[labels] + rng.normal(size=(len(labels), dimension))).astype(np.float32), labels


@pytest.mark.parametrize("apart", [0.0, 0.3, 3.0])
def test_the_plane_is_that_of_liblinear(apart):
    rows, labels = labelled([80, 60], 12, apart)
    known = LinearSVC(tol=1e-10, max_iter=1_000_000, random_state=0).fit(rows, labels)
    found = separating_plane(rows, labels)
    np.testing.assert_allclose(found, np.append(known.coef_[0], known.intercept_), atol=1e-6)


def test_no_plane_has_a_smaller_loss():
    rows, labels = labelled([30, 20], 5, 0.5)
    signs = 2.0 * labels - 1

    def loss(plane):
        short = np.maximum(0, 1 - signs * (rows @ plane[:-1] + plane[-1]))
        return plane @ plane / 2 + short @ short

    best = minimize(loss, np.zeros(6), tol=1e-12).fun
    assert loss(separating_plane(rows, labels)) <= best * (1 + 1e-9)


@pytest.mark.parametrize("seed", range(4))
@pytest.mark.parametrize("sizes", [(30, 20), (7, 5), (25, 11, 40), (6, 6, 6, 6)])
def test_folds_are_those_of_scikit_learn(sizes, seed):
    rows, labels = labelled(sizes, 2, 0, seed)
    known = [tried for _, tried in StratifiedKFold(5, shuffle=True, random_state=seed).split(rows, labels)]
    found = stratified_folds(labels, 5, seed)
    assert [fold.tolist() for fold in found] == [fold.tolist() for fold in known]


@pytest.mark.parametrize("kernel", ["linear", "rbf"])
@pytest.mark.parametrize("apart", [0.0, 0.2, 1.0])
@pytest.mark.parametrize("sizes", [(120, 40), (60, 50), (50, 30, 20)])
def test_held_out_labels_are_those_of_libsvm(kernel, apart, sizes):
    rows, labels = labelled(sizes, 15, apart)
    machine = SVC(kernel=kernel, class_weight="balanced", tol=1e-6)
    known = cross_val_predict(machine, rows, labels, cv=StratifiedKFold(5, shuffle=True, random_state=2))
    found = held_out_labels(rows, labels, stratified_folds(labels, 5, 2), kernel)
    assert np.array_equal(found, known)


@pytest.mark.parametrize("bound", [0.01, 1.0, 100.0])
def test_pulls_meet_the_conditions_of_the_optimum(bound):
    rows, labels = labelled([40, 25], 6, 0.5)
    signs = 2.0 * labels - 1
    inner = (rows @ rows.T).astype(np.float64)
    least, most = np.minimum(signs * bound, 0), np.maximum(signs * bound, 0)
    pulls, left = np.zeros(len(signs)), signs.copy()
    solve_dual(inner, least, most, 1e-6, pulls, left)
    assert abs(pulls.sum()) < 1e-9
    assert (pulls >= least).all()
    assert (pulls <= most).all()
    np.testing.assert_allclose(left, signs - inner @ pulls, atol=1e-9)
    assert left[pulls < most].max() - left[pulls > least].min() < 1e-6


@pytest.mark.parametrize("kernel", ["linear", "rbf"])
def test_rows_that_are_all_alike_have_a_label_too(kernel):
    labels = np.arange(20) % 2
    found = held_out_labels(np.ones((20, 3), dtype=np.float32), labels, stratified_folds(labels, 5, 0), kernel)
    assert set(found.tolist()) <= {0, 1}


def test_labels_that_do_not_overlap_are_all_found():
    rows, labels = labelled([20, 20, 20], 30, 4.0)
    for kernel in ("linear", "rbf"):
        found = held_out_labels(rows, labels, stratified_folds(labels, 5, 0), kernel)
        assert np.array_equal(found, labels)


def test_the_border_is_in_the_middle_where_every_row_is_at_its_bound():
    """Two heaps of rows too near to each other for any to be on the margin."""
    rows = np.repeat([[0.0], [1e-3]], 10, axis=0).astype(np.float32)
    labels, tried = np.repeat([0, 1], 10), np.array([[4e-4], [6e-4]], dtype=np.float32)
    every = np.vstack([rows, tried])
    found = held_out_labels(every, np.append(labels, [0, 0]), [np.array([20, 21])], "linear")
    assert found[20:].tolist() == [0, 1]
    assert SVC(kernel="linear").fit(rows, labels).predict(tried).tolist() == [0, 1]


@pytest.mark.parametrize("wrong", [np.nan, np.inf])
def test_numbers_that_are_not_finite_are_refused(wrong):
    rows, labels = labelled([20, 20], 3, 1.0)
    rows[7, 2] = wrong
    with refuses(SettingError, option="vectors"):
        separating_plane(rows, labels)
    with refuses(SettingError, option="vectors"):
        held_out_labels(rows, labels, stratified_folds(labels, 5, 0), "rbf")
