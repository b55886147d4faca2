"""gensim's own files: .kv (KeyedVectors) and .model (Word2Vec, FastText), of gensim 3 and 4.

gensim writes large matrices beside the file, as `x.kv.vectors.npy`; they are mapped.
"""

from collections.abc import Collection
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt

from imprint.embeddings.embedding import Embedding
from imprint.embeddings.formats.pickles import read_pickle
from imprint.embeddings.formats.placeholders import Inert, StoredArray
from imprint.embeddings.formats.rows import assemble
from imprint.embeddings.formats.streams import Source, from_source
from imprint.embeddings.formats.subwords import Subwords
from imprint.errors import EmbeddingFileError, raising_as
from imprint.types import Subword

_LONGEST_NUMBER = 64  # bits
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
    if vectors is None or vectors.ndim != 2 or len(vectors) != len(words) or vectors.dtype.kind != "f":
        found = "no vectors" if vectors is None else f"a {vectors.dtype} array of shape {vectors.shape}"
        raise EmbeddingFileError(
            f"holds {len(words)} words and {found}",
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
        if own is None or ngrams is None or len(sizes) != 3 or min(sizes) < 0:
            return None, None
        if own.ndim != 2 or ngrams.ndim != 2 or len(own) != len(words) or ngrams.shape != (sizes[2], own.shape[1]):
            return None, None
        subwords = Subwords(ngrams, *sizes)
        return subwords.compose(words, own), subwords.vector

    def _map_beside(self, attribute: str) -> npt.NDArray[Any]:
        path = self.path.with_name(f"{self.path.name}{self.suffix}.{attribute}.npy")
        try:
            array = np.load(path, mmap_mode="r", allow_pickle=False)
        except FileNotFoundError:
            raise EmbeddingFileError(
                f"needs {path.name}, which gensim wrote beside it", where=self.path, hint="copy both files"
            ) from None
        except (OSError, ValueError, OverflowError, EOFError, SyntaxError) as error:
            raise EmbeddingFileError(f"cannot be mapped ({error})", where=path, hint=_SAVE) from error
        if not isinstance(array, np.ndarray):
            raise EmbeddingFileError("does not hold one array", where=path, hint=_SAVE)
        return array


def _is_word(key: object) -> bool:
    """Whether a key is text, or a number such as gensim's users take for keys: Python spells no longer ones."""
    return isinstance(key, str) or (isinstance(key, int) and key.bit_length() < _LONGEST_NUMBER)
