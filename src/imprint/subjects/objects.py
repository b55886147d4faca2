"""What people have in Python: gensim's vectors, dictionaries, arrays, models with `encode`, functions.

All are told apart by what they can do, so that neither gensim nor torch is imported. A refusal names an object's type
and length, never its content.
"""

import inspect
from collections.abc import Iterable, Mapping
from typing import Any

import numpy as np

from imprint.embeddings.embedding import Embedding
from imprint.encoders.base import Encoder
from imprint.encoders.function import FunctionEncoder
from imprint.errors import SettingError

EXPECTED = (
    "gensim's KeyedVectors or Word2Vec, a dict of words and vectors, a tuple (words, matrix), a model with encode(), "
    "or a function from texts to vectors"
)


def from_object(thing: object) -> Embedding | Encoder:
    """Return an embedding or an encoder as it is, or made of what the object offers."""
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
        f"the subject must be {EXPECTED}, got {describe(thing)}",  # never the object, which may be large
        option="subject",
        hint="imprint.load(...) opens a file",
    )


def describe(thing: object) -> str:
    """Return an object's type and length, and nothing of what it holds."""
    if inspect.isclass(thing):
        return f"the class {thing.__name__}"
    try:
        return f"{type(thing).__name__} of length {len(thing):,}"  # type: ignore[arg-type]
    except TypeError:
        return "None" if thing is None else f"an object of type {type(thing).__name__}"


def _from_rows(thing: object, words: Any, rows: Any) -> Embedding:
    spelt = list(words) if isinstance(words, Iterable) else []
    if not spelt or not all(isinstance(word, str) for word in spelt):
        raise SettingError(
            f"the subject must be {EXPECTED}, got {describe(thing)} with keys that are not words", option="subject"
        )
    try:
        with np.errstate(over="ignore"):  # becomes an infinity, which is refused with the word it belongs to
            vectors = np.asarray(rows, dtype=np.float32)
    except (TypeError, ValueError, RuntimeError):  # the last from torch, for a tensor that wants gradients
        vectors = np.empty(0, dtype=np.float32)
    if vectors.ndim != 2 or len(vectors) != len(spelt) or not vectors.shape[1]:
        raise SettingError(
            f"the vectors must be {len(spelt):,} rows of numbers, all of one length, in {describe(thing)}",
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
