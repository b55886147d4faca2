"""Vectors from character n-grams, as fastText composes them: the mean of a word's own row and its n-grams'."""

from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt

from imprint.errors import EmbeddingFileError, requiring
from imprint.types import Floats32

# These bound the n-grams of a word: no file may make them a matter of gigabytes.
LONGEST_WORD = 2000
_LONGEST_NGRAM = 50
_MOST_BUCKETS = 2**31 - 1
_BLOCK_ROWS = 1024


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
            for start in range(0, len(hashes), _BLOCK_ROWS):
                block = np.asarray(self.rows[hashes[start : start + _BLOCK_ROWS]], dtype=np.float32)
                total = np.concatenate([total, block]).sum(axis=0, keepdims=True)
            mean: Floats32 = total[0] / np.float32(len(first) + len(hashes))
        return mean
