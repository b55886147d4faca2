"""Which words are asked about: the most frequent lower-case ones that are not proper nouns.

Swinger et al. (2019), appendix C.4: tokens of the 26 letters (and spaces, in embeddings with phrases), leaving out
those whose capitalised form is more frequent. An embedding without capitals has no such form; there a flag says
which words a dictionary lists in lower case, the bundled embedding's flag or the embedding's own. Where it has one of
its own that decides, capitals or not.
"""

import re

import numpy as np

from imprint.embeddings import BUNDLED, DEFAULT
from imprint.embeddings.embedding import Embedding
from imprint.embeddings.reading import read_embedding
from imprint.errors import VocabularyError
from imprint.types import Indices

_WORD = re.compile(r"[a-z]+(?:[ _][a-z]+)*")
_CAPITALISED = re.compile(r"[A-Z][a-z]+")  # a lone <UNK> or PAD does not make an embedding cased
_SAMPLE = 100_000  # tokens looked at to see whether an embedding has capitals


def rows_by_frequency(embedding: Embedding) -> Indices:
    """Return all rows, the most frequent word's first."""
    if embedding.ranks is None:
        return np.arange(len(embedding))
    return np.argsort(embedding.ranks, kind="stable")


def is_cased(embedding: Embedding) -> bool:
    """Tell whether capitalised words are entries of their own."""
    return any(_CAPITALISED.match(word) for word in embedding.words[:_SAMPLE])


def frequent_words(embedding: Embedding, count: int, *, leaving_out: set[str]) -> Indices:
    """Return the rows of the `count` most frequent words that may be asked about, most frequent first."""
    by_capitals = embedding.common is None and is_cased(embedding)
    chosen = (_not_capitalised if by_capitals else _common_words)(embedding, rows_by_frequency(embedding))
    if not by_capitals:
        # Names of an encoder have capitals and its words have none; it may be blind to the difference.
        leaving_out = {word.lower() for word in leaving_out}
    nonzero = embedding.norms > 0
    rows = [row for row in chosen if nonzero[row] and embedding.words[row] not in leaving_out]
    if not rows:
        raise VocabularyError(
            "has no lower-case words of letters to ask about", where=embedding.name, hint="check that it is in English"
        )
    return np.array(rows[:count], dtype=np.intp)


def _not_capitalised(embedding: Embedding, ordered: Indices) -> list[int]:
    rank = np.empty(len(embedding), dtype=np.intp)
    rank[ordered] = np.arange(len(embedding))
    index = embedding.index
    rows = []
    for row in ordered.tolist():
        word = embedding.words[row]
        if _WORD.fullmatch(word):
            # Of a phrase, "New York" as well as "New york".
            capitalised = (index.get(form) for form in {word.capitalize(), word.title()})
            if all(other is None or rank[row] < rank[other] for other in capitalised):
                rows.append(row)
    return rows


def _common_words(embedding: Embedding, ordered: Indices) -> list[int]:
    if embedding.common is not None:
        flags = embedding.common
        return [row for row in ordered.tolist() if flags[row] and _WORD.fullmatch(embedding.words[row])]
    bundled = read_embedding(BUNDLED[DEFAULT])
    assert bundled.common is not None
    listed = {word for word, common in zip(bundled.words, bundled.common, strict=True) if common}
    return [row for row in ordered.tolist() if embedding.words[row] in listed]
