"""Reading a saved transform: nothing in the file is run, and nothing in it is believed unchecked."""

import json
import stat
from pathlib import Path

import msgspec
import numpy as np

from imprint.debiasing.transform import KEY, Card, DoubleHardTransform, HardTransform, LinearTransform, Transform
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
    broken = (ValueError, TypeError, KeyError, AttributeError, RecursionError, msgspec.ValidationError)
    refused = raising_as(broken, ImprintError, "is not a transform saved by imprint ({})", where=source)
    with reading_file(ImprintError, source, "check the path"), refused:
        tensors, text = _read_tensors(source)
        content = json.loads(text)
        forms = {form.form: form for form in (LinearTransform, HardTransform, DoubleHardTransform)}
        card = msgspec.convert(content["card"], Card)
        return forms[content["form"]].restored(str(content["method"]), card, tensors, content)


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
