"""Whole lines of a text file, a few megabytes at a time, and of those only the lines of the words to keep."""

from collections.abc import Collection
from dataclasses import dataclass

import numpy as np

from imprint.embeddings.background import in_sample
from imprint.embeddings.formats.streams import Source
from imprint.errors import EmbeddingFileError
from imprint.types import Ints

BLOCK_BYTES = 8 << 20

_LINE = 10


@dataclass(frozen=True)
class LineBlock:
    """Whole lines, content[start:stop], valid until the next block is read.

    `first_line` is the number in the file of the first of them. Where lines were left out, `numbers` has the
    number of each line that stayed, and `skipped` counts the others.
    """

    content: bytearray
    start: int
    stop: int
    first_line: int
    numbers: Ints | None = None
    skipped: int = 0

    def numbers_of(self, indices: Ints) -> Ints:
        """Return the numbers in the file of the block's lines at these indices."""
        return indices + self.first_line if self.numbers is None else self.numbers[indices]


class Lines:
    """The content cut into blocks of whole lines; the last line gets a line break if it has none.

    `line` is the number of the next line. Whoever reads a block counts its lines on the way and adds them:
    counting here would be a pass of its own.
    """

    def __init__(self, source: Source) -> None:
        self.line = 1
        self._source = source
        self._content = bytearray(BLOCK_BYTES + 1)
        self._view = memoryview(self._content)
        self._filled = self._stop = 0
        self._at_end = False

    def next_block(self) -> LineBlock | None:
        """Return the next block, or None at the end."""
        if self._at_end:
            return None
        held = self._filled - self._stop
        self._view[:held] = self._view[self._stop : self._filled]
        self._filled = held + self._source.fill(self._view[held:BLOCK_BYTES])
        self._at_end = self._filled < BLOCK_BYTES
        if self._at_end and self._filled and self._content[self._filled - 1] != _LINE:
            self._content[self._filled] = _LINE
            self._filled += 1
        self._stop = self._content.rfind(b"\n", 0, self._filled) + 1
        if self._stop == 0 and self._filled:
            raise EmbeddingFileError(
                f"is longer than {BLOCK_BYTES >> 20} MB",
                expected="a text embedding with one word per line",
                where=(self._source.path, self.line),
            )
        return LineBlock(self._content, 0, self._stop, self.line) if self._stop else None


def first_fields(words: Collection[str]) -> frozenset[bytes]:
    """Return what the lines of these words begin with, up to the first space."""
    return frozenset(word.encode("utf-8", "surrogatepass").split(b" ", 1)[0] for word in words)


def keep_lines(block: LineBlock, fields: frozenset[bytes], sampled_from: int | None = None) -> LineBlock:
    """Keep the lines that may hold a word to keep, and the last line, which shows whether the file was cut.

    With the line number of the first word, `sampled_from`, lines of the background's sample are kept too.

    These are the lines that begin with one of the fields; lines that begin with a space or have none are kept
    unseen. A word that holds spaces shares its first field with others, so the reader compares again.
    """
    content, at = block.content, block.start
    if content.find(b"\t", at, block.stop) >= 0:
        return block
    kept = bytearray()
    numbers = []
    line = block.first_line
    sampled = frozenset[int]()
    if sampled_from is not None:
        lines = np.arange(line, line + content.count(b"\n", at, block.stop))
        sampled = frozenset(lines[in_sample(lines - sampled_from)].tolist())
    while at < block.stop:
        end = content.find(b"\n", at) + 1
        space = content.find(b" ", at, end)
        if space <= at or end == block.stop or line in sampled or bytes(content[at:space]) in fields:
            kept += content[at:end]
            numbers.append(line)
        at = end
        line += 1
    skipped = line - block.first_line - len(numbers)
    return LineBlock(kept, 0, len(kept), block.first_line, np.array(numbers, dtype=np.int64), skipped)
