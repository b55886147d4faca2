"""word2vec's binary format: a header line, then each word, a space and its numbers as float32.

The C tool that wrote most of these files cuts long words at a fixed number of bytes, at times through the
middle of a character. gensim refuses such a file unless told to replace or ignore; here a word whose only
fault is a missing end is kept, with U+FFFD for what is left of that character, and noted. Any other bytes that
are not UTF-8 are refused.
"""

from collections.abc import Collection
from pathlib import Path

import numpy as np

from imprint.embeddings.embedding import Embedding
from imprint.embeddings.formats.layout import (
    SAMPLE_LINES,
    Header,
    check_count,
    check_dimension,
    parse_header,
    split_fields,
    trailing_numbers,
    usual_dimension,
)
from imprint.embeddings.formats.rows import GatheredRows
from imprint.embeddings.formats.streams import Source, from_source
from imprint.errors import EmbeddingFileError

_BLOCK_BYTES = 8 << 20  # holds a row of the most dimensions many times over
_SAMPLE_BYTES = 4096
_TEXT_CONTROLS = b"\t\n\v\f\r"
_FLOAT_BYTES = 4


def recognises(head: bytes, path: Path) -> bool:
    """Whether a header line is followed by something other than text."""
    line, _, rest = head.partition(b"\n")
    header = parse_header(line)
    if header is None:
        return False
    if trailing_numbers(split_fields(rest.lstrip().partition(b"\n")[0])) >= header.dimension > 0:
        return False
    if any(byte < 32 and byte not in _TEXT_CONTROLS for byte in rest[:_SAMPLE_BYTES]):
        return True
    # The numbers of a small file may have no such byte.
    return b" " in rest.strip() and usual_dimension(rest.split(b"\n", SAMPLE_LINES)[:SAMPLE_LINES]) == 0


@from_source
def read(source: Source, only: Collection[str] | None) -> Embedding:
    """Read every row, or only the rows of the words to keep."""
    # numba takes a third of a second to import, and most readers do without.
    from imprint.embeddings.formats import kernels

    header, start = _read_header(source)
    rows = GatheredRows(source.path, header.dimension, only, place="row")
    content = bytearray(_BLOCK_BYTES)
    view, data = memoryview(content), np.frombuffer(content, dtype=np.uint8)
    spelling = np.empty(_BLOCK_BYTES, dtype=np.uint8)
    values = np.empty((_BLOCK_BYTES // (_FLOAT_BYTES * header.dimension), header.dimension), dtype="<f4")
    value_bytes = values.view(np.uint8)
    done, held, cut = 0, 0, 0
    at_end = False
    while not at_end:
        stop = held + source.fill(view[held:])
        at_end = stop < _BLOCK_BYTES
        while True:
            limit = min(len(values), header.count - done)
            count, start, spelt, broken = kernels.split_binary(data, start, stop, value_bytes, limit, spelling)
            if not count:
                break
            words, replaced = _decode(source, spelling[:spelt].tobytes(), done)
            cut += replaced
            places = np.arange(done + 1, done + count + 1)
            rows.add(words, values[:count].astype(np.float32, copy=False), places, part=source.part)
            done += count
        held = stop - start
        if done == header.count:
            _check_end(source, header, bytes(content[start:stop]), at_end)
            break
        if broken or held == _BLOCK_BYTES:
            raise EmbeddingFileError(
                "does not begin with a word",
                where=(source.path, f"row {done + 1}"),
                hint=f"line 1 is wrong about {header.dimension} dimensions, or the file is damaged: fetch it again",
            )
        view[:held] = view[start:stop]
        start = 0
    check_count(source.path, header, done)
    if cut:
        rows.notes.append(f"{cut:,} words end in the middle of a character, shown as U+FFFD")
    return rows.embedding()


def _read_header(source: Source) -> tuple[Header, int]:
    line = source.head.partition(b"\n")[0]
    header = parse_header(line)
    assert header is not None
    check_dimension(source.path, header.dimension)
    room = (source.total - len(line) - 1) // (_FLOAT_BYTES * header.dimension + 1)
    if source.compression is None and header.count > room:
        check_count(source.path, header, room)
    return header, len(line) + 1


def _check_end(source: Source, header: Header, rest: bytes, at_end: bool) -> None:
    if not at_end or rest not in (b"", b"\n"):
        raise EmbeddingFileError(
            f"says {header.count:,} words but more follow",
            where=(source.path, 1),
            hint="correct line 1 or fetch the file again",
        )


def _decode(source: Source, spelling: bytes, done: int) -> tuple[list[str], int]:
    """Return the words and how many of them had to be mended."""
    try:
        return spelling.decode().split("\n")[:-1], 0
    except UnicodeDecodeError:
        words, mended = [], 0
        for row, word in enumerate(spelling.split(b"\n")[:-1], start=done + 1):
            try:
                words.append(word.decode())
            except UnicodeDecodeError as error:
                if error.reason != "unexpected end of data":
                    raise EmbeddingFileError(
                        f"has a word that is not UTF-8 ({word[:40]!r})",
                        where=(source.path, f"row {row}"),
                        hint="read the file with gensim, which takes an encoding, and use Embedding.from_gensim",
                    ) from error
                words.append(word.decode(errors="replace"))
                mended += 1
        return words, mended
