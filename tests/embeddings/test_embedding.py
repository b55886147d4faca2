import hashlib
import pickle
import re
from concurrent.futures import ProcessPoolExecutor
from multiprocessing import get_context
from pathlib import Path

import numpy as np
import pytest
from gensim.models.fasttext import save_facebook_model
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra import numpy as hnp
from refusals import refuses

from imprint.debiasing.transform import Card, LinearTransform
from imprint.embeddings.convert import convert
from imprint.embeddings.embedding import Embedding
from imprint.errors import EmbeddingFileError
from imprint.subjects.opening import load

matrices = hnp.arrays(np.float32, st.tuples(st.integers(1, 8), st.integers(1, 5)), elements=st.floats(-8, 8, width=16))


def made(vectors: np.ndarray, words: list[str] | None = None, **fields: object) -> Embedding:
    return Embedding("made", words or [f"w{row}" for row in range(len(vectors))], vectors, **fields)


def test_lookup_takes_the_spelling_first_and_lower_case_second():
    embedding = made(np.eye(3, dtype=np.float32), ["Rose", "rose", "lily"])
    found = embedding.lookup(["Rose", "ROSE", "Lily", "tulip", "rose"])
    assert found.words == ("Rose", "ROSE", "Lily", "rose")
    assert found.tokens == ("Rose", "rose", "lily", "rose")
    assert found.matches == ("exact", "lower", "lower", "exact")
    assert found.missing == ("tulip",)
    assert found.vectors.tolist() == np.eye(3, dtype=np.float32)[[0, 1, 2, 1]].tolist()
    assert repr(found) == "Lookup(4 found, 1 missing)"


def test_lookup_never_goes_from_lower_case_to_upper():
    assert made(np.ones((1, 2), np.float32), ["Rose"]).lookup(["rose"]).missing == ("rose",)


def test_a_zero_vector_counts_as_missing_and_its_lower_case_form_may_stand_in():
    embedding = made(np.array([[0, 0], [1, 2], [0, 0]], np.float32), ["Rose", "rose", "lily"])
    found = embedding.lookup(["Rose", "lily"])
    assert (found.tokens, found.missing) == (("rose",), ("lily",))


def test_looking_up_nothing_gives_an_empty_matrix_of_the_right_width():
    assert made(np.ones((2, 3), np.float32)).lookup([]).vectors.shape == (0, 3)


def test_subwords_are_asked_last_and_may_decline():
    def compose(word: str) -> np.ndarray | None:
        return np.full(2, len(word), np.float32) if word != "??" else None

    embedding = made(np.ones((1, 2), np.float32), ["rose"], subword=compose)
    found = embedding.lookup(["Rose", "roses", "??"])
    assert (found.matches, found.missing) == (("lower", "subword"), ("??",))
    assert found.vectors.tolist() == [[1, 1], [5, 5]]


def test_looking_up_a_vector_that_is_not_finite_is_refused():
    embedding = made(np.array([[1, np.nan]], np.float32), ["rose"])
    with refuses(EmbeddingFileError, where="made", words=("rose",)):
        embedding.lookup(["rose"])


def test_the_first_of_two_equal_words_is_the_one_found():
    embedding = made(np.array([[1, 0], [2, 0]], np.float32), ["rose", "rose"])
    assert embedding.lookup(["rose"]).vectors.tolist() == [[1, 0]]
    assert "rose" in embedding
    assert "lily" not in embedding


@given(matrices)
def test_norms_are_the_lengths_of_rows(matrix):
    assert np.allclose(made(matrix).norms, np.linalg.norm(matrix.astype(np.float64), axis=1), rtol=1e-12)


@given(matrices, st.data())
def test_unit_rows_have_length_one_and_zero_rows_stay_zero(matrix, data):
    embedding = made(matrix)
    whole = np.asarray(embedding.unit)
    lengths = np.linalg.norm(whole, axis=1)
    assert np.allclose(lengths, np.where(embedding.norms == 0, 0, 1), atol=1e-5)
    assert np.allclose(whole * embedding.norms[:, None], matrix, atol=1e-5)
    rows = data.draw(st.lists(st.integers(0, len(matrix) - 1), max_size=5))
    assert np.array_equal(embedding.unit[rows], whole[rows])
    assert np.array_equal(embedding.unit[0], whole[0])
    assert np.asarray(embedding.unit, dtype=np.float64).dtype == np.float64


def test_vectors_must_be_one_float32_row_a_word():
    with refuses(EmbeddingFileError, "(2, 3)", where="made"):
        made(np.ones((2, 3), np.float32), ["one"])
    with refuses(EmbeddingFileError, where="made", option="vectors", got="float64"):
        made(np.ones((1, 3)), ["one"])


def test_gensim_and_back_changes_nothing(keyed_vectors):
    embedding = Embedding.from_gensim(keyed_vectors, name="there")
    assert embedding.vectors is keyed_vectors.vectors
    back = embedding.to_gensim()
    assert back.index_to_key == keyed_vectors.index_to_key
    assert np.array_equal(back.vectors, keyed_vectors.vectors)
    assert back.similarity("word1", "naïve") == keyed_vectors.similarity("word1", "naïve")


def test_a_loaded_embedding_goes_to_gensim(glove):
    assert load(glove).to_gensim()["new york"].tolist() == np.array([0.25, 0.08], np.float32).tolist()


def test_the_hash_is_the_files_or_else_that_of_words_and_vectors(glove):
    assert load(glove).sha256 == hashlib.sha256(glove.read_bytes()).hexdigest()
    one, two = np.ones((1, 2), np.float32), np.full((1, 2), 2, np.float32)
    assert made(one).sha256 == made(one).sha256
    assert len({made(one).sha256, made(two).sha256, made(one, ["other"]).sha256}) == 3


def test_words_that_are_not_quite_text_are_hashed_and_others_as_before():
    vectors = np.ones((2, 2), np.float32)
    ordinary = hashlib.sha256("rose\nñandú".encode() + vectors.tobytes()).hexdigest()
    assert made(vectors, ["rose", "ñandú"]).sha256 == ordinary
    assert made(vectors, ["rose", "a\ud800b"]).sha256 != made(vectors, ["rose", "a\ud801b"]).sha256


def test_the_repr_says_what_it_is(glove):
    assert repr(load(glove)) == "Embedding('tiny', 3 words, 2 dimensions)"


def use(embedding):
    """Ask for everything that is kept once it is made."""
    return (
        embedding.lookup(embedding.words[:2]),
        embedding.sha256,
        embedding.norms,
        embedding.unit[:1],
        embedding.index,
    )


@pytest.mark.parametrize("used", [False, True])
@pytest.mark.parametrize("form", ["text", "mapped", "bundled", "gensim beside", "fasttext", "debiased fasttext"])
def test_an_embedding_can_be_pickled_after_use(form, used, glove, keyed_vectors, fasttext_model, tmp_path):
    if form == "text":
        embedding = load(glove)
    elif form == "mapped":
        convert(load(glove), tmp_path / "ours.safetensors")
        embedding = load(tmp_path / "ours.safetensors")
        assert isinstance(embedding.vectors, np.memmap)
    elif form == "bundled":
        embedding = load("default", only=["rose", "lily"])
    elif form == "gensim beside":
        keyed_vectors.save(str(tmp_path / "x.kv"), sep_limit=0)
        embedding = load(tmp_path / "x.kv")
    else:
        save_facebook_model(fasttext_model, str(tmp_path / "x.bin"))
        embedding = load(tmp_path / "x.bin")
    if form == "debiased fasttext":
        card = Card("x", "", ("he",), ("she",), ())
        embedding = LinearTransform("own", card, 2 * np.eye(8), np.zeros(8)).apply(embedding)
    if used:
        use(embedding)
    content = pickle.dumps(embedding)
    for file in tmp_path.iterdir():
        file.unlink()  # as on another machine
    copy = pickle.loads(content)
    assert type(copy.vectors) is np.ndarray
    assert (copy.name, list(copy.words), copy.sha256) == (embedding.name, list(embedding.words), embedding.sha256)
    assert copy.vectors.tobytes() == np.asarray(embedding.vectors).tobytes()
    words = [*embedding.words[:2], "catdog"]
    assert copy.lookup(words).vectors.tobytes() == embedding.lookup(words).vectors.tobytes()
    assert copy.lookup(words).matches == embedding.lookup(words).matches
    assert copy.norms.tobytes() == embedding.norms.tobytes()


def test_another_process_gives_the_same_numbers(glove):
    embedding = load(glove)
    use(embedding)
    with ProcessPoolExecutor(1, mp_context=get_context("spawn")) as pool:
        assert pool.submit(Embedding.check_finite, embedding).result() is None
        assert pool.submit(Embedding.identify, embedding).result() == embedding.sha256


@pytest.mark.skipif(not Path("/proc/self/smaps").exists(), reason="needs Linux's account of mapped pages")
def test_a_mapped_matrix_that_was_read_whole_is_given_back(tmp_path):
    rows = np.random.default_rng(0).normal(size=(20_000, 100)).astype(np.float32)
    path = tmp_path / "mapped.safetensors"
    convert(Embedding("mapped", [f"w{number}" for number in range(len(rows))], rows), path)
    mapped = load(path)

    def kilobytes():
        entries = Path("/proc/self/smaps").read_text().split(str(path))[1:]
        return sum(int(re.search(r"^Rss: +(\d+) kB", entry, re.MULTILINE)[1]) for entry in entries)

    assert np.array_equal(mapped.vectors, rows)
    assert kilobytes() > 4_000
    assert np.allclose(mapped.norms, np.linalg.norm(rows.astype(np.float64), axis=1))
    assert kilobytes() < 1_000
    assert np.array_equal(mapped.vectors, rows)


def test_a_signalling_nan_is_a_nan_without_a_warning():
    matrix = np.ones((3, 4), dtype=np.float32)
    matrix.view(np.uint32)[1, 2] = 0x7F800001
    ((_, block),) = Embedding("x", ["a", "b", "c"], matrix).blocks()
    assert np.isnan(block).sum() == 1
