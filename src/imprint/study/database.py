"""The study's file: an SQLite database, made whole, recognised before it is trusted, removed without a trace.

Write-ahead log with synchronous=FULL: what was committed is on disk, and readers never wait for a writer.
"""

import contextlib
import functools
import os
import sqlite3
import stat
from collections.abc import Iterator
from pathlib import Path

from imprint.files import FilePath, replacing
from imprint.study.design import StudyError

# What reading a damaged file raises: what SQLite says of it may quote bytes that are no text.
BROKEN = (sqlite3.Error, UnicodeError)

_APPLICATION = 0x494D5053  # "IMPS"
_VERSION = 6
_READABLE = (5, _VERSION)  # before 6, no page offers "I cannot tell"
_SCHEMA = Path(__file__).with_name("schema.sql")
_MAGIC = b"SQLite format 3\0"
_HEADER = 100  # bytes, with the version and the application in them (sqlite.org/fileformat2.html, section 1.3)
_VERSION_AT, _APPLICATION_AT = slice(60, 64), slice(68, 72)
_LOG = "-wal"
_BESIDE = (_LOG, "-shm")  # the second one is an index of the log, without answers, which needs room to be written
_WAIT = 10.0  # seconds for another writer to finish
_LONGEST = 10 << 20  # bytes of one value or row
_BLOCK = 1 << 20  # bytes overwritten at once
_LOCKED = frozenset({sqlite3.SQLITE_BUSY, sqlite3.SQLITE_LOCKED, sqlite3.SQLITE_READONLY})  # no damage
# Nor where the disk is full, or where SQLite may not keep its files beside the study.
_REFUSED = _LOCKED | {sqlite3.SQLITE_FULL, sqlite3.SQLITE_IOERR, sqlite3.SQLITE_CANTOPEN, sqlite3.SQLITE_PERM}
_MADE = "give a file that imprint study create made"


@contextlib.contextmanager
def creating(path: FilePath) -> Iterator[sqlite3.Connection]:
    """Give an empty study to fill; it comes to its place when the block succeeds, if nothing is there."""
    target = Path(path)
    for there in (target, *_beside(target)):
        if os.path.lexists(there):
            raise StudyError(
                "exists already", where=there, hint="choose another name, or remove it if it is not needed"
            )
    try:
        with (
            replacing(target, mode=0o600) as part,  # answers are nobody else's business
            contextlib.closing(sqlite3.connect(part, isolation_level=None)) as connection,
        ):
            connection.execute("PRAGMA synchronous = OFF")  # flushed once, when whole
            connection.execute("PRAGMA foreign_keys = ON")
            connection.executescript(_SCHEMA.read_text(encoding="utf-8"))
            connection.execute(f"PRAGMA application_id = {_APPLICATION}")
            connection.execute(f"PRAGMA user_version = {_VERSION}")
            connection.execute("BEGIN IMMEDIATE")
            yield connection
            connection.execute("COMMIT")
            connection.execute("PRAGMA journal_mode = WAL")
    except BROKEN as error:
        raise StudyError(
            f"cannot be written ({error})",
            where=target,
            hint="give another folder, or findings as imprint writes them",
        ) from error


def connect(path: Path) -> sqlite3.Connection:
    """Open a connection to a study that is there; the caller begins and ends transactions."""
    connection = sqlite3.connect(
        f"{path.absolute().as_uri()}?mode=rw", uri=True, isolation_level=None, timeout=_WAIT, check_same_thread=False
    )
    # A file from elsewhere may hold a schema that calls functions or values that fill the memory.
    connection.setlimit(sqlite3.SQLITE_LIMIT_LENGTH, _LONGEST)
    try:
        connection.executescript(
            "PRAGMA trusted_schema = OFF; PRAGMA cell_size_check = ON; PRAGMA foreign_keys = ON; "
            "PRAGMA synchronous = FULL; PRAGMA secure_delete = ON;"
        )
    except BROKEN:
        connection.close()
        raise
    return connection


def recognise(path: FilePath) -> Path:
    """Return the path of a file that is one of our studies and sound; refuse any other."""
    source = Path(path)
    version = _format_of(source)
    if version not in _READABLE:
        raise StudyError(
            f"is a study in format {version}",
            expected=f"format {' or '.join(map(str, _READABLE))}",
            got=version,
            where=source,
            hint="use the version of imprint that made it",
        )
    try:
        with contextlib.closing(connect(source)) as connection:
            _check(source, connection)
    except BROKEN as error:
        if _code(error) & 0xFF in _REFUSED and _code(error) != sqlite3.SQLITE_IOERR_SHORT_READ:
            hint = "check that its disk has room, and that you may write to its folder"
            raise StudyError(f"cannot be read now ({error})", where=source, hint=hint) from error
        raise StudyError(f"is damaged ({_said(error)})", where=source, hint="restore it from a backup") from error
    return source


def is_readable(path: FilePath) -> bool:
    """Tell whether a study is in the format that this imprint reads; refuse a file that is none."""
    return _format_of(Path(path)) in _READABLE


def _format_of(source: Path) -> int:
    """Return the number of the format that a study is in; refuse a file that is none.

    Read from the header, which tells it also where nothing else can be read.
    """
    header = read_start(source, _HEADER, hint=_MADE, unread="imprint study create makes a study")
    if not header.startswith(_MAGIC):
        raise StudyError("is not a study", where=source, hint=_MADE)
    if int.from_bytes(header[_APPLICATION_AT]) != _APPLICATION:
        raise StudyError("is not a study but another program's database", where=source, hint=_MADE)
    return int.from_bytes(header[_VERSION_AT])


def read_start(path: Path, most: int, *, hint: str, unread: str) -> bytes:
    """Read a file's first bytes; `hint` says what to give instead of a folder, `unread` of what cannot be read."""
    try:
        if not stat.S_ISREG(path.stat().st_mode):  # opening a pipe would wait for somebody to write
            raise StudyError("is a folder, a pipe or a device", where=path, hint=hint)
        with path.open("rb") as file:
            return file.read(most)
    except (OSError, ValueError) as error:
        reason = getattr(error, "strerror", None) or str(error)
        raise StudyError(f"cannot be read ({reason})", where=path, hint=unread) from error


def belongs_to(path: FilePath, study: FilePath) -> bool:
    """Tell whether a path is one of the files that SQLite keeps beside a study, there or not."""
    return Path(path).resolve() in _beside(Path(study).resolve())


def fold(path: Path, *, wait: int = 0) -> bool:
    """Empty the log, which would hold for a while what was deleted; False where somebody reads or writes just now.

    For `wait` milliseconds it waits for them, and no one else can write meanwhile.
    """
    with contextlib.suppress(*BROKEN), contextlib.closing(connect(path)) as connection:
        connection.execute(f"PRAGMA busy_timeout = {wait}")
        busy, _, _ = connection.execute("PRAGMA wal_checkpoint(TRUNCATE)").fetchone()
        return not busy
    return False


def remove(path: FilePath) -> None:
    """Overwrite everything in a study, also what a running server would still read, and remove its files.

    One that is damaged, or in the format of another imprint, is deleted too: it is still people's answers.
    """
    _format_of(Path(path))
    target = Path(path).resolve()  # SQLite keeps its files beside the study itself, not beside a link to it
    try:
        is_sound = _is_sound(target)
        try:
            _empty(target)
        except BROKEN as error:
            if _code(error) & 0xFF in _LOCKED:
                raise
            is_sound = False
        if not is_sound:  # SQLite may not have reached every answer
            for file in (target, target.with_name(f"{target.name}{_LOG}")):
                _overwrite(file)
        for file in (Path(path), target, *_beside(target)):
            file.unlink(missing_ok=True)
    except (sqlite3.Error, OSError) as error:
        raise StudyError(
            f"cannot be deleted now ({error})",
            where=target,
            hint="stop its server, check that you may write to it, and try again",
        ) from error


def _is_sound(path: Path) -> bool:
    try:
        recognise(path)
    except StudyError:
        return False
    return True


def _empty(path: Path) -> None:
    """Delete every row, with what its pages held."""
    with contextlib.closing(connect(path)) as connection:
        connection.execute("PRAGMA foreign_keys = OFF")  # in any order
        connection.execute("BEGIN IMMEDIATE")
        tables = "SELECT name FROM sqlite_master WHERE type = 'table' AND name NOT LIKE 'sqlite_%'"
        for (table,) in connection.execute(tables).fetchall():
            connection.execute(f'DELETE FROM "{table.replace(chr(34), chr(34) * 2)}"')  # noqa: S608 - quoted
        connection.execute("COMMIT")
        connection.execute("PRAGMA wal_checkpoint(TRUNCATE)")


def _overwrite(file: Path) -> None:
    """Write zeros over a file; a link beside a study is not followed, it may lead anywhere."""
    if file.is_symlink() or not file.is_file():
        return
    with file.open("r+b") as opened:
        for start in range(0, size := file.stat().st_size, _BLOCK):
            opened.write(bytes(min(_BLOCK, size - start)))
        opened.flush()
        os.fsync(opened.fileno())


def _check(path: Path, connection: sqlite3.Connection) -> None:
    if _tables(connection) != _wanted():
        raise StudyError("has tables that are not those of a study", where=path, hint="restore it from a backup")
    if _pragma(connection, "integrity_check") != "ok" or connection.execute("PRAGMA foreign_key_check").fetchone():
        raise StudyError("is damaged", where=path, hint="restore it from a backup")
    if connection.execute("SELECT count(*) FROM study").fetchone() != (1,):
        raise StudyError("is a study that was deleted", where=path, hint="imprint study create makes a new one")


def _code(error: Exception) -> int:
    return getattr(error, "sqlite_errorcode", 0)


def _said(error: Exception) -> str:
    return "it has bytes that are not text" if isinstance(error, UnicodeError) else str(error)


def _pragma(connection: sqlite3.Connection, name: str) -> object:
    return connection.execute(f"PRAGMA {name}").fetchone()[0]


def _tables(connection: sqlite3.Connection) -> frozenset[tuple[str, ...]]:
    rows = connection.execute("SELECT type, name, tbl_name, coalesce(sql, '') FROM sqlite_master")
    return frozenset((kind, name, table, " ".join(sql.split())) for kind, name, table, sql in rows)


@functools.cache
def _wanted() -> frozenset[tuple[str, ...]]:
    with contextlib.closing(sqlite3.connect(":memory:")) as connection:
        connection.executescript(_SCHEMA.read_text(encoding="utf-8"))
        return _tables(connection)


def _beside(path: Path) -> list[Path]:
    return [path.with_name(path.name + ending) for ending in _BESIDE]
