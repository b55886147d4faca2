"""What stands for numpy's and gensim's classes when a pickle of theirs is read: data, and no behaviour."""

import math
import re
import reprlib
from typing import Any

import numpy as np
import numpy.typing as npt

_MOST_DIMENSIONS = 8  # the vectors have two
_NUMERIC = re.compile(r"[fiub][1248]")
_TEXT = re.compile(r"U[0-9]{1,9}")


class Inert:
    """Replaces any class; keeps the state it is given and does nothing with it."""

    __slots__ = ("state",)
    state: Any

    def __new__(cls, *_: object) -> Any:
        """Take and forget any arguments."""
        made = object.__new__(cls)
        made.state = {}
        return made

    def __setstate__(self, state: object) -> None:
        self.state = state

    def __setitem__(self, key: object, value: object) -> None:
        """Forget it: nothing that is read here is kept in a mapping of a class of its own."""


class StoredType(Inert):
    """A numpy dtype: its code when made, its byte order in the state."""

    __slots__ = ("code",)
    code: Any

    def __new__(cls, code: object = None, *_: object) -> Any:
        """Keep the code, such as f4."""
        made = super().__new__(cls)
        made.code = code
        return made

    def dtype(self, pattern: re.Pattern[str]) -> np.dtype[Any]:
        """Return the dtype if its code fits the pattern: plain numbers or plain text, no records, no objects."""
        order = self.state[1] if isinstance(self.state, tuple) and len(self.state) > 1 else "|"
        if not (isinstance(self.code, str) and pattern.fullmatch(self.code) and order in ("<", ">", "|", "=")):
            raise ValueError(f"an array of {reprlib.repr(self.code)}, expected numbers")
        return np.dtype(order + self.code)


class StoredArray(Inert):
    """A numpy array: (version, shape, dtype, Fortran order?, bytes) in its state."""

    __slots__ = ()

    def array(self) -> npt.NDArray[Any]:
        """Build the array over the bytes, if their number is what shape and type make it."""
        if not (isinstance(self.state, tuple) and len(self.state) == 5):
            raise ValueError("an array without content")
        _, shape, dtype, fortran, content = self.state
        return _build(content, dtype, shape, fortran)


class StoredBuffer(StoredArray):
    """A numpy array as protocol 5 writes it: all of it in the arguments."""

    __slots__ = ()

    def __new__(cls, content: object = None, dtype: object = None, shape: object = None, order: object = "C") -> Any:
        """Put the arguments where the other protocols put the state."""
        made = super().__new__(cls)
        made.state = (1, shape, dtype, order == "F", content)
        return made


class StoredScalar(Inert):
    """A numpy scalar; gensim 3 wrote words as such."""

    __slots__ = ()

    def __new__(cls, dtype: object = None, content: object = b"") -> Any:
        """Return the plain string for text and an inert object for anything else, which no reader needs."""
        if isinstance(dtype, StoredType) and isinstance(dtype.code, str) and dtype.code.startswith("U"):
            value = _bytes(content)
            kind = dtype.dtype(_TEXT)
            if kind.itemsize == len(value) > 0:
                return str(np.frombuffer(value, dtype=kind)[0])
        return super().__new__(cls)


class EncodedText(Inert):
    """Bytes as protocol 2 writes them: text to be encoded as Latin-1."""

    __slots__ = ()

    def __new__(cls, text: object = "", encoding: object = "latin1") -> Any:
        """Return the bytes."""
        if not isinstance(text, str) or encoding != "latin1":
            raise ValueError(f"bytes written as {reprlib.repr(encoding)}")
        return text.encode("latin1")


def _build(content: object, stored: object, shape: object, fortran: object) -> npt.NDArray[Any]:
    if not isinstance(stored, StoredType) or not isinstance(shape, tuple):
        raise TypeError("an array without a type or shape")
    if len(shape) > _MOST_DIMENSIONS or not all(isinstance(length, int) and length >= 0 for length in shape):
        raise ValueError("an array with an invalid shape")
    dtype = stored.dtype(_NUMERIC)
    data = _bytes(content)
    if math.prod(shape) * dtype.itemsize != len(data):
        raise ValueError(f"an array of shape {shape} in {len(data)} bytes")
    return np.frombuffer(data, dtype=dtype).reshape(shape, order="F" if fortran else "C")


def _bytes(content: object) -> bytes:
    if isinstance(content, str):  # Python 2 wrote bytes so
        return content.encode("latin1")
    if not isinstance(content, bytes | bytearray):
        raise TypeError("an array whose content is not bytes")
    return bytes(content)


def _table() -> dict[tuple[str | None, ...], type[Inert]]:
    table: dict[tuple[str | None, ...], type[Inert]] = {("_codecs", "encode"): EncodedText}
    table["numpy", "dtype"] = StoredType
    for core in ("numpy.core", "numpy._core"):
        table[f"{core}.multiarray", "_reconstruct"] = StoredArray
        table[f"{core}.multiarray", "scalar"] = StoredScalar
        table[f"{core}.numeric", "_frombuffer"] = StoredBuffer
    inert = {
        "numpy": "ndarray float32 float64",
        "numpy.random": "__RandomState_ctor",
        "numpy.random._pickle": "__randomstate_ctor __bit_generator_ctor",
        "numpy.random._mt19937": "MT19937",
        # Settings of the training that some models carry along: types, and Python's hash as a default.
        "builtins": "frozenset hash int object set",
        "__builtin__": "frozenset hash int long object set",
        "collections": "Counter OrderedDict defaultdict",
        "copyreg": "_reconstructor",
        "copy_reg": "_reconstructor",
        "gensim.utils": "SaveLoad call_on_class_only",
        "gensim.models.keyedvectors": "BaseKeyedVectors CompatVocab Doc2VecKeyedVectors EuclideanKeyedVectors "
        "FastTextKeyedVectors KeyedVectors SimpleVocab Vocab Word2VecKeyedVectors WordEmbeddingsKeyedVectors",
        "gensim.models.word2vec": "Vocab Word2Vec Word2VecTrainables Word2VecVocab",
        "gensim.models.fasttext": "FastText FastTextKeyedVectors FastTextTrainables FastTextVocab",
        "gensim.models.doc2vec": "Doc2Vec Doc2VecTrainables Doc2VecVocab Doctag DocvecsArray",
        "gensim.models.callbacks": "CallbackAny2Vec",
    }
    table.update({(module, name): Inert for module, names in inert.items() for name in names.split()})
    return table


PLACEHOLDERS = _table()
