"""Work on a real Dask cluster of two processes: the bytes of one thread, and what a killed worker costs."""

import os
import signal
from concurrent.futures import CancelledError, ThreadPoolExecutor

import pytest
from clusters import DASK_WARNINGS, local_cluster
from distributed import Client
from refusals import refuses
from small import small_audits
from systems import posix
from units import doubled, fatal, refused, slowly, unit

import imprint
from imprint.association import calibration
from imprint.cli import cluster as clusters
from imprint.errors import SettingError, VocabularyError
from imprint.jobs import job
from imprint.work import run_units

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
def test_one_thread_two_threads_and_a_cluster_give_the_same_bytes(client, name, monkeypatch):
    monkeypatch.setattr(calibration, "_CHUNK", 2)
    measure, found = MEASUREMENTS[name], set()
    for workers in (1, 2):
        with ThreadPoolExecutor(workers) as pool:
            found.add(as_bytes(measure(executor=pool)))
    found.add(as_bytes(measure(executor=client.get_executor())))
    assert len(found) == 1


small = pytest.fixture(small_audits)


@pytest.mark.slow
def test_an_audit_is_the_same_on_a_cluster(client, small, monkeypatch):
    monkeypatch.setattr(job, "QUICK_WORDS", 5_000)
    here, there = (
        imprint.audit("default", quick=True, encoder="cbow", executor=executor)
        for executor in (None, client.get_executor())
    )
    assert as_bytes(there) == as_bytes(here)


def test_workers_with_another_version_are_refused(cluster, monkeypatch):
    own, address = imprint.__version__, cluster.scheduler_address
    monkeypatch.setattr(imprint, "__version__", "99.0")
    with refuses(SettingError, option="--dask", got=own, expected="imprint 99.0"), clusters.open_cluster(address):
        pass


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
