"""Encodings kept on disk, so that a second run encodes nothing and a killed one goes on where it was.

One SQLite file in write-ahead mode: several processes may read and write it at once, and a chunk of texts is
either there as a whole or not at all, whenever the process ends. Texts are kept as hashes, not in clear.
"""

import contextlib
import hashlib
import os
import sqlite3
import sys
import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

import numpy as np

from imprint.encoders.base import Encoder, Floats
from imprint.errors import EncoderError, SettingError

Progress = Callable[[int, int], None]

_FORMAT = 1
_TABLE = "CREATE TABLE encodings (encoder TEXT, text BLOB, vector BLOB, PRIMARY KEY (encoder, text)) WITHOUT ROWID"
_PATIENCE = 60.0  # seconds to wait for another process that is writing
_PAUSE = 0.01  # seconds between two tries of our own
_ASKED_AT_ONCE = 500  # keys a query, below SQLite's oldest limit on parameters


class EncodingCache:
    """Vectors by encoder and text in one file, made where there is none."""

    def __init__(self, path: str | os.PathLike[str]) -> None:
        self.path = Path(path)
        if "\0" in str(self.path):
            raise EncoderError(f"{str(self.path)!r}: no file name may hold a NUL; check the path")
        try:
            self.path.parent.mkdir(parents=True, exist_ok=True)
            self._database = sqlite3.connect(self.path, timeout=_PATIENCE, isolation_level=None)
        except (OSError, sqlite3.Error) as error:
            raise EncoderError(f"{self.path}: cannot keep encodings there ({error}); choose another place") from error
        try:
            with self._reporting():
                self._prepare()
        except EncoderError:
            self.close()
            raise

    def get(self, encoder: str, texts: Sequence[str]) -> dict[str, Floats]:
        """Return the vectors it has, by text."""
        by_key = {_key(text): text for text in texts}
        keys = list(by_key)
        found: dict[str, Floats] = {}
        with self._reporting():
            for start in range(0, len(keys), _ASKED_AT_ONCE):
                asked = keys[start : start + _ASKED_AT_ONCE]
                query = (
                    f"SELECT text, vector FROM encodings WHERE encoder = ? AND text IN ({','.join('?' * len(asked))})"  # noqa: S608 - question marks only
                )
                for key, vector in self._database.execute(query, (encoder, *asked)):
                    row = _read(vector)
                    # A damaged page may answer with another key than it was asked for.
                    if row is None or key not in by_key:
                        raise EncoderError(f"{self.path}: holds what is no encoding, so it is damaged; remove it")
                    found[by_key[key]] = row
        return found

    def put(self, encoder: str, texts: Sequence[str], rows: Floats) -> None:
        """Keep one row a text, all or none of them; a text that another process kept meanwhile stays."""
        values = [(encoder, _key(text), row.astype("<f4").tobytes()) for text, row in zip(texts, rows, strict=True)]
        with self._reporting():
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
        if made not in {(0, None), (_FORMAT, _TABLE)}:
            raise EncoderError(f"{self.path}: is another database, or another version's; choose another place")
        self._write_ahead()
        execute("PRAGMA synchronous = NORMAL")
        if made == (0, None):
            execute("BEGIN IMMEDIATE")
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

    @contextlib.contextmanager
    def _reporting(self) -> Iterator[None]:
        try:
            yield
        except sqlite3.Error as error:
            raise EncoderError(
                f"{self.path}: is no cache of encodings, or cannot be used ({error}); remove it, or choose another"
            ) from error


@dataclass(frozen=True, eq=False, repr=False)
class Encodings:
    """The vectors of distinct texts; `encoded` of them were computed now, the others were known."""

    index: Mapping[str, int]
    matrix: Floats
    encoded: int

    def rows(self, texts: Sequence[str]) -> Floats:
        """Return one row a text, in order."""
        return self.matrix[[self.index[text] for text in texts]]


def encode_texts(
    encoder: Encoder, texts: Sequence[str], *, cache: EncodingCache | None = None, progress: Progress | None = None
) -> Encodings:
    """Encode each distinct text once, taking what the cache has and keeping there what it has not."""
    distinct = list(dict.fromkeys(texts))
    if not distinct:
        raise SettingError(f"{encoder.name}: no text to encode; give at least one")
    kept = cache if encoder.remembered else None
    known = kept.get(encoder.identity, distinct) if kept is not None else {}
    wanted = [text for text in distinct if text not in known]
    if encoder.at_most is not None and len(wanted) > encoder.at_most:
        raise SettingError(
            f"{encoder.name}: {len(wanted):,} texts would be sent, and at most {encoder.at_most:,} may be; ask for "
            "fewer tests, or allow more with --max-texts"
        )
    matrix: Floats | None = None
    index = {text: row for row, text in enumerate(distinct)}
    for text, vector in known.items():
        matrix = _room(matrix, len(distinct), len(vector), encoder.name)
        matrix[index[text]] = vector
    told_apart = len(distinct) == 1
    first = 0  # of the texts that are not on disk yet
    for start in range(0, len(wanted), encoder.chunk):
        chunk = wanted[start : start + encoder.chunk]
        rows = encoder.encode(chunk)
        matrix = _room(matrix, len(distinct), rows.shape[1], encoder.name)
        matrix[[index[text] for text in chunk]] = rows
        done = start + len(chunk)
        # Vectors that are all the same are not kept: a server that is mended keeps its name, and they would stay.
        told_apart = told_apart or _differ(matrix[[index[text] for text in (*known, *wanted[:done])]])
        if kept is not None and told_apart:
            fresh = wanted[first:done]
            kept.put(encoder.identity, fresh, matrix[[index[text] for text in fresh]])
            first = done
        if progress is not None:
            progress(done, len(wanted))
    assert matrix is not None
    if not told_apart and not _differ(matrix):
        raise EncoderError(
            f"{encoder.name}: gives {'the same' if matrix.any() else 'a zero'} vector for all {len(matrix):,} texts; "
            "a model that tells texts apart is wanted: check its weights, and its tokenizer or vocabulary"
        )
    return Encodings(index, matrix, len(wanted))


def default_cache() -> Path:
    """Return where encodings are kept unless told otherwise: $IMPRINT_CACHE, else the system's folder for caches."""
    try:
        if chosen := os.environ.get("IMPRINT_CACHE"):
            folder = Path(chosen)
        elif sys.platform == "win32":
            folder = Path(os.environ.get("LOCALAPPDATA") or Path.home() / "AppData" / "Local") / "imprint"
        elif sys.platform == "darwin":
            folder = Path.home() / "Library" / "Caches" / "imprint"
        else:
            folder = Path(os.environ.get("XDG_CACHE_HOME") or Path.home() / ".cache") / "imprint"
    except RuntimeError as error:
        raise EncoderError("this user has no home folder to keep encodings in; set IMPRINT_CACHE to one") from error
    return folder / "encodings.sqlite"


def _differ(rows: Floats) -> bool:
    return bool((rows != rows[0]).any())


def _key(text: str) -> bytes:
    return hashlib.sha256(text.encode("utf-8", "surrogatepass")).digest()


def _read(vector: object) -> Floats | None:
    """Return a vector from the bytes kept, None where they are none."""
    if not isinstance(vector, bytes) or not vector or len(vector) % 4:
        return None
    row = np.frombuffer(vector, dtype="<f4").astype(np.float32, copy=False)
    return row if np.isfinite(row).all() else None


def _room(matrix: Floats | None, count: int, width: int, name: str) -> Floats:
    """Return the table to fill, made when the first vector says how wide it is."""
    if matrix is None:
        return np.zeros((count, width), dtype=np.float32)
    if matrix.shape[1] != width:
        raise EncoderError(
            f"{name}: gave vectors of {matrix.shape[1]} numbers and now one of {width}; one size is wanted: if the "
            "model was changed under its name, go without the cache or remove it"
        )
    return matrix
