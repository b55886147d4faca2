"""A model's folder, looked at before any library opens it: what it must hold, what it may not, and its hashes.

Weights are safetensors and nothing else, since a pickled checkpoint is a program; a folder that asks for code of its
own is refused.
"""

import json
import os
import re
from collections.abc import Iterable
from pathlib import Path
from typing import Any

from imprint.errors import EncoderError
from imprint.files import hash_file

WEIGHTS = "model.safetensors"
INDEX = "model.safetensors.index.json"
CONFIG = "config.json"

_LARGEST_JSON = 64 << 20
_PICKLES = ("*.bin", "*.pt", "*.pth", "*.ckpt", "*.h5", "*.msgpack")
_TOKENIZERS = ("tokenizer.json", "vocab.txt", "vocab.json", "*.model")
_READ_BY_LIBRARIES = (".json", ".txt", ".model")
_TELL_NOTHING = re.compile(r"models?|onnx|snapshots|\d+_\w+|[0-9a-f]{40}")


def plain(error: Exception) -> str:
    """Return what a library said, on one line of bearable length."""
    return " ".join(str(error).split())[:200]


def check_folder(folder: str | os.PathLike[str]) -> Path:
    """Return the path of a folder that is there."""
    path = Path(folder)
    if "\0" in str(path):
        raise EncoderError(f"{str(path)!r}: no path may hold a NUL; check it")
    try:
        there = path.is_dir()
    except OSError as error:
        raise EncoderError(f"{path}: cannot be read ({error.strerror}); check the path and its rights") from error
    if not there:
        raise EncoderError(f"{path}: there is no such folder; name the folder that holds the model's config.json")
    return path


def call(path: Path) -> str:
    """Return a name for readers: the path's last part that tells something, not `model` or a commit's hash."""
    parts = [part for part in path.absolute().parts if not _TELL_NOTHING.fullmatch(part)]
    # The Hugging Face cache calls org/name so.
    return parts[-1].removeprefix("models--").replace("--", "/") if parts[-1].startswith("models--") else parts[-1]


def read_json(path: Path) -> Any:
    """Return what a JSON file of bearable size holds."""
    try:
        with path.open("rb") as file:
            text = file.read(_LARGEST_JSON + 1)
    except OSError as error:
        raise EncoderError(f"{path}: cannot be read ({error.strerror}); fetch the model again") from error
    if len(text) > _LARGEST_JSON:
        raise EncoderError(f"{path}: is larger than {_LARGEST_JSON >> 20} MiB; a model's own file is wanted")
    try:
        return json.loads(text)
    except (ValueError, RecursionError) as error:
        raise EncoderError(f"{path}: is not JSON; fetch the model again") from error


def read_object(path: Path) -> dict[str, Any]:
    """Return the object a JSON file holds."""
    value = read_json(path)
    if not isinstance(value, dict):
        raise EncoderError(f"{path}: holds no JSON object; fetch the model again")
    return value


def check_transformer(folder: Path) -> dict[str, Any]:
    """Return the config of a transformers folder that has weights and a tokenizer and asks for no code."""
    if not (folder / CONFIG).is_file():
        raise EncoderError(f"{folder}: has no {CONFIG}; name the folder of a transformers model")
    config = read_object(folder / CONFIG)
    tokenizer = folder / "tokenizer_config.json"
    for path, settings in (
        (folder / CONFIG, config),
        (tokenizer, read_object(tokenizer) if tokenizer.is_file() else {}),
    ):
        if "auto_map" in settings:
            raise EncoderError(
                f"{path}: asks for code of its own (auto_map), which imprint never runs; choose a model that "
                "transformers knows by itself"
            )
    if (folder / "adapter_config.json").exists():
        raise EncoderError(
            f"{folder}: is an adapter for weights that lie elsewhere; merge it into its base model and save that"
        )
    tensors = sum(count_tensors(path) for path in weight_files(folder))
    # A library would build every layer before it missed their weights.
    for key in ("num_hidden_layers", "num_layers", "n_layer", "n_layers"):
        if isinstance(layers := config.get(key), int) and layers > tensors:
            raise EncoderError(
                f"{folder / CONFIG}: says {layers} layers, but the weights hold {tensors} tensors; fetch the "
                "model again"
            )
    if not any(any(folder.glob(pattern)) for pattern in _TOKENIZERS):
        raise EncoderError(f"{folder}: has no tokenizer ({', '.join(_TOKENIZERS)}); save the model's own beside it")
    return config


def weight_files(folder: Path) -> list[Path]:
    """Return the safetensors files of a folder: one, or the parts that its index names."""
    if (folder / WEIGHTS).is_file():
        return [folder / WEIGHTS]
    if not (folder / INDEX).is_file():
        pickles = sorted(path.name for pattern in _PICKLES for path in folder.glob(pattern))
        if pickles:
            raise EncoderError(
                f"{folder}: has its weights in {pickles[0]} alone, which may be a program; convert them to "
                "safetensors (save_pretrained of a recent transformers writes it)"
            )
        raise EncoderError(f"{folder}: has no weights; {WEIGHTS} is wanted")
    parts = read_object(folder / INDEX).get("weight_map")
    if not isinstance(parts, dict) or not parts or not all(isinstance(part, str) for part in parts.values()):
        raise EncoderError(f"{folder / INDEX}: names no parts; fetch the model again")
    names = sorted(set(parts.values()))
    for name in names:
        if (
            Path(name).name != name
            or not name.endswith(".safetensors")
            or "\0" in name
            or not (folder / name).is_file()
        ):
            raise EncoderError(
                f"{folder / INDEX}: names {name!r}, which is no safetensors file of this folder; fetch the model again"
            )
    return [folder / name for name in names]


def count_tensors(path: Path) -> int:
    """Return how many tensors a safetensors file holds, refusing one that is damaged."""
    from safetensors import SafetensorError, safe_open

    try:
        with safe_open(path, framework="numpy") as file:
            return len(list(file.keys()))
    except (SafetensorError, OSError) as error:
        raise EncoderError(f"{path}: is cut short or no safetensors file ({plain(error)}); fetch it again") from error


def hash_folder(folder: Path) -> dict[str, str]:
    """Return the SHA-256, by name, of a folder's weights and of every file that configures it."""
    others = (path for path in folder.iterdir() if path.suffix in _READ_BY_LIBRARIES and path.is_file())
    return hash_files(folder, [*weight_files(folder), *others])


def hash_files(folder: Path, paths: Iterable[Path]) -> dict[str, str]:
    """Return the SHA-256 of files by their path below a folder."""
    return {path.relative_to(folder).as_posix(): hash_file(path) for path in sorted(set(paths))}
