"""Files that claim to be transforms: refused in one line, nothing run, nothing large made on their word."""

import json
import os
import pickle
import struct

import numpy as np
import pytest
from refusals import refuses
from safetensors.numpy import save_file
from systems import posix

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
        with refuses(ImprintError, where=path) as raised:
            load_transform(path)
        assert len(raised.value.message) < 300
        return raised.value.message

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
    refused()
    assert not (tmp_path / "exploded").exists()


def test_shapes_that_lie_about_the_data_are_refused(path, refused):
    text = json.dumps({"matrix": {"dtype": "F64", "shape": [1 << 20, 1 << 20], "data_offsets": [0, 8]}}).encode()
    path.write_bytes(struct.pack("<Q", len(text)) + text + bytes(8))
    assert "safetensors" in refused()


def test_safetensors_of_something_else_are_refused(path, refused):
    save_file({"encoder.weight": np.eye(2)}, path)
    assert "safetensors" in refused()


@pytest.mark.parametrize(
    "text",
    ["", "{", "[]", "7", "null", "[" * 100_000, '{"form": "linear"}', '{"form": ["linear"]}', '{"form": "pickle"}'],
)
def test_json_that_describes_no_transform_is_refused(path, refused, text):
    write(path, {"matrix": np.eye(2), "centre": np.zeros(2)}, text)
    refused()


@pytest.mark.parametrize(
    ("tensors", "said"),
    [
        ({"matrix": np.eye(3)}, "'centre'"),
        ({"matrix": np.eye(3), "centre": np.zeros(2)}, "(2,)"),
        ({"matrix": np.ones((3, 2)), "centre": np.zeros(3)}, "(3, 2)"),
        ({"matrix": np.ones(3), "centre": np.zeros(3)}, "(3,)"),
        ({"matrix": np.zeros((0, 0)), "centre": np.zeros(0)}, "(0, 0)"),
        ({"matrix": np.full((2, 2), np.nan), "centre": np.zeros(2)}, "'matrix' holds NaN"),
        ({"matrix": np.eye(2), "centre": np.array([0.0, np.inf])}, "'centre' holds NaN"),
        ({"matrix": np.full((2, 2), 1e300), "centre": np.zeros(2)}, "'matrix' holds NaN"),
        ({"matrix": np.eye(2, dtype=np.float32), "centre": np.zeros(2)}, "F32"),
        ({"matrix": np.eye(2, dtype=np.int64), "centre": np.zeros(2)}, "I64"),
    ],
)
def test_tensors_that_make_no_linear_transform_are_refused(path, refused, tensors, said):
    write(path, tensors, header(LINEAR))
    assert said in refused()


@pytest.mark.parametrize(
    ("changes", "said"),
    [
        ({"kept": "king"}, "'king'"),
        ({"kept": [1]}, "list of words"),
        ({"pairs": [["king"]]}, "fewer than two words"),
        ({"pairs": ["ab"]}, "'ab'"),
        ({"pairs": [["a", "b"], ["b", "c"]]}, "two pairs"),
        ({"pairs": [["a", "a"]]}, "two pairs"),
        ({"card": {}}, "embedding"),
        ({"card": 3}, ""),
        ({"card": header(HARD)["card"] | {"seeds": "nurse"}}, "seeds"),
        ({"card": header(HARD)["card"] | {"settings": 3}}, ""),
    ],
)
def test_words_and_cards_of_the_wrong_kind_are_refused(path, refused, changes, said):
    write(path, {"basis": HARD.basis}, header(HARD) | changes)
    assert said in refused()


@pytest.mark.parametrize("basis", [np.ones((1, 3)), np.zeros((1, 3)), np.ones((4, 3)), np.zeros((0, 3)), np.ones(3)])
def test_a_basis_that_is_not_orthonormal_is_refused(path, refused, basis):
    write(path, {"basis": basis}, header(HARD))
    assert "basis" in refused()


@posix
def test_what_is_no_file_is_refused(path, refused, tmp_path):
    assert "No such file" in refused()
    path.mkdir()
    assert "regular file" in refused()
    path.rmdir()
    os.mkfifo(path)
    assert "regular file" in refused()


def test_a_file_larger_than_any_transform_is_not_opened(path, refused):
    with path.open("wb") as file:
        file.truncate((1 << 30) + 1)
    assert "regular file" in refused()


def test_a_name_that_no_file_can_have_is_refused():
    with refuses(ImprintError, "transform"):
        load_transform("a\0b")
