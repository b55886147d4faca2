"""fastText's .bin models: words, and character n-grams from which unseen words get a vector.

The matrix stays in the file and is mapped: only the rows of the words kept are ever read. Format: fastText's
args.cc, dictionary.cc and matrix.cc, version 12. A vector from n-grams is the mean of a word's own row and its
n-grams'.
"""

import mmap
import struct
from collections.abc import Collection
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt

from imprint.embeddings.background import rows_to_keep
from imprint.embeddings.embedding import Embedding
from imprint.embeddings.formats.layout import LARGEST_DIMENSION
from imprint.embeddings.formats.rows import GatheredRows
from imprint.embeddings.formats.streams import Source, from_source
from imprint.errors import EmbeddingFileError, requiring
from imprint.types import Floats32

# These bound the n-grams of a word: no file may make them a matter of gigabytes.
LONGEST_WORD = 2000

_MAGIC = 793712314
_VERSION = 12
# Magic, version; dim, ws, epoch, minCount, neg, wordNgrams, loss, model, bucket, minn, maxn, lrUpdateRate; t;
# entries, words, labels; tokens, pruned.
_HEADER = struct.Struct("<2i12id3i2q")
_ENTRY_TAIL = 9  # after a word's NUL: its count in 8 bytes, its kind in 1
_MATRIX = struct.Struct("<?2q")
_BLOCK_ROWS = 8192
_LONGEST_NGRAM = 50
_MOST_BUCKETS = 2**31 - 1
_SUMMED_ROWS = 1024


def recognises(head: bytes, path: Path) -> bool:
    """Whether the file begins as fastText models do."""
    return head.startswith(_MAGIC.to_bytes(4, "little"))


@from_source
def read(source: Source, only: Collection[str] | None) -> Embedding:
    """Compose the vectors of the words; those of unseen words are composed when they are looked up."""
    source.refuse_compression("a fastText model")
    path = source.path
    with path.open("rb") as file, mmap.mmap(file.fileno(), 0, access=mmap.ACCESS_READ) as data:
        sizes = _read_sizes(path, data)
        words, after, mended = _read_words(path, data, sizes.words)
        matrix = _map_matrix(path, data, after, sizes)
    subwords = Subwords(matrix[sizes.words :], sizes.shortest, sizes.longest, sizes.buckets)
    rows = GatheredRows(path, sizes.dimension, only, place="word")
    for start in range(0, len(words), _BLOCK_ROWS):
        block = range(start, min(start + _BLOCK_ROWS, len(words)))
        chosen = np.arange(block.start, block.stop)
        if only is not None:
            chosen = chosen[rows_to_keep(only, words[block.start : block.stop], chosen)]
        names = [words[row] for row in chosen]
        places = chosen + 1
        rows.add(names, subwords.compose(names, matrix[chosen]), places, part=block.stop / len(words))
        source.report(block.stop / len(words))
    if mended:
        rows.notes.append(f"{mended:,} words are not UTF-8; their odd bytes are written as \\x and two digits")
    return rows.embedding(subword=subwords.vector)


def fits_subwords(shortest: int, longest: int, buckets: int) -> bool:
    """Whether these sizes are within the limits of n-grams."""
    return 0 <= shortest <= _MOST_BUCKETS and 0 <= longest <= _LONGEST_NGRAM and 0 <= buckets <= _MOST_BUCKETS


def check_length(path: Path, number: int, length: int, unit: str) -> None:
    """Refuse a word that is too long to be cut into n-grams."""
    if length > LONGEST_WORD:
        raise EmbeddingFileError(
            f"has {length:,} {unit}",
            expected=f"at most {LONGEST_WORD:,}",
            where=(path, f"word {number:,}"),
            hint="fetch the file again",
        )


@dataclass(frozen=True)
class Subwords:
    """The n-gram rows of a model, one for each of `buckets` hashes; the rows may be memory-mapped."""

    rows: npt.NDArray[Any]
    shortest: int
    longest: int
    buckets: int

    def compose(self, words: list[str], own: npt.NDArray[Any]) -> Floats32:
        """Return the vectors of known words, of which `own` has the rows."""
        vectors = np.array(own, dtype=np.float32)
        if self.buckets:
            for row, word in enumerate(words):
                vectors[row] = self._mean(vectors[row : row + 1], self._hashes(word))
        return vectors

    def vector(self, word: str) -> Floats32 | None:
        """Return the vector of an unseen word, or None where it has no n-grams."""
        hashes = self._hashes(word) if self.buckets and len(word) <= LONGEST_WORD else []
        return self._mean(np.empty((0, self.rows.shape[1]), dtype=np.float32), hashes) if hashes else None

    def _hashes(self, word: str) -> list[int]:
        with requiring("gensim", "gensim"):
            from gensim.models.fasttext import ft_ngram_hashes
        return [int(value) for value in ft_ngram_hashes(word, self.shortest, self.longest, self.buckets)]

    def _mean(self, first: Floats32, hashes: list[int]) -> Floats32:
        # In single precision, as fastText adds them up; an overflow is refused later, as an infinity.
        total = first
        with np.errstate(over="ignore", invalid="ignore"):
            for start in range(0, len(hashes), _SUMMED_ROWS):
                block = np.asarray(self.rows[hashes[start : start + _SUMMED_ROWS]], dtype=np.float32)
                total = np.concatenate([total, block]).sum(axis=0, keepdims=True)
            mean: Floats32 = total[0] / np.float32(len(first) + len(hashes))
        return mean


@dataclass(frozen=True)
class _Sizes:
    dimension: int
    buckets: int
    shortest: int
    longest: int
    words: int


def _read_sizes(path: Path, data: mmap.mmap) -> _Sizes:
    if len(data) < _HEADER.size:
        raise _cut_short(path)
    fields = _HEADER.unpack_from(data)
    sizes = _Sizes(fields[2], fields[10], fields[11], fields[12], fields[15])
    version, labels, pruned = fields[1], fields[17], fields[19]
    if version != _VERSION or labels or pruned > 0:
        kind = "supervised" if labels else "quantised" if pruned > 0 else f"version {version}"
        raise EmbeddingFileError(
            f"is a {kind} fastText model",
            expected=f"word vectors of version {_VERSION}",
            where=path,
            hint="train or save them again with fastText",
        )
    ngrams = fits_subwords(sizes.shortest, sizes.longest, sizes.buckets)
    if not (1 <= sizes.dimension <= LARGEST_DIMENSION and sizes.words >= 0 and ngrams):
        raise EmbeddingFileError("the fastText header holds impossible sizes", where=path, hint="fetch the file again")
    return sizes


def _read_words(path: Path, data: mmap.mmap, count: int) -> tuple[list[str], int, int]:
    """Return the words, the position after them, and how many were not UTF-8."""
    words: list[str] = []
    at, mended = _HEADER.size, 0
    for _ in range(count):
        end = data.find(b"\0", at)
        if end < 0:
            raise _cut_short(path)
        check_length(path, len(words) + 1, end - at, "bytes")
        word = data[at:end]
        try:
            words.append(word.decode())
        except UnicodeDecodeError:
            # As gensim does: models trained on web pages hold such words.
            words.append(word.decode(errors="backslashreplace"))
            mended += 1
        at = end + 1 + _ENTRY_TAIL
    if not words:
        raise EmbeddingFileError("the fastText model has no words", where=path, hint="fetch the file again")
    return words, at, mended


def _map_matrix(path: Path, data: mmap.mmap, at: int, sizes: _Sizes) -> Floats32:
    if len(data) - at < _MATRIX.size:
        raise _cut_short(path)
    quantised, row_count, column_count = _MATRIX.unpack_from(data, at)
    at += _MATRIX.size
    shape = (sizes.words + sizes.buckets, sizes.dimension)
    if quantised or (row_count, column_count) != shape:
        kind = "quantised" if quantised else f"{row_count} x {column_count}"
        raise EmbeddingFileError(
            f"the fastText matrix is {kind}",
            expected=f"{shape[0]} x {shape[1]} plain numbers",
            where=path,
            hint="save the model without quantising it, or fetch it again",
        )
    if len(data) - at < 4 * row_count * column_count:
        raise _cut_short(path)
    return np.memmap(path, dtype="<f4", mode="r", offset=at, shape=shape)


def _cut_short(path: Path) -> EmbeddingFileError:
    return EmbeddingFileError(
        "the fastText model ends too early", where=path, hint="the file was cut short: fetch it again"
    )
