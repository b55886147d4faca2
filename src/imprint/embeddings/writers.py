"""How an embedding is written in each format: as chunks of bytes, each with the number of words up to its end.

safetensors is not written by its library, which wants every tensor in memory at once, tells no progress, and orders
what it says of the file otherwise each time.
"""

import json
import math
from collections.abc import Callable, Iterator, Mapping
from typing import Any, TypeAlias

import msgspec
import numpy as np
import numpy.typing as npt

from imprint.embeddings.embedding import BLOCK_ROWS, Embedding
from imprint.embeddings.formats.layout import BYTE_ORDER_MARK, NUMERAL
from imprint.embeddings.formats.safetensors import FORMAT, LENGTH_BYTES, TYPES
from imprint.errors import EmbeddingFileError, VocabularyError
from imprint.types import Floats, Floats32

Chunks: TypeAlias = Iterator[tuple[int, bytes | memoryview]]

_ORDER = ("F32", "I32", "F16", "U8")  # of tensors in the file, as the library safetensors has it: all are aligned
_ALIGNMENT = 8
_TEXT_VALUES = 1 << 18  # numbers of text written at a time, each of them a Python object
_FEWEST_DIGITS, _MOST_DIGITS = 5, 9  # nine tell any float32 from the next
_POWERS = np.array([float(f"1e{power}") for power in range(23)])  # those that doubles hold exactly
_HOLD_ANY = "write it as gensim's .kv, which holds any word, or remove it"


def write_safetensors(embedding: Embedding, *, half: bool) -> Chunks:
    """Give words, vectors, ranks, flags, name and notes; the same embedding gives the same bytes."""
    _check_words(embedding, lambda word: "\n" not in word, "a line break")
    kind = "F16" if half else "F32"
    tensors: dict[str, tuple[str, npt.NDArray[Any]]] = {
        "vectors": (kind, embedding.vectors),
        "words": ("U8", np.frombuffer("\n".join(embedding.words).encode(), dtype=np.uint8)),
    }
    if embedding.ranks is not None:
        tensors["ranks"] = ("I32", embedding.ranks)
    if embedding.common is not None:
        tensors["common"] = ("U8", np.asarray(embedding.common, dtype=np.bool_))
    tensors = dict(sorted(tensors.items(), key=lambda item: (_ORDER.index(item[1][0]), item[0])))
    yield 0, _header(embedding, {name: (kind, tensor.shape) for name, (kind, tensor) in tensors.items()})
    done = 0
    for name, (kind, tensor) in tensors.items():
        if name == "vectors":
            for done, block in _blocks(embedding, BLOCK_ROWS, TYPES[kind]):
                yield done, block.data
        else:
            yield done, np.ascontiguousarray(tensor, dtype=TYPES[kind]).data


def write_word2vec(embedding: Embedding) -> Chunks:
    """Give word2vec's text: a line of two counts, then one line per word."""
    _check_words(embedding, _is_one_field, "a space or a control character")
    yield 0, f"{len(embedding)} {embedding.dimension}\n".encode()
    yield from _lines(embedding)


def write_glove(embedding: Embedding) -> Chunks:
    """Give GloVe's text: one line per word, which may hold spaces as some of GloVe's own do."""
    _check_words(embedding, _is_before_numbers, "a control character, or spaces that would be lost")
    if embedding.words[0].encode().startswith(BYTE_ORDER_MARK):
        raise _refusal(embedding, embedding.words[0], "begins with a byte order mark", _HOLD_ANY)
    yield from _lines(embedding)


def write_word2vec_binary(embedding: Embedding) -> Chunks:
    """Give word2vec's binary format, as gensim writes it: without a line break after each vector."""
    _check_words(embedding, _is_one_field, "a space or a control character")
    yield 0, f"{len(embedding)} {embedding.dimension}\n".encode()
    for done, block in _blocks(embedding, BLOCK_ROWS):
        words = embedding.words[done - len(block) : done]
        yield done, b"".join(b"%s %b" % (word.encode(), row) for word, row in zip(words, block, strict=True))


def check_vocabulary(embedding: Embedding) -> None:
    """Refuse an embedding without words, or with a word twice."""
    if not len(embedding):
        raise VocabularyError("has no words to convert", where=embedding.name)
    seen: set[str] = set()
    for word in embedding.words:
        if word in seen:
            raise _refusal(embedding, word, "is duplicated")
        seen.add(word)


def _check_words(embedding: Embedding, holds: Callable[[str], bool], found: str) -> None:
    """Refuse words that would not be read back as they are."""
    check_vocabulary(embedding)
    for word in embedding.words:
        if not holds(word):
            raise _refusal(embedding, word, f"holds {found}" if word else "is empty", _HOLD_ANY)
    try:
        "\n".join(embedding.words).encode()
    except UnicodeEncodeError as error:
        raise VocabularyError(
            f"a word cannot be written as UTF-8 ({error.reason})", where=embedding.name, hint="remove that word"
        ) from error


def _refusal(embedding: Embedding, word: str, why: str, hint: str = "remove it before converting") -> VocabularyError:
    return VocabularyError(f"the word {word!r} {why}", where=embedding.name, words=[word], hint=hint)


def _is_one_field(word: str) -> bool:
    """Whether every program reads the word up to its end, and no further."""
    return word != "" and min(word) > " "


def _is_before_numbers(word: str) -> bool:
    """Whether the word comes before the numbers of its line."""
    fields = word.split(" ")
    return all(map(_is_one_field, fields)) and not any(
        NUMERAL.fullmatch(field.encode(errors="replace")) for field in fields[1:]
    )


def _lines(embedding: Embedding) -> Chunks:
    for done, block in _blocks(embedding, max(1, _TEXT_VALUES // embedding.dimension)):
        words = embedding.words[done - len(block) : done]
        rows = msgspec.json.encode(_shortest(block).tolist())[2:-2].replace(b",", b" ").split(b"] [")
        yield done, b"".join(b"%s %s\n" % (word.encode(), row) for word, row in zip(words, rows, strict=True))


def _shortest(block: Floats32) -> Floats:
    """Return doubles that round to these numbers and need the fewest digits: 0.1, not 0.10000000149011612.

    A whole number of up to nine digits divided by a power of ten that is a double is the double nearest to that
    decimal, and is written with these digits.
    """
    exact = block.astype(np.float64)
    with np.errstate(divide="ignore"):
        size = np.floor(np.log10(np.abs(exact)))
    chosen = exact.copy()
    left = np.flatnonzero((size >= _MOST_DIGITS - len(_POWERS)) & (size < _FEWEST_DIGITS))
    for digits in range(_FEWEST_DIGITS, _MOST_DIGITS + 1):
        values = exact.ravel()[left]
        scale = _POWERS[digits - 1 - size.ravel()[left].astype(np.int64)]
        rounded = np.rint(values * scale) / scale
        fits = rounded.astype(np.float32) == values
        chosen.ravel()[left[fits]] = rounded[fits]
        left = left[~fits]
    return chosen


def _header(embedding: Embedding, shapes: Mapping[str, tuple[str, tuple[int, ...]]]) -> bytes:
    """Return the length of the JSON and the JSON: where each tensor begins and ends, counted from its end."""
    notes = "\n".join(" ".join(note.split()) for note in embedding.notes)
    header: dict[str, Any] = {"__metadata__": {"format": FORMAT, "name": embedding.name, "notes": notes}}
    end = 0
    for name, (kind, shape) in shapes.items():
        start, end = end, end + math.prod(shape) * np.dtype(TYPES[kind]).itemsize
        header[name] = {"dtype": kind, "shape": list(shape), "data_offsets": [start, end]}
    # A file name may hold bytes that are no text; the name taken from it has question marks there.
    text = json.dumps(header, ensure_ascii=False, separators=(",", ":")).encode(errors="replace")
    text += b" " * (-len(text) % _ALIGNMENT)
    return len(text).to_bytes(LENGTH_BYTES, "little") + text


def _blocks(embedding: Embedding, rows: int, kind: str = "<f4") -> Iterator[tuple[int, npt.NDArray[Any]]]:
    """Give some rows at a time, each block with the number of rows up to its end."""
    dtype = np.dtype(kind)
    for start in range(0, len(embedding), rows):
        with np.errstate(over="ignore"):
            block = np.ascontiguousarray(embedding.vectors[start : start + rows], dtype=dtype)
        finite = np.isfinite(block).all(axis=1)
        if not finite.all():
            word = embedding.words[start + int(np.argmin(finite))]
            raise EmbeddingFileError(
                f"the vector of {word!r} has values that {dtype} cannot hold",
                where=embedding.name,
                words=[word],
                hint="convert without half precision" if dtype == np.float16 else "leave that word out",
            )
        yield start + len(block), block
