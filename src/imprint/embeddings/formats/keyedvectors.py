"""gensim's own files: .kv (KeyedVectors) and .model (Word2Vec, FastText), of gensim 3 and 4.

gensim writes large matrices beside the file, as `x.kv.vectors.npy`; they are mapped.
"""

import math
import os
import re
from collections.abc import Collection
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt

from imprint.embeddings.embedding import Embedding
from imprint.embeddings.formats.fasttext import Subwords, check_length, fits_subwords
from imprint.embeddings.formats.pickles import Inert, StoredArray, read_pickle
from imprint.embeddings.formats.rows import assemble
from imprint.embeddings.formats.streams import Source, check_regular, from_source
from imprint.errors import EmbeddingFileError, raising_as, reading_file
from imprint.types import Subword

# gensim's matrices have two dimensions, its vectors of numbers one. Python 2 wrote an L after long numbers.
_NPY = re.compile(
    rb"\x93NUMPY(?:\x01\x00..|[\x02\x03]\x00....)"
    rb"\{'descr': '(?P<kind>[<>][fiu][248]|[|][iub]1)', 'fortran_order': (?P<fortran>True|False), "
    rb"'shape': \((?P<shape>[0-9]{1,18}L?,(?: [0-9]{1,18}L?)?)\), \} *\n",
    re.DOTALL,
)
_NPY_HEADER = 4096  # bytes; numpy fills its headers up to 128
_SAVE = "save the vectors again with gensim's KeyedVectors.save"


def recognises(head: bytes, path: Path) -> bool:
    """Whether the file begins as pickles of protocol 2 and later do."""
    return len(head) > 2 and head[0] == 0x80 and 2 <= head[1] <= 5


@from_source
def read(source: Source, only: Collection[str] | None) -> Embedding:
    """Read words and vectors; a FastText model's vectors are composed, and those of unseen words too."""
    source.refuse_compression("a gensim file")
    stored = _Stored(source.path, "", read_pickle(source.path))
    if "wv" in stored.state:
        stored = _Stored(source.path, ".wv", stored.state["wv"])
    words = stored.words()
    vectors, subword = stored.matrix("vectors", "syn0"), None
    if vectors is None:
        vectors, subword = stored.composed(words)
    fits = vectors is not None and vectors.ndim == 2 and len(vectors) == len(words) and vectors.size > 0
    if vectors is None or not fits or vectors.dtype.kind != "f":
        described = "no vectors" if vectors is None else f"a {vectors.dtype} array of shape {vectors.shape}"
        raise EmbeddingFileError(
            f"holds {len(words)} words and {described}",
            expected="one row of numbers per word",
            where=source.path,
            hint=_SAVE,
        )
    embedding = assemble(source.path, words, vectors, only, subword=subword)
    # The hash of a file that leaves its vectors to another would say nothing about them.
    return replace(embedding, source=None) if isinstance(vectors, np.memmap) else embedding


@dataclass(frozen=True)
class _Stored:
    """One pickled object's attributes, and where its large arrays lie: beside the file, after `suffix`."""

    path: Path
    suffix: str
    pickled: object

    @property
    def state(self) -> dict[object, Any]:
        if isinstance(self.pickled, Inert) and isinstance(self.pickled.state, dict):
            return self.pickled.state
        raise EmbeddingFileError("the pickle does not hold KeyedVectors or Word2Vec", where=self.path, hint=_SAVE)

    def words(self) -> list[str]:
        for attribute in ("index_to_key", "index2word", "index2entity"):
            words = self.state.get(attribute)
            if isinstance(words, list) and words:
                if set(map(type, words)) <= {str}:
                    return words
                if all(map(_is_word, words)):
                    return [str(word) for word in words]
                odd = next(row for row, word in enumerate(words, 1) if not _is_word(word))
                raise EmbeddingFileError(
                    "is not text", where=(self.path, f"word {odd}"), hint="save the vectors again with words as keys"
                )
        raise EmbeddingFileError("the pickle lists no words", where=self.path, hint=_SAVE)

    def matrix(self, *attributes: str) -> npt.NDArray[Any] | None:
        """Return the first of these attributes that the file has."""
        for attribute in attributes:
            if isinstance(value := self.state.get(attribute), StoredArray):
                broken = (TypeError, ValueError)
                with raising_as(broken, EmbeddingFileError, f"{attribute} is {{}}", where=self.path, hint=_SAVE):
                    return value.array()
            beside = self.state.get("__numpys")
            if isinstance(beside, list) and attribute in beside:
                return self._map_beside(attribute)
        return None

    def composed(self, words: list[str]) -> tuple[npt.NDArray[Any] | None, Subword | None]:
        """Return FastText's vectors, which gensim does not store, and what makes those of unseen words."""
        own, ngrams = self.matrix("vectors_vocab"), self.matrix("vectors_ngrams")
        sizes = [size for key in ("min_n", "max_n", "bucket") if isinstance(size := self.state.get(key), int)]
        if own is None or ngrams is None or len(sizes) != 3:
            return None, None
        if own.ndim != 2 or ngrams.ndim != 2 or len(own) != len(words) or ngrams.shape != (sizes[2], own.shape[1]):
            return None, None
        if not fits_subwords(*sizes):
            raise EmbeddingFileError(
                f"has n-grams of up to {sizes[1]:,} letters in {sizes[2]:,} buckets, more than fits in memory",
                where=self.path,
                hint=_SAVE,
            )
        for number, word in enumerate(words, start=1):
            check_length(self.path, number, len(word), "letters")
        subwords = Subwords(ngrams, *sizes)
        return subwords.compose(words, own), subwords.vector

    def _map_beside(self, attribute: str) -> npt.NDArray[Any]:
        path = self.path.with_name(f"{self.path.name}{self.suffix}.{attribute}.npy")
        missing = f"needs {path.name}, which gensim wrote beside it"
        with (
            reading_file(EmbeddingFileError, path),
            raising_as(FileNotFoundError, EmbeddingFileError, missing, where=self.path, hint="copy both files"),
        ):
            return _map_npy(path)


def _map_npy(path: Path) -> npt.NDArray[Any]:
    """Map an array in numpy's format; only a header as numpy writes it for plain numbers is taken."""
    check_regular(path)
    with path.open("rb") as file:
        start = file.read(_NPY_HEADER)
        size = os.fstat(file.fileno()).st_size
    header = _NPY.match(start)
    if header is None:
        raise EmbeddingFileError("is not a matrix of numbers in numpy's format", where=path, hint=_SAVE)
    kind, fortran, sizes = np.dtype(header["kind"].decode()), header["fortran"] == b"True", header["shape"].split(b",")
    shape = tuple(int(length.strip(b" L")) for length in sizes if length.strip())
    needed = header.end() + math.prod(shape) * kind.itemsize
    if needed > size or not math.prod(shape):
        raise EmbeddingFileError(
            f"has {size:,} bytes but its matrix of shape {shape} ends at byte {needed:,}", where=path, hint=_SAVE
        )
    return np.memmap(path, kind, "r", header.end(), shape, "F" if fortran else "C")


def _is_word(key: object) -> bool:
    """Whether a key is text, or a number such as gensim's users take for keys."""
    return isinstance(key, str | int)
