"""A sentence-transformers model in a folder, with the pooling, normalisation and prompts it was made with."""

from collections.abc import Callable
from pathlib import Path
from typing import Any, get_args

import numpy as np
import numpy.typing as npt

from imprint.checks import Device, check_choice
from imprint.encoders import weights
from imprint.encoders.base import identify, stated
from imprint.encoders.sentence_transformers_files import (
    WITH_WEIGHTS,
    check_sizes,
    choose_prompt,
    read_modules,
    state_pooling,
    write_folder,
)
from imprint.encoders.tokens import TOKENS, TokenEncoder, WordSpan, encode_in_batches, mean_of_words
from imprint.encoders.transformers import offline_and_quiet, open_transformer
from imprint.errors import EncoderError, SettingError, requiring
from imprint.files import FilePath
from imprint.types import Floats32

# The most texts and tokens of a batch. A GPU does thousands of tokens in the time of a few. But few long texts have
# the same length, and most places of a larger batch for each would be free.
_BATCHES: dict[Device, tuple[int, int]] = {"cpu": (32, TOKENS), "cuda": (512, 2_048)}
_READ_AT_ONCE = 1024  # texts whose tokens are padded to one length
_CHUNK_ON_GPU = 8_192  # texts, so that few batches have free places


class SentenceTransformersEncoder(TokenEncoder):
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
        modules = read_modules(path)
        name, self._prefix = choose_prompt(path, prompt_name, prefix)
        self._folder, self._places = path, [place for _, place in modules]
        self._model, self._device = _open(path, modules, device), device
        self._attends = modules[0][0] == "Transformer"
        self.gives_tokens = self._attends and bool(self._model.tokenizer.is_fast)  # others do not say where tokens are
        self.name = weights.display_name(path)
        chosen = {"adapter": "sentence-transformers", "pooling": state_pooling(path, modules)}
        if self._attends:
            chosen["layers"] = "last"
        if device != "cpu":
            chosen["device"], self.chunk = device, _CHUNK_ON_GPU
        self.settings = stated(**chosen, prompt=name, prefix=prefix)
        files = {place: weights.hash_folder(path / place) for kind, place in modules if kind in WITH_WEIGHTS}
        configs = weights.hash_files(path, [*path.glob("*.json"), *path.glob("*/config.json")])
        self.identity = identify(**chosen, prompt=self._prefix, files=files, configs=configs)

    def _encode(self, texts: list[str], spans: list[WordSpan] | None) -> npt.ArrayLike:
        """Return one row per text, or per word: the mean of the first module's tokens, before any are pooled."""
        most, tokens = _BATCHES[self._device]
        with offline_and_quiet(self.name, "cannot encode these texts"):
            # A model without attention reads texts of all lengths alike, and the library splits them into tokens.
            features = _tokenize(self._model, texts) if self._attends else {}
            mask = features.get("attention_mask")
            lengths = [1] * len(texts) if mask is None else mask.sum(dim=1).tolist()
            if spans is not None:
                encode = self._encode_words(texts, spans, features, lengths)
            elif self._device == "cpu" or mask is None or self._prefix:
                encode = self._encode_as_texts(texts)
            else:
                encode = _forward(self._model, features, self._device)
            return encode_in_batches(texts, lengths, encode, most=most, tokens=tokens)

    def _encode_as_texts(self, texts: list[str]) -> Callable[[list[int]], npt.ArrayLike]:
        # A prompt is always given, if only as "": without one the library would take the model's default.
        options = {"prompt": self._prefix, "convert_to_numpy": True, "show_progress_bar": False}
        plain = [text.removeprefix(self._prefix) for text in texts]
        return lambda batch: self._model.encode([plain[text] for text in batch], batch_size=len(batch), **options)

    def _encode_words(
        self, texts: list[str], spans: list[WordSpan], features: dict[str, Any], lengths: list[int]
    ) -> Callable[[list[int]], npt.ArrayLike]:
        cut = {"truncation": True, "max_length": self._model.max_seq_length, "return_offsets_mapping": True}
        offsets = self._model.tokenizer(texts, **cut)["offset_mapping"]
        if [*map(len, offsets)] != lengths:
            raise EncoderError("its tokenizer does not say where its tokens are", where=self.name)
        forward = _forward(self._model, features, self._device, by_token=True)

        def encode(batch: list[int]) -> npt.ArrayLike:
            hidden = np.asarray(forward(batch), dtype=np.float32)
            return mean_of_words(hidden, [offsets[text] for text in batch], [spans[text] for text in batch])

        return encode

    def export(self, folder: Path, weight: Floats32, bias: Floats32) -> str:
        """Write the folder again with a Dense module behind its modules."""
        prompt = self.settings.get("prompt"), self._prefix
        write_folder(self._folder, self._places, folder, weight, bias, prompt)
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
    if "attention_mask" not in parts[0]:
        return {}
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
        elif kind in WITH_WEIGHTS:
            files = weights.weight_files(folder / place)
            for path in files:
                weights.count_tensors(path)
            check_sizes(kind, folder / place / "config.json", sum(path.stat().st_size for path in files))
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
