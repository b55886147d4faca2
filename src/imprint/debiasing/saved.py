"""Reading a saved transform: nothing in the file is run, and nothing in it is believed unchecked."""

import json
import stat
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import numpy as np

from imprint.debiasing.transform import (
    KEY,
    Card,
    DoubleHardTransform,
    HardTransform,
    LinearTransform,
    Transform,
    read_list,
)
from imprint.errors import ImprintError, raising_as, reading_file
from imprint.files import FilePath
from imprint.types import Floats

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
    broken = (ValueError, TypeError, KeyError, AttributeError, RecursionError)
    refused = raising_as(broken, ImprintError, "is not a transform saved by imprint ({})", where=source)
    with reading_file(ImprintError, source, "check the path"), refused:
        tensors, text = _read_tensors(source)
        content = json.loads(text)
        forms = {form.form: form for form in (LinearTransform, HardTransform, DoubleHardTransform)}
        return forms[content["form"]].restored(str(content["method"]), _card(content["card"]), tensors, content)


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


def _card(content: Mapping[str, Any]) -> Card:
    positive, negative, seeds, missing = (
        read_list(content[name]) for name in ("positive", "negative", "seeds", "missing")
    )
    return Card(
        embedding=str(content["embedding"]),
        embedding_sha256=str(content["embedding_sha256"]),
        positive=positive,
        negative=negative,
        seeds=seeds,
        missing=missing,
        settings=dict(content["settings"]),
        measured=dict(content["measured"]),
        version=str(content["version"]),
        others=tuple(map(read_list, content.get("others", ()))),
    )
