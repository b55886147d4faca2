"""An embedding written as a file: a safetensors file that opens in an instant, or a format that other tools read.

Each format is written as chunks of bytes, each with the number of words up to its end. safetensors is not written by
its library, which wants every tensor in memory at once, tells no progress, and orders what it says of the file
otherwise each time.
"""

import json
import math
import os
from collections.abc import Callable, Iterator, Mapping
from functools import partial
from pathlib import Path
from typing import IO, Any, TypeAlias, get_args

import msgspec
import numpy as np
import numpy.typing as npt

from imprint.checks import EmbeddingFormat, check_choice
from imprint.embeddings.embedding import BLOCK_ROWS, Embedding
from imprint.embeddings.formats.layout import BYTE_ORDER_MARK, LARGEST_DIMENSION, NUMERAL
from imprint.embeddings.formats.safetensors import FORMAT, LENGTH_BYTES, TYPES
from imprint.embeddings.formats.streams import Source
from imprint.embeddings.formats.word2vec import recognises
from imprint.errors import EmbeddingFileError, SettingError, VocabularyError, requiring
from imprint.files import FilePath, replacing
from imprint.types import Floats, Floats32, Progress

Chunks: TypeAlias = Iterator[tuple[int, bytes | memoryview]]

ENDINGS: Mapping[EmbeddingFormat, tuple[str, ...]] = {
    "safetensors": (".safetensors",),
    "word2vec": (".txt", ".vec"),
    "glove": (".txt",),
    "word2vec-binary": (".bin",),
    "gensim": (".kv",),
}

_SYNC_BYTES = 64 << 20
_PICKLE_PROTOCOL = 5  # writes a matrix as it lies in memory, without a copy
_ORDER = ("F32", "I32", "F16", "U8")  # of tensors in the file, as the library safetensors has it: all are aligned
_ALIGNMENT = 8
_TEXT_VALUES = 1 << 18  # numbers of text written at a time, each of them a Python object
_LONGEST_WORD = 1 << 20  # characters: a row's reader wants it whole in 8 MB
_FEWEST_DIGITS, _MOST_DIGITS = 5, 9  # nine tell any float32 from the next
_POWERS = np.array([float(f"1e{power}") for power in range(23)])  # those that doubles hold exactly
_HOLD_ANY = "write it as gensim's .kv, which holds any word, or remove it"


def convert(
    embedding: Embedding,
    path: FilePath,
    *,
    format: EmbeddingFormat | None = None,  # noqa: A002 - what the command line calls it
    half: bool = False,
    progress: Progress | None = None,
) -> None:
    """Write an embedding as a safetensors file that opens quickly, or in a format of other tools.

    Values are written exactly in every format. Only safetensors keeps name, notes, ranks and flags. A fastText model's
    vectors of unseen words are not written.

    Parameters
    ----------
    embedding
        What to write.
    path
        The file to write; its name ends in .safetensors, .txt, .vec, .bin or .kv.
    format
        By default the ending's: word2vec text for .txt and .vec, word2vec binary for .bin, gensim for .kv. GloVe's
        text, which has no header, must be asked for.
    half
        Round the vectors to float16; safetensors only.
    progress
        Called with the rows written and the total number of rows.

    Examples
    --------
    >>> imprint.convert(imprint.load({"rose": [1.0, 2.0], "ant": [3.0, -4.0]}), "small.safetensors")
    >>> imprint.load("small.safetensors")
    Embedding('dict', 2 words, 2 dimensions)
    """
    chosen = choose_format(path, format, half=half)
    if embedding.source is not None and Path(path).exists() and Path(path).samefile(embedding.source):
        raise EmbeddingFileError("is the file being converted", where=path, hint="give another name for the copy")
    if chosen == "gensim":
        save = _gensim_saver(embedding)
        with replacing(path) as part, part.open("wb") as file:
            save(file)
        if progress is not None:
            progress(len(embedding), len(embedding))
        return
    writers: dict[str, Callable[[Embedding], Chunks]] = {
        "safetensors": partial(write_safetensors, half=half),
        "word2vec": write_word2vec,
        "glove": write_glove,
        "word2vec-binary": write_word2vec_binary,
    }
    with replacing(path) as part, part.open("wb") as file:
        unsynced = reported = 0
        for done, chunk in writers[chosen](embedding):
            file.write(chunk)
            unsynced += memoryview(chunk).nbytes
            if unsynced > _SYNC_BYTES:
                # Left to the end, waiting for the disk would take longer than all the rest, and no bar would tell.
                os.fsync(file.fileno())
                unsynced = 0
            if progress is not None and done > reported:
                progress(done, len(embedding))
                reported = done
        if chosen == "word2vec-binary":
            file.flush()
            _check_recognised(embedding, part)


def choose_format(path: FilePath, asked: str | None = None, *, half: bool = False) -> EmbeddingFormat:
    """Return the format to write; refuse a name that promises another kind of file."""
    if asked is not None:
        check_choice("format", asked, get_args(EmbeddingFormat))
    fitting = [
        name
        for name, endings in ENDINGS.items()
        if asked in (None, name) and os.fspath(path).lower().endswith(endings)
    ]
    if not fitting:
        endings = [ending for name, some in ENDINGS.items() if asked in (None, name) for ending in some]
        *others, last = dict.fromkeys(endings)
        expected = f"a name that ends in {', '.join(others)}{' or ' if others else ''}{last}"
        raise SettingError(option="path", got=path, expected=expected)
    if half and fitting[0] != "safetensors":
        raise SettingError(
            f"half precision cannot be used with {fitting[0]}",
            option="half",
            hint="leave it out or use .safetensors",
        )
    if fitting[0] == "gensim":
        with requiring("gensim", "gensim"):
            import gensim.models  # noqa: F401 - refused now, before any work is done
    return fitting[0]


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
    _check_rows(embedding, _is_one_field, "a space or a control character")
    yield 0, f"{len(embedding)} {embedding.dimension}\n".encode()
    yield from _lines(embedding)


def write_glove(embedding: Embedding) -> Chunks:
    """Give GloVe's text: one line per word, which may hold spaces as some of GloVe's own do."""
    _check_rows(embedding, _is_before_numbers, "a control character, or spaces that would be lost")
    if embedding.words[0].encode().startswith(BYTE_ORDER_MARK):
        raise _refusal(embedding, embedding.words[0], "begins with a byte order mark", _HOLD_ANY)
    yield from _lines(embedding)


def write_word2vec_binary(embedding: Embedding) -> Chunks:
    """Give word2vec's binary format, as gensim writes it: without a line break after each vector."""
    _check_rows(embedding, _is_one_field, "a space or a control character")
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


def _gensim_saver(embedding: Embedding) -> Callable[[IO[bytes]], None]:
    """Return what writes a file of gensim's, all in one: a matrix beside it is easily left behind."""
    from gensim.models import KeyedVectors

    check_vocabulary(embedding)
    embedding.check_finite()
    keyed = KeyedVectors(vector_size=embedding.dimension)
    keyed.index_to_key = list(embedding.words)
    keyed.key_to_index = {word: row for row, word in enumerate(keyed.index_to_key)}
    keyed.vectors, keyed.next_index = np.ascontiguousarray(np.asarray(embedding.vectors)), len(embedding)
    return partial(keyed.save, pickle_protocol=_PICKLE_PROTOCOL)


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


def _check_rows(embedding: Embedding, holds: Callable[[str], bool], said: str) -> None:
    """Refuse words that a row cannot hold, and rows so long that their readers take them for damage."""
    if embedding.dimension > LARGEST_DIMENSION:
        raise EmbeddingFileError(
            option="dimensions",
            got=embedding.dimension,
            expected=f"at most {LARGEST_DIMENSION:,}",
            where=embedding.name,
            hint="write it as .safetensors",
        )
    _check_words(embedding, holds, said)
    if len(longest := max(embedding.words, key=len)) > _LONGEST_WORD:
        raise _refusal(embedding, longest, f"has {len(longest):,} characters", _HOLD_ANY)


def _check_recognised(embedding: Embedding, written: Path) -> None:
    """Refuse a file whose first numbers happen to be spelt like text, as which it would be read."""
    with written.open("rb", buffering=0) as raw:
        if not recognises(Source(written, raw).head, written):
            raise EmbeddingFileError(
                "has vectors whose bytes read as text, which word2vec's binary format cannot tell apart",
                where=embedding.name,
                hint="write it as .safetensors, .txt or .kv",
            )


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
