"""Units of work: same results whoever does them, kept on disk, resumed after a kill at any moment."""

import json
import os
import random
import subprocess
import sys
import threading
import time
from concurrent.futures import BrokenExecutor, ProcessPoolExecutor, ThreadPoolExecutor
from dataclasses import replace
from multiprocessing import get_context
from pathlib import Path

import pytest
from refusals import refuses
from systems import posix
from units import broken, disconnected, doubled, fatal, refused, slowly, unit

from imprint.errors import ImprintError, SettingError, VocabularyError
from imprint.work import MANIFEST, WorkUnit, run_units, unit_key
from imprint.workers import Processes, in_order, processes

HELPERS = Path(__file__).with_name("support") / "units.py"


def spawned(workers):
    return ProcessPoolExecutor(workers, mp_context=get_context("spawn"))


EXECUTORS = {"none": lambda: None, "threads": lambda: ThreadPoolExecutor(3), "processes": lambda: Processes(2)}


@pytest.mark.parametrize("made", EXECUTORS.values(), ids=EXECUTORS)
def test_results_are_the_same_whoever_does_the_work(made, tmp_path):
    units = [unit(doubled, number) for number in range(7)] + [unit(refused, 1), unit(broken, 0), unit(doubled, 3)]
    executor, seen = made(), []
    try:
        found = run_units(units, executor=executor, folder=tmp_path, report=lambda *told: seen.append(told))
    finally:
        if executor is not None:
            executor.shutdown()
    assert found[:7] == [str(2 * number).encode() for number in range(7)]
    assert found[9] == b"6"
    assert isinstance(found[7], VocabularyError)
    assert (found[7].words, found[7].where) == (("rose",), "1")
    assert type(found[8]) is ImprintError
    assert found[8].where == "broken 0"
    assert "ZeroDivisionError" in str(found[8])
    assert [(done, total) for _, done, total in seen] == [(done, 9) for done in range(1, 10)]


def test_what_is_no_longer_wanted_is_cancelled():
    futures, may_go_on = [], threading.Event()

    class Remembering(ThreadPoolExecutor):
        def submit(self, *work):
            futures.append(super().submit(*work))
            return futures[-1]

    def waiting(event, number):
        assert number == 0 or event.wait(30)
        return number

    with Remembering(1) as pool:
        numbers = in_order(pool, waiting, may_go_on, [(number,) for number in range(9)])
        assert next(numbers) == 0
        numbers.close()
        may_go_on.set()
    assert len(futures) == 9
    assert all(future.cancelled() for future in futures[2:])  # the second was already running


def test_a_run_that_is_interrupted_stops():
    def interrupt():
        raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        run_units([WorkUnit(unit_key(), interrupt, (), "")])


def test_what_is_finished_and_whole_is_not_done_again(tmp_path):
    folder, log = tmp_path / "units", tmp_path / "log"
    units = [unit(doubled, number, str(log)) for number in range(6)]
    whole = run_units(units, folder=folder)
    manifest = (folder / MANIFEST).read_bytes()
    files = [folder / f"{one.key}.unit" for one in units]
    log.write_text("")
    files[0].unlink()
    files[1].write_bytes(files[1].read_bytes()[:-1])
    files[2].write_bytes(files[2].read_bytes()[:20] + b"?" + files[2].read_bytes()[21:])
    files[3].write_bytes(files[4].read_bytes())
    assert run_units(units, folder=folder) == whole
    assert log.read_text().split() == ["0", "1", "2", "3"]
    assert (folder / MANIFEST).read_bytes() == manifest
    rows = json.loads(manifest)["units"]
    assert [row["name"] for row in rows] == [one.name for one in units]
    assert {*rows[0]} == {"name", "key", "sha256"}


def test_a_run_with_other_units_takes_those_it_shares(tmp_path):
    log = tmp_path / "log"
    run_units([unit(doubled, number, str(log)) for number in range(3)], folder=tmp_path / "units")
    found = run_units([unit(doubled, number, str(log)) for number in (4, 2)], folder=tmp_path / "units")
    assert found == [b"8", b"4"]
    assert log.read_text().split() == ["0", "1", "2", "4"]


def test_a_unit_that_is_not_to_be_kept_is_done_again(tmp_path):
    log = tmp_path / "log"
    asked = [replace(unit(doubled, 1, str(log)), kept=False), unit(doubled, 2, str(log))]
    for _ in range(2):
        assert run_units(asked, folder=tmp_path / "units") == [b"2", b"4"]
    assert log.read_text().split() == ["1", "2", "1"]


@posix
def test_a_unit_that_failed_is_tried_again(tmp_path):
    (first,) = run_units([unit(fatal, "", 0)], folder=tmp_path / "units")  # no such file as ""
    assert isinstance(first, ImprintError)
    assert "failed" in json.loads((tmp_path / "units" / MANIFEST).read_text())["units"][0]
    assert not list((tmp_path / "units").glob("*.unit"))


def test_a_folder_of_other_things_is_refused(tmp_path):
    (tmp_path / "letters").write_text("mine")
    with refuses(SettingError, option="folder", where=tmp_path):
        run_units([unit(doubled, 1)], folder=tmp_path)
    with refuses(SettingError, where=tmp_path / "letters" / "units"):
        run_units([unit(doubled, 1)], folder=tmp_path / "letters" / "units")
    assert [path.name for path in tmp_path.iterdir()] == ["letters"]


def test_what_a_kill_leaves_of_the_first_manifest_is_no_other_file(tmp_path):
    (tmp_path / f".{MANIFEST}.0123abcd.part").write_text("{")
    assert run_units([unit(doubled, 1)], folder=tmp_path) == [b"2"]


def test_a_key_is_a_hash():
    with refuses(SettingError, option="key", got="../up"):
        WorkUnit("../up", doubled, (1,), "")
    assert unit_key("a", 1) != unit_key("a", 2)
    assert unit_key({"a": 1, "b": 2}) == unit_key({"b": 2, "a": 1})


@posix
@pytest.mark.parametrize("made", [Processes, spawned])
def test_a_killed_process_costs_its_unit_only(made, tmp_path):
    units = [unit(doubled, number) for number in range(4)]
    units[1:1] = [unit(fatal, str(tmp_path / "twice"), 2), unit(fatal, str(tmp_path / "always"), 99)]
    with made(2) as executor:
        found = run_units(units, executor=executor)
    assert [found[0], *found[3:]] == [b"0", b"2", b"4", b"6"]
    assert isinstance(found[2], ImprintError)
    if made is Processes:  # the standard library's breaks the tasks of all, so either may be counted for the other's
        assert found[1] == b"alive"
        assert (tmp_path / "always").read_text() == "xxx"


def test_processes_raise_what_a_task_raises_and_go_on():
    with Processes(1) as pool:
        futures = [
            pool.submit(refused, 1),
            pool.submit(lambda: 1),
            pool.submit(open, os.devnull),
            pool.submit(abs, -2),
        ]
        raised = [type(future.exception()) for future in futures[:3]]
        assert raised[0] is VocabularyError
        assert None.__class__ not in raised
        assert futures[3].result() == 2


@pytest.mark.parametrize("kind", [ConnectionResetError, EOFError])
def test_a_lost_connection_of_the_tasks_own_is_no_killed_process(kind):
    with Processes(1) as pool:
        assert type(pool.submit(disconnected, kind).exception()) is kind
        (process,) = pool._known
        assert pool.submit(abs, -2).result() == 2
        assert {*pool._known} == {process}


def test_a_process_that_is_ended_leaves_nothing_open():
    pool = Processes(1)
    assert pool.submit(abs, -2).result() == 2
    (process,) = pool._known
    pool.shutdown()
    assert process._line.closed
    assert not process._process.is_alive()
    with pytest.raises(BrokenExecutor):
        process.call(abs, (-2,), {})


def test_processes_that_are_stopped_do_not_finish_their_tasks():
    with processes(1) as pool:
        running = pool.submit(time.sleep, 600)
        while not running.running():
            pass
    assert isinstance(running.exception(), BrokenExecutor)


@pytest.mark.slow
def test_a_run_killed_five_times_gives_the_same_bytes(tmp_path):
    units = [unit(slowly, number) for number in range(20)]
    whole = run_units(units, folder=tmp_path / "whole")
    chance, folder = random.Random(0), tmp_path / "killed"
    for kills in range(1, 6):
        run = subprocess.Popen([sys.executable, HELPERS, folder, str(len(units))], env=os.environ)
        while len(list(folder.glob("*.unit"))) < 3 * kills:
            assert run.poll() is None
        time.sleep(chance.uniform(0, 0.1))
        run.kill()
        run.wait()
    assert len(list(folder.glob("*.unit"))) < len(units)
    assert run_units(units, folder=folder) == whole
    for path in (tmp_path / "whole").iterdir():
        assert (folder / path.name).read_bytes() == path.read_bytes()
