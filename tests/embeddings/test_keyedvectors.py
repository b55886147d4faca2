import pickle
import subprocess
import sys
import types
import zipfile
from pathlib import Path

import numpy as np
import pytest
from gensim.models import KeyedVectors
from refusals import refuses

from imprint.embeddings.formats.rows import assemble
from imprint.errors import EmbeddingFileError
from imprint.subjects.opening import load


@pytest.mark.parametrize("protocol", [2, 3, 4, 5])
def test_every_pickle_protocol_gives_gensims_words_and_vectors(keyed_vectors, word2vec_model, tmp_path, protocol):
    for saved, vectors in ((keyed_vectors, keyed_vectors), (word2vec_model, word2vec_model.wv)):
        path = tmp_path / "saved"
        saved.save(str(path), pickle_protocol=protocol)
        embedding = load(path)
        assert embedding.words == vectors.index_to_key
        assert np.array_equal(embedding.vectors, vectors.vectors)


def test_a_matrix_stored_beside_the_file_is_mapped(keyed_vectors, tmp_path):
    path = tmp_path / "large.kv"
    keyed_vectors.save(str(path), sep_limit=100)
    assert (tmp_path / "large.kv.vectors.npy").is_file()
    embedding = load(path)
    assert isinstance(embedding.vectors, np.memmap)
    assert np.array_equal(embedding.vectors, keyed_vectors.vectors)


def test_the_hash_covers_vectors_stored_beside_the_file(keyed_vectors, tmp_path):
    path, beside = tmp_path / "large.kv", tmp_path / "large.kv.vectors.npy"
    keyed_vectors.save(str(path), sep_limit=100)
    before = load(path).sha256
    np.save(beside, np.load(beside) + 1)
    assert load(path).sha256 != before


def test_a_models_matrix_stored_beside_it_is_found(word2vec_model, tmp_path):
    path = tmp_path / "large.model"
    word2vec_model.save(str(path), sep_limit=10)
    assert (tmp_path / "large.model.wv.vectors.npy").is_file()
    assert np.array_equal(load(path).vectors, word2vec_model.wv.vectors)


def test_double_and_half_precision_vectors_become_single(tmp_path):
    for kind in (np.float64, np.float16):
        vectors = KeyedVectors(vector_size=2, dtype=kind)
        vectors.add_vectors(["a", "b"], np.array([[0.1, 2], [3, 4]], dtype=kind))
        vectors.save(str(tmp_path / "odd.kv"))
        loaded = load(tmp_path / "odd.kv").vectors
        assert loaded.dtype == np.float32
        assert np.array_equal(loaded, np.array([[0.1, 2], [3, 4]], dtype=kind).astype(np.float32))


def test_only_keeps_rows_with_their_rank(keyed_vectors, tmp_path):
    path = tmp_path / "words.kv"
    keyed_vectors.save(str(path))
    kept = load(path, only=["WORD7", "東京", "absent"])
    assert kept.words == ["word7", "東京"]
    assert np.array_equal(kept.vectors, keyed_vectors[["word7", "東京"]])
    assert kept.ranks.tolist() == [7, 498]


def write_gensim_3_file(path: Path, words: list[str], vectors: np.ndarray, attributes: tuple[str, str]) -> None:
    """Write what gensim 3 wrote: words as numpy scalars, one Vocab object a word, protocol 2."""
    module = types.ModuleType("gensim.models.keyedvectors")
    for name in ("Word2VecKeyedVectors", "Vocab"):
        setattr(module, name, type(name, (), {"__module__": module.__name__}))
    saved = module.Word2VecKeyedVectors()
    scalars = [np.str_(word) for word in words]
    vocabulary = {}
    for row, scalar in enumerate(scalars):
        entry = module.Vocab()
        entry.__dict__.update(index=row, count=len(words) - row)
        vocabulary[scalar] = entry
    listed, stored = attributes
    saved.__dict__.update({stored: vectors, "vocab": vocabulary, "vector_size": vectors.shape[1], listed: scalars})
    real = sys.modules[module.__name__]
    sys.modules[module.__name__] = module
    try:
        path.write_bytes(pickle.dumps(saved, protocol=2))
    finally:
        sys.modules[module.__name__] = real


@pytest.mark.parametrize(
    "attributes", [("index2word", "vectors"), ("index2entity", "vectors"), ("index2word", "syn0")]
)
@pytest.mark.parametrize("order", ["C", "F"])
def test_files_of_gensim_3_are_read(tmp_path, attributes, order):
    path = tmp_path / "old.kv"
    vectors = np.asarray(np.random.default_rng(1).normal(size=(3, 4)), dtype=np.float32, order=order)
    write_gensim_3_file(path, ["cat", "naïve", "東京"], vectors, attributes)
    embedding = load(path)
    assert embedding.words == ["cat", "naïve", "東京"]
    assert np.array_equal(embedding.vectors, vectors)


def test_reading_imports_no_gensim(keyed_vectors, tmp_path):
    path = tmp_path / "words.kv"
    keyed_vectors.save(str(path))
    program = (
        "import sys; sys.modules['gensim'] = None\n"
        "from imprint.subjects.opening import load\n"
        "print(len(load(sys.argv[1])))"
    )
    run = subprocess.run([sys.executable, "-c", program, path], capture_output=True, text=True, check=True)
    assert run.stdout.strip() == "500"


def test_a_compressed_gensim_file_is_to_be_unpacked_first(keyed_vectors, tmp_path):
    from imprint.errors import EmbeddingFileError

    keyed_vectors.save(str(tmp_path / "words.kv"))
    with zipfile.ZipFile(tmp_path / "words.zip", "w") as archive:
        archive.write(tmp_path / "words.kv")
    with refuses(EmbeddingFileError, "zip", where=tmp_path / "words.zip"):
        load(tmp_path / "words.zip")


def test_a_signalling_nan_is_refused_as_any_other():
    matrix = np.ones((2, 3))
    matrix.view(np.uint64)[1, 1] = 0x7FF0000000000001
    with refuses(EmbeddingFileError, "nan"):
        assemble(Path("vectors.kv"), ["a", "b"], matrix, None)
