"""Relative norm distance against its definition, written out word by word."""

import numpy as np
import pytest

from imprint import catalogue, metric


@pytest.fixture(scope="module")
def test_of_names():
    return next(test for test in catalogue() if test.id == "caliskan-6")


@pytest.mark.parametrize("normalize", [True, False])
@pytest.mark.parametrize("distance", ["norm", "cos"])
def test_it_is_the_mean_difference_of_distances(bundled, test_of_names, distance, normalize):
    def rows(words):
        found = bundled.lookup(words.words).vectors.astype(float)
        return found / np.linalg.norm(found, axis=1, keepdims=True) if normalize else found

    x, y, a, b = (rows(one) for one in (test_of_names.x, test_of_names.y, test_of_names.a, test_of_names.b))

    def far(mean, row):
        if distance == "norm":
            return np.linalg.norm(mean - row)
        return mean @ row / np.linalg.norm(mean) / np.linalg.norm(row)

    found = metric("rnd", bundled, test_of_names, distance=distance, normalize=normalize).findings()
    expected = [np.mean([far(x.mean(axis=0), row) - far(y.mean(axis=0), row) for row in side]) for side in (a, b)]
    assert [row.value for row in found] == pytest.approx(expected, abs=1e-12)
    assert [row.about for row in found] == ["career", "family"]
    assert [row.p_method for row in found] == ["exact", "exact"]
    assert [row.labellings for row in found] == ["12870", "12870"]
    assert all(row.words_low < row.value < row.words_high for row in found)
    assert all(0 < row.p_frequency <= 1 for row in found)
