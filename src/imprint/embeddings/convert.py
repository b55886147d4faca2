"""The writer of imprint's own form of an embedding: one safetensors file that opens in an instant.

Not by the library safetensors, which wants every tensor in memory at once, tells no progress, and orders what it says
of the file otherwise each time.
"""

import json
import math
import os
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt

from imprint.embeddings.embedding import BLOCK_ROWS, Embedding
from imprint.embeddings.formats.safetensors import FORMAT, LENGTH_BYTES, TYPES
from imprint.errors import EmbeddingFileError, SettingError, VocabularyError
from imprint.files import FilePath, replacing
from imprint.types import Progress

SUFFIX = ".safetensors"

_ORDER = ("F32", "I32", "F16", "U8")  # of tensors in the file, as the library safetensors has it: all are aligned
_ALIGNMENT = 8


def convert(
    embedding: Embedding,
    path: FilePath,
    *,
    half: bool = False,
    progress: Progress | None = None,
) -> None:
    """Write an embedding as one safetensors file that opens quickly.

    The same embedding gives the same bytes. A fastText model's vectors of unseen words are not written.

    Parameters
    ----------
    embedding
        What to write: words, vectors, ranks, flags, name and notes.
    path
        The file to write; its name ends in .safetensors.
    half
        Round the vectors to float16.
    progress
        Called with the rows written and the total number of rows.

    Examples
    --------
    >>> imprint.convert(imprint.load({"rose": [1.0, 2.0], "ant": [3.0, -4.0]}), "small.safetensors")
    >>> imprint.load("small.safetensors")
    Embedding('dict', 2 words, 2 dimensions)
    """
    check_name(path)
    if embedding.source is not None and Path(path).exists() and Path(path).samefile(embedding.source):
        raise EmbeddingFileError("is the file being converted", where=path, hint="give another name for the copy")
    kind = "F16" if half else "F32"
    tensors: dict[str, tuple[str, npt.NDArray[Any]]] = {
        "vectors": (kind, embedding.vectors),
        "words": ("U8", _words(embedding)),
    }
    if embedding.ranks is not None:
        tensors["ranks"] = ("I32", embedding.ranks)
    if embedding.common is not None:
        tensors["common"] = ("U8", np.asarray(embedding.common, dtype=np.bool_))
    tensors = dict(sorted(tensors.items(), key=lambda item: (_ORDER.index(item[1][0]), item[0])))
    with replacing(path) as part, part.open("wb") as file:
        file.write(_header(embedding, {name: (kind, tensor.shape) for name, (kind, tensor) in tensors.items()}))
        for name, (kind, tensor) in tensors.items():
            if name != "vectors":
                file.write(np.ascontiguousarray(tensor, dtype=TYPES[kind]).data)
                continue
            for done, block in _blocks(embedding, np.dtype(TYPES[kind])):
                file.write(block.data)
                # Left to the end, waiting for the disk would take longer than all the rest, and no bar would tell.
                os.fsync(file.fileno())
                if progress is not None:
                    progress(done, len(embedding))


def check_name(path: FilePath) -> None:
    """Refuse a name that promises another kind of file than the one that is written."""
    if not os.fspath(path).lower().endswith(SUFFIX):
        raise SettingError(option="path", got=path, expected=f"a name that ends in {SUFFIX}")


def _header(embedding: Embedding, shapes: Mapping[str, tuple[str, tuple[int, ...]]]) -> bytes:
    """Return the length of the JSON and the JSON: what stands where, in this order, from byte 0 after it."""
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


def _blocks(embedding: Embedding, dtype: np.dtype[Any]) -> Iterator[tuple[int, npt.NDArray[Any]]]:
    """Give the rows a block at a time, each with the number of rows up to its end."""
    for start in range(0, len(embedding), BLOCK_ROWS):
        with np.errstate(over="ignore"):
            block = np.ascontiguousarray(embedding.vectors[start : start + BLOCK_ROWS], dtype=dtype)
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


def _words(embedding: Embedding) -> npt.NDArray[np.uint8]:
    if not len(embedding):
        raise VocabularyError("has no words to convert", where=embedding.name)
    seen: set[str] = set()
    for word in embedding.words:
        if "\n" in word or word in seen:
            why = "is duplicated" if word in seen else "holds a line break"
            raise VocabularyError(
                f"the word {word!r} {why}", where=embedding.name, words=[word], hint="remove it before converting"
            )
        seen.add(word)
    try:
        text = "\n".join(embedding.words).encode()
    except UnicodeEncodeError as error:
        raise VocabularyError(
            f"a word cannot be written as UTF-8 ({error.reason})", where=embedding.name, hint="remove that word"
        ) from error
    return np.frombuffer(text, dtype=np.uint8)
