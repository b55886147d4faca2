"""The lines of a text file: a few megabytes at a time, and how they are built, learnt from the first of them.

In word2vec's formats the first line is a header. Of the lines read, only those of the words to keep are passed on.
"""

import re
from collections import Counter
from collections.abc import Collection
from dataclasses import dataclass, replace
from pathlib import Path

import numpy as np

from imprint.embeddings.background import in_sample
from imprint.embeddings.formats.streams import Source
from imprint.errors import EmbeddingFileError
from imprint.types import Ints

LARGEST_DIMENSION = 100_000  # no embedding comes near; a larger one would be a lie to allocate memory for
BYTE_ORDER_MARK = b"\xef\xbb\xbf"
# One way to match any digits: with two, a long field that is no number would take hours.
NUMERAL = re.compile(rb"[+-]?(?:(?:\d+(?:\.\d*)?|\.\d+)(?:e[+-]?\d+)?|nan|inf(?:inity)?)", re.IGNORECASE)

SAMPLE_LINES = 50
BLOCK_BYTES = 8 << 20

_HEADER = re.compile(rb"[ \t]*([0-9]{1,18})[ \t]+([0-9]{1,18})[ \t]*\r?")
_LINE, _RETURN = 10, 13


@dataclass(frozen=True)
class Header:
    """What the first line promises; nothing is allocated on its word alone."""

    count: int
    dimension: int


def parse_header(line: bytes) -> Header | None:
    """Return the header, if the line is two whole numbers."""
    counts = _HEADER.fullmatch(line.removeprefix(BYTE_ORDER_MARK))
    return None if counts is None else Header(int(counts[1]), int(counts[2]))


def check_dimension(path: Path, dimension: int) -> None:
    """Refuse dimensions that no embedding has."""
    if not 1 <= dimension <= LARGEST_DIMENSION:
        raise EmbeddingFileError(
            option="dimensions",
            got=dimension,
            expected=f"from 1 to {LARGEST_DIMENSION:,}",
            where=(path, 1),
            hint="correct line 1 or fetch the file again",
        )


def check_count(path: Path, header: Header, rows: int) -> None:
    """Refuse a file that holds more or fewer rows than its first line says."""
    if rows != header.count:
        likely = "the file was cut short" if rows < header.count else "line 1 is wrong"
        raise EmbeddingFileError(
            f"says {header.count:,} words but {rows:,} follow: {likely}",
            where=(path, 1),
            hint="fetch the file again, or correct line 1 if you trust the rest",
        )


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


def find_layout(path: Path, block: LineBlock) -> tuple[LineBlock, int, Header | None]:
    """Learn from the first lines where the rows begin and how many numbers each has; return the header too."""
    start = len(BYTE_ORDER_MARK) if block.content.startswith(BYTE_ORDER_MARK) else 0
    # Lines are cut off one at a time: the block may hold a hundred thousand.
    lines: list[bytes] = []
    at = start
    while at < block.stop and len(lines) <= SAMPLE_LINES:
        end = block.content.find(b"\n", at)
        lines.append(bytes(block.content[at:end]))
        at = end + 1
    header = parse_header(lines[0])
    usual = usual_dimension(lines[1:]) if header else usual_dimension(lines)
    # Two whole numbers a line, all the way down, are words that are numbers and one dimension.
    if header is None or (usual == 1 != header.dimension):
        if usual == 0:
            raise EmbeddingFileError(
                "is not a word followed by numbers",
                where=(path, 1),
                hint="give an embedding: GloVe, word2vec or "
                "fastText text, word2vec or fastText binary, gensim .kv, or a file written by imprint convert",
            )
        check_dimension(path, usual)
        return replace(block, start=start), usual, None
    check_dimension(path, header.dimension)
    if usual == 0:
        raise EmbeddingFileError(
            f"says {header.count:,} words of {header.dimension} dimensions but no row follows",
            where=(path, 1),
            hint="fetch the file again",
        )
    if usual != header.dimension:
        raise EmbeddingFileError(
            f"says {header.dimension} dimensions but the lines after it have {usual} numbers",
            where=(path, 1),
            hint="correct line 1 or fetch the file again",
        )
    return replace(block, start=start + len(lines[0]) + 1, first_line=2), usual, header


def trailing_numbers(fields: list[bytes]) -> int:
    """Count the numbers at the end."""
    count = 0
    while count < len(fields) and NUMERAL.fullmatch(fields[-1 - count]):
        count += 1
    return count


def split_fields(line: bytes) -> list[bytes]:
    """Cut a line at its spaces and tabs."""
    stripped = line.strip(b" \t\r")
    return re.split(rb"[ \t]+", stripped) if stripped else []


def usual_dimension(lines: list[bytes]) -> int:
    """Return how many numbers most of the lines have; 0 if they are not rows of an embedding."""
    counts = Counter(_line_dimension(fields) for line in lines if (fields := split_fields(line)))
    return counts.most_common(1)[0][0] if counts else 0


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
        self._check_returns()
        return LineBlock(self._content, 0, self._stop, self.line) if self._stop else None

    def _check_returns(self) -> None:
        """Refuse a carriage return that no line break follows: whoever wrote it may have meant the end of a row.

        Of all lines, also those that are left out later: one of them may hide the row of a word to keep.
        """
        content = self._content
        if content.find(b"\r", 0, self._stop) < 0:
            return
        text = np.frombuffer(content, dtype=np.uint8, count=self._stop)
        returns = np.flatnonzero(text == _RETURN)
        lone = returns[text[returns + 1] != _LINE]
        if len(lone) == 0:
            return
        raise EmbeddingFileError(
            "has a carriage return before its end",
            where=(self._source.path, self.line + content.count(b"\n", 0, int(lone[0]))),
            hint="replace carriage returns by line breaks if each ends a row, else remove them",
        )


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
    kept_lines = bytearray()
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
            kept_lines += content[at:end]
            numbers.append(line)
        at = end
        line += 1
    skipped = line - block.first_line - len(numbers)
    return LineBlock(kept_lines, 0, len(kept_lines), block.first_line, np.array(numbers, dtype=np.int64), skipped)


def _line_dimension(fields: list[bytes]) -> int:
    """Count a line's numbers: all at its end, but for a word that is a number itself."""
    numbers = trailing_numbers(fields)
    word = fields[: len(fields) - numbers]
    # A number in the midst of the word is a row with text among its numbers rather than a word with spaces.
    if len(word) == 0 or any(NUMERAL.fullmatch(field) for field in word[1:]):
        return len(fields) - 1
    return numbers
