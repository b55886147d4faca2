"""Any transformers model in a folder, pooled over its tokens, with the layers one asks for.

May et al. (2019, SEAT), Table 3, ask BERT at its first token and GPT at its last; here the choice is the reader's.
"""

import contextlib
import logging
import warnings
from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import Any

import numpy.typing as npt

from imprint.checks import Layers, Pooling, check_choice, check_whole
from imprint.encoders.base import identify, stated
from imprint.encoders.tokens import (
    LAYERS,
    POOLINGS,
    TokenEncoder,
    WordSpan,
    check_tokens,
    combine,
    encode_in_batches,
    mean_of_words,
    pool,
)
from imprint.encoders.weights import CONFIG, check_folder, check_transformer, display_name, hash_folder
from imprint.errors import EncoderError, ImprintError, raising_as, requiring
from imprint.files import FilePath
from imprint.types import Floats32

_LIBRARIES = ("transformers", "sentence_transformers", "huggingface_hub", "torch")


class TransformersEncoder(TokenEncoder):
    """A folder's AutoModel on the CPU in float32, one pooled vector per text, not normalised.

    Without `pooling` a decoder (such as GPT) gives its last token, every other model the mean of its tokens. Special
    tokens count like any other. Of an encoder-decoder the encoder is asked. Texts longer than the model reads are cut
    to its limit. `prefix` is put before every text.
    """

    def __init__(
        self,
        folder: FilePath,
        *,
        pooling: Pooling | None = None,
        layers: Layers = "last",
        prefix: str = "",
        batch: int = 32,
    ) -> None:
        if pooling is not None:
            check_choice("pooling", pooling, POOLINGS)
        check_choice("layers", layers, LAYERS)
        check_whole("batch", batch)
        path = check_folder(folder)
        self._tokenizer, self._model = open_transformer(path)
        problem = "its limit on tokens is not a number ({})"
        with raising_as(TypeError, EncoderError, problem, where=path, hint="fetch the model again"):
            self._limit = _longest_text(self._tokenizer, self._model)
        self._pooling: Pooling = pooling or ("last" if _is_decoder(self._model) else "mean")
        self._layers: Layers = layers
        self._prefix = prefix
        self._batch = batch
        self.gives_tokens = bool(self._tokenizer.is_fast)  # others do not say where their tokens are
        self.name = display_name(path)
        chosen = {"adapter": "transformers", "pooling": self._pooling, "layers": layers}
        self.settings = stated(**chosen, prefix=prefix)
        self.identity = identify(**chosen, prefix=prefix, files=hash_folder(path))

    def _encode(self, texts: list[str], spans: list[WordSpan] | None) -> npt.ArrayLike:
        with offline_and_quiet(self.name, "cannot encode these texts"):
            cut: dict[str, Any] = {} if self._limit is None else {"truncation": True, "max_length": self._limit}
            cut |= {} if spans is None else {"return_offsets_mapping": True}
            read = self._tokenizer(texts, **cut)
            tokens: list[list[int]] = read["input_ids"]
            lengths = [len(ids) for ids in tokens]
            check_tokens(self.name, texts, lengths)

            def encode(batch: list[int]) -> Floats32:
                hidden = self._run([tokens[text] for text in batch])
                if spans is None:
                    return pool(hidden, self._pooling)
                offsets = read["offset_mapping"]
                return mean_of_words(hidden, [offsets[text] for text in batch], [spans[text] for text in batch])

            return encode_in_batches(texts, lengths, encode, most=self._batch)

    def _run(self, tokens: list[list[int]]) -> Floats32:
        """Return the vectors of tokens."""
        import torch

        ids = torch.tensor(tokens)
        with torch.inference_mode():
            output = self._model(
                input_ids=ids,
                attention_mask=torch.ones_like(ids),
                output_hidden_states=self._layers != "last",
                return_dict=True,
            )
        states = (output.last_hidden_state,) if self._layers == "last" else output.hidden_states
        return combine([state.numpy() for state in states], self._layers)


def open_transformer(folder: Path) -> tuple[Any, Any]:
    """Return the tokenizer and the model of a folder: whole, matching, from safetensors, without code of their own."""
    with requiring("transformers", "encoders"):
        import torch  # noqa: F401  transformers imports without it, and fails later
        from transformers import CONFIG_MAPPING, AutoConfig, AutoModel, AutoModelForTextEncoding, AutoTokenizer
        from transformers import MODEL_FOR_TEXT_ENCODING_MAPPING as TEXT_ENCODERS
    kind = check_transformer(folder).get("model_type")
    if not isinstance(kind, str) or kind not in CONFIG_MAPPING:
        raise EncoderError(
            f"names the architecture {kind!r}, which transformers does not know",
            where=folder / CONFIG,
            got=kind,
            hint="check model_type, or install a newer transformers",
        )
    local = {"trust_remote_code": False, "local_files_only": True}
    with offline_and_quiet(folder, "its tokenizer cannot be opened"):
        tokenizer = AutoTokenizer.from_pretrained(folder, **local)
    with offline_and_quiet(folder, "transformers cannot open this model"):
        config = AutoConfig.from_pretrained(folder, **local)
        # T5 and its like are saved without the decoder that AutoModel would make up.
        maker = AutoModelForTextEncoding if type(config) in TEXT_ENCODERS else AutoModel
        model, report = maker.from_pretrained(
            folder, config=config, use_safetensors=True, output_loading_info=True, **local
        )
    _check_whole(folder, report["missing_keys"])
    if getattr(model.config, "is_encoder_decoder", False):
        model = model.get_encoder()
    _check_match(folder, tokenizer, model)
    return tokenizer, model.float().eval()


@contextlib.contextmanager
def offline_and_quiet(where: str | Path, failure: str) -> Iterator[None]:
    """Run a library offline and in silence, and turn whatever it raises into one line that says so."""
    from huggingface_hub import constants
    from transformers.utils import logging as talk

    loggers = [logging.getLogger(name) for name in _LIBRARIES]
    levels = [logger.level for logger in loggers]
    offline, bars = constants.HF_HUB_OFFLINE, talk.is_progress_bar_enabled()
    try:
        constants.HF_HUB_OFFLINE = True
        talk.disable_progress_bar()
        for logger in loggers:
            logger.setLevel(logging.CRITICAL)
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            yield
    except ImprintError:
        raise
    except Exception as error:
        reason = " ".join(f"{type(error).__name__}: {error}".split())[:200]
        raise EncoderError(
            f"{failure} ({reason})", where=where, hint="check that its files are complete and belong together"
        ) from error
    finally:
        for logger, level in zip(loggers, levels, strict=True):
            logger.setLevel(level)
        constants.HF_HUB_OFFLINE = offline
        if bars:
            talk.enable_progress_bar()


def _check_whole(folder: Path, missing: Iterable[str]) -> None:
    """Refuse weights that lack some, which a library fills with random numbers; the pooler goes unused."""
    lacking = sorted(key for key in missing if not key.startswith("pooler."))
    if lacking:
        raise EncoderError(
            f"the weights lack {len(lacking)} tensors of the model, {lacking[0]} first",
            where=folder,
            hint=f"fetch it again, or save weights that belong to its {CONFIG}",
        )


def _check_match(folder: Path, tokenizer: Any, model: Any) -> None:
    largest = max(tokenizer.get_vocab().values(), default=-1)
    rows = model.get_input_embeddings().weight.shape[0]
    if largest < 0 or largest >= rows:
        raise EncoderError(
            f"the tokenizer has ids up to {largest}, but the model has embeddings for {rows} tokens",
            where=folder,
            hint="save the model's own tokenizer beside it",
        )


def _is_decoder(model: Any) -> bool:
    """Say whether a model reads from left to right alone, as GPT does: one that also fills masks looks both ways."""
    from transformers import MODEL_FOR_CAUSAL_LM_MAPPING, MODEL_FOR_MASKED_LM_MAPPING

    config = type(model.config)
    if getattr(model.config, "is_encoder_decoder", False):
        return False
    return config in MODEL_FOR_CAUSAL_LM_MAPPING and config not in MODEL_FOR_MASKED_LM_MAPPING


def _longest_text(tokenizer: Any, model: Any) -> int | None:
    """Return how many tokens a model reads at most, None where nothing says so."""
    limits = [tokenizer.model_max_length, getattr(model.config, "max_position_embeddings", None)]
    # RoBERTa and its like count positions from the one after their padding's.
    skipped = [
        module.padding_idx + 1
        for name, module in model.named_modules()
        if name.endswith("position_embeddings") and getattr(module, "padding_idx", None) is not None
    ]
    if limits[1] is not None and skipped:
        limits[1] -= skipped[0]
    # Tokenizers that know no limit say 10^30.
    usable = [limit for limit in limits if limit is not None and 0 < limit < 1 << 31]
    return min(usable, default=None)
