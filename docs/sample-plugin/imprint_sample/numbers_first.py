"""A reader: text with the numbers before the word, as in `0.1,0.9,cat`."""

from collections.abc import Collection
from pathlib import Path

import numpy as np

from imprint.embeddings.embedding import Embedding
from imprint.embeddings.formats.rows import GatheredRows
from imprint.embeddings.formats.streams import Source, from_source
from imprint.errors import EmbeddingFileError

MAGIC = b"#numbers-first\n"
LARGEST = 1 << 20


def recognises(head: bytes, path: Path) -> bool:
    """Look at the first bytes."""
    return head.startswith(MAGIC)


@from_source
def read(source: Source, only: Collection[str] | None) -> Embedding:
    """Read the whole file; a file may be malicious, so its size is limited and each line is checked."""
    content = bytearray(LARGEST)
    size = source.fill(memoryview(content))
    if size == LARGEST:
        raise EmbeddingFileError(f"has {LARGEST:,} bytes or more", where=source.path, hint="use another format")
    lines = content[len(MAGIC) : size].decode(errors="replace").splitlines()
    dimension = lines[0].count(",") if lines else 0
    rows = GatheredRows(source.path, dimension, only, place="line", first=2)
    for number, line in enumerate(lines, start=2):
        *values, word = line.split(",")
        try:
            vector = np.array(values, dtype=np.float32).reshape(1, dimension)
        except ValueError as error:
            expected = f"{dimension} numbers, then a word"
            raise EmbeddingFileError(f"is {line[:40]!r}", expected=expected, where=(source.path, number)) from error
        rows.add([word], vector, np.array([number]), part=source.part)
    return rows.embedding()
