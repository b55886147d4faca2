"""Small real files for the readers, written by gensim wherever gensim writes that format."""

from pathlib import Path

import numpy as np
import pytest
from gensim.models import FastText, KeyedVectors, Word2Vec

SENTENCES = [
    ["the", "cat", "sat", "on", "the", "mat"],
    ["a", "dog", "ran", "far", "away"],
    ["Übung", "naïve"],
] * 20


@pytest.fixture(scope="session")
def keyed_vectors() -> KeyedVectors:
    """500 words of 20 dimensions, some with letters outside ASCII."""
    generator = np.random.default_rng(5)
    words = [f"word{number}" for number in range(497)] + ["naïve", "東京", "non\u00a0breaking"]
    vectors = KeyedVectors(vector_size=20)
    vectors.add_vectors(words, generator.normal(0, 0.4, (500, 20)).astype(np.float32))
    return vectors


@pytest.fixture(scope="session")
def word2vec_model() -> Word2Vec:
    return Word2Vec(SENTENCES, vector_size=8, min_count=1, epochs=1, seed=1, workers=1)


@pytest.fixture(scope="session")
def fasttext_model() -> FastText:
    return FastText(SENTENCES, vector_size=8, min_count=1, epochs=1, bucket=200, min_n=2, max_n=4, seed=1, workers=1)


@pytest.fixture
def glove(tmp_path: Path) -> Path:
    """Three words of two dimensions, as GloVe writes them."""
    path = tmp_path / "tiny.txt"
    path.write_text("cat 1 2\ndog 3.5 -4\nnew york 0.25 8e-2\n")
    return path
