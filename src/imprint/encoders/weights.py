"""A model's folder, looked at before any library opens it: what it must hold, what it may not, and its hashes.

Weights are safetensors and nothing else, since a pickled checkpoint is a program; a folder that asks for code of its
own is refused.
"""

import json
import re
from collections.abc import Iterable, Iterator, Mapping
from pathlib import Path
from typing import Any

from imprint.errors import EncoderError, raising_as, reading_file
from imprint.files import FilePath, hash_file

WEIGHTS = "model.safetensors"
INDEX = "model.safetensors.index.json"
CONFIG = "config.json"

_LARGEST_JSON = 64 << 20
_AGAIN = "fetch the model again"
_PICKLES = ("*.bin", "*.pt", "*.pth", "*.ckpt", "*.h5", "*.msgpack")
_TOKENIZERS = ("tokenizer.json", "vocab.txt", "vocab.json", "*.model")
_READ_BY_LIBRARIES = (".json", ".txt", ".model", ".codes", ".spm", ".tokenizer", ".jinja")
_LAYERS = re.compile(r"(\w+_)?layers?|num_hidden_groups|inner_group_num")  # built one by one, each before its weights
_MOST_LAYERS = 1000  # for any model; large ones have a hundred
_MOST_LABELS = 100_000  # each gets a name before a weight is read
_UNINFORMATIVE = re.compile(r"models?|onnx|snapshots|\d+_\w+|[0-9a-f]{40}")


def damaged(where: Path, problem: str, got: object = None) -> EncoderError:
    """Return the refusal of a model's file that is not as its maker left it."""
    return EncoderError(problem, where=where, got=got, hint=_AGAIN)


def check_folder(folder: FilePath) -> Path:
    """Return the path of a folder that is there."""
    path = Path(folder)
    if "\0" in str(path):
        raise EncoderError("has a NUL in its name", where=repr(str(path)), hint="check the path")
    with reading_file(EncoderError, path):
        there = path.is_dir()
    if not there:
        raise EncoderError("is not a folder", where=path, hint="name the folder that holds the model's config.json")
    return path


def check_inside(path: Path, folder: Path) -> Path:
    """Return a file of a model's folder; refuse a link to elsewhere, except to the blobs of the Hugging Face cache."""
    whole, file = folder.resolve(), path.resolve()
    caches = [
        part.parent for part in whole.parents if part.name == "snapshots" and part.parent.name.startswith("models--")
    ]
    if not any(file.is_relative_to(root) for root in (whole, *((cache / "blobs").resolve() for cache in caches))):
        raise EncoderError("is a link out of the model's folder", where=path, hint="put the file itself there")
    return path


def display_name(path: Path) -> str:
    """Return a name for readers: the path's last part that tells something, not `model` or a commit's hash."""
    parts = [part for part in path.absolute().parts if not _UNINFORMATIVE.fullmatch(part)]
    # The Hugging Face cache calls org/name so.
    return parts[-1].removeprefix("models--").replace("--", "/") if parts[-1].startswith("models--") else parts[-1]


def read_json(path: Path) -> Any:
    """Return what a JSON file of bearable size holds."""
    with reading_file(EncoderError, path, _AGAIN), path.open("rb") as file:
        text = file.read(_LARGEST_JSON + 1)
    if len(text) > _LARGEST_JSON:
        raise damaged(path, f"is larger than {_LARGEST_JSON >> 20} MiB")
    with raising_as((ValueError, RecursionError), EncoderError, "is not JSON", where=path, hint=_AGAIN):
        return json.loads(text)


def read_object(path: Path) -> dict[str, Any]:
    """Return the object a JSON file holds."""
    value = read_json(path)
    if not isinstance(value, dict):
        raise damaged(path, "is not a JSON object")
    return value


def check_transformer(folder: Path) -> dict[str, Any]:
    """Return the config of a transformers folder that has weights and a tokenizer and asks for no code."""
    if not (folder / CONFIG).is_file():
        raise EncoderError(f"has no {CONFIG}", where=folder, hint="name the folder of a transformers model")
    config = read_object(folder / CONFIG)
    tokenizer = folder / "tokenizer_config.json"
    for path, settings in (
        (folder / CONFIG, config),
        (tokenizer, read_object(tokenizer) if tokenizer.is_file() else {}),
    ):
        if "auto_map" in settings:
            raise EncoderError(
                "asks for code of its own (auto_map), which imprint never runs",
                where=path,
                hint="choose a model that transformers includes",
            )
    if (folder / "adapter_config.json").exists():
        raise EncoderError(
            "is an adapter without its base model", where=folder, hint="merge it into its base model and save that"
        )
    _check_names(tokenizer, settings)
    _check_counts(folder / CONFIG, config, sum(count_tensors(path) for path in weight_files(folder)))
    if not any(any(folder.glob(pattern)) for pattern in _TOKENIZERS):
        raise EncoderError(
            f"has no tokenizer ({', '.join(_TOKENIZERS)})", where=folder, hint="save the model's own beside it"
        )
    return config


def check_attention(path: Path, name: str, value: object) -> None:
    """Refuse an implementation of attention that is a repository: its code would be fetched and run."""
    if "attn_implementation" in name and "/" in str(value):
        hint = "take the line out"
        raise EncoderError(f"asks for code of its own ({name}), which imprint never runs", where=path, hint=hint)


def _check_names(path: Path, settings: Mapping[str, Any]) -> None:
    """Refuse a tokenizer's settings that name a file outside the model's folder."""
    names = settings.get("fast_tokenizer_files", [])
    for name in names if isinstance(names, list) else [names]:
        if not isinstance(name, str) or Path(name).name != name or not name.endswith(".json"):
            raise damaged(path, f"names {name!r}, which is not a tokenizer of this folder", got=name)


def _check_counts(path: Path, config: dict[str, Any], tensors: int) -> None:
    """Refuse a config that names other weights, code, or more layers and labels than there can be.

    A library would build every layer before it missed their weights.
    """
    if "transformers_weights" in config:
        raise EncoderError("names other weights (transformers_weights)", where=path, hint=f"keep them in {WEIGHTS}")
    for name, value in _settings(config):
        check_attention(path, name, value)
        if not isinstance(value, int):
            continue
        if _LAYERS.fullmatch(name) and value > max(tensors, _MOST_LAYERS):
            raise damaged(path, f"says {value} layers ({name}), but the weights hold {tensors} tensors", got=value)
        if name == "num_labels" and value > _MOST_LABELS:
            raise damaged(path, f"says {value} labels", got=value)


def _settings(config: dict[str, Any]) -> Iterator[tuple[str, Any]]:
    """Yield what a config sets, also for the parts of a model."""
    left = [config]
    while left:
        for name, value in left.pop().items():
            yield name, value
            if isinstance(value, dict):
                left.append(value)


def weight_files(folder: Path) -> list[Path]:
    """Return the safetensors files of a folder: one, or the parts that its index names."""
    if (folder / WEIGHTS).is_file():
        return [folder / WEIGHTS]
    if not (folder / INDEX).is_file():
        pickles = sorted(path.name for pattern in _PICKLES for path in folder.glob(pattern))
        if pickles:
            raise EncoderError(
                f"has weights only in {pickles[0]}, which may contain a program",
                where=folder,
                hint="convert them to safetensors (save_pretrained of a recent transformers writes it)",
            )
        raise EncoderError("has no weights", expected=WEIGHTS, where=folder)
    parts = read_object(folder / INDEX).get("weight_map")
    if not isinstance(parts, dict) or not parts or not all(isinstance(part, str) for part in parts.values()):
        raise damaged(folder / INDEX, "names no parts")
    names = sorted(set(parts.values()))
    for name in names:
        plain = Path(name).name == name and name.endswith(".safetensors") and "\0" not in name
        if not plain or not (folder / name).is_file():
            raise damaged(folder / INDEX, f"names {name!r}, which is not a safetensors file of this folder", got=name)
    return [folder / name for name in names]


def count_tensors(path: Path) -> int:
    """Return how many tensors a safetensors file holds, refusing one that is damaged."""
    from safetensors import SafetensorError, safe_open

    broken, problem = (SafetensorError, OSError), "is cut short or not a safetensors file ({})"
    refused = raising_as(broken, EncoderError, problem, where=path, hint="fetch it again")
    with refused, safe_open(path, framework="numpy") as file:
        return len(list(file.keys()))


def hash_folder(folder: Path) -> dict[str, str]:
    """Return the SHA-256, by name, of a folder's weights and of every file that configures it."""
    others = (path for path in folder.iterdir() if path.suffix in _READ_BY_LIBRARIES and path.is_file())
    return hash_files(folder, [*weight_files(folder), *others])


def hash_files(folder: Path, paths: Iterable[Path]) -> dict[str, str]:
    """Return the SHA-256 of files by their path below a folder."""
    return {path.relative_to(folder).as_posix(): hash_file(path) for path in sorted(set(paths))}
