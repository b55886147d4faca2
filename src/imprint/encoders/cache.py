"""Encodings kept on disk, so that a second run encodes nothing and a killed one goes on where it was.

One SQLite file in write-ahead mode: several processes may read and write it at once, and a chunk of texts is
either there as a whole or not at all, whenever the process ends. Texts are kept as hashes, not in clear, and only the
owner can read a new file: vectors say much about their texts. Each vector has a checksum: a flipped bit is an error,
not a slightly different result.
"""

import hashlib
import os
import sqlite3
import threading
import time
import zlib
from collections.abc import Sequence
from contextlib import AbstractContextManager
from operator import itemgetter
from pathlib import Path
from typing import Protocol

import numpy as np

from imprint.errors import EncoderError, ImprintError, raising_as
from imprint.files import FilePath, cache_folder, writable
from imprint.types import Floats32

_FORMAT = 4
_TABLE = "CREATE TABLE encodings (encoder TEXT, text BLOB, vector BLOB, PRIMARY KEY (encoder, text))"
# Emptied when opened: they had no checksums, vectors that depended on their neighbours, or rows in the order of their
# keys, where each chunk rewrote the pages of those before it.
_EARLIER = (1, 2, 3)
_EARLIER_TABLE = f"{_TABLE} WITHOUT ROWID"
_PATIENCE = 60.0  # seconds to wait for another process that is writing
_PAUSE = 0.01  # seconds between two tries of our own
_PAGE = 16_384  # bytes a page of a new file, so that a vector of up to 4,000 numbers is in one
_CACHED = 65_536  # kB of pages in memory
_ASKED_AT_ONCE = 500  # keys a query, below SQLite's oldest limit on parameters


class EncodingStore(Protocol):
    """What keeps encodings, by encoder and text: on disk between runs, or in memory for one."""

    def get(self, encoder: str, texts: Sequence[str]) -> dict[str, Floats32]:
        """Return the vectors it has, by text."""

    def put(self, encoder: str, texts: Sequence[str], rows: Floats32) -> None:
        """Keep one row per text."""


class EncodingCache:
    """Encodings kept in one file between runs, by encoder and text.

    Parameters
    ----------
    path
        The file, made if it does not exist.

    Examples
    --------
    >>> with imprint.EncodingCache("encodings.sqlite") as cache:
    ...     result = imprint.seat("cbow", "caliskan-6", cache=cache)
    """

    def __init__(self, path: FilePath) -> None:
        self.path = Path(path)
        if "\0" in str(self.path):
            raise EncoderError("has a NUL in its name", where=repr(str(self.path)), hint="check the path")
        try:
            writable(self.path)
        except ImprintError as error:
            raise EncoderError(error.message, where=error.where, hint=error.hint) from error
        try:
            self.path.parent.mkdir(parents=True, exist_ok=True)
            # SQLite would let everybody read it. What it writes beside the file gets the file's permissions.
            os.close(os.open(self.path, os.O_CREAT | os.O_RDONLY, 0o600))
            # Parts of an audit run in threads; the lock lets one of them speak at a time.
            self._lock = threading.Lock()
            self._database = sqlite3.connect(
                self.path, timeout=_PATIENCE, isolation_level=None, check_same_thread=False
            )
        except (OSError, sqlite3.Error) as error:
            raise EncoderError(
                f"encodings cannot be kept there ({error})", where=self.path, hint="choose another place"
            ) from error
        try:
            with self._reporting():
                self._prepare()
        except EncoderError:
            self.close()
            raise

    def get(self, encoder: str, texts: Sequence[str]) -> dict[str, Floats32]:
        """Return the vectors it has, by text."""
        by_key = {_key(text): text for text in texts}
        keys = sorted(by_key)
        vectors: dict[str, Floats32] = {}
        with self._reporting(), self._lock:
            for start in range(0, len(keys), _ASKED_AT_ONCE):
                batch = keys[start : start + _ASKED_AT_ONCE]
                query = (
                    f"SELECT text, vector FROM encodings WHERE encoder = ? AND text IN ({','.join('?' * len(batch))})"  # noqa: S608 - question marks only
                )
                for key, vector in self._database.execute(query, (encoder, *batch)):
                    row = _read(encoder, key, vector)
                    # A damaged page may answer with another key than it was asked for.
                    if row is None or key not in by_key:
                        raise EncoderError(
                            "is damaged: it holds an invalid encoding", where=self.path, hint="remove it"
                        )
                    vectors[by_key[key]] = row
        return vectors

    def put(self, encoder: str, texts: Sequence[str], rows: Floats32) -> None:
        """Keep one row per text, all or none of them; a text that another process kept meanwhile stays."""
        # In the order of the keys, neighbours share a page of the index, which is written once.
        keyed = sorted(zip(map(_key, texts), rows, strict=True), key=itemgetter(0))
        vectors = ((key, row.astype("<f4").tobytes()) for key, row in keyed)
        values = [(encoder, key, vector + _checksum(encoder, key, vector)) for key, vector in vectors]
        with self._reporting(), self._lock:
            self._database.execute("BEGIN IMMEDIATE")
            try:
                self._database.executemany("INSERT OR IGNORE INTO encodings VALUES (?, ?, ?)", values)
                self._database.execute("COMMIT")
            except BaseException:
                # A full disk has SQLite roll back by itself; Ctrl-C has not.
                if self._database.in_transaction:
                    self._database.execute("ROLLBACK")
                raise

    def close(self) -> None:
        """Let go of the file."""
        self._database.close()

    def __enter__(self) -> "EncodingCache":
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def _prepare(self) -> None:
        execute = self._database.execute
        # Read in one statement, between two of which another process may make the table.
        query = "SELECT (SELECT user_version FROM pragma_user_version), group_concat(sql, ';') FROM sqlite_master"
        made = execute(query).fetchone()
        if made not in {(0, None), (_FORMAT, _TABLE), *((version, _EARLIER_TABLE) for version in _EARLIER)}:
            raise EncoderError(
                "is another database, or one of another version", where=self.path, hint="choose another place"
            )
        execute(f"PRAGMA page_size = {_PAGE}")
        self._write_ahead()
        execute("PRAGMA synchronous = NORMAL")
        execute(f"PRAGMA cache_size = -{_CACHED}")
        if made[0] != _FORMAT:
            execute("BEGIN IMMEDIATE")
            if execute("PRAGMA user_version").fetchone()[0] in _EARLIER:
                execute("DROP TABLE encodings")
            execute(_TABLE.replace("TABLE", "TABLE IF NOT EXISTS", 1))
            execute(f"PRAGMA user_version = {_FORMAT}")
            execute("COMMIT")

    def _write_ahead(self) -> None:
        """Switch to the write-ahead mode, for which SQLite does not wait by itself while another process does so."""
        deadline = time.monotonic() + _PATIENCE
        while True:
            try:
                self._database.execute("PRAGMA journal_mode = WAL")
            except sqlite3.OperationalError as error:
                if error.sqlite_errorcode & 0xFF != sqlite3.SQLITE_BUSY or time.monotonic() > deadline:
                    raise
                time.sleep(_PAUSE)
            else:
                return

    def _reporting(self) -> AbstractContextManager[None]:
        return raising_as(
            sqlite3.Error,
            EncoderError,
            "is not a cache of encodings, or cannot be used ({})",
            where=self.path,
            hint="make room or allow writing to it; remove it if it is damaged, or choose another",
        )


class HeldEncodings:
    """Encodings held for one run, where none are kept on disk."""

    def __init__(self) -> None:
        self._rows: dict[tuple[str, str], Floats32] = {}

    def get(self, encoder: str, texts: Sequence[str]) -> dict[str, Floats32]:
        """Return the vectors it has, by text."""
        return {text: self._rows[encoder, text] for text in texts if (encoder, text) in self._rows}

    def put(self, encoder: str, texts: Sequence[str], rows: Floats32) -> None:
        """Hold one row per text."""
        self._rows |= {(encoder, text): row for text, row in zip(texts, rows, strict=True)}


def default_cache() -> Path:
    """Return the default place of the cache: $IMPRINT_CACHE, else the system's folder for caches."""
    problem = "this user has no home folder to keep encodings in"
    with raising_as(RuntimeError, EncoderError, problem, hint="set IMPRINT_CACHE to a folder"):
        return cache_folder() / "encodings.sqlite"


def _key(text: str) -> bytes:
    return hashlib.sha256(text.encode("utf-8", "surrogatepass")).digest()


def _checksum(encoder: str, key: bytes, vector: bytes) -> bytes:
    return zlib.crc32(vector, zlib.crc32(key, zlib.crc32(encoder.encode()))).to_bytes(4, "little")


def _read(encoder: str, key: object, stored: object) -> Floats32 | None:
    """Return a vector from the bytes kept, None where they are none or not those that were written."""
    if not isinstance(stored, bytes) or not isinstance(key, bytes) or len(stored) < 8 or len(stored) % 4:
        return None
    vector = stored[:-4]
    if _checksum(encoder, key, vector) != stored[-4:]:
        return None
    row = np.frombuffer(vector, dtype="<f4").astype(np.float32, copy=False)
    return row if np.isfinite(row).all() else None
