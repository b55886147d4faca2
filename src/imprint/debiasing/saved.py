"""Reading a saved transform: nothing in the file is run, and nothing in it is believed unchecked."""

import json
import stat
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any

import msgspec
import numpy as np

from imprint.debiasing.transform import KEY, Card, DoubleHardTransform, HardTransform, LinearTransform, Transform
from imprint.errors import ImprintError, brief, raising_as, reading_file
from imprint.files import FilePath
from imprint.types import Floats

Tensors = Mapping[str, Floats]

_LARGEST_NUMBER = 1e100  # products of larger ones overflow
_LARGEST = 1 << 30  # bytes: a matrix of 11,000 dimensions; what is larger is somebody's model


def load_transform(path: FilePath) -> Transform:
    """Read a transform that its `save` wrote; nothing in the file is run, and everything in it is checked.

    Parameters
    ----------
    path
        The file to read.

    Returns
    -------
    Transform
        Its `apply` debiases an embedding; call it to debias an array.

    Examples
    --------
    >>> imprint.HardDebiaser().fit("default").save("hard.safetensors")
    >>> imprint.load_transform("hard.safetensors").method
    'hard'
    """
    source = Path(path)
    broken = (ValueError, TypeError, KeyError, AttributeError, RecursionError, msgspec.ValidationError)
    refused = raising_as(broken, ImprintError, "is not a transform saved by imprint ({})", where=source)
    with reading_file(ImprintError, source, "check the path"), refused:
        tensors, text = _read_tensors(source)
        content = json.loads(text)
        card = msgspec.convert(content["card"], Card)
        form, read_parts = _FORMS[content["form"]]
        return form(str(content["method"]), card, **read_parts(tensors, content))


def _read_tensors(path: Path) -> tuple[dict[str, Floats], str]:
    from safetensors import SafetensorError, safe_open

    state = path.stat()
    if not stat.S_ISREG(state.st_mode) or state.st_size > _LARGEST:
        raise ValueError("it is not a regular file of a transform's size")
    try:
        with safe_open(path, framework="numpy") as file:
            text = (file.metadata() or {}).get(KEY)
            if text is None:
                raise ValueError("the safetensors hold something else")
            names = list(file.keys())
            for name in names:
                kind = file.get_slice(name).get_dtype()
                if kind != "F64":
                    raise ValueError(f"tensor {name!r} must be F64, got {kind}")
            tensors = {name: file.get_tensor(name) for name in names}
    except SafetensorError as error:
        raise ValueError(f"it is not safetensors: {error}") from error
    for name, tensor in tensors.items():
        if not (np.abs(tensor) < _LARGEST_NUMBER).all():
            raise ValueError(f"tensor {name!r} holds NaN, an infinity or a number beyond {_LARGEST_NUMBER:g}")
    return tensors, text


def _linear_parts(tensors: Tensors, words: Mapping[str, Any]) -> dict[str, Any]:
    """Return a square matrix, its centre and the words kept."""
    matrix, centre = tensors["matrix"], tensors["centre"]
    if centre.ndim != 1 or not len(centre) or matrix.shape != (len(centre), len(centre)):
        raise ValueError(f"its matrix has shape {matrix.shape} and its centre has shape {centre.shape}")
    return {"matrix": matrix, "centre": centre, "kept": frozenset(_word_list(words.get("kept", ())))}


def _hard_parts(tensors: Tensors, words: Mapping[str, Any]) -> dict[str, Any]:
    """Return an orthonormal basis, the words kept and pairs that share no word."""
    basis = tensors["basis"]
    _check_basis("basis", basis)
    pairs = tuple(map(_word_list, words["pairs"]))
    if any(len(pair) < 2 for pair in pairs):
        raise ValueError("a pair has fewer than two words")
    if len({word for pair in pairs for word in pair}) != sum(map(len, pairs)):
        raise ValueError("a word is in two pairs")
    return {"basis": basis, "kept": frozenset(_word_list(words["kept"])), "pairs": pairs}


def _double_hard_parts(tensors: Tensors, words: Mapping[str, Any]) -> dict[str, Any]:
    """Return the parts of hard debiasing, the directions dropped and the centre."""
    hard = _hard_parts(tensors, words)
    dropped, centre = tensors["dropped"], tensors["centre"]
    _check_basis("directions dropped", dropped, least=0)
    if centre.shape != (hard["basis"].shape[1],) or dropped.shape[1:] != centre.shape:
        raise ValueError(f"its centre has shape {centre.shape}")
    return {**hard, "dropped": dropped, "centre": centre}


def _word_list(content: object) -> tuple[str, ...]:
    if not isinstance(content, list | tuple) or not all(isinstance(word, str) for word in content):
        raise TypeError(f"expected a list of words, got {brief(content)}")
    return tuple(content)


def _check_basis(name: str, basis: Floats, least: int = 1) -> None:
    if basis.ndim != 2 or not least <= len(basis) <= basis.shape[1]:
        raise ValueError(f"its {name} has shape {basis.shape}")
    if not np.allclose(basis @ basis.T, np.eye(len(basis)), atol=1e-8):
        raise ValueError(f"its {name} is not orthonormal")


_FORMS: dict[str, tuple[Callable[..., Transform], Callable[[Tensors, Mapping[str, Any]], dict[str, Any]]]] = {
    LinearTransform.form: (LinearTransform, _linear_parts),
    HardTransform.form: (HardTransform, _hard_parts),
    DoubleHardTransform.form: (DoubleHardTransform, _double_hard_parts),
}
