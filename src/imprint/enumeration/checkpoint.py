"""A file that a killed run leaves behind, and from which the next one continues.

One line of JSON says which run it belongs to; then one record per finished task: its number, its size, a checksum and
its scores. Records are only ever added, and a record cut short by a kill is computed again.
"""

import contextlib
import hashlib
import json
import os
import struct
import zlib
from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import Executor
from pathlib import Path
from typing import Any

import numpy as np

from imprint.enumeration.settings import Settings
from imprint.errors import SettingError, raising_as
from imprint.files import FilePath
from imprint.significance.rotations import Cells
from imprint.types import Floats32
from imprint.workers import in_order

Done = Callable[[int], None]  # called with how many more copies are scored

_HEADER = struct.Struct("<qqI")  # task, bytes, checksum
_LONGEST_LINE = 1_000


class Checkpoint:
    """Tasks finished so far, kept on disk as they come: the scores of some copies of all cells each."""

    def __init__(self, path: FilePath, fingerprint: str, shape: tuple[int, int]) -> None:
        self.path = Path(path)
        self.done: dict[int, Floats32] = {}
        self._shape = shape
        first = json.dumps({"imprint": "enumeration", "settings": fingerprint}).encode() + b"\n"
        with self._writing("choose another --checkpoint"):
            # A folder, a pipe or a device is nothing to write records into, and still less to remove at the end.
            if self.path.exists() and not self.path.is_file():
                raise SettingError(
                    "is not a plain file", option="checkpoint", where=self.path, hint="choose another --checkpoint"
                )
            end = self._read(first) if self.path.exists() and self.path.stat().st_size else 0
            self._file = self.path.open("r+b" if end else "w+b")
        self._file.truncate(end)
        self._file.seek(end)
        self._empty = not self.done
        if not end:
            self._file.write(first)

    def add(self, task: int, scores: Floats32) -> None:
        """Keep a finished task; it is on disk when this returns."""
        data = scores.tobytes()
        with self._writing("make room, then continue"):
            self._file.write(_HEADER.pack(task, len(data), _checksum(task, data)) + data)
            self._file.flush()
            os.fsync(self._file.fileno())
        self._empty = False

    def close(self, *, finished: bool) -> None:
        """Close the file, and remove it if the run needs it no more or there is nothing in it to continue from."""
        with contextlib.suppress(OSError):  # what a full disk did not take, the next run finds cut short
            self._file.close()
        if finished or self._empty:
            self.path.unlink(missing_ok=True)

    def _writing(self, hint: str) -> contextlib.AbstractContextManager[None]:
        message = "cannot be written ({})"
        return raising_as(OSError, SettingError, message, option="checkpoint", where=self.path, hint=hint)

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
                task, size, checksum = _HEADER.unpack(header)
                data = file.read(size) if 0 < size <= self.path.stat().st_size else b""
                if task < 0 or not data or len(data) != size or size % cell_bytes or _checksum(task, data) != checksum:
                    break
                self.done[task] = np.frombuffer(data, dtype=np.float32).reshape(-1, *self._shape)
                end = file.tell()
            return end


@contextlib.contextmanager
def open_checkpoint(
    path: FilePath | None, cells: Cells, settings: Settings, *data: str
) -> Iterator[Checkpoint | None]:
    """Open the checkpoint of exactly this run, if one was asked for; it outlives a run that fails or is stopped."""
    if path is None:
        yield None
        return
    digest = hashlib.sha256(np.ascontiguousarray(cells.directions).tobytes())
    for array in (cells.words, cells.offsets, cells.centres):
        digest.update(np.ascontiguousarray(array).tobytes())
    checkpoint = Checkpoint(path, settings.fingerprint(*data, digest.hexdigest()), cells.shape)
    finished = False
    try:
        yield checkpoint
        finished = True
    finally:
        checkpoint.close(finished=finished)


def resumed(
    work: Callable[..., Floats32],
    shared: object,
    tasks: Sequence[tuple[Any, ...]],
    *,
    executor: Executor,
    checkpoint: Checkpoint | None = None,
    first: int = 0,
) -> Iterator[Floats32]:
    """Yield `work(shared, *task)` of each task in order; what a checkpoint has is not done again.

    Tasks are numbered from `first` on. Each has its own seed, so that neither the executor nor its size changes a bit
    of the result.
    """
    done = {} if checkpoint is None else checkpoint.done
    missing = [task for number, task in enumerate(tasks, first) if number not in done]
    with contextlib.closing(in_order(executor, work, shared, missing)) as computed:
        for number in range(first, first + len(tasks)):
            if number in done:
                yield done[number]
                continue
            scores = next(computed)
            if checkpoint is not None:
                checkpoint.add(number, scores)
            yield scores


def _checksum(task: int, data: bytes) -> int:
    """Cover the number as well: scores under another task's number would pass unnoticed."""
    return zlib.crc32(data, zlib.crc32(struct.pack("<q", task)))


def _whose(line: bytes) -> str:
    """Say what is wrong with a file whose first line is not this run's."""
    if line.startswith(b'{"imprint": "enumeration"'):
        return "is the checkpoint of a run with other settings, data or version"
    return "is not a checkpoint, and stays unchanged"
