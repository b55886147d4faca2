"""Words and a matrix that a file holds whole, and may be mapped, made into an embedding."""

from collections.abc import Collection, Sequence
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt

from imprint.embeddings.background import rows_to_keep, wants_background
from imprint.embeddings.embedding import BLOCK_ROWS, Embedding
from imprint.embeddings.formats.checks import Repeats, Subword, check_finite, has_repeats, name_of, zero_notes
from imprint.types import Flags, Floats32, Ints, Ints32


def assemble(
    path: Path,
    words: Sequence[str],
    matrix: npt.NDArray[Any],
    wanted: Collection[str] | None,
    *,
    name: str | None = None,
    ranks: Ints32 | None = None,
    common: Flags | None = None,
    notes: Sequence[str] = (),
    subword: Subword | None = None,
) -> Embedding:
    """Keep the wanted words, each once, check every value and count the zero rows."""
    if ranks is not None and wants_background(wanted):
        wanted = None  # a file with ranks of its own holds a choice of words: all of it is background
    rows, repeats = _rows_to_keep(words, wanted)
    if rows is not None:
        words, matrix = [words[row] for row in rows], matrix[rows]
        common = None if common is None else common[rows]
        ranks = rows.astype(np.int32) if ranks is None else ranks[rows]
    vectors = _to_float32(path, words, matrix)
    return Embedding(
        name=name or name_of(path),
        words=words,
        vectors=vectors,
        source=path,
        notes=tuple(dict.fromkeys([*notes, *repeats.notes(), *zero_notes(words, vectors)])),
        ranks=ranks,
        common=common,
        subword=subword,
    )


def _rows_to_keep(words: Sequence[str], wanted: Collection[str] | None) -> tuple[Ints | None, Repeats]:
    """Return the rows to keep, or None for all of them, and what was dropped as repeated."""
    repeats = Repeats()
    if wanted is None and not has_repeats(words):
        return None, repeats
    seen: set[str] = set()
    rows = []
    asked = range(len(words)) if wanted is None else rows_to_keep(wanted, words, np.arange(len(words)))
    for row in asked:
        if words[row] in seen:
            repeats.add(words[row])
        else:
            seen.add(words[row])
            rows.append(row)
    return np.array(rows, dtype=np.int64), repeats


def _to_float32(path: Path, words: Sequence[str], matrix: npt.NDArray[Any]) -> Floats32:
    """Return the matrix as float32, itself where it is that already."""
    ready = matrix.dtype == np.float32
    vectors: Floats32 = matrix if ready else np.empty(matrix.shape, dtype=np.float32)
    for start in range(0, len(matrix), BLOCK_ROWS):
        block = slice(start, start + BLOCK_ROWS)
        if not ready:
            # A double beyond float32 becomes an infinity and is refused as one.
            with np.errstate(over="ignore"):
                vectors[block] = matrix[block]
        check_finite(path, "row", words[block], vectors[block], range(start + 1, start + 1 + BLOCK_ROWS))
    return vectors
