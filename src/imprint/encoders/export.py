"""A model written again with an affine map as its last step, in files that need none of this package's code.

A sentence-transformers folder gets a standard Dense module without activation; an ONNX graph gets a MatMul and an Add.
Of a folder only known names are copied: what a library reads as data, and the licence. No programs, no pickles.
"""

import json
import re
import shutil
from collections.abc import Mapping, Sequence
from itertools import count
from pathlib import Path
from typing import Any

import numpy as np

from imprint.encoders import weights
from imprint.encoders.onnx_files import append_map
from imprint.types import Floats32

MATRIX = "debias.safetensors"  # weight and bias: y = weight x + bias
README = "README.md"

_COPIED = (
    *("config*.json", "sentence_*_config.json", "tokenizer*.json", "special_tokens_map.json", "added_tokens.json"),
    *("vocab.txt", "vocab.json", "merges.txt"),
    *("spiece.model", "spm.model", "tokenizer.model", "sentencepiece.bpe.model"),
    *(README, "LICEN[CS]E", "LICEN[CS]E.txt", "LICEN[CS]E.md", "LICEN[CS]E-*", "NOTICE", "NOTICE.txt", "NOTICE.md"),
)
_DENSE = "sentence_transformers.models.Dense"
_IDENTITY = "torch.nn.modules.linear.Identity"
_FRONT_MATTER = re.compile(rb"(\xef\xbb\xbf)?---[ \t]*\r?\n(.*?\n)??---[ \t]*(\r?\n|$)", re.DOTALL)


def write_matrix(folder: Path, weight: Floats32, bias: Floats32, about: str) -> None:
    """Write the map alone: tensors `weight` and `bias`, and what it is in the metadata."""
    from safetensors.numpy import save

    (folder / MATRIX).write_bytes(save({"weight": weight, "bias": bias}, metadata={"imprint": about}))


def note_change(folder: Path, name: str) -> None:
    """Say at the top of a model's README.md, where it has one, that it was altered."""
    path = folder / README
    if not path.is_file():
        return
    note = (
        "> This model was altered: imprint added a linear map as its last step.\n"
        f"> It is {name}.\n"
        "> The text and the figures of this file are those of the original model.\n\n"
    )
    text = path.read_bytes()
    front = _FRONT_MATTER.match(text)
    end = front.end() if front else 0
    path.write_bytes(text[:end] + (b"\n" if end else b"") + note.encode() + text[end:])


def write_sentence_transformers(
    source: Path,
    places: Sequence[str],
    target: Path,
    weight: Floats32,
    bias: Floats32,
    *,
    modules: str,
    settings: tuple[str, Mapping[str, Any]],
) -> None:
    """Copy a sentence-transformers folder, whose modules are in `places`, and put a Dense module behind them.

    `settings` are written to the file of that name.
    """
    from safetensors.numpy import save

    for place in dict.fromkeys(("", *places)):
        _copy_files(source, place, target)
    _write_json(target / settings[0], settings[1])
    (target / README).touch()
    listed = weights.read_json(source / modules)
    taken = {module.get("name") for module in listed}
    free = (n for n in count(len(listed)) if str(n) not in taken and not (target / f"{n}_Dense").exists())
    number = next(free)
    dense = target / f"{number}_Dense"
    listed.append({"idx": len(listed), "name": str(number), "path": dense.name, "type": _DENSE})
    _write_json(target / modules, listed)
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


def _copy_files(model: Path, place: str, target: Path) -> None:
    source = model / place  # a module without files need not have a folder
    (target / place).mkdir(parents=True, exist_ok=True)
    found = {path for pattern in _COPIED for path in source.glob(pattern) if path.is_file()}
    if (source / weights.WEIGHTS).is_file():
        found.add(source / weights.WEIGHTS)
    elif (source / weights.INDEX).is_file():
        found |= {source / weights.INDEX, *weights.weight_files(source)}
    for path in sorted(found):
        shutil.copyfile(weights.check_inside(path, model), target / place / path.name)


def _write_json(path: Path, value: object) -> None:
    path.write_text(json.dumps(value, indent=2) + "\n", encoding="utf-8")
