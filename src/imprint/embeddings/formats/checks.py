"""What every reader checks of the rows it has read, and the sentences that go into an embedding's notes."""

from collections.abc import Iterable, Sequence
from pathlib import Path

import numpy as np

from imprint.embeddings.embedding import BLOCK_ROWS
from imprint.errors import EmbeddingFileError
from imprint.types import Floats32, Ints

_SUFFIXES = {".gz", ".xz", ".zip", ".txt", ".vec", ".bin", ".kv", ".model", ".safetensors"}
_NAMED = 3  # words named in a note
_SHOWN = 40  # characters


def show(text: str) -> str:
    """Return the text in quotes, on one line and not too long for a message."""
    return repr(text if len(text) <= _SHOWN else text[:_SHOWN] + "...")


class Repeats:
    """A count of the rows whose word had come before, and the first few of those words."""

    def __init__(self) -> None:
        self.count = 0
        self.words: dict[str, None] = {}

    def add(self, word: str) -> None:
        """Count one."""
        self.count += 1
        if len(self.words) <= _NAMED:
            self.words[word] = None

    def notes(self) -> list[str]:
        """Say how many rows were dropped."""
        if not self.count:
            return []
        return [f"{self.count:,} rows repeat an earlier word and were dropped: {_name(self.words, len(self.words))}"]


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


def _name(words: Iterable[str], count: int) -> str:
    shown = [show(word) for word, _ in zip(words, range(_NAMED), strict=False)]
    return ", ".join(shown) + (", ..." if count > _NAMED else "")
