"""The one door to every encoder: a path, an installed package, a URL, or a name, in; an Encoder out."""

import os
import re
from collections.abc import Callable, Collection
from difflib import get_close_matches
from pathlib import Path
from typing import Any, TypedDict, Unpack

from imprint.choices import Layers, Pooling
from imprint.embeddings.embedding import Embedding
from imprint.embeddings.load import load
from imprint.encoders.bag_of_words import BagOfWordsEncoder, entries_for
from imprint.encoders.base import Encoder
from imprint.encoders.function import FunctionEncoder
from imprint.encoders.installed import find_model
from imprint.errors import EncoderError, SettingError
from imprint.types import Progress

DEFAULT = "default"
BAG_OF_WORDS = "cbow"


class EncoderOptions(TypedDict, total=False):
    """What may be chosen about an encoder; what has no meaning for the one opened is refused."""

    model: str  # the server's name for the model
    pooling: Pooling
    layers: Layers
    prefix: str  # put before every text
    prompt_name: str  # one of the model's own prompts, such as query or document
    tokenizer: str | os.PathLike[str]  # tokenizer.json of an ONNX model
    batch: int  # texts a server is sent at once
    timeout: float  # seconds to wait for a server's answer
    retries: int  # times to ask a server again
    max_texts: int  # texts that may be sent to a server in all


def open_encoder(
    source: str | os.PathLike[str],
    *,
    texts: Collection[str] | None = None,
    progress: Progress | None = None,
    **options: Unpack[EncoderOptions],
) -> Encoder:
    """Open an encoder by what names it.

    `default` is the bundled Universal Sentence Encoder and `cbow` the mean of the bundled embedding's words. A
    URL is a server of the OpenAI-compatible protocol; a folder is a sentence-transformers or transformers model
    (with `pooling` or `layers`, always the latter); a file is an ONNX model or an embedding, whose words are
    averaged; any other name is an installed package that carries a model. `texts`, where known, spare reading
    the rest of an embedding; `progress` is told of the bytes of one read.
    """
    given: dict[str, Any] = {name: value for name, value in options.items() if value is not None}
    name = str(source)
    if name == DEFAULT:
        from imprint.encoders.universal import UniversalEncoder

        return _make(UniversalEncoder, (), given)
    if name == BAG_OF_WORDS:
        return _bag_of_words("default", texts, progress, given)
    if name.startswith(("http://", "https://")):
        from imprint.encoders.address import key_from_environment
        from imprint.encoders.server import ServerEncoder

        given.setdefault("model", "")
        known = ("model", "prefix", "batch", "timeout", "retries", "max_texts")
        return _make(ServerEncoder, known, given, name, key=key_from_environment(name))
    path = Path(source)
    try:
        there = path.exists()
    except OSError as error:
        raise EncoderError(
            f"cannot be read ({error.strerror})", where=name, hint="check the path and its permissions"
        ) from error
    if not there:
        found = find_model(name)
        if found is None:
            near = get_close_matches(name.lower(), (DEFAULT, BAG_OF_WORDS), n=1)
            meant = (
                f"did you mean {near[0]!r}?" if near else f"give one, a URL, or {DEFAULT!r} for the bundled encoder"
            )
            raise EncoderError("is not the name of a file, folder or installed package", where=name, hint=meant)
        path = found
    if path.is_dir():
        return _open_folder(path, given)
    if path.suffix == ".onnx":
        return _open_onnx(path, given)
    return _bag_of_words(path, texts, progress, given)


def as_encoder(thing: object) -> Encoder:
    """Return an encoder as it is, an embedding as a bag of words, a function as an encoder."""
    if isinstance(thing, Encoder):
        return thing
    if isinstance(thing, Embedding):
        return BagOfWordsEncoder(thing)
    if callable(thing):
        return FunctionEncoder(thing)
    raise SettingError(
        option="encoder",
        got=thing,
        expected="an Encoder, an Embedding or a function",
        hint="open it first: imprint.open_encoder(...)",
    )


def _open_folder(folder: Path, given: dict[str, Any]) -> Encoder:
    if (folder / "modules.json").is_file() and not given.keys() & {"pooling", "layers"}:
        from imprint.encoders.sentence_transformers import SentenceTransformersEncoder

        return _make(SentenceTransformersEncoder, ("prompt_name", "prefix"), given, folder)
    if (folder / "config.json").is_file():
        from imprint.encoders.transformers import TransformersEncoder

        return _make(TransformersEncoder, ("pooling", "layers", "prefix"), given, folder)
    graphs = sorted(folder.glob("*.onnx"))
    if len(graphs) == 1:
        return _open_onnx(graphs[0], given)
    hint = "name one of its .onnx files" if graphs else "give one with a config.json and weights, or an .onnx file"
    raise EncoderError("is not a model's folder", where=folder, hint=hint)


def _open_onnx(file: Path, given: dict[str, Any]) -> Encoder:
    from imprint.encoders.onnx import OnnxEncoder

    return _make(OnnxEncoder, ("tokenizer", "pooling", "prefix"), given, file)


def _bag_of_words(
    source: str | Path, texts: Collection[str] | None, progress: Progress | None, given: dict[str, Any]
) -> Encoder:
    only = None if texts is None else entries_for(texts)
    return _make(BagOfWordsEncoder, (), given, load(source, only=only, progress=progress))


def _make(
    adapter: Callable[..., Encoder], known: tuple[str, ...], given: dict[str, Any], *source: Any, **more: Any
) -> Encoder:
    foreign = [name for name in given if name not in known]
    if foreign:
        option = foreign[0].replace("_", "-")
        rest = f"it takes {', '.join(name.replace('_', '-') for name in known)}" if known else "leave it out"
        kind = re.sub(r"(?<=[a-z])(?=[A-Z])", " ", adapter.__name__.removesuffix("Encoder")).lower()
        raise SettingError(
            f"{option} cannot be used with this kind of encoder ({kind})",
            option=foreign[0],
            got=given[foreign[0]],
            hint=rest,
        )
    return adapter(*source, **given, **more)
