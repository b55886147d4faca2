"""Files: written beside the target and renamed, so that a crash leaves the old one; hashed; and where caches are.

Data files that come with imprint are checked against their known SHA-256 when a process first reads them: a file
damaged on disk would change results without a word. Lists written by hand (.toml) are part of the code and are not
checked; `scripts/checksums.py` writes the known hashes after `make data`.
"""

import contextlib
import glob
import hashlib
import os
import secrets
import shutil
import stat
import sys
import time
from collections import Counter
from collections.abc import Iterator, Sequence
from functools import cache, partial
from pathlib import Path
from typing import TYPE_CHECKING, Any, BinaryIO, NamedTuple

from imprint.errors import ImprintError, raising_as, requiring

if TYPE_CHECKING:
    from imprint.types import Progress


FilePath = str | os.PathLike[str]

PACKAGE = Path(__file__).parent
CHECKSUMS = PACKAGE / "bundled.sha256"  # one line per file, as sha256sum writes them

FREE_BYTES = 1 << 26  # that any compressed file of text may unpack to
MOST_UNPACKED = 250  # times its size; text is packed to a fifth, and a page of one word to a hundredth

_BLOCK = 8 << 20
_PARQUET_ROWS = 1000  # that are read together
_STRAY = 3600  # seconds
_KEPT_SIZE = 1 << 20  # bytes of a file whose hash is worth keeping
_SETTLED = 2_000_000_000  # nanoseconds: the coarsest clock of a file system
_MOST_KEPT = 1000  # hashes
_LARGEST_KEPT = 1 << 20  # bytes of their file
_OFFICE = {  # what a zip with such a member is
    "word/document.xml": "a Word file (docx)",
    "xl/workbook.xml": "an Excel file (xlsx)",
    "ppt/presentation.xml": "a PowerPoint file (pptx)",
    "META-INF/container.xml": "an electronic book (epub)",
    "mimetype": "an OpenDocument file (odt, ods or odp)",
    "[Content_Types].xml": "a Microsoft Office file",
}


def office_format(file: BinaryIO) -> str:
    """Return what a zip of a word processor, spreadsheet, slides or electronic book is; nothing for other files."""
    import struct
    import zipfile

    with contextlib.suppress(zipfile.BadZipFile, NotImplementedError, OSError, ValueError, struct.error):
        names = zipfile.ZipFile(file).namelist()
        return next((what for part, what in _OFFICE.items() if part in names), "")
    return ""


def open_parquet(path: FilePath, kind: type[ImprintError]) -> Any:
    """Open a Parquet file, for `parquet_rows`. Of the metadata of its columns nothing may be asked.

    Where these are damaged, pyarrow ends the process. A text that is repeated stays one text, since a file of 1 MB may
    repeat one until it has a terabyte.
    """
    with requiring("pyarrow", "pandas"):
        from pyarrow.parquet import ParquetFile
        from pyarrow.types import is_large_string, is_string
    with reading_parquet(path, kind):
        file = ParquetFile(path)
        schema, groups = file.schema_arrow, map(file.metadata.row_group, range(file.num_row_groups))
        if sum(group.total_byte_size for group in groups) > max(FREE_BYTES, MOST_UNPACKED * Path(path).stat().st_size):
            hint = "write it anew, if it is text at all"
            raise kind(f"unpacks to more than {MOST_UNPACKED} times its size", where=path, hint=hint)
        texts = [field.name for field in schema if is_string(field.type) or is_large_string(field.type)]
        return ParquetFile(path, metadata=file.metadata, read_dictionary=texts)


def flat_columns(file: Any) -> list[str]:
    """Return the columns of a Parquet file that have one value per row, and a name of their own."""
    from pyarrow.types import is_nested

    names = Counter(file.schema_arrow.names)
    return [field.name for field in file.schema_arrow if not is_nested(field.type) and names[field.name] == 1]


def parquet_rows(
    file: Any, columns: Sequence[str], groups: Sequence[int], path: FilePath, kind: type[ImprintError]
) -> Iterator[tuple[Any, ...]]:
    """Yield the values of flat columns, row by row."""
    with reading_parquet(path, kind):
        for batch in file.iter_batches(_PARQUET_ROWS, row_groups=groups, columns=columns):
            for row in zip(*map(batch.column, columns), strict=True):
                yield tuple(value.as_py() for value in row)


def reading_parquet(path: FilePath, kind: type[ImprintError]) -> contextlib.AbstractContextManager[None]:
    """Turn what pyarrow raises where a file is damaged into an error of this type."""
    from pyarrow import ArrowException

    causes = (OSError, ValueError, ArrowException)
    return raising_as(causes, kind, "is not whole Parquet ({})", where=path, hint="fetch it again")


def writable(target: FilePath) -> Path:
    """Return where a file is to be written, through links; refuse a place that holds something other than a file.

    Renamed onto a device or a pipe, a file would take its place.
    """
    path = Path(target)
    try:
        path = path.resolve()
        is_other = path.is_symlink() or (path.exists() and not path.is_file())  # a link still: they go in a circle
    except (OSError, RuntimeError, ValueError) as error:  # links in a circle, a NUL in the name
        raise ImprintError(
            f"is not a name that can be written to ({error})", where=target, hint="choose another"
        ) from error
    if is_other:
        raise ImprintError(
            "is a folder, a device, a pipe or a circle of links", where=target, hint="give the name of a file"
        )
    return path


@contextlib.contextmanager
def replacing(target: FilePath, *, mode: int = 0o666) -> Iterator[Path]:
    """Give a temporary path in the target's folder; move it onto the target if the block succeeds.

    The data is on disk before the rename, and a block that raises leaves neither the temporary file nor a
    changed target. `mode` says who may read and write it from its first moment, less what the umask takes away.
    """
    path = writable(target)
    _remove_strays(path)
    part = path.with_name(f".{path.name}.{secrets.token_hex(4)}.part")
    with raising_as(OSError, ImprintError, "cannot be written ({})", where=path, hint="choose another folder"):
        # The system takes the umask away. We could read it only by setting it, for all threads.
        handle = os.open(part, os.O_CREAT | os.O_EXCL | os.O_WRONLY, mode)
    granted = stat.S_IMODE(os.fstat(handle).st_mode)
    os.close(handle)
    try:
        yield part
        with raising_as(OSError, ImprintError, "cannot be replaced ({})", where=path, hint="choose another name"):
            with part.open("r+b") as written:  # Windows brings to disk only what may be written
                os.fsync(written.fileno())
            part.chmod(granted)  # safetensors puts a file of its own in the part's place, a private one
            part.replace(path)
    finally:
        part.unlink(missing_ok=True)


def write_text(target: FilePath, text: str) -> None:
    """Write a text, whatever is in it: a path that is not text (Linux allows it) comes as lone surrogates."""
    with replacing(target) as part:
        part.write_text(text, encoding="utf-8", errors="backslashreplace", newline="\n")


def free_folder(target: FilePath) -> Path:
    """Return where a folder is to be made; refuse a place that holds something, or that cannot be written."""
    path = Path(target)
    with raising_as((OSError, ValueError), ImprintError, "cannot be used ({})", where=target, hint="choose another"):
        path = path.resolve()
        taken = path.exists() and (not path.is_dir() or any(path.iterdir()))
    if taken:
        raise ImprintError("exists and is not an empty folder", where=target, hint="give the name of a new folder")
    if not path.parent.is_dir() or not os.access(path.parent, os.W_OK):
        raise ImprintError("cannot be written", where=target, hint="choose a place in a folder that exists")
    return path


@contextlib.contextmanager
def new_folder(target: FilePath) -> Iterator[Path]:
    """Give a temporary folder beside the target; rename it to the target if the block succeeds, else remove it."""
    path = free_folder(target)
    _remove_strays(path)
    part = path.with_name(f".{path.name}.{secrets.token_hex(4)}.part")
    refused = partial(raising_as, OSError, ImprintError, "cannot be written ({})", where=path, hint="choose another")
    with refused():
        part.mkdir()
    try:
        yield part
        with refused():
            part.replace(path)  # onto an empty folder too
    finally:
        shutil.rmtree(part, ignore_errors=True)


def cache_folder() -> Path:
    """Return the folder for caches: $IMPRINT_CACHE, else the system's; without a home folder, RuntimeError."""
    if chosen := os.environ.get("IMPRINT_CACHE"):
        return Path(chosen)
    if sys.platform == "win32":
        return Path(os.environ.get("LOCALAPPDATA") or Path.home() / "AppData" / "Local") / "imprint"
    if sys.platform == "darwin":
        return Path.home() / "Library" / "Caches" / "imprint"
    return Path(os.environ.get("XDG_CACHE_HOME") or Path.home() / ".cache") / "imprint"


def hash_file(path: Path, progress: "Progress | None" = None, *, kept: bool = True) -> str:
    """Return the SHA-256 of a file; `progress` gets the bytes done and the total.

    That of a large file is `kept` in the cache folder, and holds while path, size and times of change are the same.
    """
    state = _state(path)
    known = _Hashes() if kept and state.size >= _KEPT_SIZE else None
    if known is not None and (found := known.get(state.key)):
        if progress is not None:
            progress(state.size, state.size)
        return found
    digest, done = hashlib.sha256(), 0
    with path.open("rb", buffering=0) as file:
        while block := file.read(_BLOCK):
            digest.update(block)
            done += len(block)
            if progress is not None:
                progress(done, state.size)
    # A file that changed this moment may change again without its time showing it.
    if known is not None and _state(path) == state and time.time_ns() - state.changed > _SETTLED:
        known.put(state.key, digest.hexdigest())
    return digest.hexdigest()


def bundled_file(name: str) -> Path:
    """Return the path of a data file by its place in the package, once it is known to be whole."""
    return check_bundled(PACKAGE / name)


@cache
def check_bundled(path: Path) -> Path:
    """Return a path as it is; refuse a data file of the package that is not what it was."""
    known = bundled_hashes().get(path.relative_to(PACKAGE).as_posix()) if path.is_relative_to(PACKAGE) else None
    if known is not None:
        check_hash(path, hash_file(path, kept=False), known)  # read anew: a kept hash would not see bad sectors
    return path


def check_hash(path: Path, found: str, known: str) -> None:
    """Refuse a file whose hash is not the known one."""
    if found != known:
        raise ImprintError(
            f"is damaged or was changed: its SHA-256 is {found}",
            where=path,
            expected=known,
            hint="install the package that it belongs to again",
        )


@cache
def bundled_hashes() -> dict[str, str]:
    """Return the known hash of every file by its place in the package, or in a package that imprint needs."""
    lines = CHECKSUMS.read_text(encoding="utf-8").splitlines()
    return {name: digest for digest, name in (line.split(maxsplit=1) for line in lines)}


def _remove_strays(path: Path) -> None:
    """Remove what a killed process left of an earlier try; whoever still writes changes something within the hour."""
    for stray in path.parent.glob(f".{glob.escape(path.name)}.{'[0-9a-f]' * 8}.part"):
        with contextlib.suppress(OSError):
            if time.time() - max(one.lstat().st_mtime for one in (stray, *stray.rglob("*"))) <= _STRAY:
                continue
            if stray.is_dir() and not stray.is_symlink():
                shutil.rmtree(stray)
            else:
                stray.unlink()


class _State(NamedTuple):
    """What shows that a file is as it was: a hash of its path, size, times and place on the disk."""

    key: str
    size: int
    changed: int


def _state(path: Path) -> _State:
    found = path.stat()
    parts = (path.resolve(), found.st_size, found.st_mtime_ns, found.st_ctime_ns, found.st_ino, found.st_dev)
    key = hashlib.sha256("\0".join(map(str, parts)).encode("utf-8", "surrogateescape")).hexdigest()
    return _State(key, found.st_size, max(found.st_mtime_ns, found.st_ctime_ns))


class _Hashes:
    """A small file of hashes by key, each with a checksum; whatever is damaged counts as not there."""

    def __init__(self) -> None:
        self._kept: dict[str, str] = {}
        with contextlib.suppress(OSError, RuntimeError, ValueError):
            self._path = cache_folder() / "hashes.txt"
            if not self._path.is_file() or self._path.stat().st_size > _LARGEST_KEPT:  # a pipe would not end
                return
            lines = self._path.read_text("ascii").splitlines()
            self._kept = {key: digest for key, digest, check in map(str.split, lines) if check == _check(key, digest)}

    def get(self, key: str) -> str | None:
        return self._kept.get(key)

    def put(self, key: str, digest: str) -> None:
        """Add a hash, and write the latest ones; where nothing can be written, nothing is kept."""
        self._kept[key] = digest
        lines = [f"{key} {digest} {_check(key, digest)}\n" for key, digest in list(self._kept.items())[-_MOST_KEPT:]]
        with contextlib.suppress(OSError, ImprintError, AttributeError):
            self._path.parent.mkdir(mode=0o700, parents=True, exist_ok=True)
            with replacing(self._path, mode=0o600) as part:
                part.write_text("".join(lines), "ascii")


def _check(key: str, digest: str) -> str:
    return hashlib.sha256(f"{key} {digest}".encode()).hexdigest()[:16]
