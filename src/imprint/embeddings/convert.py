"""The writer of imprint's own form of an embedding: one safetensors file that opens in an instant."""

import json
import os
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt

from imprint.embeddings.embedding import BLOCK_ROWS, Embedding
from imprint.embeddings.formats.safetensors import FORMAT
from imprint.errors import EmbeddingFileError, VocabularyError
from imprint.files import replacing

_LENGTH_BYTES = 8


def convert(embedding: Embedding, path: str | os.PathLike[str], *, half: bool = False) -> None:
    """Write words, vectors, ranks, flags, name and notes; `half` rounds the vectors to float16.

    The same embedding gives the same bytes. What a fastText model makes of unseen words is not written.
    """
    from safetensors.numpy import save_file

    if embedding.source is not None and Path(path).exists() and Path(path).samefile(embedding.source):
        raise EmbeddingFileError(f"{path}: is the file being converted; give another name for the copy")
    tensors: dict[str, npt.NDArray[Any]] = {
        "vectors": _vectors(embedding, np.dtype(np.float16 if half else np.float32)),
        "words": _words(embedding),
    }
    if embedding.ranks is not None:
        tensors["ranks"] = np.ascontiguousarray(embedding.ranks, dtype=np.int32)
    if embedding.common is not None:
        tensors["common"] = np.ascontiguousarray(embedding.common, dtype=np.bool_).view(np.uint8)
    notes = "\n".join(" ".join(note.split()) for note in embedding.notes)
    with replacing(path) as part:
        save_file(tensors, part, metadata={"format": FORMAT, "name": embedding.name, "notes": notes})
        _sort_metadata(part)


def _vectors(embedding: Embedding, dtype: np.dtype[Any]) -> npt.NDArray[Any]:
    vectors = np.empty(embedding.vectors.shape, dtype=dtype)
    for start in range(0, len(vectors), BLOCK_ROWS):
        block = slice(start, start + BLOCK_ROWS)
        with np.errstate(over="ignore"):
            vectors[block] = embedding.vectors[block]
        finite = np.isfinite(vectors[block]).all(axis=1)
        if not finite.all():
            row = start + int(np.argmin(finite))
            raise EmbeddingFileError(
                f"{embedding.name}: the vector of {embedding.words[row]!r} has values that {dtype} cannot hold; "
                f"{'convert without half precision' if dtype == np.float16 else 'leave that word out'}"
            )
    return vectors


def _words(embedding: Embedding) -> npt.NDArray[np.uint8]:
    if not len(embedding):
        raise VocabularyError(f"{embedding.name}: has no words; there is nothing to convert")
    seen: set[str] = set()
    for word in embedding.words:
        if "\n" in word or word in seen:
            why = "occurs twice" if word in seen else "holds a line break"
            raise VocabularyError(f"{embedding.name}: the word {word!r} {why}; leave it out before converting")
        seen.add(word)
    try:
        text = "\n".join(embedding.words).encode()
    except UnicodeEncodeError as error:
        raise VocabularyError(f"{embedding.name}: a word cannot be written as UTF-8 ({error.reason})") from error
    return np.frombuffer(text, dtype=np.uint8)


def _sort_metadata(path: Path) -> None:
    """Put the metadata in alphabetical order: safetensors writes it in one that differs from run to run."""
    with path.open("r+b") as file:
        length = int.from_bytes(file.read(_LENGTH_BYTES), "little")
        header = json.loads(file.read(length))
        header["__metadata__"] = dict(sorted(header["__metadata__"].items()))
        text = json.dumps(header, ensure_ascii=False, separators=(",", ":")).encode()
        assert len(text) <= length
        file.seek(_LENGTH_BYTES)
        file.write(text.ljust(length))
