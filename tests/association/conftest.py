"""Embeddings the association tests measure: random vectors with an effect planted in them."""

import pytest
from planted import SETS, planted

from imprint.embeddings.embedding import Embedding


@pytest.fixture
def embedding() -> Embedding:
    return planted()


@pytest.fixture
def targets():
    return SETS["x"], SETS["y"]


@pytest.fixture
def attributes():
    return SETS["a"], SETS["b"]
