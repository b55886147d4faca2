"""Whatever the bytes, load() gives an embedding or one clear error."""

import gzip
import hashlib
import lzma
import struct
import tempfile
from pathlib import Path

import numpy as np
import pytest
from fuzz import READERS, make, run
from gensim.models import FastText, KeyedVectors
from gensim.models.fasttext import save_facebook_model
from hypothesis import given, settings
from hypothesis import strategies as st
from systems import linux

from imprint.embeddings.convert import convert
from imprint.embeddings.embedding import Embedding
from imprint.errors import ImprintError
from imprint.subjects.opening import load

STARTS = [
    b"",
    b"2 2\n",
    b"2 2\ncat ",
    b"cat 1 2\n",
    b"\x80\x02",
    b"\x80\x04",
    b"\x80\x04\x95\x10\x00\x00\x00\x00\x00\x00\x00",
    b"\x1f\x8b\x08\x00",
    b"\xfd7zXZ\x00",
    b"PK\x03\x04",
    b"PK\x05\x06",
    struct.pack("<2i", 793712314, 12),
    b"\x10\x00\x00\x00\x00\x00\x00\x00{",
]


@pytest.fixture(scope="module")
def real_files(tmp_path_factory) -> list[bytes]:
    """One small honest file of every format."""
    folder = tmp_path_factory.mktemp("real")
    vectors = KeyedVectors(vector_size=3)
    vectors.add_vectors(["cat", "naïve", "dog"], np.random.default_rng(2).normal(size=(3, 3)).astype(np.float32))
    vectors.save_word2vec_format(str(folder / "text"))
    vectors.save_word2vec_format(str(folder / "binary"), binary=True)
    for protocol in (2, 4, 5):
        vectors.save(str(folder / f"protocol{protocol}"), pickle_protocol=protocol)
    model = FastText([["cat", "dog", "bird"]] * 10, vector_size=3, min_count=1, epochs=1, bucket=9, workers=1)
    save_facebook_model(model, str(folder / "fasttext"))
    model.wv.save(str(folder / "fasttext.kv"))
    convert(Embedding.from_gensim(vectors), folder / "ours.safetensors")
    plain = [path.read_bytes() for path in sorted(folder.iterdir())]
    text = (folder / "text").read_bytes()
    return [*plain, text.partition(b"\n")[2], gzip.compress(text, mtime=0), lzma.compress(text)]


@linux
def test_mutated_files_of_every_reader_are_read_or_refused():
    """A few of the files that `make fuzz` reads; any that fails is named by its number."""
    ends, failures = run(300)
    assert failures == []
    assert {end.split()[0] for end in ends} == set(READERS)


def test_file_number_n_is_the_same_everywhere():
    content = hashlib.sha256(b"".join(make(number)[2] for number in range(200))).hexdigest()
    assert content == "d65dc4d909e8481d0c77afa395ca59d7ffa35e6646de6e17574c08a0373fabd0"


def load_or_refuse(content: bytes, only: list[str] | None) -> None:
    message = ""
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "file"
        path.write_bytes(content)
        try:
            embedding = load(path, only=only)
            embedding.lookup(["cat", "Dog", "unseen"])
            assert len(embedding.words) == len(embedding.vectors)
        except ImprintError as error:
            message = str(error)
    assert "\n" not in message


chosen = st.sampled_from([None, ["cat", "Dog"]])


@settings(deadline=None, max_examples=400)
@given(st.sampled_from(STARTS), st.binary(max_size=300), chosen)
def test_random_bytes(start, rest, only):
    load_or_refuse(start + rest, only)


@settings(deadline=None, max_examples=200)
@given(st.text(alphabet=" \t\n\r.-+eE0123456789catnanif\u00a0", max_size=200), chosen)
def test_random_text_of_numerals(text, only):
    load_or_refuse(text.encode(), only)


@settings(deadline=None, max_examples=600)
@given(
    st.data(),
    st.lists(st.tuples(st.floats(0, 1, exclude_max=True), st.binary(max_size=4), st.integers(0, 4)), max_size=4),
    st.floats(0, 1),
    chosen,
)
def test_real_files_with_bytes_changed_added_and_cut_off(real_files, data, edits, keep, only):
    content = bytearray(data.draw(st.sampled_from(real_files)))
    for place, inserted, removed in edits:
        at = int(place * len(content))
        content[at : at + removed] = inserted
    if not edits or keep < 0.5:
        content = content[: int(len(content) * keep)]
    load_or_refuse(bytes(content), only)
