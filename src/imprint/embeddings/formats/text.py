"""Text embeddings: GloVe (no header), word2vec text and fastText .vec (a header of count and dimension).

A row is a word, then its numbers, separated by spaces or tabs. Words may hold spaces: the last numbers of a
line are the vector. Only space and tab separate and only the line break ends a line, with or without a carriage
return before it: U+00A0, U+2028 and their like are letters of a word. Carriage returns elsewhere are refused.
"""

from collections.abc import Collection
from pathlib import Path

import numpy as np
import numpy.typing as npt

from imprint.embeddings.background import keeps_background
from imprint.embeddings.embedding import Embedding
from imprint.embeddings.formats.layout import (
    NUMERAL,
    SAMPLE_LINES,
    LineBlock,
    Lines,
    check_count,
    find_layout,
    first_fields,
    keep_lines,
    split_fields,
    trailing_numbers,
    usual_dimension,
)
from imprint.embeddings.formats.rows import GatheredRows, show
from imprint.embeddings.formats.streams import Source, from_source
from imprint.errors import EmbeddingFileError
from imprint.types import Ints

_PARSED_VALUES = 1 << 20  # numbers parsed in one call: 4 MB of float32, which stays in the cache
_HARD_FIELDS = 4096


def recognises(head: bytes, path: Path) -> bool:
    """Whether most of the first lines end in numbers."""
    return usual_dimension(head.split(b"\n", SAMPLE_LINES)[:SAMPLE_LINES]) > 0


@from_source
def read(source: Source, only: Collection[str] | None) -> Embedding:
    """Read every row, or only the rows of the words to keep."""
    lines = Lines(source)
    block = lines.next_block()
    assert block is not None  # an empty file was refused before its format was asked for
    block, dimension, header = find_layout(source.path, block)
    lines.line = first = block.first_line
    rows = GatheredRows(source.path, dimension, only, place="line", first=first)
    parser = Parser(source, dimension, rows)
    fields = None if only is None else first_fields(only)
    count = 0
    while block is not None:
        if fields is not None:
            block = keep_lines(block, fields, first if keeps_background(only) else None)
        parsed, passed = parser.parse(block)
        count += parsed + block.skipped
        lines.line += passed + block.skipped
        block = lines.next_block()
    if header is not None:
        check_count(source.path, header, count)
    return rows.embedding()


class Parser:
    """The compiled kernel and its buffers; what the kernel cannot settle is settled or refused here."""

    def __init__(self, source: Source, dimension: int, rows: GatheredRows) -> None:
        # numba takes a third of a second to import, and not every format needs it.
        from imprint.embeddings.formats import kernels

        self._kernels = kernels
        self._source = source
        self._dimension = dimension
        self._rows = rows
        capacity = max(1, _PARSED_VALUES // dimension)
        self._values = np.empty((capacity, dimension), dtype=np.float32)
        self._lines = np.empty(capacity, dtype=np.int64)
        self._hard = np.empty((max(_HARD_FIELDS, dimension), 4), dtype=np.int64)
        self._spelling = np.empty(0, dtype=np.uint8)

    def parse(self, block: LineBlock) -> tuple[int, int]:
        """Parse a block's lines into the rows; return how many rows and how many lines there were."""
        text = np.frombuffer(block.content, dtype=np.uint8)
        if len(self._spelling) < len(text):
            self._spelling = np.empty(len(text), dtype=np.uint8)
        at, line, total = block.start, 0, 0
        while at < block.stop:
            status, count, after, passed, spelt, hard = self._kernels.parse_rows(
                text, at, block.stop, self._values, self._spelling, self._lines, self._hard
            )
            places = block.numbers_of(self._lines[:count] + line)
            words = self._decode(self._spelling[:spelt].tobytes(), places)
            self._settle(text, self._hard[:hard], words, places)
            self._rows.add(words, self._values[:count], places, part=self._source.part)
            at = int(after)
            total += count
            line += passed
            if status == self._kernels.BAD_ROW:
                end = block.content.find(b"\n", at)
                number = int(block.numbers_of(np.array(line)))
                raise self._bad_row(bytes(block.content[at:end]), number)
        return total, line

    def _decode(self, spelling: bytes, places: Ints) -> list[str]:
        try:
            return spelling.decode().split("\n")[:-1]
        except UnicodeDecodeError as error:
            row = spelling.count(b"\n", 0, error.start)
            word = spelling.split(b"\n")[row]
            raise EmbeddingFileError(
                f"has a word that is not UTF-8 ({word[:40]!r})",
                where=(self._source.path, int(places[row])),
                hint="convert the file first, as with iconv -f latin1 -t utf-8",
            ) from error

    def _settle(self, text: npt.NDArray[np.uint8], hard: Ints, words: list[str], places: Ints) -> None:
        """Round the fields the kernel left, in Python; refuse those that are no numbers."""
        for row, column, begin, end in hard.tolist():
            field = text[begin:end].tobytes().strip()
            if not NUMERAL.fullmatch(field):
                quoted = show(field.decode(errors="replace"))
                raise EmbeddingFileError(
                    f"the vector of {show(words[row])} has {quoted}",
                    expected=f"number {column + 1} of {self._dimension}",
                    words=[words[row]],
                    where=(self._source.path, int(places[row])),
                    hint="correct or remove that line",
                )
            with np.errstate(over="ignore"):
                self._values[row, column] = np.float32(float(field))

    def _bad_row(self, line: bytes, number: int) -> EmbeddingFileError:
        fields = split_fields(line)
        numbers = trailing_numbers(fields[1:])
        advice = "the file was cut short or that line is damaged: fetch it again, or remove the line"
        if len(fields) > self._dimension + 1:
            advice = "correct or remove that line"
        return EmbeddingFileError(
            f"has {numbers} numbers", expected=str(self._dimension), where=(self._source.path, number), hint=advice
        )
