"""The folder of a sentence-transformers model: its modules, prompts and pooling, and a copy with a map behind them.

The map, an affine one, becomes a standard Dense module without activation, so that the folder needs none of this
package's code. Of a folder only known names are copied: what a library reads as data, and the licence. No programs, no
pickles.
"""

import json
import math
import re
import shutil
from collections.abc import Sequence
from itertools import count
from pathlib import Path, PurePosixPath
from typing import Any

from imprint.encoders import weights
from imprint.errors import EncoderError
from imprint.types import Floats32

MODULES = "modules.json"
SETTINGS = "config_sentence_transformers.json"
README = "README.md"
WITH_WEIGHTS = ("Transformer", "StaticEmbedding", "Dense", "LayerNorm")

_ROLES = {"query": ("query",), "document": ("document", "passage", "corpus")}  # the first that a model has

_WITHOUT_WEIGHTS = ("Pooling", "Normalize", "Dropout")
_KNOWN = (*WITH_WEIGHTS, *_WITHOUT_WEIGHTS)
_SIZES = {"Dense": ("in_features", "out_features"), "LayerNorm": ("dimension",)}
# What a Transformer's settings may set for the library besides flags: nothing that names a file or a size of its own.
_FOR_LIBRARY = ("model_kwargs", "processor_kwargs", "config_kwargs", "model_args", "tokenizer_args", "config_args")
_SETTABLE = {"attn_implementation", "dtype", "torch_dtype", "padding_side", "truncation_side", "model_max_length"}
_LONGEST_PROMPT = 10_000  # characters; it is read again with each text
_CLASS = re.compile(rf"sentence_transformers(\.\w+)*\.({'|'.join(_KNOWN)})")
# How releases before the sixth write the pooling, and what the library calls it now.
_FLAGS = {
    "pooling_mode_cls_token": "cls",
    "pooling_mode_max_tokens": "max",
    "pooling_mode_mean_tokens": "mean",
    "pooling_mode_mean_sqrt_len_tokens": "mean_sqrt_len_tokens",
    "pooling_mode_weightedmean_tokens": "weightedmean",
    "pooling_mode_lasttoken": "lasttoken",
}
_COPIED = (
    *("config*.json", "sentence_*_config.json", "tokenizer*.json", "special_tokens_map.json", "added_tokens.json"),
    *("vocab.txt", "vocab.json", "merges.txt"),
    *("spiece.model", "spm.model", "tokenizer.model", "sentencepiece.bpe.model"),
    *(README, "LICEN[CS]E", "LICEN[CS]E.txt", "LICEN[CS]E.md", "LICEN[CS]E-*", "NOTICE", "NOTICE.txt", "NOTICE.md"),
)
_DENSE = "sentence_transformers.models.Dense"
_IDENTITY = "torch.nn.modules.linear.Identity"


def read_modules(folder: Path) -> list[tuple[str, str]]:
    """Return the class and the place of every module, each a known one inside the folder."""
    path = folder / MODULES
    if not path.is_file():
        raise EncoderError(
            f"has no {MODULES}, so it is not a sentence-transformers model",
            where=folder,
            hint="open it as a transformers model",
        )
    listed = weights.read_json(path)
    modules = []
    for module in listed if isinstance(listed, list) else []:
        kind, inner = (module.get("type"), module.get("path", "")) if isinstance(module, dict) else (None, None)
        match = _CLASS.fullmatch(kind) if isinstance(kind, str) else None
        if match is None:
            raise EncoderError(
                f"names the module {kind!r}",
                where=path,
                got=kind,
                hint=f"choose another model: imprint runs {', '.join(_KNOWN)} of sentence_transformers, and never "
                "code that comes with a model",
            )
        if not isinstance(inner, str) or PurePosixPath(inner).is_absolute() or ".." in PurePosixPath(inner).parts:
            raise weights.damaged(path, f"puts a module in {inner!r}, outside the model's folder", got=inner)
        _check_settings(match[2], folder / inner)
        modules.append((match[2], inner))
    if not modules or modules[0][0] not in ("Transformer", "StaticEmbedding"):
        raise weights.damaged(path, "does not begin with a module that reads texts")
    return modules


def _check_settings(kind: str, folder: Path) -> None:
    """Refuse a module that takes its tokenizer or weights from elsewhere, or its activation from another library."""
    for path in folder.glob("sentence_*_config.json") if kind == "Transformer" else ():
        _check_transformer_settings(path)
    if kind != "Dense":
        return
    path = folder / "config.json"
    activation = weights.read_object(path).get("activation_function", "torch.nn.modules.activation.Tanh")
    if not isinstance(activation, str) or not activation.startswith("torch.nn."):
        raise EncoderError(
            f"names the activation {activation!r}",
            expected="one of torch.nn",
            where=path,
            got=activation,
            hint="choose another model",
        )


def _check_transformer_settings(path: Path) -> None:
    """Refuse settings that bring other weights than those that were checked, or a tokenizer from elsewhere."""
    settings = weights.read_object(path)
    if "tokenizer_name_or_path" in settings:
        raise EncoderError(
            "takes its tokenizer from elsewhere", where=path, hint="save the tokenizer in the model's folder"
        )
    for part in _FOR_LIBRARY:
        options = settings.get(part, {})
        if not isinstance(options, dict):
            raise weights.damaged(path, f"its {part} is not an object", got=options)
        for name, value in options.items():
            weights.check_attention(path, name, value)
            if name not in _SETTABLE and not isinstance(value, bool):
                hint = "save the model with it, and take it out"
                raise EncoderError(f"sets {name!r} for the library ({part})", where=path, got=name, hint=hint)


def check_sizes(kind: str, path: Path, most: int) -> None:
    """Refuse a layer of more numbers than its weights have bytes: the library makes room for them before it reads."""
    if names := _SIZES.get(kind):
        settings = weights.read_object(path)
        sizes = [size for name in names if isinstance(size := settings.get(name), int)]
        if len(sizes) < len(names) or math.prod(sizes) > most:
            said = ", ".join(f"{name} {settings.get(name)!r}" for name in names)
            raise weights.damaged(path, f"says more numbers than its weights hold ({said})", got=said)


def _read_settings(folder: Path) -> dict[str, Any]:
    return weights.read_object(folder / SETTINGS) if (folder / SETTINGS).is_file() else {}


def own_prompts(folder: Path) -> dict[str, str | None]:
    """Return the prompts that a model was made with, by their names."""
    prompts = _read_settings(folder).get("prompts") or {}
    if not isinstance(prompts, dict) or not all(isinstance(text, str | None) for text in prompts.values()):
        raise weights.damaged(folder / SETTINGS, "its prompts are not texts by name")
    return prompts


def prompts_by_role(folder: Path) -> dict[str, str]:
    """Return the names of the prompts that the library puts before queries and before documents, unless all are empty.

    Its new models have an empty one for each.
    """
    prompts, default = own_prompts(folder), _read_settings(folder).get("default_prompt_name")
    first = {role: next((name for name in names if name in prompts), None) for role, names in _ROLES.items()}
    named = {role: name for role, name in first.items() if name is not None}
    return named if any(prompts.get(name) for name in [*named.values(), *([default] if default else [])]) else {}


def choose_prompt(folder: Path, wanted: str | None, prefix: str) -> tuple[str | None, str]:
    """Return the name and the text of the prompt to use; a prefix has no name."""
    path = folder / SETTINGS
    settings = _read_settings(folder)
    kind = settings.get("model_type", "SentenceTransformer")
    if kind != "SentenceTransformer":
        raise EncoderError(
            f"is a {kind!r}, which does not give one vector per text",
            expected="a SentenceTransformer",
            where=path,
            got=kind,
        )
    prompts = own_prompts(folder)
    if prefix:
        return None, prefix
    name = settings.get("default_prompt_name") if wanted is None else wanted
    if name is None:
        return None, ""
    if not isinstance(name, str) or name not in prompts:
        offered = ", ".join(sorted(prompts)) or "none"
        raise EncoderError(f"has no prompt {name!r}", where=folder, got=name, hint=f"it has: {offered}")
    prompt = prompts[name] or ""
    if len(prompt) > _LONGEST_PROMPT:
        raise weights.damaged(path, f"has a prompt of {len(prompt)} characters ({name!r})", got=len(prompt))
    return name, prompt


def state_pooling(folder: Path, modules: list[tuple[str, str]]) -> str:
    """Return the pooling a model's own config states; several are concatenated."""
    if modules[0][0] == "StaticEmbedding":
        return "mean"
    stated = [_read_pooling(folder / place / "config.json") for kind, place in modules if kind == "Pooling"]
    if not stated:
        raise EncoderError(
            "has no Pooling module, so it does not give one vector per text",
            where=folder / MODULES,
            hint="choose another model",
        )
    return stated[-1]


def _read_pooling(path: Path) -> str:
    config = weights.read_object(path)
    modes = config.get("pooling_mode") or [mode for flag, mode in _FLAGS.items() if config.get(flag)] or "mean"
    return modes if isinstance(modes, str) else "+".join(map(str, modes))


def write_folder(
    source: Path, places: Sequence[str], target: Path, weight: Floats32, bias: Floats32, prompt: tuple[str | None, str]
) -> None:
    """Copy a folder whose modules are in `places`, put a Dense module behind them, and keep the prompt in use."""
    from safetensors.numpy import save

    for inner in dict.fromkeys(("", *places)):
        _copy_files(source, inner, target)
    settings = _keep_prompt(_read_settings(source), *prompt)
    if settings.get("similarity_fn_name") == "dot":
        settings["similarity_fn_name"] = "cosine"  # behind the map, vectors have other lengths
    _write_json(target / SETTINGS, settings)
    (target / README).touch()
    listed = weights.read_json(source / MODULES)
    taken = {module.get("name") for module in listed}
    free = (n for n in count(len(listed)) if str(n) not in taken and not (target / f"{n}_Dense").exists())
    number = next(free)
    dense = target / f"{number}_Dense"
    listed.append({"idx": len(listed), "name": str(number), "path": dense.name, "type": _DENSE})
    _write_json(target / MODULES, listed)
    dense.mkdir()
    config = {"in_features": weight.shape[1], "out_features": weight.shape[0], "bias": True}
    _write_json(dense / "config.json", {**config, "activation_function": _IDENTITY})
    tensors = {"linear.weight": weight, "linear.bias": bias}
    (dense / weights.WEIGHTS).write_bytes(save(tensors, metadata={"format": "pt"}))


def _keep_prompt(settings: dict[str, Any], name: str | None, prompt: str) -> dict[str, Any]:
    """Return settings by which the library itself uses that prompt; a prefix gets a free name."""
    prompts = settings.get("prompts") or {}
    if name is None and prompt:
        names = ("prefix", *(f"prefix{number}" for number in range(len(prompts))))
        name = next(free for free in names if prompts.get(free, prompt) == prompt)
    return settings if name is None else settings | {"prompts": prompts | {name: prompt}, "default_prompt_name": name}


def _copy_files(model: Path, place: str, target: Path) -> None:
    source = model / place  # a module without files need not have a folder
    (target / place).mkdir(parents=True, exist_ok=True)
    files = {path for pattern in _COPIED for path in source.glob(pattern) if path.is_file()}
    if (source / weights.WEIGHTS).is_file():
        files.add(source / weights.WEIGHTS)
    elif (source / weights.INDEX).is_file():
        files |= {source / weights.INDEX, *weights.weight_files(source)}
    for path in sorted(files):
        shutil.copyfile(weights.check_inside(path, model), target / place / path.name)


def _write_json(path: Path, value: object) -> None:
    path.write_text(json.dumps(value, indent=2) + "\n", encoding="utf-8")
