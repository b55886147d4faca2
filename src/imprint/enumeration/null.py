"""The p-value of every cell from random rotations, which a killed run continues, and how many discoveries are false.

False discoveries are counted on copies in which the alignment of names with words is random. A rotated copy turns all
names by one Haar-random rotation: the null behind every p-value, so few copies should have any association. A flipped
copy multiplies the names' coordinate on each principal axis of the words by a random sign: names keep their own
geometry and how much of them lies on each axis, and words are as they are. Embeddings are not round, names and words
lie on the same strong axes, and random rotations do not keep that; flips do. Both are orthogonal, so K-means makes the
same groups of the copy, and the rotations of the original are its null too.

A checkpoint is a file that a killed run leaves behind. One line of JSON says which run it belongs to; then one record
per finished chunk: its number, its size, a checksum and its scores. Records are only ever added, and a record cut
short by a kill is computed again.
"""

import contextlib
import hashlib
import json
import os
import struct
import zlib
from collections.abc import Callable
from concurrent.futures import Executor
from dataclasses import dataclass
from pathlib import Path

import numpy as np

from imprint.checks import Device
from imprint.enumeration.rows import FalseDiscoveries
from imprint.enumeration.settings import Settings
from imprint.errors import SettingError
from imprint.significance.corrections import benjamini_hochberg, benjamini_yekutieli
from imprint.significance.rotations import CHUNK, Cells, null_scores, random_directions, scores_under
from imprint.threads import single_threaded
from imprint.types import Flags, Floats, Floats32, Ints

Done = Callable[[int], None]  # rotations

COPIES = 200  # of each kind, rotated and flipped

_NINE_OF_TEN = (0.05, 0.95)
_HEADER = struct.Struct("<qqI")  # chunk, bytes, checksum
_LONGEST_LINE = 1_000


@dataclass
class Tally:
    """How often rotations reached each score; all of the rotations' scores only where the maximum is needed.

    `scores` are (categories, groups), or (tables, categories, groups) for several tables under one null.
    """

    scores: Floats
    reached: Ints
    rotations: int = 0
    kept: list[Floats32] | None = None

    def add(self, chunk: Floats32) -> None:
        """Take in the scores of some rotations. A cell with too few words under a rotation does not reach."""
        if self.scores.ndim == chunk.ndim:
            self.reached += reached_by_each(chunk, self.scores)
        else:
            self.reached += np.sum(chunk >= self.scores, axis=0)
        self.rotations += len(chunk)
        if self.kept is not None:
            self.kept.append(chunk)

    def p_values(self) -> Floats:
        """Return add-one p-values: 1 for cells with too few words, family-wise where all scores were kept."""
        reached = self.reached if self.kept is None else self._reached_by_the_largest(self.kept)
        return np.where(np.isfinite(self.scores), (reached + 1) / (self.rotations + 1), 1.0)

    def _reached_by_the_largest(self, null: list[Floats32]) -> Ints:
        """Count rotations whose largest cell, each on its own scale, reaches this one (Westfall and Young)."""
        # The observed scores take part in the scale like one more rotation: under the null they are one, and a cell
        # that seldom has enough words would else stand far out whenever it has.
        everything = np.concatenate([*null, self.scores[None].astype(np.float32)])
        real = np.isfinite(everything)
        there = np.maximum(real.sum(axis=0), 1)
        everything -= np.sum(everything, axis=0, where=real, dtype=np.float64) / there
        spread = np.sqrt(np.sum(np.square(everything), axis=0, where=real, dtype=np.float64) / there)
        everything /= np.where(spread > 0, spread, 1.0)
        largest = np.sort(everything[:-1].max(axis=(1, 2)))
        return np.asarray(len(largest) - np.searchsorted(largest, everything[-1]))


def reached_by_each(chunk: Floats32, tables: Floats) -> Ints:
    """Count the rotations of a chunk whose score reaches that of each table, cell by cell."""
    ordered = np.sort(chunk.reshape(len(chunk), -1).T, axis=1)
    flat = tables.reshape(len(tables), -1).T
    below = [np.searchsorted(column, scores) for column, scores in zip(ordered, flat, strict=True)]
    return len(chunk) - np.array(below).T.reshape(tables.shape)


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


def rotation_p_values(
    cells: Cells,
    scores: Floats,
    rotations: int,
    *,
    seed: np.random.SeedSequence,
    executor: Executor,
    device: Device = "cpu",
    keep: bool = False,
    checkpoint: Checkpoint | None = None,
    report: Done | None = None,
) -> Floats:
    """Return the p-value of every score from so many rotations; `keep` makes those of one table family-wise."""
    if device == "cuda":
        return _rotate_on_gpu(cells, scores, rotations, seed=seed, report=report)
    tally = Tally(scores, np.zeros(scores.shape, dtype=np.int64), kept=[] if keep else None)
    chunks = null_scores(
        cells,
        rotations,
        seed=seed,
        executor=executor,
        done=checkpoint.done if checkpoint else None,
        finished=checkpoint.add if checkpoint else None,
    )
    for chunk in chunks:
        tally.add(chunk)
        if report is not None:
            report(len(chunk))
    return tally.p_values()


def open_checkpoint(
    path: str | os.PathLike[str] | None, cells: Cells, settings: Settings, *data: str
) -> Checkpoint | None:
    """Open the checkpoint of exactly this run, if one was asked for."""
    if path is None:
        return None
    digest = hashlib.sha256(np.ascontiguousarray(cells.directions).tobytes())
    for array in (cells.words, cells.offsets, cells.centres):
        digest.update(np.ascontiguousarray(array).tobytes())
    return Checkpoint(path, settings.fingerprint(*data, digest.hexdigest(), str(CHUNK)), cells.shape)


def adjust(p_values: Floats, settings: Settings) -> Floats:
    """Correct p-values over all cells, those with too few words included (their p is 1)."""
    if settings.correction == "max":
        return p_values
    correct = benjamini_hochberg if settings.correction == "bh" else benjamini_yekutieli
    return correct(p_values.ravel()).reshape(p_values.shape)


def critical_p_value(p_values: Floats, significant: Flags, rotations: int) -> float:
    """Return the largest p-value called significant, or the smallest that so many rotations can give."""
    return float(p_values[significant].max(initial=1 / (rotations + 1)))


def principal_axes(vectors: Floats32) -> Floats:
    """Return the principal axes of rows as columns, those of the largest variance first."""
    with single_threaded():
        centred = vectors - vectors.mean(axis=0, dtype=np.float64)
        return np.asarray(np.linalg.eigh(centred.T @ centred)[1][:, ::-1])


def flipped_directions(cells: Cells, count: int, seed: np.random.SeedSequence) -> Floats32:
    """Draw the directions with random signs on the words' principal axes: (count, dimension, groups)."""
    axes = principal_axes(cells.words)
    signs = np.random.default_rng(seed).choice([-1.0, 1.0], size=(count, axes.shape[1], 1))
    with single_threaded():
        return np.asarray(axes @ (signs * (axes.T @ cells.directions.T)), dtype=np.float32)


def score_copies(cells: Cells, seed: np.random.SeedSequence) -> Floats:
    """Score rotated copies, then flipped ones: (2 COPIES, categories, groups)."""
    rotating, flipping = seed.spawn(2)
    with single_threaded():
        rotated = random_directions(cells, COPIES, rotating)
        scores = scores_under(cells, np.concatenate([rotated, flipped_directions(cells, COPIES, flipping)]))
    return scores.astype(np.float64)


def count_discoveries(
    p_values: Floats, settings: Settings, limit: float | None = None
) -> tuple[FalseDiscoveries, FalseDiscoveries]:
    """Count what is significant on rotated and on flipped copies, from the p-values of `score_copies`.

    `limit` is the largest p-value that is significant in the embedding, None where none is.
    """
    found = np.array([np.sum(adjust(table, settings) <= settings.fdr) for table in p_values])

    def counted(part: slice) -> FalseDiscoveries:
        own, below = found[part], () if limit is None else _counts(p_values[part] <= limit)
        return FalseDiscoveries(COPIES, float(np.mean(own > 0)), float(np.mean(own)), *below)

    return counted(slice(COPIES)), counted(slice(COPIES, None))


def _rotate_on_gpu(
    cells: Cells, scores: Floats, rotations: int, *, seed: np.random.SeedSequence, report: Done | None
) -> Floats:
    from imprint.significance.rotations_gpu import reached_on_gpu

    tally = Tally(scores, reached_on_gpu(cells, scores, rotations, seed=seed, report=report), rotations)
    return tally.p_values()


def _counts(small: Flags) -> tuple[float, float, float]:
    """Return how many cells of a copy are small on average, and from and to how many in nine of ten copies."""
    counts = small.sum(axis=(1, 2))
    low, high = np.quantile(counts, _NINE_OF_TEN)
    return float(counts.mean()), float(low), float(high)


def _checksum(chunk: int, data: bytes) -> int:
    """Cover the number as well: scores under another chunk's number would pass unnoticed."""
    return zlib.crc32(data, zlib.crc32(struct.pack("<q", chunk)))


def _whose(line: bytes) -> str:
    """Say what is wrong with a file whose first line is not this run's."""
    if line.startswith(b'{"imprint": "enumeration"'):
        return "is the checkpoint of a run with other settings, data or version"
    return "is not a checkpoint, and stays unchanged"
