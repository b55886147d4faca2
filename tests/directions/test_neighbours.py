import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from refusals import refuses

from imprint.directions.neighbours import neighbours
from imprint.embeddings import embedding as module
from imprint.embeddings.embedding import Embedding
from imprint.errors import SettingError, VocabularyError


@given(st.integers(0, 2**32 - 1), st.integers(1, 8))
def test_neighbours_are_those_of_a_full_sort(seed, count):
    vectors = np.random.default_rng(seed).normal(size=(12, 3)).astype(np.float32)
    embedding = Embedding("random", [f"w{row}" for row in range(12)], vectors)
    unit = np.asarray(vectors, dtype=np.float64)
    unit /= np.linalg.norm(unit, axis=1, keepdims=True)
    cosines = {f"w{row}": float(unit[row] @ unit[0]) for row in range(1, 12)}
    expected = sorted(cosines, key=lambda word: -cosines[word])[:count]
    found = neighbours(embedding, "w0", count=count).nearest
    assert [word for word, _ in found] == expected
    assert [cosine for _, cosine in found] == pytest.approx([cosines[word] for word in expected], abs=1e-12)


def test_blocks_of_a_large_matrix_are_put_together(monkeypatch):
    vectors = np.random.default_rng(0).normal(size=(50, 4)).astype(np.float32)
    embedding = Embedding("random", [f"w{row}" for row in range(50)], vectors)
    whole = neighbours(embedding, "w7", count=49)
    monkeypatch.setattr(module, "BLOCK_ROWS", 7)
    parts = neighbours(embedding, "w7", count=49)
    assert [word for word, _ in parts.nearest] == [word for word, _ in whole.nearest]
    assert len(parts.nearest) == 49


def test_a_word_is_no_neighbour_of_itself_and_rows_of_zeros_are_nobodys():
    embedding = Embedding("tiny", ["a", "b", "zero"], np.array([[1, 0], [1, 1], [0, 0]], dtype=np.float32))
    found = neighbours(embedding, "A", count=10)
    assert found.token == "a"
    assert [word for word, _ in found.nearest] == ["b"]


def test_a_word_made_of_subwords_has_neighbours_too():
    vectors = np.array([[1, 0], [0, 1]], dtype=np.float32)
    embedding = Embedding("parts", ["a", "b"], vectors, subword=lambda word: vectors[1])
    assert [word for word, _ in neighbours(embedding, "bb").nearest] == ["b", "a"]


@pytest.mark.parametrize("count", [0, 101])
def test_as_many_as_are_promised(count):
    embedding = Embedding("tiny", ["a"], np.ones((1, 2), dtype=np.float32))
    with refuses(SettingError, option="count", got=count):
        neighbours(embedding, "a", count=count)


def test_a_missing_word_is_named():
    embedding = Embedding("tiny", ["a"], np.ones((1, 2), dtype=np.float32))
    with refuses(VocabularyError, where="tiny", words=("q",)):
        neighbours(embedding, "q")
