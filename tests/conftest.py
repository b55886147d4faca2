"""For tests of any folder: the command within this process, a study's server, and an environment without proxies."""

import gc
import os
import re
import signal
import subprocess
import sys
from pathlib import Path

import pytest
from hypothesis import settings
from left_behind import LeftBehind

from imprint.announcing import announced_to
from imprint.cli import main

# What a shell starts in the background ignores Ctrl-C, and so would every command started here; tests send it.
signal.signal(signal.SIGINT, signal.default_int_handler)

# Workers share the cores: threads of BLAS that wait for each other took a third of their time. Set before numpy comes.
if "PYTEST_XDIST_WORKER" in os.environ:
    os.environ |= dict.fromkeys(("OPENBLAS_NUM_THREADS", "MKL_NUM_THREADS", "OMP_NUM_THREADS"), "1")

# Whether an example is quick enough hangs on the machine.
settings.register_profile("imprint", deadline=None)
settings.load_profile("imprint")

# A proxy would be asked for this machine's own servers too. Taken away before any fixture starts a process.
for variable in [name for name in os.environ if name.lower().endswith("_proxy")]:
    del os.environ[variable]


@pytest.hookimpl(wrapper=True)
def pytest_collection():
    """Look for no garbage while modules are imported, nor in them later, again and again, while tests run."""
    gc.disable()
    try:
        return (yield)
    finally:
        gc.enable()
        gc.collect()
        gc.freeze()


@pytest.fixture(scope="session", autouse=True)
def own_cache(tmp_path_factory):
    """Keep what commands cache in a folder of this run, which all its workers share: the user's stays as it is."""
    folder = tmp_path_factory.getbasetemp()
    if "PYTEST_XDIST_WORKER" in os.environ:
        folder = folder.parent  # each worker has a folder of its own in the run's
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("IMPRINT_CACHE", str(folder / "imprint-cache"))
        yield


@pytest.fixture(scope="session")
def bundled():
    """The bundled embedding."""
    from imprint import load

    return load("default")


@pytest.fixture
def announced():
    """What is said of texts that will be sent."""
    said = []
    with announced_to(said.append):
        yield said


@pytest.fixture
def left_behind(tmp_path):
    """A process that outlives the program that started it."""
    helper = LeftBehind(tmp_path)
    yield helper
    helper.kill()


@pytest.fixture
def in_process(tmp_path, monkeypatch, capsys):
    """Run the command here: what it imports takes longer than most of these runs."""

    def run(*arguments):
        monkeypatch.setattr(sys, "argv", ["imprint", *map(str, arguments)])
        with pytest.raises(SystemExit, match=r"^[0123]?$") as ended:
            main()
        return subprocess.CompletedProcess(arguments, ended.value.code or 0, *capsys.readouterr())

    monkeypatch.chdir(tmp_path)
    return run


@pytest.fixture(scope="module")
def cluster():
    """A Dask cluster of two processes."""
    import dask
    from clusters import local_cluster

    # Otherwise a connection refused by a killed worker is tried again for half a minute.
    with dask.config.set({"distributed.comm.timeouts.connect": "3s"}), local_cluster(2, processes=True) as cluster:
        yield cluster


@pytest.fixture
def client(cluster):
    """A client of it."""
    from distributed import Client

    with Client(cluster) as client:
        client.wait_for_workers(2, timeout=60)
        yield client


@pytest.fixture
def plug_in(tmp_path_factory, monkeypatch):
    """Install a package of one module, toy_plugin_code, that offers entry points of a group."""
    folder = tmp_path_factory.mktemp("plug-in")
    monkeypatch.syspath_prepend(folder)
    monkeypatch.delitem(sys.modules, "toy_plugin_code", raising=False)

    def install(group, *lines, code="VALUE = 7\n", package="toy-plugin"):
        (folder / "toy_plugin_code.py").write_text(code)
        about = folder / f"{package.replace('-', '_')}-1.0.dist-info"
        about.mkdir()
        (about / "METADATA").write_text(f"Metadata-Version: 2.1\nName: {package}\nVersion: 1.0\n")
        (about / "entry_points.txt").write_text("\n".join([f"[{group}]", *lines, ""]))

    yield install
    sys.modules.pop("toy_plugin_code", None)


class StudyServer:
    """`imprint study serve` as a process, on one port through all its lives."""

    def __init__(self, study):
        self.study, self.port = study, 0
        self.start()

    def start(self):
        program = Path(sys.executable).with_name("imprint")
        command = [str(program), "study", "serve", str(self.study), "--port", str(self.port)]
        self.process = subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True)
        said = self.process.stdout.readline()
        found = re.fullmatch(r"take part: (http://127\.0\.0\.1:(\d+))/\n", said)
        if found is None:
            self.kill()
            raise RuntimeError(f"the study's server said {said!r}")
        self.address, self.port = found[1], int(found[2])

    def kill(self):
        self.process.kill()
        self.process.wait()
        self.process.stdout.close()


@pytest.fixture(scope="module")
def serve_study():
    """Start the server of a study; none outlives the module's tests, however they end."""
    started = []

    def start(study):
        started.append(StudyServer(study))
        return started[-1]

    yield start
    for server in started:
        server.kill()
