"""Files that claim to be transforms: refused in one line, nothing run, nothing large made on their word."""

import json
import os
import pickle
import struct

import numpy as np
import pytest
from safetensors.numpy import save_file

from imprint.debiasing.saved import load_transform
from imprint.debiasing.transform import Card, HardTransform, LinearTransform
from imprint.errors import ImprintError

KEY = "imprint-transform"
CARD = Card("e", "0", ("he",), ("she",), ("nurse",), settings={"strength": 1.0}, measured={"gap": 0.0})
LINEAR = LinearTransform("linear", CARD, np.eye(3), np.zeros(3))
HARD = HardTransform("hard", CARD, np.eye(3)[:1], frozenset({"king"}), (("king", "queen"),))


@pytest.fixture
def path(tmp_path):
    return tmp_path / "bad.safetensors"


@pytest.fixture
def refused(path):
    def load_and_fail() -> str:
        with pytest.raises(ImprintError, match=r"bad\.safetensors: ") as raised:
            load_transform(path)
        message = str(raised.value)
        assert "\n" not in message
        assert len(message) < len(str(path)) + 300
        return message.removeprefix(f"{path}: ")

    return load_and_fail


def header(transform) -> dict:
    card = {name: getattr(CARD, name) for name in Card.__dataclass_fields__}
    words = {"kept": ["king"], "pairs": [["king", "queen"]]} if transform is HARD else {}
    return {"form": transform.form, "method": transform.method, "card": card, **words}


def write(path, tensors, content) -> None:
    text = content if isinstance(content, str) else json.dumps(content)
    save_file({name: np.array(tensor) for name, tensor in tensors.items()}, path, metadata={KEY: text})


@pytest.mark.parametrize("transform", [LINEAR, HARD])
def test_the_honest_file_is_read_and_is_what_save_writes(path, transform):
    tensors = {"matrix": LINEAR.matrix, "centre": LINEAR.centre} if transform is LINEAR else {"basis": HARD.basis}
    write(path, tensors, header(transform))
    loaded = load_transform(path)
    assert loaded.card == CARD
    transform.save(path)
    assert load_transform(path).card == loaded.card


class Bomb:
    def __reduce__(self):
        return os.mkdir, ("exploded",)


@pytest.mark.parametrize(
    "content",
    [
        b"",
        b"{}",
        pickle.dumps(Bomb()),
        struct.pack("<Q", 1 << 62) + b"{}",
        struct.pack("<Q", 2) + b"{",
        struct.pack("<Q", 100_000) + b"[" * 100_000,
        struct.pack("<Q", 8) + b'{"a": 1}' + bytes(8),
    ],
)
def test_what_is_no_safetensors_file_is_refused_and_not_run(path, refused, content, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    path.write_bytes(content)
    assert refused().startswith("holds ")
    assert not (tmp_path / "exploded").exists()


def test_shapes_that_lie_about_the_data_are_refused(path, refused):
    text = json.dumps({"matrix": {"dtype": "F64", "shape": [1 << 20, 1 << 20], "data_offsets": [0, 8]}}).encode()
    path.write_bytes(struct.pack("<Q", len(text)) + text + bytes(8))
    assert refused().startswith("holds no safetensors (")


def test_safetensors_of_something_else_are_refused(path, refused):
    save_file({"encoder.weight": np.eye(2)}, path)
    assert refused() == "holds safetensors of something else; a transform saved by imprint is wanted"


@pytest.mark.parametrize(
    "text",
    ["", "{", "[]", "7", "null", "[" * 100_000, '{"form": "linear"}', '{"form": ["linear"]}', '{"form": "pickle"}'],
)
def test_json_that_describes_no_transform_is_refused(path, refused, text):
    write(path, {"matrix": np.eye(2), "centre": np.zeros(2)}, text)
    assert refused().startswith("holds ")


@pytest.mark.parametrize(
    ("tensors", "message"),
    [
        ({"matrix": np.eye(3)}, "'centre'"),
        ({"matrix": np.eye(3), "centre": np.zeros(2)}, r"a matrix of shape (3, 3) and a centre of shape (2,)"),
        ({"matrix": np.ones((3, 2)), "centre": np.zeros(3)}, r"a matrix of shape (3, 2)"),
        ({"matrix": np.ones(3), "centre": np.zeros(3)}, r"a matrix of shape (3,)"),
        ({"matrix": np.zeros((0, 0)), "centre": np.zeros(0)}, r"a matrix of shape (0, 0)"),
        ({"matrix": np.full((2, 2), np.nan), "centre": np.zeros(2)}, "NaN or an infinity in tensor 'matrix'"),
        ({"matrix": np.eye(2), "centre": np.array([0.0, np.inf])}, "NaN or an infinity in tensor 'centre'"),
        ({"matrix": np.eye(2, dtype=np.float32), "centre": np.zeros(2)}, "tensor 'matrix' as F32 where F64"),
        ({"matrix": np.eye(2, dtype=np.int64), "centre": np.zeros(2)}, "tensor 'matrix' as I64 where F64"),
    ],
)
def test_tensors_that_make_no_linear_transform_are_refused(path, refused, tensors, message):
    write(path, tensors, header(LINEAR))
    assert refused().startswith(f"holds {message}")


@pytest.mark.parametrize(
    ("changes", "message"),
    [
        ({"kept": "king"}, "'king' where a list of words"),
        ({"kept": [1]}, "'[1]' where a list of words"),
        ({"pairs": [["king"]]}, "not enough values"),
        ({"pairs": ["ab"]}, "'ab' where a list of words"),
        ({"pairs": [["a", "b"], ["b", "c"]]}, "a word in two pairs"),
        ({"pairs": [["a", "a"]]}, "a word in two pairs"),
        ({"card": {}}, "'positive'"),
        ({"card": 3}, ""),
        ({"card": header(HARD)["card"] | {"seeds": "nurse"}}, "'nurse' where a list of words"),
        ({"card": header(HARD)["card"] | {"settings": 3}}, ""),
    ],
)
def test_words_and_cards_of_the_wrong_kind_are_refused(path, refused, changes, message):
    write(path, {"basis": HARD.basis}, header(HARD) | changes)
    assert refused().startswith(f"holds {message}")


@pytest.mark.parametrize("basis", [np.ones((1, 3)), np.zeros((1, 3)), np.ones((4, 3)), np.zeros((0, 3)), np.ones(3)])
def test_a_basis_that_is_not_orthonormal_is_refused(path, refused, basis):
    write(path, {"basis": basis}, header(HARD))
    assert refused().startswith("holds a basis ")


def test_what_is_no_file_is_refused(path, refused, tmp_path):
    assert refused() == "cannot be read (No such file or directory); check the path"
    path.mkdir()
    assert refused().startswith("holds something else than a regular file")
    path.rmdir()
    os.mkfifo(path)
    assert refused().startswith("holds something else than a regular file")


def test_a_file_larger_than_any_transform_is_not_opened(path, refused):
    with path.open("wb") as file:
        file.truncate((1 << 30) + 1)
    assert refused().startswith("holds something else than a regular file of a transform's size")


def test_a_name_that_no_file_can_have_is_refused():
    with pytest.raises(ImprintError, match="a transform saved by imprint is wanted"):
        load_transform("a\0b")
