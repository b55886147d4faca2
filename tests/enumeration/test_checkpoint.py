"""A run that was killed continues where it was, and gives the same bytes."""

import json
import signal
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from imprint.enumeration.checkpoint import Checkpoint
from imprint.errors import SettingError
from imprint.significance.rotations import CHUNK

IMPRINT = str(Path(sys.executable).with_name("imprint"))
RUN = [
    "enumerate", "default", "--groups", "5", "--categories", "12", "--words", "4000", "--rotations", "4096",
    "--workers", "1", "--json",
]  # fmt: skip
SHAPE = (3, 2)


def chunk(seed, rows=4):
    return np.random.default_rng(seed).random((rows, *SHAPE)).astype(np.float32)


def write(path, chunks, fingerprint="this run"):
    checkpoint = Checkpoint(path, fingerprint, SHAPE)
    for number, scores in chunks.items():
        checkpoint.add(number, scores)
    checkpoint.close(finished=False)


def read(path, fingerprint="this run"):
    checkpoint = Checkpoint(path, fingerprint, SHAPE)
    done = dict(checkpoint.done)
    checkpoint.close(finished=False)
    return done


def same(first, second):
    return first.keys() == second.keys() and all(np.array_equal(first[key], second[key]) for key in first)


def test_chunks_come_back_and_more_can_be_added(tmp_path):
    path = tmp_path / "c"
    write(path, {0: chunk(0), 2: chunk(2, rows=1)})
    write(path, {1: chunk(1)})
    assert same(read(path), {0: chunk(0), 2: chunk(2, rows=1), 1: chunk(1)})


@given(st.data())
@settings(max_examples=60, deadline=None)
def test_a_record_cut_or_spoilt_is_lost_and_those_before_it_are_not(tmp_path_factory, data):
    path = tmp_path_factory.mktemp("c") / "c"
    write(path, {0: chunk(0)})
    whole_first = path.stat().st_size
    write(path, {1: chunk(1)})
    content = bytearray(path.read_bytes())
    place = data.draw(st.integers(whole_first, len(content) - 1))
    if data.draw(st.booleans()):
        content = content[:place]
    else:
        content[place] ^= data.draw(st.integers(1, 255))
    path.write_bytes(content)
    assert same(read(path), {0: chunk(0)})
    # What follows is written over the spoilt record.
    write(path, {1: chunk(9)})
    assert same(read(path), {0: chunk(0), 1: chunk(9)})


def test_a_checkpoint_of_another_run_is_refused_and_left_alone(tmp_path):
    path = tmp_path / "c"
    write(path, {0: chunk(0)})
    before = path.read_bytes()
    with pytest.raises(SettingError, match="a run with other settings, data or version"):
        read(path, fingerprint="another run")
    assert path.read_bytes() == before


@pytest.mark.parametrize("content", [b"my thesis\n", b"\x00" * 100, b"{}\n"])
def test_a_file_that_is_no_checkpoint_is_never_touched(tmp_path, content):
    path = tmp_path / "thesis.txt"
    path.write_bytes(content)
    with pytest.raises(SettingError, match="is not a checkpoint, and is left as it is"):
        read(path)
    assert path.read_bytes() == content


def test_a_place_that_cannot_be_written_is_told(tmp_path):
    with pytest.raises(SettingError, match="cannot write there"):
        read(tmp_path / "no" / "such" / "folder")
    with pytest.raises(SettingError, match="not a plain file"):
        read(tmp_path)


def test_a_finished_run_leaves_no_checkpoint(tmp_path):
    checkpoint = Checkpoint(tmp_path / "c", "this run", SHAPE)
    checkpoint.add(0, chunk(0))
    checkpoint.close(finished=True)
    assert list(tmp_path.iterdir()) == []


@pytest.mark.parametrize("how", [signal.SIGKILL, signal.SIGINT])
def test_a_run_killed_on_the_way_continues_and_gives_the_same_bytes(tmp_path, how):
    path = tmp_path / "c"
    command = [IMPRINT, *RUN, "--checkpoint", str(path)]
    process = subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
    record = 4 * CHUNK * 5 * 12
    # Some chunks of sixteen are on disk, not all.
    while not path.exists() or path.stat().st_size < 2 * record:
        assert process.poll() is None, process.communicate()
    process.send_signal(how)
    output, errors = process.communicate(timeout=60)
    assert output == ""
    if how is signal.SIGINT:
        assert errors.splitlines() == ["imprint: stopped; nothing half-written is left"]
    kept = path.stat().st_size
    assert 2 * record <= kept < 16 * record
    other = subprocess.run([*command, "--seed", "1"], capture_output=True, text=True, check=False)
    assert "other settings" in other.stderr
    assert path.stat().st_size == kept
    continued = subprocess.run(command, capture_output=True, text=True, check=True)
    straight = subprocess.run([IMPRINT, *RUN], capture_output=True, text=True, check=True)
    assert continued.stdout == straight.stdout
    assert json.loads(continued.stdout.splitlines()[0])["rotations"] == 4096
    assert not path.exists()
