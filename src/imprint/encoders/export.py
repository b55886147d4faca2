"""A model written again with an affine map as its last step, in files that need none of this package's code.

A sentence-transformers folder gets a standard Dense module without activation; an ONNX graph gets a MatMul and an Add.
Of a folder only what a library reads as data is copied: no programs, no pickles.
"""

import json
import shutil
from collections.abc import Sequence
from pathlib import Path

import numpy as np

from imprint.encoders import weights
from imprint.encoders.onnx_files import append_map
from imprint.types import Floats32

MATRIX = "debias.safetensors"  # weight and bias: y = weight x + bias

_COPIED = (".json", ".txt", ".model", ".safetensors", ".md")
_DENSE = "sentence_transformers.models.Dense"
_IDENTITY = "torch.nn.modules.linear.Identity"


def write_matrix(folder: Path, weight: Floats32, bias: Floats32, about: str) -> None:
    """Write the map alone: tensors `weight` and `bias`, and what it is in the metadata."""
    from safetensors.numpy import save

    (folder / MATRIX).write_bytes(save({"weight": weight, "bias": bias}, metadata={"imprint": about}))


def write_sentence_transformers(
    source: Path, places: Sequence[str], target: Path, weight: Floats32, bias: Floats32, *, modules: str
) -> None:
    """Copy a sentence-transformers folder, whose modules are in `places`, and put a Dense module behind them."""
    from safetensors.numpy import save

    for place in dict.fromkeys(("", *places)):
        _copy_files(source / place, target / place)
    listed = weights.read_json(source / modules)
    name = f"{len(listed)}_Dense"
    listed.append({"idx": len(listed), "name": str(len(listed)), "path": name, "type": _DENSE})
    _write_json(target / modules, listed)
    dense = target / name
    dense.mkdir()
    config = {"in_features": weight.shape[1], "out_features": weight.shape[0], "bias": True}
    _write_json(dense / "config.json", {**config, "activation_function": _IDENTITY})
    tensors = {"linear.weight": weight, "linear.bias": bias}
    (dense / weights.WEIGHTS).write_bytes(save(tensors, metadata={"format": "pt"}))


def write_onnx(
    model: Path, beside: Sequence[Path], tokenizer: Path, target: Path, output: str, weight: Floats32, bias: Floats32
) -> Path:
    """Write an ONNX file whose output is mapped, with its tokenizer and the files of its tensors; return its place."""
    for path in beside:
        place = target / path.relative_to(model.parent)
        place.parent.mkdir(parents=True, exist_ok=True)
        shutil.copyfile(path, place)
    shutil.copyfile(tokenizer, target / "tokenizer.json")
    written = target / model.name
    # Rows on the left: y = x weight^T + bias, for one vector per text and for one per token alike.
    written.write_bytes(append_map(model.read_bytes(), output, np.ascontiguousarray(weight.T), bias))
    return written


def _copy_files(source: Path, target: Path) -> None:
    target.mkdir(parents=True, exist_ok=True)
    for path in source.iterdir() if source.is_dir() else ():  # a module without files need not have a folder
        if path.suffix in _COPIED and path.is_file():
            shutil.copyfile(path, target / path.name)


def _write_json(path: Path, value: object) -> None:
    path.write_text(json.dumps(value, indent=2) + "\n", encoding="utf-8")
