"""The words whose rows point most nearly the same way as a word's own."""

from dataclasses import dataclass

import numpy as np

from imprint.checks import check_whole
from imprint.embeddings.embedding import BLOCK_ROWS, Embedding
from imprint.errors import VocabularyError
from imprint.types import Floats

MOST = 100  # neighbours


@dataclass(frozen=True, repr=False)
class Neighbours:
    """The nearest words and their cosines, the nearest first; `token` is how the vocabulary spells the word."""

    word: str
    token: str
    nearest: tuple[tuple[str, float], ...]

    def __repr__(self) -> str:
        return f"Neighbours({self.token!r}: {', '.join(word for word, _ in self.nearest[:3])}, ...)"


def neighbours(embedding: Embedding, word: str, *, count: int = 20) -> Neighbours:
    """Return the `count` words with the largest cosine to a word; of equal ones the first of the file first."""
    check_whole("count", count, most=MOST)
    found = embedding.lookup([word])
    if not found.words:
        raise VocabularyError(f"{word!r} is missing", where=embedding.name, words=[word], hint="use a word it has")
    (token,) = found.tokens
    similar = _similarities(embedding, found.vectors[0].astype(np.float64))
    if token in embedding:  # a word made of subwords is in no row
        similar[embedding.index[token]] = -np.inf
    near = np.argsort(-similar, kind="stable")[:count]
    nearest = tuple((embedding.words[row], float(similar[row])) for row in near if np.isfinite(similar[row]))
    return Neighbours(word, token, nearest)


def _similarities(embedding: Embedding, vector: Floats) -> Floats:
    """Return every row's cosine with a vector; rows without a direction have none and come last."""
    direction = vector / np.linalg.norm(vector)
    similar: Floats = np.full(len(embedding), -np.inf)
    for start in range(0, len(embedding), BLOCK_ROWS):
        rows = np.asarray(embedding.vectors[start : start + BLOCK_ROWS], dtype=np.float64)
        norms = embedding.norms[start : start + BLOCK_ROWS]
        np.divide(rows @ direction, norms, out=similar[start : start + BLOCK_ROWS], where=norms > 0)
    return similar
