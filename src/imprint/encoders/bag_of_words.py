"""A word embedding as a sentence encoder: the mean of the words' vectors.

May et al. (2019), table 3, call it CBoW. Rows enter the mean as the file stored them, not at unit length.
"""

import re
from collections.abc import Iterable, Sequence

import numpy as np
import numpy.typing as npt

from imprint.embeddings.embedding import Embedding
from imprint.encoders.base import Encoder, identify
from imprint.types import Floats32

# Letters and digits with the apostrophes and hyphens between them. Punctuation is left out: a full stop says
# nothing about a sentence, and every template has one.
_TOKEN = re.compile(r"[^\W_]+(?:['’.-][^\W_]+)*")
_PART = re.compile(r"[^\W_]+")


class BagOfWordsEncoder(Encoder):
    """The mean of the rows of a text's words; a text that is one entry of the vocabulary is that row.

    A text of which no word is known gets a row of zeros, which has no direction.
    """

    def __init__(self, embedding: Embedding) -> None:
        self.name = embedding.name
        self.identity = identify(adapter="bag of words", embedding=embedding.sha256)
        self.settings = {"adapter": "bag of words", "pooling": "mean"}
        self.cacheable = False
        self._embedding = embedding

    def embed(self, texts: Sequence[str]) -> npt.ArrayLike:
        """Return one row per text."""
        return np.array([self._mean(text) for text in texts]).reshape(len(texts), self._embedding.dimension)

    def lacks(self, words: Iterable[str]) -> tuple[str, ...]:
        """Return the words, or phrases, of which a part has no vector."""
        return tuple(word for word in words if self._find(word)[1])

    def _mean(self, text: str) -> Floats32:
        rows, _ = self._find(text)
        if not len(rows):
            return np.zeros(self._embedding.dimension, dtype=np.float32)
        return np.asarray(rows.mean(axis=0, dtype=np.float64), dtype=np.float32)

    def _find(self, text: str) -> tuple[Floats32, tuple[str, ...]]:
        """Return the rows of the text's words, and those it has none for."""
        whole = self._embedding.lookup([text])
        if not whole.missing:
            return whole.vectors, ()
        vectors: list[Floats32] = []
        missing: list[str] = []
        for token in words_in(text):
            lookup = self._embedding.lookup([token])
            if lookup.missing and (parts := _PART.findall(token)) != [token]:
                lookup = self._embedding.lookup(parts)
            vectors.append(lookup.vectors)
            missing += lookup.missing
        rows = np.concatenate(vectors) if vectors else whole.vectors
        return rows, tuple(missing) if vectors else (text,)


def words_in(text: str) -> list[str]:
    """Return the words whose rows make up a text's mean."""
    return _TOKEN.findall(text)


def entries_for(texts: Iterable[str]) -> set[str]:
    """Return every entry of a vocabulary that encoding these texts may look up."""
    wanted = set()
    for text in texts:
        wanted.add(text)
        for token in words_in(text):
            wanted.update((token, *_PART.findall(token)))
    return wanted
