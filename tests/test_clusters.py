"""Work on a real Dask cluster of two processes: the bytes of one thread, and what a killed worker costs."""

import importlib
import os
import signal
import socket
import sys
from concurrent.futures import CancelledError, ThreadPoolExecutor
from operator import add

import pytest
from clusters import DASK_WARNINGS, local_cluster
from distributed import Client
from refusals import refuses
from small import small_audits
from systems import linux, posix
from units import doubled, fatal, pages_taken, pages_taken_by_task, refused, slowly, unit

import imprint
from imprint import clusters
from imprint.association import calibration
from imprint.errors import SettingError, VocabularyError
from imprint.jobs import job
from imprint.work import run_units
from imprint.workers import in_order

pytestmark = DASK_WARNINGS


TESTS = imprint.catalogue()[4:6]
MEASUREMENTS = {
    "board": lambda **given: imprint.board(["default", "cbow", "missing.bin"], tests=TESTS, **given),
    "calibrate": lambda **given: imprint.calibrate("default", tests=TESTS, copies=5, **given),
    "seat": lambda **given: imprint.run_seat_battery(["cbow"], TESTS, **given),
}


def as_bytes(result):
    return "\n".join(finding.to_json() for finding in result.findings()).encode()


@pytest.mark.parametrize(
    "name",
    ["calibrate", pytest.param("board", marks=pytest.mark.slow), pytest.param("seat", marks=pytest.mark.slow)],
)
def test_one_thread_two_threads_and_a_cluster_give_the_same_bytes(cluster, client, name, monkeypatch):
    monkeypatch.setattr(calibration, "_CHUNK", 2)
    with ThreadPoolExecutor(2) as pool:
        workers = (1, 2, pool, cluster.scheduler_address, client.get_executor())
        assert len({as_bytes(MEASUREMENTS[name](workers=asked)) for asked in workers}) == 1


@pytest.mark.parametrize("count", [0, -1, 1.5])
def test_a_number_of_workers_that_is_none_is_refused(count):
    with refuses(SettingError, option="workers", got=count):
        imprint.calibrate("default", copies=1, workers=count)


small = pytest.fixture(small_audits)


@pytest.mark.slow
def test_an_audit_is_the_same_on_a_cluster(client, small, monkeypatch):
    monkeypatch.setattr(job, "QUICK_WORDS", 5_000)
    here, there = (
        imprint.audit("default", quick=True, encoder="cbow", workers=executor)
        for executor in (None, client.get_executor())
    )
    assert as_bytes(there) == as_bytes(here)


def test_workers_with_another_version_are_refused(cluster, client, monkeypatch):
    own, address = imprint.__version__, cluster.scheduler_address
    monkeypatch.setattr(clusters, "__version__", "99.0")
    with refuses(SettingError, option="workers", got=own, expected="imprint 99.0"), clusters.open_cluster(address):
        pass
    refused = refuses(SettingError, option="workers", got=own, expected="imprint 99.0")
    with refused, clusters.working(client.get_executor()):
        pass


@pytest.fixture
def absent(tmp_path, monkeypatch):
    """Return a module that this process can import, and the workers cannot."""
    (tmp_path / "absent.py").write_text(
        "class Number(int): pass\n\ndef work(*numbers):\n    return b'%d' % sum(numbers)\n"
    )
    monkeypatch.syspath_prepend(tmp_path)
    yield importlib.import_module("absent")
    del sys.modules["absent"]


def test_a_function_that_workers_cannot_import_ends_the_run(client, absent):
    executor = client.get_executor()
    for shared, work in ((1, absent.work), (absent.Number(1), add)):
        with refuses(
            SettingError, "No module named 'absent'", option="workers", hint="install the module on every worker"
        ):
            list(in_order(executor, work, shared, [(2,), (3,)]))
    with refuses(
        SettingError, "No module named 'absent'", option="workers", hint="install the module on every worker"
    ):
        run_units([unit(absent.work, 1)], executor=executor)
    assert list(in_order(executor, add, 1, [(2,), (3,)])) == [3, 4]


def test_a_cluster_gives_the_same_results(client, tmp_path):
    units = [unit(doubled, number) for number in range(9)] + [unit(refused, 1)]
    *found, failed = run_units(units, executor=client.get_executor(), folder=tmp_path / "there")
    assert found == run_units(units[:-1], folder=tmp_path / "here")
    assert isinstance(failed, VocabularyError)
    assert failed.words == ("rose",)


def test_few_units_are_in_flight(client):
    flying = []
    executor = client.get_executor()
    units = [unit(slowly, number) for number in range(30)]
    run_units(units, executor=executor, report=lambda *_: flying.append(len(executor._futures)))
    assert max(flying) <= 4


def in_one_task(executor, rounds):
    return next(in_order(executor, pages_taken_by_task, None, [(rounds,)]))


def in_one_unit(executor, rounds):
    return run_units([unit(pages_taken, rounds)], executor=executor)[0]


@linux
@pytest.mark.parametrize("run", [in_one_unit, in_one_task])
def test_a_worker_uses_freed_memory_again(run):
    pages = 4_000_000 // os.sysconf("SC_PAGE_SIZE")
    with local_cluster(1, processes=True) as cluster, Client(cluster) as client:
        assert int(run(client.get_executor(), 100)) < 10 * pages


@posix
@pytest.mark.slow
def test_a_killed_worker_costs_its_unit_only(client, tmp_path):
    units = [unit(slowly, number) for number in range(60)]
    units[20:20] = [unit(fatal, str(tmp_path / "twice"), 2)]
    pids, seen = client.run(os.getpid), []

    def kill_one(*_):
        seen.append(_)
        if len(seen) == 5:
            os.kill(next(iter(pids.values())), signal.SIGKILL)

    found = run_units(units, executor=client.get_executor(), report=kill_one)
    assert found.pop(20) == b"alive"
    assert found == [slowly(number) for number in range(60)]


@pytest.mark.parametrize("greeting", [b"", b"x", (99).to_bytes(8, "little") + b"x", b"220 mail.example ESMTP\r\n"])
def test_what_greets_unlike_a_scheduler_is_refused_and_not_waited_for(greeting, monkeypatch):
    monkeypatch.setattr(clusters, "_PATIENCE", 0.2)
    with socket.create_server(("127.0.0.1", 0)) as server, ThreadPoolExecutor(1) as pool:

        def greet():
            connection = server.accept()[0]
            connection.sendall(greeting)
            return connection

        held, address = pool.submit(greet), f"tcp://127.0.0.1:{server.getsockname()[1]}"
        with refuses(SettingError, option="workers", got=address), clusters.open_cluster(address):
            pass
        held.result().close()


@pytest.mark.slow
def test_a_cluster_that_goes_away_ends_the_run_and_keeps_what_is_done(tmp_path):
    units = [unit(slowly, number) for number in range(200)]
    with local_cluster(1, processes=False, protocol="tcp") as doomed, Client(doomed) as client:

        def close(name, done, total):
            if done == 5:
                doomed.close()

        with pytest.raises(CancelledError):
            run_units(units, executor=client.get_executor(), folder=tmp_path, report=close)
    assert 5 <= len(list(tmp_path.glob("*.unit"))) < 200
