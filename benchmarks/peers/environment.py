"""An environment for WEFE, whose dependencies exclude imprint's, and a way to run a job in it or in ours."""

import json
import os
import statistics
import subprocess
import sys
from pathlib import Path
from typing import Any

from peers.measuring import SHORT

ROOT = Path(__file__).resolve().parents[2]
VENV = ROOT / ".cache" / "peers" / "wefe-venv"
# The newest versions that WEFE 1.0.1 allows, tried together on Python 3.11.
PINS = (
    "wefe==1.0.1",
    "certifi==2026.10.18",
    "charset-normalizer==3.5.2",
    "cloudpickle==3.1.2",
    "gensim==4.4.0",
    "idna==3.20",
    "joblib==1.6.0",
    "narwhals==2.28.0",
    "numpy==1.26.4",
    "packaging==26.3",
    "pandas==3.0.6",
    "plotly==7.1.0",
    "python-dateutil==4.0.0",
    "requests==2.34.2",
    "scikit-learn==1.9.1",
    "scipy==1.12.0",
    "semantic-version==2.10.0",
    "smart_open==9.0.2",
    "threadpoolctl==3.8.0",
    "tqdm==4.70.1",
    "tzdata==2026.6",
    "urllib3==2.8.0",
    "wrapt==2.5.2",
)
_ONE_THREAD = dict.fromkeys(("OPENBLAS_NUM_THREADS", "MKL_NUM_THREADS", "OMP_NUM_THREADS"), "1")
_PYTHONS = dict.fromkeys(("wefe_jobs", "wefe_facts"), VENV / "bin" / "python")
REPEATS = 3


def build() -> None:
    """Make WEFE's environment unless it stands; the stamp is written last, so an interrupted install starts again."""
    stamp = VENV / ".ready"
    if stamp.exists() and stamp.read_text() == "\n".join(PINS):
        return
    subprocess.run([sys.executable, "-m", "venv", "--clear", VENV], check=True)
    pip = [str(VENV / "bin" / "python"), "-m", "pip", "install", "-q", "--disable-pip-version-check"]
    if subprocess.run([*pip, "--only-binary=:all:", *PINS], check=False).returncode:
        raise SystemExit("pip could not install WEFE and its dependencies; see its message, mend that and run again")
    stamp.write_text("\n".join(PINS))


def start(tool: str, job: str, given: dict[str, Any]) -> subprocess.Popen[str]:
    """Start a job of a tool (a module of this folder) in a process of its own, on one thread of BLAS."""
    command = [str(_PYTHONS.get(tool, sys.executable)), "-m", f"peers.{tool}", job]
    pipe = subprocess.PIPE
    process = subprocess.Popen(
        command, cwd=ROOT / "benchmarks", env={**os.environ, **_ONE_THREAD}, stdin=pipe, stdout=pipe, text=True
    )
    assert process.stdin is not None
    process.stdin.write(json.dumps(given))
    process.stdin.close()
    return process


def finish(process: subprocess.Popen[str]) -> dict[str, Any]:
    """Wait for a job and return what it printed: value, compiled, cpu, again, peak, added."""
    assert process.stdout is not None
    printed = process.stdout.read()
    if process.wait():
        raise SystemExit(f"{process.args!r} failed; its message stands above")
    result: dict[str, Any] = json.loads(printed)
    return result


def do(tool: str, job: str, given: dict[str, Any]) -> dict[str, Any]:
    """Start a job and wait for it."""
    return finish(start(tool, job, given))


def timed(tool: str, job: str, given: dict[str, Any]) -> dict[str, Any]:
    """Run a job whose time is shown: a short one several times, for the median; one that compiled does not count."""
    first = do(tool, job, given)
    if first["compiled"]:
        first = do(tool, job, given)
    if first["compiled"]:
        raise SystemExit(f"{tool} {job} compiles in every process: can numba write its cache beside src/imprint?")
    if first["cpu"] >= SHORT:
        return first
    runs = [first, *(do(tool, job, given) for _ in range(REPEATS - 1))]
    medians = {key: [run[key] for run in runs if run[key] is not None] for key in ("cpu", "again", "peak", "added")}
    return {**first, **{key: statistics.median(values) for key, values in medians.items()}}
