"""The first line of word2vec's formats, text and binary: how many words of how many dimensions follow."""

from dataclasses import dataclass
from pathlib import Path

from imprint.errors import EmbeddingFileError

LARGEST_DIMENSION = 100_000  # no embedding comes near; a larger one would be a lie to allocate memory for
BYTE_ORDER_MARK = b"\xef\xbb\xbf"

_MOST_DIGITS = 18


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
