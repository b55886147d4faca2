"""Runs that are killed, stopped or run out of disk continue where they were and give the same bytes as any."""

import contextlib
import os
import signal
import subprocess
import sys
import tempfile
import threading
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from refusals import refuses
from systems import posix

from imprint.embeddings.convert import convert
from imprint.enumeration.checkpoint import Checkpoint, resumed
from imprint.enumeration.enumerate import enumerate_biases
from imprint.enumeration.null import KINDS
from imprint.enumeration.solution import COPIES_PER_CHUNK
from imprint.errors import SettingError
from imprint.subjects.opening import load

IMPRINT = Path(sys.executable).with_name("imprint")
CHUNKS = 60
SETTINGS = {"groups": 4, "categories": 6, "copies": CHUNKS * COPIES_PER_CHUNK, "repeats": 2}
OPTIONS = ["--json", "--workers=1", *(f"--{name}={value}" for name, value in SETTINGS.items())]
RECORD = 20 + 4 * KINDS * COPIES_PER_CHUNK * 4 * 6


class Stop(Exception):
    """Raised on the way, as anything might be."""


class CountingPool(ThreadPoolExecutor):
    """Threads that count what they are given to do."""

    def __init__(self, workers=1):
        super().__init__(workers)
        self.given = 0

    def submit(self, *task):
        self.given += 1
        return super().submit(*task)


def as_bytes(result):
    return "".join(f"{finding.to_json()}\n" for finding in result.findings()).encode()


def kept(path):
    """Whole records in a checkpoint, by its size."""
    first = path.read_bytes().index(b"\n") + 1
    return (path.stat().st_size - first) // RECORD


@pytest.fixture(scope="module")
def source(planted, tmp_path_factory):
    path = tmp_path_factory.mktemp("planted") / "planted.safetensors"
    convert(planted.embedding, path)
    return path


@pytest.fixture(scope="module")
def uninterrupted(source):
    run = subprocess.run([str(IMPRINT), "enumerate", str(source), *OPTIONS], capture_output=True, check=True)
    assert b'"stands_out": true' in run.stdout
    return run.stdout


def start(source, checkpoint, **options):
    return subprocess.Popen(
        [str(IMPRINT), "enumerate", str(source), *OPTIONS, f"--checkpoint={checkpoint}"],
        stdout=subprocess.PIPE, stderr=subprocess.PIPE, **options,
    )  # fmt: skip


def start_and_wait_for_chunks(source, checkpoint):
    process = start(source, checkpoint)
    while not checkpoint.exists() or checkpoint.stat().st_size < 3 * RECORD:
        with contextlib.suppress(subprocess.TimeoutExpired):
            pytest.fail(f"ended early with {process.wait(timeout=0.01)}")
    return process


@pytest.mark.slow
def test_a_killed_run_continues_where_it_was(source, uninterrupted, tmp_path):
    checkpoint = tmp_path / "run"
    process = start_and_wait_for_chunks(source, checkpoint)
    process.kill()
    assert process.communicate() == (b"", b"")
    done = kept(checkpoint)
    assert 2 <= done < CHUNKS
    with CountingPool() as pool:
        result = enumerate_biases(load(source), workers=pool, checkpoint=checkpoint, **SETTINGS)
    assert as_bytes(result) == uninterrupted
    with CountingPool() as whole:
        enumerate_biases(load(source), workers=whole, **SETTINGS)
    assert pool.given == whole.given - done, "only what was kept is not done again"
    assert not checkpoint.exists()


@posix
@pytest.mark.slow
def test_a_run_stopped_from_the_keyboard_keeps_its_checkpoint_and_says_one_line(source, uninterrupted, tmp_path):
    checkpoint = tmp_path / "run"
    process = start_and_wait_for_chunks(source, checkpoint)
    process.send_signal(signal.SIGINT)
    output, errors = process.communicate(timeout=60)
    assert (process.returncode, output) == (130, b"")
    assert len(errors.splitlines()) == 1
    assert errors.startswith(b"imprint: stopped")
    assert 2 <= kept(checkpoint) < CHUNKS
    output, errors = start(source, checkpoint).communicate()
    assert (output, errors) == (uninterrupted, b"")
    assert list(tmp_path.iterdir()) == []


@posix
@pytest.mark.slow
def test_a_full_disk_is_one_line_and_what_was_written_is_good(source, uninterrupted, tmp_path):
    checkpoint = tmp_path / "run"
    largest = 30 * RECORD + RECORD // 2

    import resource

    def no_larger_files():
        resource.setrlimit(resource.RLIMIT_FSIZE, (largest, largest))

    process = start(source, checkpoint, preexec_fn=no_larger_files)
    output, errors = process.communicate()
    assert (process.returncode, output) == (1, b"")
    assert errors.decode() == f"imprint: {checkpoint}: cannot be written (File too large); make room, then continue\n"
    assert checkpoint.stat().st_size == largest
    assert as_bytes(enumerate_biases(load(source), checkpoint=checkpoint, **SETTINGS)) == uninterrupted
    assert list(tmp_path.iterdir()) == []


@pytest.fixture(scope="module")
def three_chunks(small):
    return small | {"copies": 2 * COPIES_PER_CHUNK + 10, "repeats": 2}


@pytest.fixture
def stopped(planted, three_chunks, tmp_path):
    """A checkpoint with the first two of three chunks of a small run."""
    checkpoint = tmp_path / "run"

    def stop(done, total):
        if done == 2 * KINDS * COPIES_PER_CHUNK:
            raise Stop("on the way")

    with ThreadPoolExecutor(1) as pool, pytest.raises(Stop, match=r"^on the way$"):
        enumerate_biases(planted.embedding, workers=pool, checkpoint=checkpoint, progress=stop, **three_chunks)
    return checkpoint


@pytest.mark.parametrize("damage", ["nothing", "cut", "scores", "number", "appended"])
def test_a_damaged_checkpoint_never_changes_the_result(planted, three_chunks, stopped, damage):
    data = bytearray(stopped.read_bytes())
    assert kept(stopped) == 2
    second = data.index(b"\n") + 1 + RECORD
    if damage == "cut":
        del data[-1:]
    elif damage == "scores":
        data[-1] ^= 1
    elif damage == "number":
        data[second] ^= 3  # chunk 1 calls itself 2
    elif damage == "appended":
        data += bytes(RECORD)
    stopped.write_bytes(data)
    with CountingPool() as pool:
        result = enumerate_biases(planted.embedding, workers=pool, checkpoint=stopped, **three_chunks)
    assert as_bytes(result) == as_bytes(enumerate_biases(planted.embedding, **three_chunks))
    missing = 1 if damage in {"nothing", "appended"} else 2
    assert pool.given == missing + three_chunks["repeats"]
    assert not stopped.exists()


@pytest.mark.parametrize(
    "change",
    [
        {"seed": 1},
        {"copies": 600},
        {"top": 2},
        {"fdr": 0.2},
        {"overlapping": True},
        {"method": "paper"},
        "fewer names",
    ],
    ids=str,
)
def test_a_checkpoint_of_another_run_is_refused_and_left_alone(planted, three_chunks, paper, stopped, change):
    before = stopped.read_bytes()
    names = "first"
    if change == "fewer names":
        names, change = [name for group in planted.names for name in group[1:]], {}
    settings = paper if "method" in change else three_chunks | change
    with refuses(SettingError, "settings", option="checkpoint", where=stopped):
        enumerate_biases(planted.embedding, names=names, checkpoint=stopped, **settings)
    assert stopped.read_bytes() == before


@pytest.mark.parametrize("text", ["my notes", '{"imprint": "findings"}\n', "\n", "x" * 5_000], ids=len)
def test_a_file_that_is_no_checkpoint_is_never_written_over(planted, small, tmp_path, text):
    precious = tmp_path / "notes.txt"
    precious.write_text(text)
    with refuses(SettingError, "not a checkpoint", option="checkpoint", where=precious):
        enumerate_biases(planted.embedding, checkpoint=precious, **small)
    assert precious.read_text() == text


def test_an_empty_file_is_as_good_as_none(planted, small, tmp_path):
    (tmp_path / "run").touch()
    enumerate_biases(planted.embedding, checkpoint=tmp_path / "run", **small)
    assert list(tmp_path.iterdir()) == []


@posix
@pytest.mark.parametrize("place", ["no/such/folder/run", "folder", "pipe", "file/run"])
def test_a_place_that_cannot_hold_a_checkpoint_is_refused(planted, small, tmp_path, place):
    (tmp_path / "folder").mkdir()
    (tmp_path / "file").touch()
    os.mkfifo(tmp_path / "pipe")
    before = sorted(tmp_path.rglob("*"))
    with refuses(SettingError, option="checkpoint", where=tmp_path / place):
        enumerate_biases(planted.embedding, checkpoint=tmp_path / place, **small)
    assert sorted(tmp_path.rglob("*")) == before


def test_the_papers_method_continues_too(planted, paper, tmp_path):
    def stop(done, total):
        raise Stop("on the way")

    with pytest.raises(Stop, match=r"^on the way$"):
        enumerate_biases(planted.embedding, checkpoint=tmp_path / "run", progress=stop, **paper)
    with CountingPool() as pool:
        result = enumerate_biases(planted.embedding, workers=pool, checkpoint=tmp_path / "run", **paper)
    assert pool.given == 2  # of three chunks
    assert as_bytes(result) == as_bytes(enumerate_biases(planted.embedding, **paper))


def test_a_run_that_fails_before_its_first_chunk_leaves_no_file(planted, small, tmp_path):
    pool = ThreadPoolExecutor(1)
    pool.shutdown()
    with pytest.raises(RuntimeError, match="cannot schedule new futures"):
        enumerate_biases(planted.embedding, workers=pool, checkpoint=tmp_path / "run", **small)
    assert list(tmp_path.iterdir()) == []


def filled(shared, value):
    return np.full((5, 2, 3), shared + value, dtype=np.float32)


@pytest.mark.parametrize("workers", [1, 3])
def test_tasks_already_done_are_handed_on_and_not_computed_again(tmp_path, workers):
    tasks = [(value,) for value in range(6)]
    checkpoint = Checkpoint(tmp_path / "run", "these", (2, 3))
    for number in (11, 14):
        checkpoint.add(number, filled(0, -1))
    checkpoint.close(finished=False)
    checkpoint = Checkpoint(tmp_path / "run", "these", (2, 3))
    with CountingPool(workers) as pool:
        found = list(resumed(filled, 100, tasks, executor=pool, checkpoint=checkpoint, first=10))
    assert [scores[0, 0, 0] for scores in found] == [100, -1, 102, 103, -1, 105]
    assert pool.given == 4
    checkpoint.close(finished=False)
    again = Checkpoint(tmp_path / "run", "these", (2, 3))
    again.close(finished=True)
    assert sorted(again.done) == [10, 11, 12, 13, 14, 15]


def test_what_is_no_longer_wanted_is_cancelled():
    class Remembering(ThreadPoolExecutor):
        def submit(self, *work):
            futures.append(super().submit(*work))
            return futures[-1]

    def wait(shared, value):
        started.wait(10)
        return filled(shared, value)

    futures, started = [], threading.Event()
    with Remembering(1) as pool:
        started.set()
        scores = resumed(wait, 0, [(value,) for value in range(40)], executor=pool)
        next(scores)
        started.clear()
        scores.close()
        started.set()
    assert futures[0].done()
    assert futures[-1].cancelled()


CHUNK_SCORES = {number: np.random.default_rng(number).normal(size=(5, 2, 3)).astype(np.float32) for number in range(4)}


@pytest.fixture(scope="module")
def whole():
    """The bytes of a checkpoint with four small chunks."""
    with tempfile.TemporaryDirectory() as folder:
        checkpoint = Checkpoint(Path(folder) / "run", "these", (2, 3))
        for number, scores in CHUNK_SCORES.items():
            checkpoint.add(number, scores)
        checkpoint.close(finished=False)
        return (Path(folder) / "run").read_bytes()


def reopen(data):
    """Read back what is good of the bytes, add a chunk to it, and read again."""
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "run"
        path.write_bytes(data)
        checkpoint = Checkpoint(path, "these", (2, 3))
        done = dict(checkpoint.done)
        checkpoint.add(9, CHUNK_SCORES[0])
        checkpoint.close(finished=False)
        again = Checkpoint(path, "these", (2, 3))
        again.close(finished=True)
        assert set(again.done) == {*done, 9}
    for number in done:
        assert np.array_equal(done[number], CHUNK_SCORES[number])
        assert np.array_equal(again.done[number], CHUNK_SCORES[number])
    return len(done)


@given(st.data())
def test_any_cut_keeps_the_whole_records_before_it(whole, data):
    first = whole.index(b"\n") + 1
    record = (len(whole) - first) // 4
    cut = data.draw(st.integers(first, len(whole)))
    assert reopen(whole[:cut]) == (cut - first) // record


@given(st.data())
def test_any_flipped_bits_cost_their_record_and_no_more_than_what_follows(whole, data):
    first = whole.index(b"\n") + 1
    record = (len(whole) - first) // 4
    place = data.draw(st.integers(first, len(whole) - 1))
    flipped = bytearray(whole)
    flipped[place] ^= data.draw(st.integers(1, 255))
    assert reopen(bytes(flipped)) == (place - first) // record


@given(st.binary(max_size=200), st.integers(0, 3))
def test_anything_after_the_first_line_is_survived(whole, rest, records):
    first = whole.index(b"\n") + 1
    record = (len(whole) - first) // 4
    assert reopen(whole[: first + records * record] + rest) == records
