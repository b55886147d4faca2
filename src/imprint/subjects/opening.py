"""The one door: whatever names or is a subject in, an Embedding or an Encoder out.

Both have a `name` and a `sha256`; `isinstance` tells them apart. Objects in Python are told apart by what they can do,
so that neither gensim nor torch is imported. A refusal names an object's type and length, never its content.
"""

import inspect
import os
from collections.abc import Callable, Collection, Iterable, Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any, Protocol, TypedDict, Union, Unpack

import numpy as np
import numpy.typing as npt

from imprint.checks import Device, Layers, Pooling, Quantization
from imprint.embeddings.embedding import Embedding
from imprint.embeddings.reading import read_embedding
from imprint.errors import SettingError
from imprint.files import FilePath
from imprint.subjects.sources import BAG_OF_WORDS, EMBEDDING, ENCODERS, ResolvedSource, find_source
from imprint.types import Progress

if TYPE_CHECKING:  # who opens an embedding needs no encoder
    from imprint.encoders.base import Encoder

Subject = Union[Embedding, "Encoder"]

VARIANT = ("dims", "quantize")  # options of every encoder, whatever made its vectors
_PROMPTS = ("prefix", "prompt_name")

_OBJECTS = (
    "gensim's KeyedVectors or Word2Vec, a dict of words and vectors, a tuple (words, matrix), a model with encode(), "
    "or a function from texts to vectors"
)


class _KeyedVectors(Protocol):
    index_to_key: Any
    vectors: Any


class _TrainedModel(Protocol):
    wv: Any


class _EncodingModel(Protocol):
    def encode(self, texts: list[str], /) -> Any: ...


WordTable = Mapping[str, Any] | tuple[Iterable[str], Any]
EmbeddingLike = Embedding | FilePath | WordTable | _KeyedVectors | _TrainedModel
EncoderLike = Union["Encoder", EmbeddingLike, _EncodingModel, Callable[[list[str]], npt.ArrayLike]]


class EncoderOptions(TypedDict, total=False):
    """What may be chosen about an encoder; what has no meaning for the one opened is refused."""

    model: str  # the server's name for the model
    pooling: Pooling
    layers: Layers
    prefix: str  # put before every text
    prompt_name: str  # one of the model's own prompts, such as query or document
    device: Device  # where a sentence-transformers model runs
    tokenizer: FilePath  # tokenizer.json of an ONNX model
    dims: int  # use so many numbers of each vector, the first ones
    quantize: Quantization  # store vectors in eight bits per number, or in one
    batch: int  # texts a server, or a transformers model, gets at once
    timeout: float  # seconds to wait for a server's answer
    retries: int  # times to ask a server again
    max_texts: int  # texts that may be sent to a server in all


def open_subject(
    source: EncoderLike,
    *,
    only: Iterable[str] | None = None,
    progress: Progress | None = None,
    **options: Unpack[EncoderOptions],
) -> Subject:
    """Open an embedding or a sentence encoder, whichever the source is.

    Parameters
    ----------
    source
        A name: an embedding file, a model's folder, an .onnx file, an installed package that carries a model, or the
        URL of an embeddings server. A model in the local Hugging Face cache is `org/name`. Bundled are `default`
        (GloVe), `default-encoder` (Universal Sentence Encoder) and `cbow` (mean of GloVe's words). Or an object:
        gensim's KeyedVectors, Word2Vec or FastText, a dict of words and vectors, or a tuple (words, matrix). A model
        with `encode` and a function from texts to vectors are encoders.
    only
        Words to keep of an embedding file; their lower-case forms are kept too.
    progress
        Called now and then with the bytes read and the total number of bytes.
    options
        Settings of an encoder, such as `pooling` or `prefix`.

    Returns
    -------
    Embedding or Encoder
        Both have a `name` and a `sha256`.

    Examples
    --------
    >>> imprint.open_subject({"rose": [1.0, 2.0], "ant": [3.0, -4.0]})
    Embedding('dict', 2 words, 2 dimensions)
    """
    if isinstance(source, str | os.PathLike):
        subject = _open(find_source(source), only, progress, options)
    else:
        subject = _from_object(source, options)
    if not isinstance(subject, Embedding):
        return _as_deployed(subject, options)
    for option in VARIANT:
        if (got := options.get(option)) is not None:
            hint = "name an encoder, or leave it out"
            raise SettingError(f"{option} is about a sentence encoder", option=option, got=got, hint=hint)
    return subject


def load(
    source: EmbeddingLike,
    *,
    only: Iterable[str] | None = None,
    background: bool = False,
    progress: Progress | None = None,
) -> Embedding:
    """Open an embedding.

    The format of a file is recognised by its content. Text formats of GloVe, word2vec and fastText, and word2vec
    binary, may be compressed with gzip, xz or zip. fastText .bin, gensim .kv and .model, files written by `convert`
    and formats of plug-ins are read too.

    Parameters
    ----------
    source
        A file, `default` (bundled GloVe), or an object: gensim's KeyedVectors, Word2Vec or FastText, a dict of words
        and vectors, a tuple (words, matrix).
    only
        Words to keep of a file, to save memory; their lower-case forms are kept too. Other rows are not checked.
    background
        Besides `only`, keep a sample of words of every frequency. Tests need it to check for effects of frequency.
    progress
        Called now and then with the bytes read and the total number of bytes.

    Returns
    -------
    Embedding
        Words and vectors.

    Examples
    --------
    >>> imprint.load("default")
    Embedding('glove.6B.100d', 55,187 words, 100 dimensions)
    """
    if isinstance(source, str | os.PathLike):
        path = Path(str(find_source(source, "embedding").place))
        return read_embedding(path, only=only, background=background, progress=progress)
    if isinstance(source, Embedding):
        return source
    subject = from_object(source)
    if not isinstance(subject, Embedding):
        raise SettingError(
            f"the embedding must have vectors of words, got a sentence encoder ({_describe(source)}); "
            "imprint.seat measures it, and imprint.embed_vocabulary(...) makes an embedding of it"
        )
    return subject


def open_encoder(
    source: EncoderLike,
    *,
    texts: Collection[str] | None = None,
    progress: Progress | None = None,
    **options: Unpack[EncoderOptions],
) -> "Encoder":
    """Open a sentence encoder; an embedding becomes one that averages its words.

    Parameters
    ----------
    source
        As for `open_subject`, except that `default` is the bundled Universal Sentence Encoder.
    texts
        The texts to be encoded, if known: then only their words are read from an embedding file.
    progress
        Called now and then with the bytes read and the total number of bytes.
    options
        Settings of an encoder, such as `prefix`. With `pooling` or `layers` a folder is opened by transformers.

    Returns
    -------
    Encoder
        Its `encode` turns texts into vectors.

    Examples
    --------
    >>> imprint.open_encoder("cbow")
    BagOfWordsEncoder('glove.6B.100d', adapter=bag of words, pooling=mean)
    """
    from imprint.encoders.bag_of_words import BagOfWordsEncoder, entries_for

    if isinstance(source, str | os.PathLike):
        only = None if texts is None else entries_for(texts)
        subject = _open(find_source(source, "encoder"), only, progress, options)
    else:
        subject = _from_object(source, options)
    return _as_deployed(BagOfWordsEncoder(subject) if isinstance(subject, Embedding) else subject, options)


def open_for_search(
    source: EncoderLike,
    *,
    query_prompt: str | None = None,
    document_prompt: str | None = None,
    texts: Collection[str] | None = None,
    **options: Unpack[EncoderOptions],
) -> "tuple[Encoder, Encoder]":
    """Open an encoder as a search does: for its queries and for its documents, each with the prompt of its role.

    Parameters
    ----------
    source
        As for `open_encoder`.
    query_prompt
        A text to put before each query, or the name of one of the model's own prompts. By default the prompt that
        the model itself calls `query`, if it has one.
    document_prompt
        The same for documents; by default the model's own `document`, `passage` or `corpus`.
    texts
        The texts to be encoded, if known, as for `open_encoder`.
    options
        Settings of an encoder. A `prefix` or `prompt_name` is for both, and then there are no other prompts.

    Returns
    -------
    tuple of Encoder
        The encoder of queries and that of documents: the same one, unless their prompts differ.

    Examples
    --------
    >>> queries, documents = imprint.open_for_search("cbow")
    >>> queries is documents
    True
    """
    named = {"query": query_prompt, "document": document_prompt}
    if any(options.get(name) for name in _PROMPTS):
        for role, prompt in named.items():
            if prompt is not None:
                option, hint = f"{role}_prompt", "leave out prefix and prompt_name"
                raise SettingError("two prompts cannot be used together", option=option, got=prompt, hint=hint)
        encoder = open_encoder(source, texts=texts, **options)
        return encoder, encoder
    prompt_names, by_role = _own_prompts(source)
    queries, documents = (_prompt_options(prompt_names, by_role.get(role), prompt) for role, prompt in named.items())
    encoder = open_encoder(source, texts=texts, **options | queries)
    return encoder, encoder if queries == documents else open_encoder(source, texts=texts, **options | documents)


def from_object(thing: object) -> Subject:
    """Return an embedding or an encoder as it is, or made of what the object offers."""
    from imprint.encoders.base import Encoder, FunctionEncoder

    if isinstance(thing, Embedding | Encoder):
        return thing
    if not inspect.isclass(thing):
        if callable(encode := getattr(thing, "encode", None)):
            return FunctionEncoder(encode, name=_name(thing))
        vectors = getattr(thing, "wv", thing)  # gensim's models keep their vectors there
        if hasattr(vectors, "index_to_key") and hasattr(vectors, "vectors"):
            return Embedding.from_gensim(vectors, name=type(thing).__name__)
        if isinstance(thing, Mapping):
            return _from_rows(thing, thing.keys(), list(thing.values()))
        if isinstance(thing, tuple | list) and len(thing) == 2 and not isinstance(thing[0], str):
            return _from_rows(thing, *thing)
        if callable(thing):
            return FunctionEncoder(thing)
    raise SettingError(
        f"the subject must be {_OBJECTS}, got {_describe(thing)}",  # never the object, which may be large
        option="subject",
        hint="imprint.load(...) opens a file",
    )


def _from_object(source: object, options: EncoderOptions) -> Subject:
    _given(options, (), "Python object")
    return from_object(source)


def _open(
    source: ResolvedSource, only: Iterable[str] | None, progress: Progress | None, options: EncoderOptions
) -> Subject:
    from imprint.encoders.bag_of_words import BagOfWordsEncoder

    adapter = source.adapter
    if adapter in (EMBEDDING, BAG_OF_WORDS):
        _given(options, (), BAG_OF_WORDS)
        embedding = read_embedding(Path(str(source.place)), only=only, progress=progress)
        return embedding if adapter == EMBEDDING else BagOfWordsEncoder(embedding)
    if adapter == "sentence-transformers" and (options.get("pooling") or options.get("layers")):
        adapter = "transformers"
    make = ENCODERS.get(adapter)
    given = _given(options, _taken(adapter), adapter)
    if adapter == "server":
        from imprint.encoders.http import key_from_environment

        given = {"model": "", "key": key_from_environment(str(source.place)), **given}
    made = make(*(() if source.place is None else (source.place,)), **given)
    return from_object(made)


def _as_deployed(encoder: "Encoder", options: EncoderOptions) -> "Encoder":
    """Return an encoder with its vectors cut or stored as the options say."""
    dims, quantize = options.get("dims"), options.get("quantize")
    if dims is None and quantize is None:
        return encoder
    from imprint.encoders.wrapping import VariantEncoder

    return VariantEncoder(encoder, dims=dims, quantize=quantize)


def _own_prompts(source: object) -> tuple[Collection[str], Mapping[str, str]]:
    """Return the names of a model's own prompts, and those by role; only sentence-transformers folders have any."""
    model = find_source(source, "encoder") if isinstance(source, str | os.PathLike) else None
    if model is None or model.adapter != "sentence-transformers":
        return (), {}
    from imprint.encoders.sentence_transformers_files import own_prompts, prompts_by_role

    folder = Path(str(model.place))
    return own_prompts(folder), prompts_by_role(folder)


def _prompt_options(prompts: Collection[str], name: str | None, prompt: str | None) -> EncoderOptions:
    """Return the option that gives an encoder a prompt: a text, the name of one of its own, or that of its role."""
    if prompt is not None:
        return {"prompt_name": prompt} if prompt in prompts else {"prefix": prompt}
    return {} if name is None else {"prompt_name": name}


def options_of(source: str) -> set[str]:
    """Return the names of the options that can be given with a source."""
    adapter = find_source(source, "encoder").adapter
    if adapter in (EMBEDDING, BAG_OF_WORDS):
        return {*VARIANT}
    # With a pooling of your own, weights are read without the library.
    return {*VARIANT, *_taken(adapter), *(_taken("transformers") if adapter == "sentence-transformers" else ())}


def _describe(thing: object) -> str:
    """Return an object's type and length, and nothing of what it holds."""
    if inspect.isclass(thing):
        return f"the class {thing.__name__}"
    try:
        return f"{type(thing).__name__} of length {len(thing):,}"  # type: ignore[arg-type]
    except TypeError:
        return "None" if thing is None else f"an object of type {type(thing).__name__}"


def _taken(adapter: str) -> list[str]:
    parameters = inspect.signature(ENCODERS.get(adapter)).parameters
    return [name for name in parameters if name in EncoderOptions.__annotations__]


def _given(options: EncoderOptions, known: Sequence[str], adapter: str) -> dict[str, Any]:
    """Return the options that are set; refuse one that the adapter does not know."""
    given = {name: value for name, value in options.items() if value is not None and name not in VARIANT}
    for name in given:
        if name not in known:
            rest = f"it takes {', '.join(choice.replace('_', '-') for choice in known)}" if known else ""
            raise SettingError(
                f"{name.replace('_', '-')} cannot be used with this kind of encoder ({adapter})",
                option=name,
                got=given[name],
                hint=rest or "leave it out",
            )
    return given


def _from_rows(thing: object, words: Any, rows: Any) -> Embedding:
    spelt = list(words) if isinstance(words, Iterable) else []
    if not spelt or not all(isinstance(word, str) for word in spelt):
        raise SettingError(
            f"the subject must be {_OBJECTS}, got {_describe(thing)} with keys that are not words", option="subject"
        )
    try:
        with np.errstate(over="ignore"):  # becomes an infinity, which is refused with the word it belongs to
            vectors = np.asarray(rows, dtype=np.float32)
    except (TypeError, ValueError, RuntimeError):  # the last from torch, for a tensor that wants gradients
        vectors = np.empty(0, dtype=np.float32)
    if vectors.ndim != 2 or len(vectors) != len(spelt) or not vectors.shape[1]:
        raise SettingError(
            f"the vectors must be {len(spelt):,} rows of numbers, all of one length, in {_describe(thing)}",
            option="subject",
            hint="check them",
        )
    return Embedding(type(thing).__name__, list(map(str, spelt)), vectors)


def _name(model: object) -> str:
    """Return what a model calls itself, as SentenceTransformer's card does, else its type."""
    card = getattr(model, "model_card_data", None)
    for owner, attribute in ((card, "model_id"), (card, "base_model"), (model, "name"), (model, "model_name")):
        if isinstance(name := getattr(owner, attribute, None), str) and name:
            return name
    return type(model).__name__
