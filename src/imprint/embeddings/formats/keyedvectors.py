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
from imprint.embeddings.formats.arrays import assemble
from imprint.embeddings.formats.checks import Subword
from imprint.embeddings.formats.pickles import read_pickle
from imprint.embeddings.formats.standins import Inert, StoredArray
from imprint.embeddings.formats.streams import Source, from_source
from imprint.embeddings.formats.subwords import Subwords
from imprint.errors import EmbeddingFileError

_LONGEST_NUMBER = 64  # bits


def recognises(head: bytes, path: Path) -> bool:
    """Whether the file begins as pickles of protocol 2 and later do."""
    return len(head) > 2 and head[0] == 0x80 and 2 <= head[1] <= 5


@from_source
def read(source: Source, wanted: Collection[str] | None) -> Embedding:
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
            f"{source.path}: holds {len(words)} words and {found}; one row of numbers a word is wanted: "
            "save it again with gensim's KeyedVectors.save"
        )
    embedding = assemble(source.path, words, vectors, wanted, subword=subword)
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
        raise EmbeddingFileError(
            f"{self.path}: the pickle holds no KeyedVectors or Word2Vec; "
            "save the vectors with gensim's KeyedVectors.save"
        )

    def words(self) -> list[str]:
        for attribute in ("index_to_key", "index2word", "index2entity"):
            words = self.state.get(attribute)
            if isinstance(words, list) and words:
                if all(map(_is_word, words)):
                    return [str(word) for word in words]
                odd = next(row for row, word in enumerate(words, 1) if not _is_word(word))
                raise EmbeddingFileError(
                    f"{self.path}: word {odd} is no text; save the vectors again with words as keys"
                )
        raise EmbeddingFileError(
            f"{self.path}: the pickle lists no words; save the vectors with gensim's KeyedVectors.save"
        )

    def matrix(self, *attributes: str) -> npt.NDArray[Any] | None:
        """Return the first of these attributes that the file has."""
        for attribute in attributes:
            if isinstance(value := self.state.get(attribute), StoredArray):
                try:
                    return value.array()
                except (TypeError, ValueError) as error:
                    raise EmbeddingFileError(
                        f"{self.path}: {attribute} is {error}; save the file again with gensim"
                    ) from error
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
                f"{self.path}: needs {path.name}, which gensim wrote beside it; copy both"
            ) from None
        except (OSError, ValueError, OverflowError, EOFError, SyntaxError) as error:
            reason = " ".join(str(error).split())
            raise EmbeddingFileError(
                f"{path}: cannot be mapped ({reason}); save the vectors again with gensim"
            ) from error
        if not isinstance(array, np.ndarray):
            raise EmbeddingFileError(f"{path}: holds no single array; save the vectors again with gensim")
        return array


def _is_word(key: object) -> bool:
    """Whether a key is text, or a number such as gensim's users take for keys: Python spells no longer ones."""
    return isinstance(key, str) or (isinstance(key, int) and key.bit_length() < _LONGEST_NUMBER)
