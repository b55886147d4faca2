"""Text as documents: folders, text, JSON lines and Parquet, plain or compressed, and standard input.

Files are hostile until read. Nothing is held but a piece of a document: lines without an end, and files that unpack to
far more than any text does, are refused. Bytes that are not UTF-8 are replaced, and documents with any are counted.
A plain file is read in parts of 8 MiB, which do not depend on each other.
"""

import codecs
import contextlib
import os
import re
import stat
import sys
from collections.abc import Callable, Iterable, Iterator, Sequence
from fnmatch import fnmatchcase
from pathlib import Path
from typing import Any, Literal, NamedTuple, NoReturn

import msgspec

from imprint.embeddings.formats.streams import Source
from imprint.errors import CorpusError, SettingError, reading_file
from imprint.files import FREE_BYTES, MOST_UNPACKED, FilePath, flat_columns, open_parquet, parquet_rows
from imprint.subjects.settings import DocumentUnit, TextSettings

STDIN = "-"
TOKEN = re.compile(r"\w+")

_PART_BYTES = 8 << 20
_UNIT_BYTES = 8 << 20  # of small files that are one unit of work
_READ_BYTES = 1 << 18
_BLOCK_BYTES = 1 << 15  # about 5,000 words of English
_LONGEST_LINE = 1 << 26
_LONGEST_WORD = 1 << 20  # bytes without a space, after which a word is cut
_COMPRESSED = (".gz", ".bz2", ".xz", ".zst", ".zip")
_CSV = (".csv", ".tsv")
_JSON_LINES = (".jsonl", ".ndjson", ".json")
_READ = f"give plain text (.txt or any other ending), JSON lines ({', '.join(_JSON_LINES)}) or Parquet (.parquet)"
_MARKUP = {b"<!doctype html": "HTML", b"<html": "HTML", b"<?xml": "XML", b"{\\rtf": "RTF", b"%pdf-": "PDF"}
_NEWLINE, _SPACE, _NO_WORD = re.compile(rb"\n"), re.compile(rb"\s"), re.compile(r"\W")
_FOUR_DIGITS = re.compile(r"(?=(\d{4}))")
_YEAR = re.compile(r"(?<!\d)\d{4}(?!\d)")
_NO_YEAR = 0
_MARK = "\N{ZERO WIDTH NO-BREAK SPACE}"  # of the order of bytes, at the beginning
_MISSING = object()


class TextPart(NamedTuple):
    """A part of a file, from byte to byte, or from one group of rows to another; what its documents are."""

    path: str
    format: Literal["text", "json", "parquet"]
    unit: DocumentUnit
    start: int
    stop: int
    identity: tuple[int, ...]  # size and times of change, by which a later run knows the file again
    settings: TextSettings

    @property
    def length(self) -> int:
        """About how many bytes there are to read."""
        if self.format == "parquet":
            return _PART_BYTES
        return min(self.stop, sys.maxsize, *self.identity[:1]) - self.start


class Piece(NamedTuple):
    """A piece of a document; documents are numbered within their part, and year 0 is none."""

    document: int
    year: int
    text: str
    is_damaged: bool = False


def text_parts(sources: Iterable[FilePath], settings: TextSettings) -> list[TextPart]:
    """Return what there is to read, in the order of the sources and of the names in folders."""
    parts: list[TextPart] = []
    for source in sources:
        if str(source) == STDIN:
            parts.append(TextPart(STDIN, "text", settings.document or "block", 0, sys.maxsize, (), settings))
            continue
        path = Path(source)
        with reading_file(CorpusError, path):
            is_folder = path.is_dir()
            for file in _files(path) if is_folder else [path]:
                parts += _parts(file, settings, is_folder=is_folder)
    if not parts:
        raise CorpusError("there is no text", where=", ".join(map(str, sources)), hint=_READ)
    return parts


def refuse_unused(sources: Iterable[FilePath], settings: TextSettings) -> None:
    """Refuse a field or a column that no file has: what it names would not be read."""
    plain = TextSettings()
    for option, format_, title in (("field", "json", "JSON lines"), ("column", "parquet", "Parquet")):
        name = getattr(settings, option)
        if name != getattr(plain, option) and all(part.format != format_ for part in text_parts(sources, settings)):
            problem = f"--{option} means nothing without {title}"
            raise SettingError(problem, option=option, got=name, hint="leave it out, or check the files' endings")


def grouped(parts: Sequence[TextPart]) -> Iterator[tuple[TextPart, ...]]:
    """Yield parts in groups of about 8 MiB, so that many small files are few units of work."""
    group: list[TextPart] = []
    size = 0
    for part in parts:
        if group and size + part.length > _UNIT_BYTES:
            yield tuple(group)
            group, size = [], 0
        group.append(part)
        size += part.length
    yield tuple(group)


def read_part(part: TextPart) -> Iterator[Piece]:
    """Yield the pieces of the documents of a part, in order; a document's pieces end between words."""
    year = _year_of(part.settings.date, Path(part.path).name) if part.settings.dates_files else _NO_YEAR
    read = {"parquet": _parquet_rows, "json": _json_rows, "text": _texts}[part.format]
    for number, (text, dated, is_damaged) in enumerate(read(part)):
        for piece in _short(text):
            yield Piece(0 if part.unit == "file" else number, dated or year, piece, is_damaged)
    with reading_file(CorpusError, part.path):
        is_same = not part.identity or _identity(Path(part.path).stat()) == part.identity
    if not is_same:
        raise CorpusError("changed while it was read", where=part.path, hint="start again, when it is complete")


def _short(text: str) -> Iterator[str]:
    """Yield a text in pieces that end between words, of which each is to be held as words."""
    start = 0
    while len(text) - start > _READ_BYTES:
        match = _NO_WORD.search(text, start + _READ_BYTES, start + _READ_BYTES + _LONGEST_WORD)
        end = match.end() if match else start + _READ_BYTES + _LONGEST_WORD
        yield text[start:end]
        start = end
    yield text[start:]


def _identity(state: os.stat_result) -> tuple[int, int]:
    return state.st_size, state.st_mtime_ns


def forms_of(words: Iterable[str]) -> dict[str, str]:
    """Return which word each form in a text is; a word as it is written comes first.

    A word in lower case is also meant capitalised and in capitals, one with a capital as it is written alone.
    """
    written = dict.fromkeys(words)
    plain = (word for word in written if word == word.lower())
    return {form: word for word in plain for form in (word.capitalize(), word.upper())} | {w: w for w in written}


def _files(folder: Path) -> Iterator[Path]:
    """Yield the files of a folder and of those in it, without hidden ones; links to folders are not followed."""
    for directory, folders, names in os.walk(folder, onerror=_refuse):
        folders[:] = sorted(name for name in folders if not name.startswith("."))
        for name in sorted(names):
            file = Path(directory, name)
            if not name.startswith(".") and file.is_file():
                yield file


def _refuse(error: OSError) -> NoReturn:
    """Refuse a folder that cannot be read: its text would be left out without a word."""
    with reading_file(CorpusError, str(error.filename), "check its permissions, or leave it out"):
        raise error


def _parts(path: Path, settings: TextSettings, *, is_folder: bool) -> Iterator[TextPart]:
    state = path.stat()
    if not stat.S_ISREG(state.st_mode) and not is_folder:
        raise CorpusError("is not a regular file", where=path, hint="name text, or - for standard input")
    identity = _identity(state)
    stem = path.name.lower()
    for ending in _COMPRESSED:
        stem = stem.removesuffix(ending)
    if stem.endswith(".parquet"):
        for group in range(open_parquet(path, CorpusError).num_row_groups):
            yield TextPart(str(path.absolute()), "parquet", "line", group, group + 1, identity, settings)
        return
    if stem.endswith(_CSV):
        raise CorpusError("is CSV, which is not read", where=path, hint="write it as JSON lines or Parquet first")
    with path.open("rb", buffering=0) as raw:
        source = Source(path, raw, error=CorpusError)
    if b"\0" in source.head:
        raise CorpusError("is not text in UTF-8", where=path, hint="convert it first, or leave it out")
    head = source.head.removeprefix(codecs.BOM_UTF8).lstrip().lower()
    if markup := next((name for start, name in _MARKUP.items() if head.startswith(start)), None):
        problem = f"is {markup}: its markup would be counted as words"
        raise CorpusError(problem, where=path, hint="save it as plain text (.txt) first, or leave it out")
    is_json = stem.endswith(_JSON_LINES)
    unit = settings.document or ("line" if is_json else "file" if is_folder else "block")
    if is_json and unit == "block":
        raise SettingError("JSON lines have no blocks", option="document", got=unit, hint="use line or file")
    whole = unit == "file" or source.compression is not None
    step = sys.maxsize if whole else _PART_BYTES
    for start in range(0, max(1, min(state.st_size, sys.maxsize)), step):
        stop = sys.maxsize if start + step >= state.st_size else start + step
        yield TextPart(str(path.absolute()), "json" if is_json else "text", unit, start, stop, identity, settings)


def _texts(part: TextPart) -> Iterator[tuple[str, int, bool]]:
    """Yield the lines, the blocks or, of a whole file, the pieces of text."""
    size = {"line": 0, "block": _BLOCK_BYTES, "file": _READ_BYTES}[part.unit]
    for segment in _segments(part, size):
        text = segment.decode("utf-8", "replace").removeprefix(_MARK)
        yield text, _NO_YEAR, "\N{REPLACEMENT CHARACTER}" in text


def _json_rows(part: TextPart) -> Iterator[tuple[str, int, bool]]:
    settings, decode = part.settings, msgspec.json.Decoder(dict[str, Any]).decode
    for number, segment in enumerate(_segments(part, 0), 1):
        line = segment.removeprefix(codecs.BOM_UTF8).strip()
        if not line:
            yield "", _NO_YEAR, False
            continue
        where = (part.path, number) if part.start == 0 else part.path
        try:
            row = decode(line)
        except (msgspec.DecodeError, RecursionError, UnicodeDecodeError) as error:
            raise CorpusError(f"is not a JSON object ({error})", where=where, hint="write one per line") from error
        text = row.get(settings.field, _MISSING)
        if not isinstance(text, str | None):
            hint = f"name one of its fields: {', '.join(list(row)[:8])}"
            raise CorpusError(f"has no text in the field {settings.field!r}", where=where, hint=hint)
        yield text or "", _year_of(settings.date_field, row.get(settings.date_field or "")), False


def _parquet_rows(part: TextPart) -> Iterator[tuple[str, int, bool]]:
    settings = part.settings
    file = open_parquet(part.path, CorpusError)
    flat = flat_columns(file)
    columns = [name for name in dict.fromkeys([settings.column, settings.date_field]) if name]
    for column in columns:
        if column not in flat:
            hint = f"name one of its columns: {', '.join(flat[:8])}"
            raise CorpusError(f"has no column {column!r} of single values", where=part.path, hint=hint)
    for text, *dated in parquet_rows(file, columns, [part.start], part.path, CorpusError):
        if not isinstance(text, str | None):
            raise CorpusError(f"has no text in the column {settings.column!r}", where=part.path)
        yield text or "", _year_of(settings.date_field, dated[0] if dated else text), False


def _segments(part: TextPart, size: int) -> Iterator[bytes]:
    """Yield lines (size 0), or segments of about `size` bytes that end with a space, of one part.

    A segment belongs to the part it begins in. One that reaches the end of the part ends at the first space after it,
    where the next part begins.
    """
    ends, longest = (_SPACE, _LONGEST_WORD) if size else (_NEWLINE, _LONGEST_LINE)
    blocks = _blocks(part)
    data, at, base, more = b"", 0, max(part.start - 1, 0), True

    def end_from(least: int) -> int:
        """Return where a segment ends that is to end at or after a place in the data."""
        nonlocal data, more
        searched = least
        while True:
            if match := ends.search(data, searched):
                return match.end()
            if not more:
                return len(data)
            if len(data) - least > longest:
                if size:
                    return least + longest
                raise CorpusError(f"has a line of more than {_LONGEST_LINE >> 20} MiB", where=part.path)
            searched = max(len(data), least)
            block = next(blocks, b"")
            more = bool(block)
            data += block

    if part.start:
        at = end_from(0)
    while base + at < part.stop:
        if at > _READ_BYTES:
            data, base, at = data[at:], base + at, 0
        end = end_from(min(at + size, part.stop - 1 - base) if size else at)
        if size and base + end > part.stop:  # the next part begins where this one is taken to end
            end = end_from(part.stop - 1 - base)
        if end == at:
            return
        yield data[at:end]
        at = end


def _blocks(part: TextPart) -> Iterator[bytes]:
    """Yield the content of a file from the byte before its part on."""
    with contextlib.ExitStack() as stack:
        if part.path == STDIN:
            read: Callable[[], bytes] = lambda: sys.stdin.buffer.read(_READ_BYTES)  # noqa: E731
        else:
            with reading_file(CorpusError, part.path):
                raw = stack.enter_context(Path(part.path).open("rb", buffering=0))
            if part.start:
                raw.seek(part.start - 1)
                read = lambda: raw.read(_READ_BYTES)  # noqa: E731
            else:
                read = _unpacked(Source(Path(part.path), raw, error=CorpusError))
        yield from iter(read, b"")


def _unpacked(source: Source) -> Callable[[], bytes]:
    """Return what reads the next block of a file; one that unpacks to far more than text does is refused."""
    buffer, done = bytearray(_READ_BYTES), 0

    def read() -> bytes:
        nonlocal done
        count = source.fill(memoryview(buffer))
        done += count
        if source.compression and done > max(FREE_BYTES, MOST_UNPACKED * source.total):
            what = f"unpacks to more than {MOST_UNPACKED} times its size"
            raise CorpusError(what, where=source.path, hint="unpack it first, if it is text at all")
        return bytes(buffer[:count])

    return read


def _year_of(date: str | None, value: Any) -> int:
    """Return the year in the name of a file or in a date, 0 where there is none."""
    if date is None or value is None:
        return _NO_YEAR
    if "{year}" in date:
        before, after = date.split("{year}", 1)
        for year in reversed(list(_FOUR_DIGITS.finditer(value))):  # fnmatch takes no longer for many * in a pattern
            if fnmatchcase(value[: year.start()], before) and fnmatchcase(value[year.end(1) :], after):
                return int(year[1])
        return _NO_YEAR
    match = _YEAR.search(str(value)) or re.match(r"\d{4}(?=\d{4}$)", str(value))
    return int(match[0]) if match else _NO_YEAR
