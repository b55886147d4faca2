"""imprint's own form, written by `imprint convert`: one safetensors file that is mapped, not read.

Tensors: `vectors` (F32, or F16, which is widened when opened), `words` (U8: UTF-8, joined by line breaks) and
where known `ranks` (I32) and `common` (U8, 0 or 1). The layout is eight bytes of header length, a JSON header,
then the data (safetensors format 0.3); every offset is checked against the file before anything is mapped.
"""

import json
import math
from collections.abc import Collection, Iterator, Sequence
from functools import cached_property
from pathlib import Path
from typing import Any, overload

import numpy as np
import numpy.typing as npt

from imprint.embeddings.embedding import Embedding
from imprint.embeddings.formats.rows import assemble, name_of
from imprint.embeddings.formats.streams import Source, from_source
from imprint.errors import EmbeddingFileError

FORMAT = "imprint"
LENGTH_BYTES = 8
TYPES = {"F32": "<f4", "F16": "<f2", "I32": "<i4", "U8": "|u1"}

_LARGEST_HEADER = 100_000_000
_LARGEST_SIZE = 2**48  # no tensor has more numbers, and numpy allows no shape beyond 2**63 bytes
_KINDS = {"vectors": ("F32", "F16"), "words": ("U8",), "ranks": ("I32",), "common": ("U8",)}


def recognises(head: bytes, path: Path) -> bool:
    """Whether eight bytes of length, mostly NUL as in no text, are followed by a JSON object."""
    return head[LENGTH_BYTES : LENGTH_BYTES + 1] == b"{" and head[:LENGTH_BYTES].count(0) >= 2


@from_source
def read(source: Source, only: Collection[str] | None) -> Embedding:
    """Map the file; only half-precision vectors, or the rows of the words to keep, are copied."""
    source.refuse_compression("a converted embedding")
    path = source.path
    metadata, tensors = _map_tensors(path, source.total)
    words, vectors = _words(path, tensors["words"]), tensors["vectors"]
    if vectors.ndim != 2 or not vectors.size or len(words) != len(vectors):
        raise _broken(path, f"{len(words)} words and vectors of shape {vectors.shape}")
    ranks, flags = tensors.get("ranks"), tensors.get("common")
    for column in (ranks, flags):
        if column is not None and column.shape != (len(words),):
            raise _broken(path, f"{len(words)} words and ranks or common flags of shape {column.shape}")
    name = metadata.get("name") or name_of(path)
    notes = tuple(note for note in metadata.get("notes", "").split("\n") if note)
    common = None if flags is None else flags != 0
    if only is None and vectors.dtype == np.float32:
        # Nothing is looked at here, so that opening is instant; lookup checks the rows it gives out.
        return Embedding(name, words, vectors, path, notes, ranks, common)
    return assemble(path, words, vectors, only, name=name, ranks=ranks, common=common, notes=notes)


class LazyWords(Sequence[str]):
    """A vocabulary kept as one text until the first word is asked for."""

    def __init__(self, text: str) -> None:
        self._text = text
        self._count = text.count("\n") + 1

    def __len__(self) -> int:
        return self._count

    @overload
    def __getitem__(self, index: int) -> str: ...
    @overload
    def __getitem__(self, index: slice) -> list[str]: ...
    def __getitem__(self, index: int | slice) -> str | list[str]:
        return self._words[index]

    def __iter__(self) -> Iterator[str]:
        return iter(self._words)

    def __reversed__(self) -> Iterator[str]:
        return reversed(self._words)

    def __contains__(self, word: object) -> bool:
        return word in self._words

    def __eq__(self, other: object) -> bool:
        return list(self) == list(other) if isinstance(other, Sequence) else NotImplemented

    __hash__ = None  # type: ignore[assignment]

    @cached_property
    def _words(self) -> list[str]:
        return self._text.split("\n")


def _map_tensors(path: Path, size: int) -> tuple[dict[str, str], dict[str, npt.NDArray[Any]]]:
    """Return the metadata and the tensors this form has, each a view of the mapped file."""
    content = np.memmap(path, dtype=np.uint8, mode="r")
    length = int.from_bytes(content[:LENGTH_BYTES].tobytes(), "little")
    start = LENGTH_BYTES + length
    if length > _LARGEST_HEADER or start > size:
        raise _broken(path, f"a header of {length:,} bytes in a file of {size:,}")
    try:
        header = json.loads(content[LENGTH_BYTES:start].tobytes())
    except (ValueError, RecursionError) as error:
        raise _broken(path, "a header that is not JSON") from error
    metadata = header.pop("__metadata__", {}) if isinstance(header, dict) else None
    if not isinstance(metadata, dict) or not all(isinstance(value, str) for value in metadata.values()):
        raise _broken(path, "a header that is not a table of tensors")
    missing = {"vectors", "words"} - header.keys()
    if missing:
        named = ", ".join(list(header)[:3])
        raise EmbeddingFileError(
            f"is a safetensors file of {named or 'nothing'}, without {' and '.join(sorted(missing))}",
            expected="one written by imprint convert",
            where=path,
        )
    entries = {name: _entry(path, name, entry) for name, entry in header.items()}
    end = 0
    for name, (_, _, begin, stop) in sorted(entries.items(), key=lambda item: item[1][2:]):
        if begin != end or stop < begin:
            raise _broken(path, f"tensor {name!r} at bytes {begin} to {stop}, where byte {end} is next")
        end = stop
    if start + end != size:
        raise _broken(path, f"{size - start:,} bytes of tensors where the header says {end:,}")
    return metadata, {
        name: content[start + begin : start + stop].view(TYPES[kind]).reshape(shape)
        for name, (kind, shape, begin, stop) in entries.items()
        if name in _KINDS
    }


def _entry(path: Path, name: str, entry: object) -> tuple[str, tuple[int, ...], int, int]:
    """Return a tensor's type, shape, and where it begins and ends, in agreement with each other."""
    values = entry if isinstance(entry, dict) else {}
    kind, shape, offsets = (
        str(values.get("dtype")),
        _sizes(values.get("shape")),
        _sizes(values.get("data_offsets")),
    )
    if shape is not None and offsets is not None and len(offsets) == 2:
        begin, stop = offsets
        fits = kind in _KINDS.get(name, ()) and len(shape) <= 2
        if name not in _KINDS or (fits and stop - begin == math.prod(shape) * np.dtype(TYPES[kind]).itemsize):
            return kind, shape, begin, stop
    raise _broken(path, f"an entry for tensor {name!r} that contradicts itself")


def _sizes(value: object) -> tuple[int, ...] | None:
    if isinstance(value, list) and all(type(size) is int and 0 <= size <= _LARGEST_SIZE for size in value):
        return tuple(value)
    return None


def _words(path: Path, content: npt.NDArray[Any]) -> LazyWords:
    try:
        return LazyWords(content.tobytes().decode())
    except UnicodeDecodeError as error:
        row = content[: error.start].tobytes().count(b"\n") + 1
        raise _broken(path, f"word {row} in bytes that are not UTF-8") from error


def _broken(path: Path, found: str) -> EmbeddingFileError:
    return EmbeddingFileError(f"holds {found}", where=path, hint="the file is damaged: convert or fetch it again")
