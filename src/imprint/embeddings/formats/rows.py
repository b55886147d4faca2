"""Words and rows made into an embedding, what every reader checks of them, and the sentences of its notes.

Rows are gathered while a file is scanned, or are those of a matrix that it holds whole.
"""

from collections.abc import Collection, Iterable, Sequence
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt

from imprint.embeddings.background import keeps_background, rows_to_keep
from imprint.embeddings.embedding import BLOCK_ROWS, Embedding
from imprint.errors import EmbeddingFileError
from imprint.types import Flags, Floats32, Ints, Ints32, Subword

_SUFFIXES = {".gz", ".xz", ".zip", ".txt", ".vec", ".bin", ".kv", ".model", ".safetensors"}
_NAMED = 3  # words named in a note
_SHOWN = 40  # characters


class GatheredRows:
    """A growing matrix and its words.

    `place` names what a row is counted by in messages, "line" or "row"; `first` is the number of the first.
    With `only`, only rows of those words are held, each with its place in the file as its rank.
    """

    def __init__(
        self, path: Path, dimension: int, only: Collection[str] | None, *, place: str, first: int = 1
    ) -> None:
        self.path = path
        self.words: list[str] = []
        self.notes: list[str] = []
        self._only = only
        self._repeats = Repeats()
        self._place = place
        self._first = first
        self._matrix = np.empty((0, dimension), dtype=np.float32)
        self._ranks: list[int] = []

    def add(self, words: list[str], values: Floats32, places: Ints, *, part: float) -> None:
        """Take a block's rows, found at these places; `part` is the share of the file read so far."""
        check_finite(self.path, self._place, words, values, places)
        if self._only is not None:
            ranks = places - self._first
            chosen = [row for row in rows_to_keep(self._only, words, ranks) if self._repeats.is_new(words[row])]
            self._ranks += ranks[chosen].tolist()
            words, values = [words[row] for row in chosen], values[chosen]
        held, needed = len(self.words), len(self.words) + len(words)
        if needed > len(self._matrix):
            self._grow(needed, part)
        self._matrix[held:needed] = values
        self.words.extend(words)

    def embedding(self, *, subword: Subword | None = None) -> Embedding:
        """Drop repeated words, count zero rows and close the gathering."""
        if self._only is None and has_repeats(self.words):
            self._drop_repeats()
        vectors = self._matrix[: len(self.words)]
        notes = (*self.notes, *self._repeats.notes(), *zero_notes(self.words, vectors))
        ranks = None if self._only is None else np.array(self._ranks, dtype=np.int32)
        return Embedding(name_of(self.path), self.words, vectors, self.path, notes, ranks, subword=subword)

    def _grow(self, needed: int, part: float) -> None:
        # A little over what the rows so far foretell. Memory that is never written to costs nothing.
        guess = 2 * needed if self._only is not None else int(needed / part * 1.03)
        grown = np.empty((max(needed, guess), self._matrix.shape[1]), dtype=np.float32)
        grown[: len(self.words)] = self._matrix[: len(self.words)]
        self._matrix = grown

    def _drop_repeats(self) -> None:
        count = 0
        # Row by row and in place: a second matrix may not fit in memory, and repeated words are few.
        for row, word in enumerate(self.words):
            if self._repeats.is_new(word):
                if count != row:
                    self._matrix[count] = self._matrix[row]
                    self.words[count] = word
                count += 1
        del self.words[count:]


def assemble(
    path: Path,
    words: Sequence[str],
    matrix: npt.NDArray[Any],
    only: Collection[str] | None,
    *,
    name: str | None = None,
    ranks: Ints32 | None = None,
    common: Flags | None = None,
    notes: Sequence[str] = (),
    subword: Subword | None = None,
) -> Embedding:
    """Keep the words asked for, each once, check every value and count the zero rows."""
    if ranks is not None and keeps_background(only):
        only = None  # a file with ranks of its own holds a choice of words: all of it is background
    rows, repeats = _rows_to_keep(words, only)
    if rows is not None:
        words, matrix = [words[row] for row in rows], matrix[rows]
        common = None if common is None else common[rows]
        ranks = rows.astype(np.int32) if ranks is None else ranks[rows]
    vectors = _to_float32(path, words, matrix)
    said = tuple(dict.fromkeys([*notes, *repeats.notes(), *zero_notes(words, vectors)]))
    return Embedding(name or name_of(path), words, vectors, path, said, ranks, common, subword)


def show(text: str) -> str:
    """Return the text in quotes, on one line and not too long for a message."""
    return repr(text if len(text) <= _SHOWN else text[:_SHOWN] + "...")


class Repeats:
    """Tells words that come for the first time; counts the others, and remembers the first few of them."""

    def __init__(self) -> None:
        self._seen: set[str] = set()
        self._count = 0
        self._first: dict[str, None] = {}

    def is_new(self, word: str) -> bool:
        """Whether a word comes for the first time."""
        if word not in self._seen:
            self._seen.add(word)
            return True
        self._count += 1
        if len(self._first) <= _NAMED:
            self._first[word] = None
        return False

    def notes(self) -> list[str]:
        """Say how many rows were dropped."""
        if not self._count:
            return []
        named = _name(self._first, len(self._first))
        return [f"{self._count:,} rows repeat an earlier word and were dropped: {named}"]


def has_repeats(words: Sequence[str]) -> bool:
    """Whether a word may occur twice; no never errs."""
    # Equal words have equal hashes, and sorted hashes take an eighth of the memory of a set of words.
    hashes = np.fromiter(map(hash, words), dtype=np.int64, count=len(words))
    hashes.sort()
    return bool((hashes[1:] == hashes[:-1]).any())


def check_finite(path: Path, place: str, words: Sequence[str], values: Floats32, places: Sequence[int] | Ints) -> None:
    """Refuse NaN and infinities; `places[i]` is the place of row i: a line number if `place` is "line"."""
    finite = np.isfinite(values)
    if not finite.all():
        row = int(np.argmin(finite.all(axis=1)))
        bad = values[row][~finite[row]][0]
        raise EmbeddingFileError(
            f"the vector of {show(words[row])} holds {bad}",
            expected="finite numbers",
            words=[words[row]],
            where=(path, int(places[row]) if place == "line" else f"{place} {places[row]}"),
            hint=f"remove that {place}",
        )


def zero_notes(words: Sequence[str], vectors: Floats32) -> list[str]:
    """Say how many words have a zero vector."""
    zeros: list[int] = []
    for start in range(0, len(vectors), BLOCK_ROWS):
        block = vectors[start : start + BLOCK_ROWS]
        with np.errstate(over="ignore", under="ignore"):
            squares = np.einsum("ij,ij->i", block, block)
        # The squares of tiny numbers vanish too, so those rows are looked at again.
        zeros += [start + int(row) for row in np.flatnonzero(squares == 0) if not block[row].any()]
    if not zeros:
        return []
    named = _name((words[row] for row in zeros[: _NAMED + 1]), len(zeros))
    return [f"{len(zeros):,} words have a zero vector and count as missing: {named}"]


def name_of(path: Path) -> str:
    """Return the file's name without the endings that tell its format."""
    name = Path(path.name)
    while name.suffix in _SUFFIXES:
        name = name.with_suffix("")
    return str(name)


def _rows_to_keep(words: Sequence[str], only: Collection[str] | None) -> tuple[Ints | None, Repeats]:
    """Return the rows to keep, or None for all of them, and what was dropped as repeated."""
    repeats = Repeats()
    if only is None and not has_repeats(words):
        return None, repeats
    chosen = range(len(words)) if only is None else rows_to_keep(only, words, np.arange(len(words)))
    return np.array([row for row in chosen if repeats.is_new(words[row])], dtype=np.int64), repeats


def _to_float32(path: Path, words: Sequence[str], matrix: npt.NDArray[Any]) -> Floats32:
    """Return the matrix as float32, itself where it is that already."""
    ready = matrix.dtype == np.float32
    vectors: Floats32 = matrix if ready else np.empty(matrix.shape, dtype=np.float32)
    for start in range(0, len(matrix), BLOCK_ROWS):
        block = slice(start, start + BLOCK_ROWS)
        if not ready:
            # A double beyond float32 becomes an infinity, and is refused as that; so is a NaN of any kind.
            with np.errstate(over="ignore", invalid="ignore"):
                vectors[block] = matrix[block]
        check_finite(path, "row", words[block], vectors[block], range(start + 1, start + 1 + BLOCK_ROWS))
    return vectors


def _name(words: Iterable[str], count: int) -> str:
    shown = [show(word) for word, _ in zip(words, range(_NAMED), strict=False)]
    return ", ".join(shown) + (", ..." if count > _NAMED else "")
