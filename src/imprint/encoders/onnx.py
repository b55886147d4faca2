"""An ONNX model with a tokenizer.json, run by onnxruntime on the CPU: a sentence encoder without torch."""

import shlex
import shutil
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt

from imprint.checks import Pooling, check_choice
from imprint.encoders.base import identify, stated
from imprint.encoders.onnx_files import Contents, append_map, inspect
from imprint.encoders.tokens import (
    POOLINGS,
    TokenEncoder,
    WordSpan,
    check_tokens,
    encode_in_batches,
    mean_of_words,
    pool,
)
from imprint.encoders.weights import check_inside, display_name
from imprint.errors import EncoderError, raising_as, requiring
from imprint.files import FilePath, hash_file
from imprint.types import Floats32

_BATCH = 32
_LONGEST = 512  # tokens, where the tokenizer's file sets no limit: what BERT and its like read
_FED = ("input_ids", "attention_mask", "token_type_ids")
_SENTENCES = ("sentence_embedding",)
_TOKENS = ("last_hidden_state", "token_embeddings")
_INTEGERS = {"tensor(int64)": np.int64, "tensor(int32)": np.int32}
_TRIED = ("This is a person.", "There they are, and it is late.")  # what a graph that was written is tried on
_SAME = 1e-5
_RANDOM = {"Bernoulli", "Multinomial", "RandomNormal", "RandomNormalLike", "RandomUniform", "RandomUniformLike"}
_SILENT = 4  # onnxruntime's level for fatal errors alone


class OnnxEncoder(TokenEncoder):
    """An ONNX graph that reads token ids, and the tokenizer.json beside it or given.

    Without `pooling` the graph's own sentence embedding is taken as it is, and where it has none, the mean over its
    tokens. A graph that scales its numbers by the batch (dynamic quantisation) reads one text at a time. Otherwise a
    sentence's vector would depend on its neighbours. Texts are cut to the length the tokenizer's file sets, else to
    512 tokens. `prefix` is put before every text.
    """

    def __init__(
        self,
        model: FilePath,
        *,
        tokenizer: FilePath | None = None,
        pooling: Pooling | None = None,
        prefix: str = "",
    ) -> None:
        if pooling is not None:
            check_choice("pooling", pooling, POOLINGS)
        path = _check_file(Path(model), "the .onnx file of the model")
        words = Path(tokenizer) if tokenizer is not None else path.with_name("tokenizer.json")
        _check_file(words, "the tokenizer.json of the model")
        contents = inspect(path)
        if drawn := _RANDOM & contents.operations:
            problem = f"draws random numbers ({min(drawn)}), so that a text has no vector of its own"
            raise EncoderError(problem, where=path, got=min(drawn), hint="export it again, for inference")
        external = external_files(path, contents)
        self._session = _open_session(path)
        self._tokenizer = _open_tokenizer(words)
        self._inputs = _choose_inputs(path, self._session)
        self._output, self._pooling = _choose_output(path, self._session, pooling)
        self._tokens = _token_output(self._session)
        self.gives_tokens = self._tokens is not None
        self._batch = 1 if any("DynamicQuantize" in name for name in contents.operations) else _BATCH
        self._prefix = prefix
        self._files = (path, external, words)
        self.name = display_name(path.parent if path.stem == "model" else path.with_suffix(""))
        chosen = {"adapter": "onnx", "pooling": self._pooling or "the model's own"}
        self.settings = stated(**chosen, prefix=prefix)
        files = {file.name: hash_file(file) for file in (path, *external)}
        self.identity = identify(**chosen, prefix=prefix, files=files, tokenizer=hash_file(words))

    def _encode(self, texts: list[str], spans: list[WordSpan] | None) -> npt.ArrayLike:
        with raising_as(Exception, EncoderError, "cannot split these texts into tokens ({})", where=self.name):
            encodings = self._tokenizer.encode_batch(texts)
        lengths = [len(encoding.ids) for encoding in encodings]
        check_tokens(self.name, texts, lengths)
        with raising_as(ValueError, EncoderError, "gives vectors of several lengths ({})", where=self.name):

            def encode(batch: list[int]) -> Floats32:
                chosen = [encodings[text] for text in batch]
                return self._run(chosen, None if spans is None else [spans[text] for text in batch])

            return encode_in_batches(texts, lengths, encode, most=self._batch)

    def _run(self, encodings: list[Any], spans: list[WordSpan] | None) -> Floats32:
        columns = {"input_ids": "ids", "attention_mask": "attention_mask", "token_type_ids": "type_ids"}
        feed = {
            name: np.array([getattr(encoding, columns[name]) for encoding in encodings], dtype=dtype)
            for name, dtype in self._inputs.items()
        }
        hint = "check that the tokenizer is the model's"
        wanted = self._output if spans is None else self._tokens
        with raising_as(Exception, EncoderError, "onnxruntime cannot run it ({})", where=self.name, hint=hint):
            (output,) = self._session.run([wanted], feed)
        output = np.asarray(output, dtype=np.float32)
        tokens = feed["input_ids"].shape
        owner, owners = ("text", tokens[:1]) if self._pooling is None and spans is None else ("token", tokens)
        if output.shape[:-1] != owners:
            raise EncoderError(
                f"gave {output.shape} for tokens {tokens}", expected=f"one vector per {owner}", where=self.name
            )
        if spans is not None:
            return mean_of_words(output, [encoding.offsets for encoding in encodings], spans)
        if self._pooling is None:
            return output
        # What is not finite is refused by `encode`, in one line and without numpy's warning.
        with np.errstate(invalid="ignore", over="ignore"):
            return pool(output, self._pooling)

    def export(self, folder: Path, weight: Floats32, bias: Floats32) -> str | None:
        """Write the graph again with a MatMul and an Add behind its output; None for what the map cannot follow.

        A map of every token is the map of their mean, but not of their maximum.
        """
        path, external, words = self._files
        kinds = {entry.name: entry.type for entry in self._session.get_outputs()}
        if self._pooling == "max" or kinds[self._output] != "tensor(float)":
            return None
        for file in external:
            copied = folder / file.relative_to(path.parent)
            copied.parent.mkdir(parents=True, exist_ok=True)
            shutil.copyfile(file, copied)
        shutil.copyfile(words, folder / "tokenizer.json")
        written = folder / path.name
        # Rows on the left: y = x weight^T + bias, for one vector per text and for one per token alike.
        written.write_bytes(append_map(path.read_bytes(), self._output, np.ascontiguousarray(weight.T), bias))
        moved = self.encode(_TRIED).astype(np.float64) @ weight.T + bias
        again = OnnxEncoder(written, pooling=self._pooling, prefix=self._prefix).encode(_TRIED)
        if not np.allclose(again, moved, atol=_SAME * max(1.0, float(np.abs(moved).max()))):
            raise EncoderError("the graph with the map appended gives other vectors", where=path)
        options = {"--pooling": self._pooling if self._pooling != "mean" else None, "--prefix": self._prefix}
        given = " ".join(f"{option} {shlex.quote(value)}" for option, value in options.items() if value)
        return f"ONNX file (open it with {given})" if given else "ONNX file"


def external_files(path: Path, contents: Contents) -> list[Path]:
    """Return the files that hold the graph's large tensors, each beside the model."""
    files = [path.parent / location for location in sorted(contents.locations)]
    for file in files:
        if "\0" in str(file) or ".." in file.parts or not file.is_relative_to(path.parent) or not file.is_file():
            raise EncoderError(
                f"keeps tensors in {file.name!r}, which is not a file in the model's folder",
                where=path,
                hint="fetch both together",
            )
        check_inside(file, path.parent)
    return files


def _check_file(path: Path, wanted: str) -> Path:
    if "\0" in str(path) or not path.is_file():
        raise EncoderError("does not exist", where=repr(str(path)), hint=f"name {wanted}")
    return path


def _open_session(path: Path) -> Any:
    with requiring("onnxruntime", "onnx"):
        import onnxruntime
    options = onnxruntime.SessionOptions()
    options.log_severity_level = _SILENT
    options.add_session_config_entry("session.load_model_format", "ONNX")
    hint = "export or fetch it again"
    with raising_as(Exception, EncoderError, "onnxruntime cannot open it ({})", where=path, hint=hint):
        # Without its fallback, which prints before it tries the same again.
        return onnxruntime.InferenceSession(str(path), options, providers=["CPUExecutionProvider"], enable_fallback=0)


def _open_tokenizer(path: Path) -> Any:
    with requiring("tokenizers", "onnx"):
        from tokenizers import Tokenizer
    hint = "name the model's own tokenizer.json"
    with raising_as(Exception, EncoderError, "is not a tokenizer ({})", where=path, hint=hint):
        tokenizer = Tokenizer.from_file(str(path))
    tokenizer.no_padding()
    # Only the first part of a text is read. Parts that share more tokens than they have end the process.
    tokenizer.enable_truncation(**(tokenizer.truncation or {"max_length": _LONGEST}) | {"stride": 0})
    return tokenizer


def _choose_inputs(path: Path, session: Any) -> dict[str, Any]:
    """Return the integer type of every input the graph asks for."""
    inputs = {entry.name: entry.type for entry in session.get_inputs()}
    strange = [name for name, kind in inputs.items() if name not in _FED or kind not in _INTEGERS]
    if strange or "input_ids" not in inputs:
        raise EncoderError(
            f"asks for {', '.join(inputs) or 'nothing'}",
            expected=f"a graph that reads {', '.join(_FED)}",
            where=path,
            hint="export it again",
        )
    return {name: _INTEGERS[kind] for name, kind in inputs.items()}


def _choose_output(path: Path, session: Any, pooling: Pooling | None) -> tuple[str, Pooling | None]:
    """Return the output to take and how to pool it, None for one that is a vector per text already."""
    ranks = {entry.name: len(entry.shape) for entry in session.get_outputs()}
    whole = [name for name in _SENTENCES if ranks.get(name) == 2] or [
        n for n in ranks if len(ranks) == 1 and ranks[n] == 2
    ]
    if pooling is None and whole:
        return whole[0], None
    tokens = _token_output(session)
    if tokens is not None:
        return tokens, pooling or "mean"
    if whole:
        raise EncoderError(
            "gives one vector per text, not one per token", where=path, option="pooling", hint="leave the pooling out"
        )
    raise EncoderError(
        f"gives {', '.join(ranks)}", expected="one vector per text or per token", where=path, hint="export it again"
    )


def _token_output(session: Any) -> str | None:
    """Return the output with a vector per token, where there is one."""
    ranks = {entry.name: len(entry.shape) for entry in session.get_outputs()}
    named = [name for name in _TOKENS if ranks.get(name) == 3]
    return next(iter(named or [name for name, rank in ranks.items() if rank == 3]), None)
