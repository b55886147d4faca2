"""Enumeration on a real Dask cluster: two worker processes on this machine, one of which is killed on the way."""

import contextlib
import gc
import os
import pickle
import signal
import socket
import subprocess
import sys
import threading
from concurrent.futures import CancelledError
from itertools import pairwise
from pathlib import Path

import numpy as np
import pytest
from clusters import DASK_WARNINGS, local_cluster
from distributed import Client
from refusals import refuses
from systems import posix

from imprint.clusters import open_cluster
from imprint.embeddings.convert import convert
from imprint.enumeration.checkpoint import resumed
from imprint.enumeration.enumerate import enumerate_biases
from imprint.enumeration.null import KINDS
from imprint.enumeration.solution import COPIES_PER_CHUNK, REPEAT_WORK
from imprint.errors import SettingError
from imprint.significance.rotations import CHUNK, Cells, chunks, rotated_scores

IMPRINT = Path(sys.executable).with_name("imprint")
COPIES = 60 * COPIES_PER_CHUNK
REPEATS = 2

pytestmark = DASK_WARNINGS


def as_bytes(result):
    return "\n".join(finding.to_json() for finding in result.findings()).encode()


@pytest.fixture(scope="module")
def alone(planted, small):
    return as_bytes(enumerate_biases(planted.embedding, **small | {"copies": COPIES, "repeats": REPEATS}))


def test_a_cluster_gives_the_bytes_of_one_machine(client, planted, small, alone):
    result = enumerate_biases(
        planted.embedding, workers=client.get_executor(), **small | {"copies": COPIES, "repeats": REPEATS}
    )
    assert as_bytes(result) == alone
    assert result.standing_out


@posix
@pytest.mark.slow
@pytest.mark.parametrize("victims", [1, 2])
def test_workers_killed_on_the_way_change_nothing(client, planted, small, alone, victims):
    pids = client.run(os.getpid)
    killed = {}

    def kill_busy_workers(done, total):
        assert total == KINDS * COPIES + REPEATS * REPEAT_WORK
        if not killed:
            # Those at work first; the chunks are quick, and one of two may just be waiting for its next.
            busy = {worker for worker, tasks in client.processing().items() if tasks}
            order = sorted(pids, key=lambda worker: worker not in busy)
            killed.update({worker: pids[worker] for worker in order[:victims]})
            for pid in killed.values():
                os.kill(pid, signal.SIGKILL)
            assert done == KINDS * COPIES_PER_CHUNK

    result = enumerate_biases(
        planted.embedding,
        workers=client.get_executor(),
        progress=kill_busy_workers,
        **small | {"copies": COPIES, "repeats": REPEATS},
    )
    assert len(killed) == victims
    assert as_bytes(result) == alone
    client.wait_for_workers(2, timeout=60)
    assert not set(killed.values()) & set(client.run(os.getpid).values())


def large_cells():
    """Words that take more than distributed sends with a task without complaint (10 MB)."""
    rng = np.random.default_rng(0)
    words = rng.normal(size=(40_000, 80)).astype(np.float32)
    words /= np.linalg.norm(words, axis=1, keepdims=True)
    offsets = np.array([0, 10_000, 25_000, 40_000])
    directions = rng.normal(size=(3, 80))
    centres = np.stack([words[a:b].mean(axis=0) for a, b in pairwise(offsets)])
    return Cells(words, offsets, directions - directions.mean(axis=0), centres, top=3)


def test_words_go_to_each_worker_once_and_not_with_every_chunk(client):
    cells = large_cells()

    def cells_held(dask_worker):
        return sum(type(value).__name__ == "Cells" for value in dask_worker.data.values())

    with pytest.warns(UserWarning, match="Sending large graph"):
        client.submit(len, pickle.dumps(cells)).result()
    # The same warning is an error here.
    tasks = chunks(3 * CHUNK, np.random.SeedSequence(0))
    held = [client.run(cells_held) for _ in resumed(rotated_scores, cells, tasks, executor=client.get_executor())]
    assert len(held) == 3
    assert max(count for workers in held for count in workers.values()) == 1


def test_cells_travel_with_what_they_have_computed():
    cells = large_cells()
    factor = cells.factor
    again = pickle.loads(pickle.dumps(cells))
    assert "factor" in vars(again)
    assert np.array_equal(again.factor, factor)
    assert np.array_equal(again.words, cells.words)


def run(*arguments):
    command = [str(IMPRINT), "enumerate", *map(str, arguments)]
    return subprocess.run(command, capture_output=True, text=True, check=False, timeout=60)


@pytest.mark.slow
def test_the_command_prints_the_same_bytes_on_a_cluster(cluster, client, planted, small, tmp_path):
    convert(planted.embedding, tmp_path / "planted.safetensors")
    options = [f"--{name}={value}" for name, value in small.items()]
    here, there = (
        run(tmp_path / "planted.safetensors", "--json", *options, *where)
        for where in (["--workers", 1], ["--dask", cluster.scheduler_address])
    )
    assert here.returncode == there.returncode == 0, there.stderr
    assert here.stderr == there.stderr == ""
    assert here.stdout == there.stdout
    assert '"stands_out": true' in here.stdout


def test_an_address_where_nothing_answers_is_one_line():
    # A port that was just given back: nothing listens there.
    with socket.create_server(("127.0.0.1", 0)) as server:
        address = f"tcp://127.0.0.1:{server.getsockname()[1]}"
    result = run("default", "--dask", address)
    assert (result.returncode, result.stdout) == (1, "")
    assert len(result.stderr.splitlines()) == 1
    assert address in result.stderr


@pytest.mark.parametrize("address", ["somewhere", "carrier-pigeon://loft:1"])
def test_an_address_that_is_none_is_one_line(address):
    result = run("default", "--dask", address)
    assert (result.returncode, result.stdout) == (1, "")
    assert len(result.stderr.splitlines()) == 1
    assert address in result.stderr


def test_an_address_is_tried_before_groups_are_made(monkeypatch):
    monkeypatch.setattr("imprint.enumeration.enumerate.build_problem", None)
    with refuses(SettingError, option="workers", got="somewhere"):
        enumerate_biases("default", workers="somewhere")


@pytest.mark.slow
def test_a_server_that_waits_to_be_asked_is_not_waited_for():
    # As web servers do, a dashboard's for one.
    with socket.create_server(("127.0.0.1", 0)) as server:
        result = run("default", "--dask", f"127.0.0.1:{server.getsockname()[1]}")
    assert (result.returncode, result.stdout) == (1, "")
    assert len(result.stderr.splitlines()) == 1
    assert "Dask" in result.stderr


@pytest.mark.parametrize("answer", [b"HTTP/1.1 400 Bad Request\r\n\r\n", b""])
def test_a_server_that_says_something_else_is_one_line(answer):
    with socket.create_server(("127.0.0.1", 0)) as server:

        def serve():
            with contextlib.suppress(OSError):  # the server is closed below
                while True:
                    with server.accept()[0] as connection:
                        connection.sendall(answer)

        thread = threading.Thread(target=serve)
        thread.start()
        result = run("default", "--dask", f"127.0.0.1:{server.getsockname()[1]}")
        server.shutdown(socket.SHUT_RDWR)
        thread.join()
    assert (result.returncode, result.stdout) == (1, "")
    assert len(result.stderr.splitlines()) == 1
    assert "Dask" in result.stderr


@pytest.mark.slow
def test_a_cluster_that_goes_away_on_the_way_is_one_line(planted, tmp_path):
    convert(planted.embedding, tmp_path / "planted.safetensors")
    options = ["--groups=4", "--categories=6", "--copies=100000"]
    with local_cluster(1, processes=False, protocol="tcp") as doomed, Client(doomed) as observer:
        address = doomed.scheduler_address
        process = subprocess.Popen(
            [str(IMPRINT), "enumerate", str(tmp_path / "planted.safetensors"), *options, "--dask", address],
            stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True,
        )  # fmt: skip
        while not any(observer.processing().values()):
            assert process.poll() is None
    output, errors = process.communicate(timeout=60)
    assert (process.returncode, output) == (1, "")
    assert len(errors.splitlines()) == 1, errors
    assert f"the Dask cluster at '{address}' failed" in errors


def test_a_client_that_cannot_be_closed_does_not_hide_what_failed(monkeypatch):
    async def reconnect(self):
        raise RuntimeError("dictionary changed size during iteration")  # as Dask's own does when it loses a race

    monkeypatch.setattr(Client, "_reconnect", reconnect)
    with local_cluster(1, processes=False, protocol="tcp") as doomed:
        address = doomed.scheduler_address
        with refuses(SettingError, option="workers", got=address), open_cluster(address):
            doomed.close()
            raise CancelledError
    gc.collect()  # a client that is closed again when it is collected would warn, and warnings are errors
