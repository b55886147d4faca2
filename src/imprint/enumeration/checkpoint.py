"""A file that a killed run leaves behind and the next one continues from.

One line of JSON says which run it belongs to; then one record a finished chunk: its number, its size, a checksum and
its scores. Records are only ever added, and a record cut short by a kill is computed again.
"""

import contextlib
import json
import os
import struct
import zlib
from pathlib import Path

import numpy as np

from imprint.errors import SettingError
from imprint.types import Floats32

_HEADER = struct.Struct("<qqI")  # chunk, bytes, checksum
_LONGEST_LINE = 1_000


class Checkpoint:
    """Chunks finished so far, kept on disk as they come."""

    def __init__(self, path: str | os.PathLike[str], fingerprint: str, shape: tuple[int, int]) -> None:
        self.path = Path(path)
        self.done: dict[int, Floats32] = {}
        self._shape = shape
        first = json.dumps({"imprint": "enumeration", "settings": fingerprint}).encode() + b"\n"
        try:
            # A folder, a pipe or a device is nothing to write records into, and still less to remove at the end.
            if self.path.exists() and not self.path.is_file():
                raise SettingError(
                    "is not a plain file", option="checkpoint", where=self.path, hint="choose another --checkpoint"
                )
            end = self._read(first) if self.path.exists() and self.path.stat().st_size else 0
            self._file = self.path.open("r+b" if end else "w+b")
        except OSError as error:
            raise SettingError(
                f"cannot be written ({error.strerror})",
                option="checkpoint",
                where=self.path,
                hint="choose another --checkpoint",
            ) from error
        self._file.truncate(end)
        self._file.seek(end)
        self._empty = not self.done
        if not end:
            self._file.write(first)

    def add(self, chunk: int, scores: Floats32) -> None:
        """Keep a finished chunk; it is on disk when this returns."""
        data = scores.tobytes()
        try:
            self._file.write(_HEADER.pack(chunk, len(data), _checksum(chunk, data)) + data)
            self._file.flush()
            os.fsync(self._file.fileno())
        except OSError as error:
            raise SettingError(
                f"cannot be written ({error.strerror})",
                option="checkpoint",
                where=self.path,
                hint="make room, then continue",
            ) from error
        self._empty = False

    def close(self, *, finished: bool) -> None:
        """Close the file, and remove it if the run needs it no more or there is nothing in it to continue from."""
        with contextlib.suppress(OSError):  # what a full disk did not take, the next run finds cut short
            self._file.close()
        if finished or self._empty:
            self.path.unlink(missing_ok=True)

    def _read(self, first: bytes) -> int:
        """Take in all whole records; return where they end."""
        with self.path.open("rb") as file:
            line = file.readline(_LONGEST_LINE)
            if line != first:
                raise SettingError(
                    _whose(line),
                    option="checkpoint",
                    where=self.path,
                    hint="delete it, or choose another --checkpoint",
                )
            end = file.tell()
            cell_bytes = 4 * self._shape[0] * self._shape[1]
            while len(header := file.read(_HEADER.size)) == _HEADER.size:
                chunk, size, checksum = _HEADER.unpack(header)
                data = file.read(size) if 0 < size <= self.path.stat().st_size else b""
                if (
                    chunk < 0
                    or not data
                    or len(data) != size
                    or size % cell_bytes
                    or _checksum(chunk, data) != checksum
                ):
                    break
                self.done[chunk] = np.frombuffer(data, dtype=np.float32).reshape(-1, *self._shape)
                end = file.tell()
            return end


def _checksum(chunk: int, data: bytes) -> int:
    """Cover the number as well: scores under another chunk's number would pass unnoticed."""
    return zlib.crc32(data, zlib.crc32(struct.pack("<q", chunk)))


def _whose(line: bytes) -> str:
    """Say what is wrong with a file whose first line is not this run's."""
    if line.startswith(b'{"imprint": "enumeration"'):
        return "is the checkpoint of a run with other settings, data or version"
    return "is not a checkpoint, and stays unchanged"
