import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from refusals import refuses

from imprint.directions.neighbours import neighbours, rank_names
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
    assert [one.word for one in found] == expected
    assert [one.value for one in found] == pytest.approx([cosines[word] for word in expected], abs=1e-12)


def test_blocks_of_a_large_matrix_are_put_together(monkeypatch):
    vectors = np.random.default_rng(0).normal(size=(50, 4)).astype(np.float32)
    embedding = Embedding("random", [f"w{row}" for row in range(50)], vectors)
    whole = neighbours(embedding, "w7", count=49)
    monkeypatch.setattr(module, "BLOCK_ROWS", 7)
    parts = neighbours(embedding, "w7", count=49)
    assert [one.word for one in parts.nearest] == [one.word for one in whole.nearest]
    assert len(parts.nearest) == 49


def test_a_word_is_no_neighbour_of_itself_and_rows_of_zeros_are_nobodys():
    embedding = Embedding("tiny", ["a", "b", "zero"], np.array([[1, 0], [1, 1], [0, 0]], dtype=np.float32))
    found = neighbours(embedding, "A", count=10)
    assert found.token == "a"
    assert [one.word for one in found.nearest] == ["b"]


def test_a_word_made_of_subwords_has_neighbours_too():
    vectors = np.array([[1, 0], [0, 1]], dtype=np.float32)
    embedding = Embedding("parts", ["a", "b"], vectors, subword=lambda word: vectors[1])
    assert [one.word for one in neighbours(embedding, "bb").nearest] == ["b", "a"]


@pytest.mark.parametrize("count", [0, 101])
def test_as_many_as_are_promised(count):
    embedding = Embedding("tiny", ["a"], np.ones((1, 2), dtype=np.float32))
    with refuses(SettingError, option="count", got=count):
        neighbours(embedding, "a", count=count)


def test_a_missing_word_is_named():
    embedding = Embedding("tiny", ["a"], np.ones((1, 2), dtype=np.float32))
    with refuses(VocabularyError, where="tiny", words=("q",)):
        neighbours(embedding, "q")


def test_a_query_of_several_words_is_their_mean():
    vectors = np.array([[1, 0], [0, 1], [1, 1], [-1, 1]], dtype=np.float32)
    embedding = Embedding("tiny", ["a", "b", "both", "c"], vectors)
    found = neighbours(embedding, "a b absent")
    assert (found.token, found.missing) == ("a b", ("absent",))
    assert found.nearest[0].value == pytest.approx(1.0)
    assert [one.word for one in found.nearest] == ["both", "c"]


def test_most_similar_adds_and_subtracts():
    vectors = np.array([[1, 0, 0], [1, 1, 0], [0, 0, 1], [0, 1, 1], [0, 1, -1]], dtype=np.float32)
    embedding = Embedding("tiny", ["man", "king", "woman", "queen", "other"], vectors)
    assert embedding.most_similar(["king", "woman"], "man", count=1)[0][0] == "queen"
    assert {word for word, _ in embedding.most_similar("man")} == {"king", "woman", "queen", "other"}
    with refuses(VocabularyError, where="tiny", words=("q",)):
        embedding.most_similar(["man", "q"])
    with refuses(SettingError, option="count", got=0):
        embedding.most_similar("man", count=0)


def test_a_word_in_brackets_is_its_vector():
    embedding = Embedding("tiny", ["a", "b"], np.array([[1, 2], [3, 4]], dtype=np.float32))
    assert embedding["B"].tolist() == [3.0, 4.0]
    assert list(embedding) == ["a", "b"]
    with refuses(VocabularyError, where="tiny", words=("q",)):
        embedding["q"]


def test_names_are_ranked_by_a_query():
    rows = {"code": (1, 0), "john": (1, 0.1), "paul": (1, 0.2), "mary": (0.2, 1), "anna": (0.1, 1)}
    embedding = Embedding("tiny", list(rows), np.array(list(rows.values()), dtype=np.float32))
    found = rank_names(embedding, "code", x=["John", "Paul"], y=["Mary", "Anna", "absent"])
    assert [one.word for one in found.scores] == ["John", "Paul", "Mary", "Anna"]
    assert (found.share_higher, found.missing) == (1.0, ("absent",))
    assert found.p_value == pytest.approx(2 / 6)
    same = rank_names(embedding, "code", document="john", x=["John"], y=["Mary"])
    page = np.array(rows["john"]) / np.linalg.norm(rows["john"])
    assert same.scores[0].value == pytest.approx(page[0])


def test_a_ranking_needs_words_and_names():
    embedding = Embedding("tiny", ["a"], np.ones((1, 2), dtype=np.float32))
    with refuses(VocabularyError, where="tiny", words=("q",)):
        rank_names(embedding, "q", x=["a"], y=["a"])
    with refuses(VocabularyError, where="tiny", words=("b",)):
        rank_names(embedding, "a", x=["a"], y=["b"])


def test_johns_page_ranks_above_marys_as_the_paper_says():
    found = rank_names("default", "graduate student machine learning neural networks", x=["John"], y=["Mary"])
    assert found.scores[0].word == "John"
