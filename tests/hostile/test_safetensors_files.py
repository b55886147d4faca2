import json
import struct

import numpy as np
import pytest
from refusals import refuses
from safetensors.numpy import save_file

from imprint.errors import EmbeddingFileError
from imprint.subjects.opening import load

VECTORS = {"dtype": "F32", "shape": [2, 2], "data_offsets": [0, 16]}
WORDS = {"dtype": "U8", "shape": [3], "data_offsets": [16, 19]}
MORE = {"dtype": "U8", "shape": [9]}
NO_RANKS = {"dtype": "I32", "shape": [0], "data_offsets": [19, 19]}
CONTRADICTION = "'vectors'"
DATA = np.array([[1, 2], [3, 4]], "<f4").tobytes() + b"a\nb"


def content(header: object, data: bytes = DATA) -> bytes:
    text = header if isinstance(header, bytes) else json.dumps(header).encode()
    return struct.pack("<Q", len(text)) + text + data


def test_the_honest_file_is_read(tmp_path):
    path = tmp_path / "good"
    path.write_bytes(content({"vectors": VECTORS, "words": WORDS}))
    assert load(path).words == ["a", "b"]
    assert load(path).vectors.tolist() == [[1, 2], [3, 4]]


@pytest.mark.parametrize("length", [1 << 63, 1 << 40, 100_000_001, 1000])
def test_a_giant_header_is_refused_by_its_length(refused, length):
    assert f"{length:,} bytes" in refused(struct.pack("<Q", length) + b"{}" + DATA).error.message


@pytest.mark.parametrize(
    ("changes", "said"),
    [
        ({"vectors": VECTORS | {"data_offsets": [0, 1 << 50]}}, CONTRADICTION),
        ({"vectors": VECTORS | {"data_offsets": [16, 0]}}, CONTRADICTION),
        ({"vectors": VECTORS | {"data_offsets": [-16, 0]}}, CONTRADICTION),
        ({"vectors": VECTORS | {"shape": [2, 3]}}, CONTRADICTION),
        ({"vectors": VECTORS | {"shape": [1 << 62, 1 << 62]}}, CONTRADICTION),
        ({"vectors": VECTORS | {"shape": [True, 2]}}, CONTRADICTION),
        ({"vectors": VECTORS | {"shape": [2.0, 2]}}, CONTRADICTION),
        ({"vectors": VECTORS | {"dtype": "F64"}}, CONTRADICTION),
        ({"vectors": VECTORS | {"dtype": ["F32"]}}, CONTRADICTION),
        ({"vectors": None}, CONTRADICTION),
        ({"vectors": VECTORS | {"shape": [4]}}, "(4,)"),
        ({"vectors": VECTORS | {"shape": [4, 1]}}, "(4, 1)"),
        ({"words": WORDS | {"data_offsets": [13, 16]}}, "'words' at bytes 13"),
        ({"words": WORDS | {"data_offsets": [15, 18]}}, "'words' at bytes 15"),
        ({"words": WORDS | {"data_offsets": [17, 20]}}, "'words' at bytes 17"),
        ({"more": MORE | {"data_offsets": [19, 28]}}, "28"),
        ({"more": MORE | {"data_offsets": [3, 12]}}, "'more' at bytes 3"),
        ({"ranks": NO_RANKS}, "(0,)"),
        ({"__metadata__": {"name": 7}}, "header"),
        ({"__metadata__": []}, "header"),
    ],
)
def test_offsets_shapes_and_types_that_lie(refused, changes, said):
    assert said in refused(content({"vectors": VECTORS, "words": WORDS, **changes})).error.message


@pytest.mark.parametrize(
    "header", [b"{", b"{}}", b"{" + b"[" * 100_000, b'{"a": 1' + b"0" * 5000 + b"}", b'{"\xff": 1}', b"{'a': 1}"]
)
def test_a_header_that_is_not_json(refused, header):
    assert "JSON" in refused(content(header)).error.message


def test_a_file_cut_short(refused):
    whole = content({"vectors": VECTORS, "words": WORDS})
    assert "18 bytes" in refused(whole[:-1]).error.message
    assert "header" in refused(whole[:40]).error.message


def test_bytes_after_the_last_tensor(refused):
    whole = content({"vectors": VECTORS, "words": WORDS})
    assert "20 bytes" in refused(whole + b"x").error.message


def test_words_that_are_not_utf8(refused):
    written = content({"vectors": VECTORS, "words": WORDS}, DATA[:-1] + b"\xff")
    assert "word 2" in refused(written).error.message


def test_an_embedding_of_no_words(refused):
    header = {
        "vectors": {"dtype": "F32", "shape": [0, 2], "data_offsets": [0, 0]},
        "words": {"dtype": "U8", "shape": [0], "data_offsets": [0, 0]},
    }
    assert "(0, 2)" in refused(content(header, b"")).error.message


@pytest.mark.parametrize("shape", [[1 << 62, 0], [1 << 63, 0], [0, 1 << 70]])
def test_an_empty_tensor_of_a_monstrous_shape(refused, shape):
    header = {
        "vectors": {"dtype": "F32", "shape": shape, "data_offsets": [0, 0]},
        "words": {"dtype": "U8", "shape": [0], "data_offsets": [0, 0]},
    }
    assert CONTRADICTION in refused(content(header, b"")).error.message


def test_a_safetensors_file_of_a_model(tmp_path):
    path = tmp_path / "model.safetensors"
    save_file({"encoder.weight": np.ones((2, 2), np.float32)}, path)
    with refuses(EmbeddingFileError, "encoder.weight", "vectors", "words", where=path):
        load(path)


@pytest.mark.parametrize("kind", ["F32", "F16"])
def test_values_that_are_not_finite_are_refused_when_they_are_used(tmp_path, kind):
    path = tmp_path / "nan"
    values = np.array([[1, 2], [3, np.nan]], "<f4" if kind == "F32" else "<f2").tobytes()
    size = len(values)
    header = {
        "vectors": {"dtype": kind, "shape": [2, 2], "data_offsets": [0, size]},
        "words": {"dtype": "U8", "shape": [3], "data_offsets": [size, size + 3]},
    }
    path.write_bytes(content(header, values + b"a\nb"))
    with refuses(EmbeddingFileError, words=("b",)):
        load(path).lookup(["a", "b"])
    with refuses(EmbeddingFileError, words=("b",), where=(path, "row 1")):
        load(path, only=["b"])


def test_vectors_at_an_odd_offset_are_read_all_the_same(tmp_path):
    path = tmp_path / "odd"
    header = {"vectors": VECTORS | {"data_offsets": [3, 19]}, "words": WORDS | {"data_offsets": [0, 3]}}
    path.write_bytes(content(header, b"a\nb" + DATA[:16]))
    assert load(path).vectors.tolist() == [[1, 2], [3, 4]]
    assert load(path).norms.tolist() == pytest.approx([5**0.5, 5.0])
