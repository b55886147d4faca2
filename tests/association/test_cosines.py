"""Cosines against the definition, summed without rounding."""

import math
from unittest.mock import patch

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra import numpy as arrays

from imprint.association import cosines as module

FLOATS = st.floats(-1e3, 1e3, width=32)


def cosines(rows, columns):
    """Compute them as few are, and as many are by compiled loops, with the same bytes."""
    few = module.cosines(rows, columns)
    with patch.object(module, "_FEW", 0):
        assert module.cosines(rows, columns).tobytes() == few.tobytes()
    return few


def literal(rows, columns):
    left, right = rows.astype(np.float64), columns.astype(np.float64)
    norms = [[math.sqrt(math.fsum((v * v).tolist())) for v in side] for side in (left, right)]
    return np.array(
        [
            [math.fsum((u * v).tolist()) / (norms[0][i] * norms[1][j]) for j, v in enumerate(right)]
            for i, u in enumerate(left)
        ]
    )


@given(arrays.arrays(np.float32, (3, 7), elements=FLOATS), arrays.arrays(np.float32, (4, 7), elements=FLOATS))
def test_they_are_the_exact_sums_rounded_once(rows, columns):
    rows, columns = (np.where(np.any(side, axis=1)[:, None], side, np.float32(1)) for side in (rows, columns))
    assert cosines(rows, columns).tobytes() == literal(rows, columns).tobytes()


@pytest.mark.parametrize("width", [2, 300, 1024])
def test_wide_vectors_too(width):
    rng = np.random.default_rng(width)
    rows, columns = (rng.normal(size=(n, width)).astype(np.float32) for n in (30, 20))
    assert cosines(rows, columns).tobytes() == literal(rows, columns).tobytes()


def test_sums_that_all_but_cancel_are_rounded_once():
    rows = np.array([[2.0**60, 1.0, -(2.0**60), 2.0**-60]], dtype=np.float32)
    columns = np.ones((1, 4), dtype=np.float32)
    assert cosines(rows, columns).tobytes() == literal(rows, columns).tobytes()
    assert cosines(rows, columns)[0, 0] != 0


def test_neither_the_order_of_dimensions_nor_of_rows_enters():
    rng = np.random.default_rng(1)
    rows, columns = (rng.normal(size=(n, 50)).astype(np.float32) for n in (8, 9))
    order = rng.permutation(50)
    assert cosines(rows[:, order], columns[:, order]).tobytes() == cosines(rows, columns).tobytes()
    assert cosines(rows[::-1], columns).tobytes() == cosines(rows, columns)[::-1].tobytes()
