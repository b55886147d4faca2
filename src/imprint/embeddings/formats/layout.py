"""How an embedding's lines are built, learnt from the first of them; in word2vec's formats that is a header."""

import re
from collections import Counter
from dataclasses import dataclass
from pathlib import Path

from imprint.embeddings.formats.blocks import LineBlock
from imprint.errors import EmbeddingFileError

LARGEST_DIMENSION = 100_000  # no embedding comes near; a larger one would be a lie to allocate memory for
BYTE_ORDER_MARK = b"\xef\xbb\xbf"

_MOST_DIGITS = 18
# One way to match any digits: with two, a long field that is no number would take hours.
NUMERAL = re.compile(rb"[+-]?(?:(?:\d+(?:\.\d*)?|\.\d+)(?:e[+-]?\d+)?|nan|inf(?:inity)?)", re.IGNORECASE)

SAMPLE_LINES = 50


@dataclass(frozen=True)
class Header:
    """What the first line promises; nothing is allocated on its word alone."""

    count: int
    dimension: int


def parse_header(line: bytes) -> Header | None:
    """Return the header, if the line is two whole numbers."""
    fields = line.removeprefix(BYTE_ORDER_MARK).split()
    if len(fields) != 2 or not all(field.isdigit() and len(field) <= _MOST_DIGITS for field in fields):
        return None
    return Header(int(fields[0]), int(fields[1]))


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
class Layout:
    """How the lines are built: where the first row is, how many numbers it has, what the header said."""

    start: int
    first_line: int
    dimension: int
    header: Header | None


def find_layout(path: Path, block: LineBlock) -> Layout:
    """Learn the layout from the file's first lines."""
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
        return Layout(start, 1, usual, None)
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
    return Layout(start + len(lines[0]) + 1, 2, usual, header)


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


def _line_dimension(fields: list[bytes]) -> int:
    """Count a line's numbers: all at its end, but for a word that is a number itself."""
    numbers = trailing_numbers(fields)
    word = fields[: len(fields) - numbers]
    # A number in the midst of the word is a row with text among its numbers rather than a word with spaces.
    if len(word) == 0 or any(NUMERAL.fullmatch(field) for field in word[1:]):
        return len(fields) - 1
    return numbers
