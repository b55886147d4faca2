"""Words and rows gathered block by block while a file is scanned."""

from collections.abc import Collection
from pathlib import Path

import numpy as np

from imprint.embeddings.background import rows_to_keep
from imprint.embeddings.embedding import Embedding
from imprint.embeddings.formats.checks import Repeats, Subword, check_finite, has_repeats, name_of, zero_notes
from imprint.types import Floats32, Ints


class Rows:
    """A growing matrix and its words.

    `place` names what a row is counted by in messages, "line" or "row"; `first` is the number of the first.
    With `wanted`, only rows of those words are held, each with its place in the file as its rank.
    """

    def __init__(
        self, path: Path, dimension: int, wanted: Collection[str] | None, *, place: str, first: int = 1
    ) -> None:
        self.path = path
        self.words: list[str] = []
        self.notes: list[str] = []
        self._wanted = wanted
        self._seen: set[str] = set()
        self._repeats = Repeats()
        self._place = place
        self._first = first
        self._matrix = np.empty((0, dimension), dtype=np.float32)
        self._ranks: list[int] = []

    def add(self, words: list[str], values: Floats32, places: Ints, *, part: float) -> None:
        """Take a block's rows, found at these places; `part` is the share of the file read so far."""
        check_finite(self.path, self._place, words, values, places)
        if self._wanted is not None:
            ranks = places - self._first
            kept = [row for row in rows_to_keep(self._wanted, words, ranks) if self._is_new(words[row])]
            self._ranks += ranks[kept].tolist()
            words, values = [words[row] for row in kept], values[kept]
        held, needed = len(self.words), len(self.words) + len(words)
        if needed > len(self._matrix):
            self._grow(needed, part)
        self._matrix[held:needed] = values
        self.words.extend(words)

    def embedding(self, *, subword: Subword | None = None) -> Embedding:
        """Drop repeated words, count zero rows and close the gathering."""
        if self._wanted is None and has_repeats(self.words):
            self._drop_repeats()
        vectors = self._matrix[: len(self.words)]
        return Embedding(
            name=name_of(self.path),
            words=self.words,
            vectors=vectors,
            source=self.path,
            notes=(*self.notes, *self._repeats.notes(), *zero_notes(self.words, vectors)),
            ranks=None if self._wanted is None else np.array(self._ranks, dtype=np.int32),
            subword=subword,
        )

    def _is_new(self, word: str) -> bool:
        if word in self._seen:
            self._repeats.add(word)
            return False
        self._seen.add(word)
        return True

    def _grow(self, needed: int, part: float) -> None:
        # A little over what the rows so far foretell. Memory that is never written to costs nothing.
        guess = 2 * needed if self._wanted is not None else int(needed / part * 1.03)
        grown = np.empty((max(needed, guess), self._matrix.shape[1]), dtype=np.float32)
        grown[: len(self.words)] = self._matrix[: len(self.words)]
        self._matrix = grown

    def _drop_repeats(self) -> None:
        kept = 0
        # Row by row and in place: a second matrix may not fit in memory, and repeated words are few.
        for row, word in enumerate(self.words):
            if self._is_new(word):
                if kept != row:
                    self._matrix[kept] = self._matrix[row]
                    self.words[kept] = word
                kept += 1
        del self.words[kept:]
