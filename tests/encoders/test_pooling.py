"""Pooling and layer choice against loops over tokens."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from hypothesis.extra.numpy import arrays

from imprint.encoders.tokens import LAYERS, POOLINGS, combine, pool


def pool_by_loop(tokens, pooling):
    """One text's tokens, a row each, reduced column by column."""
    columns = list(zip(*tokens.tolist(), strict=True))
    reduce = {
        "mean": lambda column: sum(column) / len(column),
        "max": max,
        "cls": lambda column: column[0],
        "last": lambda column: column[-1],
    }[pooling]
    return [reduce(column) for column in columns]


@pytest.mark.parametrize("pooling", POOLINGS)
@settings(max_examples=60, deadline=None)
@given(
    hidden=arrays(np.float32, st.tuples(*[st.integers(1, 6)] * 3), elements=st.floats(-1000, 1000, width=32)),
)
def test_pooling_equals_a_loop_over_tokens(pooling, hidden):
    pooled = pool(hidden, pooling)
    assert pooled.dtype == np.float32
    np.testing.assert_allclose(pooled, [pool_by_loop(text, pooling) for text in hidden], rtol=1e-5, atol=1e-6)


@pytest.mark.parametrize("how", LAYERS)
def test_layers_combine_as_a_loop_does_with_the_embedding_output_counted(how):
    rng = np.random.default_rng(4)
    layers = [rng.normal(size=(2, 3, 4)).astype(np.float32) for _ in range(5)]
    total = np.zeros((2, 3, 4))
    for layer in layers:
        total += layer
    expected = {"last": layers[-1], "sum": total, "mean": total / 5}[how]
    combined = combine(layers, how)
    assert combined.dtype == np.float32
    np.testing.assert_allclose(combined, expected, rtol=1e-6, atol=1e-6)
