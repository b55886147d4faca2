"""Vectors from character n-grams, as fastText composes them: the mean of a word's own row and its n-grams'."""

from dataclasses import dataclass
from typing import Any

import numpy as np
import numpy.typing as npt

from imprint.errors import requiring
from imprint.types import Floats32


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
                hashes = self._hashes(word)
                vectors[row] = _mean(np.concatenate([vectors[row : row + 1], self.rows[hashes]]))
        return vectors

    def vector(self, word: str) -> Floats32 | None:
        """Return the vector of an unseen word, or None where it has no n-grams."""
        hashes = self._hashes(word) if self.buckets else []
        if not hashes:
            return None
        return _mean(self.rows[hashes])

    def _hashes(self, word: str) -> list[int]:
        with requiring("gensim", "gensim"):
            from gensim.models.fasttext import ft_ngram_hashes
        return [int(value) for value in ft_ngram_hashes(word, self.shortest, self.longest, self.buckets)]


def _mean(rows: npt.NDArray[Any]) -> Floats32:
    # In single precision, as fastText adds them up; an overflow is refused later, as an infinity.
    with np.errstate(over="ignore", invalid="ignore"):
        mean: Floats32 = np.asarray(rows, dtype=np.float32).sum(axis=0) / np.float32(len(rows))
    return mean
