"""Pooling and layer choice against a loop over real tokens."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from imprint.encoders.pooling import LAYERS, POOLINGS, combine, pool


def pool_by_loop(tokens, pooling):
    """One text's real tokens, a row each, reduced column by column."""
    columns = list(zip(*tokens.tolist(), strict=True))
    reduce = {
        "mean": lambda column: sum(column) / len(column),
        "max": max,
        "cls": lambda column: column[0],
        "last": lambda column: column[-1],
    }[pooling]
    return [reduce(column) for column in columns]


def padded(texts, tokens, left, fill=np.nan):
    """Put texts of different lengths into one array, each with its padding on the left or the right."""
    hidden = np.full((len(texts), tokens, texts[0].shape[1]), fill, dtype=np.float32)
    mask = np.zeros((len(texts), tokens), dtype=bool)
    for row, (text, on_left) in enumerate(zip(texts, left, strict=True)):
        place = slice(tokens - len(text), tokens) if on_left else slice(0, len(text))
        hidden[row, place] = text
        mask[row, place] = True
    return hidden, mask


@st.composite
def batches(draw):
    lengths = draw(st.lists(st.integers(1, 6), min_size=1, max_size=5))
    width = draw(st.integers(1, 4))
    rng = np.random.default_rng(draw(st.integers(0, 2**32)))
    texts = [rng.normal(size=(length, width)).astype(np.float32) - 3 for length in lengths]
    left = draw(st.lists(st.booleans(), min_size=len(texts), max_size=len(texts)))
    return texts, left, max(lengths)


@pytest.mark.parametrize("pooling", POOLINGS)
@settings(max_examples=60, deadline=None)
@given(batch=batches(), extra=st.integers(0, 3))
def test_pooling_equals_a_loop_over_real_tokens_whatever_the_padding(pooling, batch, extra):
    texts, left, longest = batch
    hidden, mask = padded(texts, longest + extra, left)
    pooled = pool(hidden, mask, pooling)
    assert pooled.dtype == np.float32
    np.testing.assert_allclose(pooled, [pool_by_loop(text, pooling) for text in texts], rtol=1e-5, atol=1e-6)


@pytest.mark.parametrize("pooling", POOLINGS)
def test_more_padding_and_its_side_change_nothing(pooling):
    rng = np.random.default_rng(3)
    texts = [rng.normal(size=(length, 8)).astype(np.float32) for length in (2, 5, 1)]
    plain = pool(*padded(texts, 5, [False] * 3), pooling)
    for tokens, left, fill in ((5, [True] * 3, 9.0), (12, [False] * 3, -9.0), (40, [True, False, True], np.inf)):
        np.testing.assert_array_equal(pool(*padded(texts, tokens, left, fill), pooling), plain)


def test_max_of_negative_numbers_stays_negative():
    hidden, mask = padded([np.full((2, 3), -1.0, dtype=np.float32)], 4, [False], fill=0.0)
    np.testing.assert_array_equal(pool(hidden, mask, "max"), [[-1.0] * 3])


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
