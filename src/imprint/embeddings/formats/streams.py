"""A file's content as one stream of bytes, plain or compressed, told apart by its first bytes.

Nothing here holds more than a block of the content: a compressed file is as large as it claims to be only if
someone reads that far.
"""

import bz2
import contextlib
import gzip
import io
import lzma
import os
import stat
import struct
import zipfile
import zlib
from collections.abc import Callable, Collection, Iterator
from functools import partial, wraps
from pathlib import Path
from typing import TYPE_CHECKING, Protocol, cast

from imprint.embeddings.formats.rows import show
from imprint.errors import EmbeddingFileError, ImprintError, requiring
from imprint.files import office_format
from imprint.types import Progress

if TYPE_CHECKING:
    from imprint.embeddings.embedding import Embedding

_HEAD_BYTES = 1 << 16  # enough to recognise any format
_CHUNK_BYTES = 1 << 18
_XZ_MEMORY = 1 << 28  # four times what the strongest preset of xz asks for
_DAMAGE = (OSError, RuntimeError, ValueError, lzma.LZMAError, struct.error, zipfile.BadZipFile, zlib.error)
_ZIP_METHODS = (zipfile.ZIP_STORED, zipfile.ZIP_DEFLATED)  # those that zipfile unpacks in pieces of a bounded size
_MAGIC = {b"\x1f\x8b": "gzip", b"\xfd7zXZ\x00": "xz", b"PK\x03\x04": "zip", b"PK\x05\x06": "zip"}
_MAGIC |= {b"\x28\xb5\x2f\xfd": "zstd"} | {b"BZh%d1A" % level: "bzip2" for level in range(1, 10)}


class _Readable(Protocol):
    def readinto(self, view: memoryview, /) -> int | None: ...


class Source:
    """An open file: its path, its size on disk, the first bytes of its content, and the content itself.

    A damaged file raises the `error`.
    """

    def __init__(
        self,
        path: Path,
        raw: io.FileIO,
        progress: Progress | None = None,
        error: type[ImprintError] = EmbeddingFileError,
    ) -> None:
        self.path = path
        self._error = error
        self.total = os.fstat(raw.fileno()).st_size
        self._raw = raw
        self._progress = progress
        start = raw.read(6)
        raw.seek(0)
        self.compression = next((kind for magic, kind in _MAGIC.items() if start.startswith(magic)), None)
        with self._damage_reported():
            self._content = self._decompressor()
        head = bytearray(_HEAD_BYTES)
        self._ahead = b""
        self.head = bytes(head[: self._pull(memoryview(head))])
        self._ahead = self.head

    @property
    def consumed(self) -> int:
        """Bytes of the file on disk read so far."""
        return min(self._raw.tell(), self.total)

    @property
    def part(self) -> float:
        """The share of the content read so far, to guess its length from.

        A compressed file's beginning may be far denser than the rest, so the guess is held to 8 times.
        """
        part = max(self.consumed, 1) / max(self.total, 1)
        return part if self.compression is None else max(part, 0.125)

    def fill(self, view: memoryview) -> int:
        """Fill the view with the content's next bytes; fewer come only at the end."""
        ahead = min(len(self._ahead), len(view))
        view[:ahead] = self._ahead[:ahead]
        self._ahead = self._ahead[ahead:]
        done = ahead + self._pull(view[ahead:])
        self.report(self.consumed / max(self.total, 1))  # files of /proc say that they are empty
        return done

    def report(self, part: float) -> None:
        """Tell whoever asked for progress what share of the file is done."""
        if self._progress is not None:
            self._progress(int(part * self.total), self.total)

    def refuse_compression(self, format_name: str) -> None:
        """Stop where a format is read from plain files only."""
        if self.compression is not None:
            raise self._error(
                f"{format_name} cannot be read through {self.compression}",
                where=self.path,
                hint="decompress the file first",
            )

    def _pull(self, view: memoryview) -> int:
        done = 0
        while done < len(view):
            with self._damage_reported():
                count = self._content.readinto(view[done : done + _CHUNK_BYTES])
            if not count:
                break
            done += count
        return done

    def _decompressor(self) -> _Readable:
        if self.compression == "gzip":
            return gzip.GzipFile(fileobj=self._raw)
        if self.compression == "bzip2":
            return cast(_Readable, bz2.BZ2File(self._raw))
        if self.compression == "xz":
            return _XzReader(self._raw)
        if self.compression == "zstd":
            with requiring("pyarrow", "pandas"):
                import pyarrow
            return cast(_Readable, pyarrow.CompressedInputStream(self._raw, "zstd"))
        if self.compression == "zip":
            return self._only_member(zipfile.ZipFile(self._raw))
        return self._raw

    def _only_member(self, archive: zipfile.ZipFile) -> _Readable:
        # Not by is_dir(), which fails on a member without a name.
        members = [member for member in archive.infolist() if not member.filename.endswith("/")]
        if what := office_format(self._raw):
            raise self._error(f"is {what}", where=self.path, hint="save it as plain text (.txt) first")
        if len(members) != 1:
            names = ", ".join(show(member.filename) for member in members[:4]) + (", ..." if len(members) > 4 else "")
            raise self._error(
                f"the zip holds {len(members)} files{f' ({names})' if names else ''}",
                expected="one",
                where=self.path,
                hint="unpack it and name the file",
            )
        if members[0].compress_type not in _ZIP_METHODS:
            raise self._error(
                f"the zip has compression method {members[0].compress_type}",
                expected="8 (deflate) or 0 (none)",
                where=self.path,
                hint="unpack it and name the file",
            )
        return cast(zipfile.ZipExtFile, archive.open(members[0]))

    @contextlib.contextmanager
    def _damage_reported(self) -> Iterator[None]:
        try:
            yield
        except EOFError as error:
            raise self._error(
                f"the {self.compression} data ends too early",
                where=self.path,
                hint="the file was cut short: fetch it again",
            ) from error
        except _DAMAGE as error:
            what = f"the {self.compression} data is damaged" if self.compression else "cannot be read"
            raise self._error(f"{what} ({error})", where=self.path, hint="fetch the file again") from error


def check_regular(path: Path) -> None:
    """Refuse pipes, devices and folders, before they are opened: opening a pipe would wait for a writer."""
    if not stat.S_ISREG(path.stat().st_mode):
        raise EmbeddingFileError("is not a regular file", where=path, hint="name an embedding file")


def from_source(
    read: "Callable[[Source, Collection[str] | None], Embedding]",
) -> "Callable[[Path, Collection[str] | None, Progress | None], Embedding]":
    """Make a reader of paths of a function that reads an open file, telling the end of its work."""

    @wraps(read)
    def open_and_read(path: Path, only: Collection[str] | None, progress: Progress | None) -> "Embedding":
        with path.open("rb", buffering=0) as raw:
            source = Source(path, raw, progress)
            embedding = read(source, only)
            source.report(1.0)
            return embedding

    return open_and_read


class _XzReader(io.RawIOBase):
    """xz content under a memory limit, which lzma.LZMAFile does not offer; streams may follow each other."""

    _new_decoder = staticmethod(partial(lzma.LZMADecompressor, lzma.FORMAT_XZ, memlimit=_XZ_MEMORY))

    def __init__(self, raw: io.FileIO) -> None:
        super().__init__()
        self._raw = raw
        self._decoder = self._new_decoder()

    def readinto(self, view: memoryview) -> int:  # type: ignore[override]
        """Fill the view as far as one step of decompression goes; 0 at the end of the last stream."""
        while True:
            if self._decoder.eof:
                rest = self._decoder.unused_data.lstrip(b"\0")
                while not rest:  # padding may be longer than a chunk
                    if not (chunk := self._raw.read(_CHUNK_BYTES)):
                        return 0
                    rest = chunk.lstrip(b"\0")
                self._decoder = self._new_decoder()
            elif self._decoder.needs_input:
                rest = self._raw.read(_CHUNK_BYTES)
                if not rest:
                    raise EOFError
            else:
                rest = b""
            content = self._decoder.decompress(rest, len(view))
            if content:
                view[: len(content)] = content
                return len(content)
