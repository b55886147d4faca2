"""A sentence-transformers model in a folder, with the pooling, normalisation and prompts it was made with."""

import math
import re
from collections.abc import Callable, Sequence
from pathlib import Path, PurePosixPath
from typing import Any, get_args

import numpy as np
import numpy.typing as npt

from imprint.checks import Device, check_choice
from imprint.encoders import weights
from imprint.encoders.base import Encoder, identify
from imprint.encoders.batches import TOKENS, encode_in_batches
from imprint.encoders.export import write_sentence_transformers
from imprint.encoders.transformers import offline_and_quiet, open_transformer
from imprint.encoders.words import WordSpan, mean_of_words
from imprint.errors import EncoderError, SettingError, requiring
from imprint.files import FilePath
from imprint.types import Floats32

MODULES = "modules.json"
SETTINGS = "config_sentence_transformers.json"

# The most texts and tokens of a batch. A GPU does thousands of tokens in the time of a few. But few long texts have
# the same length, and most places of a larger batch for each would be free.
_BATCHES: dict[Device, tuple[int, int]] = {"cpu": (32, TOKENS), "cuda": (512, 2_048)}
_READ_AT_ONCE = 1024  # texts whose tokens are padded to one length
_CHUNK_ON_GPU = 8_192  # texts, so that few batches have free places

_ROLES = {"query": ("query",), "document": ("document", "passage", "corpus")}  # the first that a model has

_WITHOUT_WEIGHTS = ("Pooling", "Normalize", "Dropout")
_WITH_WEIGHTS = ("Transformer", "StaticEmbedding", "Dense", "LayerNorm")
_SIZES = {"Dense": ("in_features", "out_features"), "LayerNorm": ("dimension",)}
_KNOWN = (*_WITH_WEIGHTS, *_WITHOUT_WEIGHTS)
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


class SentenceTransformersEncoder(Encoder):
    """A folder with modules.json, run in float32 as its authors put it together.

    `prompt_name` picks one of the prompts the model was trained with; without it the model's default prompt is used,
    where it has one. `prefix` is a prompt of the reader's own, in place of the model's. On the `device` cuda the last
    digits of a vector are other ones, so it is another encoder to the cache.
    """

    def __init__(
        self, folder: FilePath, *, prompt_name: str | None = None, prefix: str = "", device: Device = "cpu"
    ) -> None:
        check_choice("device", device, get_args(Device))
        if prompt_name is not None and prefix:
            raise SettingError(
                f"the prompt {prompt_name!r} and a prefix cannot be used together",
                option="prefix",
                got=prefix,
                hint="give one of them",
            )
        path = weights.check_folder(folder)
        modules = _read_modules(path)
        name, prompt = _choose_prompt(path, prompt_name, prefix)
        self._folder, self._places = path, [place for _, place in modules]
        self._prompt = prompt
        self._model, self._device = _open(path, modules, device), device
        # Other tokenizers do not say where their tokens are.
        self.gives_tokens = modules[0][0] == "Transformer" and bool(self._model.tokenizer.is_fast)
        self.name = weights.display_name(path)
        chosen = {"adapter": "sentence-transformers", "pooling": _state_pooling(path, modules)}
        if modules[0][0] == "Transformer":
            chosen["layers"] = "last"
        if device != "cpu":
            chosen["device"], self.chunk = device, _CHUNK_ON_GPU
        self.settings = chosen | ({"prompt": name} if name else {}) | ({"prefix": prefix} if prefix else {})
        files = {place: weights.hash_folder(path / place) for kind, place in modules if kind in _WITH_WEIGHTS}
        configs = weights.hash_files(path, [*path.glob("*.json"), *path.glob("*/config.json")])
        self.identity = identify(**chosen, prompt=prompt, files=files, configs=configs)

    def embed(self, texts: Sequence[str]) -> npt.ArrayLike:
        """Return one row per text."""
        if not texts:
            return np.empty((0, 0), dtype=np.float32)

        def encode_as_texts(batch: list[int]) -> npt.ArrayLike:
            # A prompt is always given, if only as "": without one the library would take the model's default.
            options = {"prompt": self._prompt, "convert_to_numpy": True, "show_progress_bar": False}
            return self._model.encode([texts[text] for text in batch], batch_size=len(batch), **options)  # type: ignore[no-any-return]

        most, tokens = _BATCHES[self._device]
        with offline_and_quiet(self.name, "cannot encode these texts"):
            features = _tokenize(self._model, [self._prompt + text for text in texts])
            mask = features.get("attention_mask")
            # A model without attention reads texts of all lengths alike.
            lengths = [1] * len(texts) if mask is None else mask.sum(dim=1).tolist()
            is_plain = self._device == "cpu" or mask is None or self._prompt
            encode = encode_as_texts if is_plain else _forward(self._model, features, self._device)
            return encode_in_batches(texts, lengths, encode, most=most, tokens=tokens)

    def embed_words(self, texts: Sequence[str], spans: Sequence[WordSpan]) -> npt.ArrayLike:
        """Return one row per word in its text: of the first module's tokens, behind which tokens are pooled."""
        shift = len(self._prompt)
        most, tokens = _BATCHES[self._device]
        with offline_and_quiet(self.name, "cannot encode these texts"):
            features = _tokenize(self._model, [self._prompt + text for text in texts])
            lengths = features["attention_mask"].sum(dim=1).tolist()
            cut = {"truncation": True, "max_length": self._model.max_seq_length, "return_offsets_mapping": True}
            offsets = self._model.tokenizer([self._prompt + text for text in texts], **cut)["offset_mapping"]
            if [*map(len, offsets)] != lengths:
                raise EncoderError("its tokenizer does not say where its tokens are", where=self.name)
            forward = _forward(self._model, features, self._device, by_token=True)

            def encode(batch: list[int]) -> npt.ArrayLike:
                places = [(spans[text][0] + shift, spans[text][1] + shift) for text in batch]
                hidden = np.asarray(forward(batch), dtype=np.float32)
                return mean_of_words(hidden, [offsets[text] for text in batch], places)

            return encode_in_batches(texts, lengths, encode, most=most, tokens=tokens)

    def export(self, folder: Path, weight: Floats32, bias: Floats32) -> str:
        """Write the folder again with a Dense module behind its modules."""
        settings = _keep_prompt(_read_settings(self._folder), self.settings.get("prompt"), self._prompt)
        if settings.get("similarity_fn_name") == "dot":
            settings["similarity_fn_name"] = "cosine"  # behind the map, vectors have other lengths
        write_sentence_transformers(
            self._folder, self._places, folder, weight, bias, modules=MODULES, settings=(SETTINGS, settings)
        )
        return "sentence-transformers folder"


def _tokenize(model: Any, texts: list[str]) -> dict[str, Any]:
    """Return what the library makes of texts. Those of like length are read together, so that little is padded."""
    import torch

    read = getattr(model, "preprocess", model.tokenize)  # before the sixth release it was tokenize
    order = sorted(range(len(texts)), key=lambda index: len(texts[index]))
    parts = [
        read([texts[index] for index in order[start : start + _READ_AT_ONCE]])
        for start in range(0, len(texts), _READ_AT_ONCE)
    ]
    if "attention_mask" not in parts[0]:  # bags of tokens, which are not padded
        return dict(read(texts))
    width = max(part["attention_mask"].shape[1] for part in parts)

    def widen(values: Any) -> Any:
        padding = width - values.shape[1]
        return torch.nn.functional.pad(values, (padding, 0) if _padded_left(model) else (0, padding))

    inverse = torch.tensor(order).argsort()
    names = _of_tokens(parts[0])
    return dict(parts[0]) | {name: torch.cat([widen(part[name]) for part in parts])[inverse] for name in names}


def _of_tokens(features: dict[str, Any]) -> dict[str, Any]:
    """Return the features that have one value per token."""
    shape = features["attention_mask"].shape
    return {name: value for name, value in features.items() if getattr(value, "shape", None) == shape}


def _padded_left(model: Any) -> bool:
    return getattr(model.tokenizer, "padding_side", "right") == "left"


class _Waiting:
    """Rows that a GPU still computes: to read them is to wait for them."""

    def __init__(self, rows: Any) -> None:
        self._rows = rows

    def __array__(self, dtype: npt.DTypeLike | None = None, copy: bool | None = None) -> npt.NDArray[Any]:
        return np.asarray(self._rows.cpu().numpy(), dtype=dtype)


def _forward(
    model: Any, features: dict[str, Any], device: Device, *, by_token: bool = False
) -> Callable[[list[int]], npt.ArrayLike]:
    """Return what runs the model on some of these texts, whose tokens go to the device once, and does not wait.

    It gives sentences' vectors, or tokens' as they are before they are pooled.
    """
    import torch

    mask = features["attention_mask"].bool()
    of_tokens = {name: value.to(device) for name, value in _of_tokens(features).items()}
    others = {name: value for name, value in features.items() if name not in of_tokens}
    padded_left = _padded_left(model)

    def encode(batch: list[int]) -> npt.ArrayLike:
        length = int(mask[batch[0]].sum())
        columns = slice(mask.shape[1] - length, None) if padded_left else slice(length)
        texts = torch.tensor(batch, device=device)
        with torch.inference_mode():
            given = {name: value[texts, columns] for name, value in of_tokens.items()}
            if by_token:
                return _Waiting(model[0](given | others)["token_embeddings"])
            return _Waiting(model(given | others)["sentence_embedding"][:, : model.truncate_dim])

    return encode


def _open(folder: Path, modules: list[tuple[str, str]], device: Device) -> Any:
    for kind, place in modules:
        if kind == "Transformer":
            # Opened once to be checked: sentence-transformers itself fills missing weights with random numbers.
            open_transformer(folder / place)
        elif kind in _WITH_WEIGHTS:
            files = weights.weight_files(folder / place)
            for path in files:
                weights.count_tensors(path)
            if kind in _SIZES:
                _check_sizes(folder / place / "config.json", _SIZES[kind], sum(path.stat().st_size for path in files))
    with requiring("sentence-transformers", "encoders"):
        import torch
        from sentence_transformers import SentenceTransformer
    if device == "cuda" and not torch.cuda.is_available():
        hint = "leave it out, or install torch for CUDA"
        raise SettingError("torch cannot use a GPU here", option="device", got=device, hint=hint)
    with offline_and_quiet(folder, "sentence-transformers cannot open this model"):
        model = SentenceTransformer(
            str(folder.absolute()),
            device=device,
            trust_remote_code=False,
            local_files_only=True,
            model_kwargs={"use_safetensors": True},
        )
        return model.float().eval()


def _read_modules(folder: Path) -> list[tuple[str, str]]:
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
        kind, place = (module.get("type"), module.get("path", "")) if isinstance(module, dict) else (None, None)
        found = _CLASS.fullmatch(kind) if isinstance(kind, str) else None
        if found is None:
            raise EncoderError(
                f"names the module {kind!r}",
                where=path,
                got=kind,
                hint=f"choose another model: imprint runs {', '.join(_KNOWN)} of sentence_transformers, and never "
                "code that comes with a model",
            )
        if not isinstance(place, str) or PurePosixPath(place).is_absolute() or ".." in PurePosixPath(place).parts:
            raise weights.damaged(path, f"puts a module in {place!r}, outside the model's folder", got=place)
        _check_settings(found[2], folder / place)
        modules.append((found[2], place))
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


def _check_sizes(path: Path, names: Sequence[str], most: int) -> None:
    """Refuse a layer of more numbers than its weights have bytes: the library makes room for them before it reads."""
    settings = weights.read_object(path)
    sizes = [size for name in names if isinstance(size := settings.get(name), int)]
    if len(sizes) < len(names) or math.prod(sizes) > most:
        said = ", ".join(f"{name} {settings.get(name)!r}" for name in names)
        raise weights.damaged(path, f"says more numbers than its weights hold ({said})", got=said)


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


def _read_settings(folder: Path) -> dict[str, Any]:
    return weights.read_object(folder / SETTINGS) if (folder / SETTINGS).is_file() else {}


def _keep_prompt(settings: dict[str, Any], name: str | None, prompt: str) -> dict[str, Any]:
    """Return settings by which the library itself uses that prompt; a prefix gets a free name."""
    prompts = settings.get("prompts") or {}
    if name is None and prompt:
        names = ("prefix", *(f"prefix{number}" for number in range(len(prompts))))
        name = next(one for one in names if prompts.get(one, prompt) == prompt)
    return settings if name is None else settings | {"prompts": prompts | {name: prompt}, "default_prompt_name": name}


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


def _choose_prompt(folder: Path, wanted: str | None, prefix: str) -> tuple[str | None, str]:
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
        known = ", ".join(sorted(prompts)) or "none"
        raise EncoderError(f"has no prompt {name!r}", where=folder, got=name, hint=f"it has: {known}")
    prompt = prompts[name] or ""
    if len(prompt) > _LONGEST_PROMPT:
        raise weights.damaged(path, f"has a prompt of {len(prompt)} characters ({name!r})", got=len(prompt))
    return name, prompt


def _state_pooling(folder: Path, modules: list[tuple[str, str]]) -> str:
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
