"""gensim's pickles, read without running them.

A pickle is a program. Python's own unpickler, the one written in Python, follows it, and each name in it must be one
of those listed, which are inert classes of ours: neither numpy's nor gensim's code runs. Opcodes that could
reach beyond that are refused. That unpickler keeps its memo in a dictionary and reads no more than there is, and what
calls return is limited by the length of the file, so a small file takes little memory. It is slow, but most of a file
is words and their numbers: these are taken a thousand at a time.
"""

import math
import mmap
import pickle
import re
import reprlib
import struct
import warnings
from bisect import bisect_right
from collections.abc import Callable, Iterable
from pathlib import Path
from typing import Any, ClassVar

import numpy as np
import numpy.typing as npt

from imprint.errors import EmbeddingFileError, raising_as

_MOST_DIMENSIONS = 8  # the vectors have two
_NUMERIC = re.compile(r"[fiub][1248]")
_TEXT_TYPE = re.compile(r"U[0-9]{1,9}")

# They reach for names or objects outside the file, or for classes in ways gensim's files never do.
_REFUSED = (
    *("PERSID", "BINPERSID", "EXT1", "EXT2", "EXT4"),
    *("INST", "OBJ", "NEWOBJ_EX", "NEXT_BUFFER", "READONLY_BUFFER"),
)
_WHOLE = ("LONG", "LONG1", "LONG4", "INT")  # numbers of any length
_LONGEST = 64  # bits
_ARGUMENTS = 16  # of a call; gensim and numpy write fewer
_BROKEN = (
    pickle.UnpicklingError,
    ArithmeticError,
    AttributeError,
    EOFError,
    LookupError,
    MemoryError,
    RecursionError,
    TypeError,
    ValueError,
    struct.error,
)

# A mark, memoised words of up to 63 bytes and the end of the batch; frames, which mean nothing, may begin anywhere.
_FRAME = rb"\x95.{8}"
_TEXT = b"|".join(rb"\x%02x.{%d}" % (size, size) for size in range(64))
_WORD = re.compile((rb"%s|\x8c(%s)\x94" % (_FRAME, _TEXT)).decode(), re.DOTALL)  # words are mostly ASCII
_WORDS = re.compile(rb"\((?:%s|\x8c(?:%s)\x94)++e" % (_FRAME, _TEXT), re.DOTALL)
# A mark, very many things fetched from the memo, and whole numbers.
_INDEX = re.compile(rb"\((?:h.|j.{4}|K.|M..|J.{4}|%s){100,}+u" % _FRAME, re.DOTALL)


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
            kind = dtype.dtype(_TEXT_TYPE)
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


def read_pickle(path: Path) -> object:
    """Return the pickled object built of inert placeholders."""
    with path.open("rb") as file, mmap.mmap(file.fileno(), 0, access=mmap.ACCESS_READ) as data:
        hint = "save it again with gensim, or fetch it again"
        # Odd escapes in strings would warn; what they spell is judged like any other name.
        with (
            raising_as(_BROKEN, EmbeddingFileError, "is a damaged pickle ({})", where=path, hint=hint),
            warnings.catch_warnings(action="ignore"),
        ):
            return _InertUnpickler(path, data).load()


class _Memo(dict[int, Any]):
    """What was memoised, by index; words are kept by the batch, and most are never asked for."""

    def __init__(self) -> None:
        self._starts: list[int] = []
        self._batches: list[list[str]] = []
        self._words = 0

    def __len__(self) -> int:
        return super().__len__() + self._words

    def __missing__(self, index: int) -> str:
        batch = bisect_right(self._starts, index) - 1
        if batch < 0:
            raise KeyError(index)
        return self._batches[batch][index - self._starts[batch]]

    def memoise(self, words: list[str]) -> None:
        self._starts.append(len(self))
        self._batches.append(words)
        self._words += len(words)


_Unpickler: Any = pickle._Unpickler  # its stub describes the one in C


class _InertUnpickler(_Unpickler):  # type: ignore[misc]
    """Follows a pickle; what is not overridden here makes, takes and keeps plain data only."""

    dispatch: ClassVar[dict[int, Callable[[Any], None]]] = dict(_Unpickler.dispatch)
    stack: list[Any]
    made = 0  # characters and bytes that calls returned

    def __init__(self, path: Path, data: mmap.mmap) -> None:
        super().__init__(data, fix_imports=False, encoding="latin1")
        self._path, self._data = path, data
        self.memo = _Memo()

    def find_class(self, module: str, name: str) -> type[Inert]:
        """Return what replaces a class; refuse all that are not listed."""
        try:
            return PLACEHOLDERS[module, name]
        except KeyError:
            spelt = f"{module}.{name}"
            raise EmbeddingFileError(
                f"the pickle names {spelt[:100]!r}, which no embedding needs, and was refused",
                where=self._path,
                got=spelt,
                hint="save the vectors with gensim's KeyedVectors.save or save_word2vec_format",
            ) from None

    def refuse(self, opcode: str, position: int) -> None:
        """Raise the error for an opcode that is never honest."""
        raise EmbeddingFileError(
            f"the pickle has {opcode} in a way gensim never writes it, and was refused",
            where=(self._path, f"byte {position}"),
            got=opcode,
            hint="save the vectors again with gensim",
        )

    def load_frame(self) -> None:
        """Step over the length of a frame."""
        (size,) = struct.unpack("<Q", self.read(8))
        if size > len(self._data) - self._data.tell():
            raise pickle.UnpicklingError("a frame goes on beyond its end")

    def load_mark(self) -> None:
        """Take the words of a list at once; step over a dictionary of their numbers, which follow from the list."""
        top = self.stack[-1] if self.stack else None
        start = self._data.tell() - 1
        if type(top) is list and (match := _WORDS.match(self._data, start)):
            spelt = _WORD.findall(self._data[start + 1 : match.end() - 1].decode("latin-1"))
            words = [word[1:] if word.isascii() else _decode(word[1:]) for word in spelt if word]  # without its length
            self.memo.memoise(words)
            top += words
            self._data.seek(match.end())
        elif type(top) is dict and (match := _INDEX.match(self._data, start)):
            self._data.seek(match.end())
        else:
            super().load_mark()

    dispatch[pickle.FRAME[0]] = load_frame
    dispatch[pickle.MARK[0]] = load_mark
    dispatch[pickle.BYTEARRAY8[0]] = dispatch[pickle.BINBYTES8[0]]  # not allocated before it is read


def _decode(word: str) -> str:
    return word.encode("latin-1").decode("utf-8", "surrogatepass")


def _refusing(name: str) -> Callable[[_InertUnpickler], None]:
    return lambda unpickler: unpickler.refuse(name, unpickler._data.tell() - 1)


def _limited(name: str) -> Callable[[_InertUnpickler], None]:
    """Refuse long numbers: multiplied as a shape, millions of them would not come to an end."""
    load = _InertUnpickler.dispatch[getattr(pickle, name)[0]]

    def limited(unpickler: _InertUnpickler) -> None:
        position = unpickler._data.tell() - 1
        load(unpickler)
        if unpickler.stack[-1].bit_length() > _LONGEST:
            unpickler.refuse(name, position)

    return limited


def _keyed(name: str, keys: Callable[[list[Any]], Iterable[object]]) -> Callable[[_InertUnpickler], None]:
    """Refuse tuples and frozensets as keys: Python hashes and compares what is in them, and so on, in C.

    Millions around one another end the process; two families of frozensets, compared, would take for ever.
    """
    load = _InertUnpickler.dispatch[getattr(pickle, name)[0]]

    def checked(unpickler: _InertUnpickler) -> None:
        if not {tuple, frozenset}.isdisjoint(map(type, keys(unpickler.stack))):
            unpickler.refuse(name, unpickler._data.tell() - 1)
        load(unpickler)

    return checked


def _called(name: str) -> Callable[[_InertUnpickler], None]:
    """Refuse many arguments, and results that together are longer than the file: a call is spelt in a few bytes."""
    load = _InertUnpickler.dispatch[getattr(pickle, name)[0]]

    def called(unpickler: _InertUnpickler) -> None:
        position, arguments = unpickler._data.tell() - 1, unpickler.stack[-1]
        if type(arguments) is not tuple or len(arguments) > _ARGUMENTS:
            unpickler.refuse(name, position)
        load(unpickler)
        if isinstance(made := unpickler.stack[-1], str | bytes):
            unpickler.made += len(made)
        if unpickler.made > len(unpickler._data):
            unpickler.refuse(name, position)

    return called


_InertUnpickler.dispatch |= {
    **{getattr(pickle, name)[0]: _called(name) for name in ("REDUCE", "NEWOBJ")},
    **{getattr(pickle, name)[0]: _refusing(name) for name in _REFUSED},
    **{getattr(pickle, name)[0]: _limited(name) for name in _WHOLE},
    **{getattr(pickle, name)[0]: _keyed(name, lambda stack: stack[::2]) for name in ("SETITEMS", "DICT")},
    **{getattr(pickle, name)[0]: _keyed(name, lambda stack: stack) for name in ("ADDITEMS", "FROZENSET")},
    pickle.SETITEM[0]: _keyed("SETITEM", lambda stack: stack[-2:-1]),
}
