"""Batches: of one length, always as many texts, and a text's vector does not depend on the others."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from imprint.encoders.tokens import encode_in_batches

TEXTS = st.lists(st.text("abc ", min_size=1, max_size=5), min_size=1, max_size=60, unique=True)


class Product:
    """Gives rows that depend on the batch's size and on their place in it, as those of matrix products may."""

    def __init__(self, texts: list[str], *, by_place: bool) -> None:
        self.texts = texts
        self.by_place = by_place
        self.batches: list[list[str]] = []

    def __call__(self, batch: list[int]) -> list[list[float]]:
        texts = [self.texts[index] for index in batch]
        self.batches.append(texts)
        places = enumerate(texts) if self.by_place else ((0, text) for text in texts)
        return [[hash(text) % 1000, len(text), len(batch), place] for place, text in places]


def encoded(texts: list[str], *, most: int = 8, placed: bool = False) -> tuple[np.ndarray, Product]:
    product = Product(texts, by_place=placed)
    rows = encode_in_batches(texts, [len(text) for text in texts], product, most=most, placed=placed)
    return rows, product


@pytest.mark.parametrize("placed", [False, True])
@settings(max_examples=60, deadline=None)
@given(texts=TEXTS, data=st.data())
def test_a_text_has_one_vector_whatever_is_beside_it(placed, texts, data):
    rows, _ = encoded(texts, placed=placed)
    some = data.draw(st.permutations(texts))[: data.draw(st.integers(1, len(texts)))]
    np.testing.assert_array_equal(encoded(some, placed=placed)[0], rows[[texts.index(text) for text in some]])


@pytest.mark.parametrize("placed", [False, True])
@settings(max_examples=60, deadline=None)
@given(texts=TEXTS, most=st.integers(1, 9))
def test_a_batch_is_full_and_of_one_length_and_no_text_is_lost(placed, texts, most):
    _, product = encoded(texts, most=most, placed=placed)
    assert {len(batch) for batch in product.batches} == {most}
    assert all(len({len(text) for text in batch}) == 1 for batch in product.batches)
    assert {text for batch in product.batches for text in batch} == set(texts)


@pytest.mark.parametrize(("length", "size"), [(1, 32), (16, 16), (100, 2), (200, 1), (5_000, 1)])
def test_long_texts_share_a_batch_with_fewer_others(length, size):
    texts = [f"text {number}" for number in range(3)]
    product = Product(texts, by_place=False)
    encode_in_batches(texts, [length] * 3, product, most=32)
    assert {len(batch) for batch in product.batches} == {size}
