"""Kernels are kept on disk where that can be, and run where it cannot."""

import importlib
import os
import subprocess
import sys

import pytest

UNWRITABLE = """
from numba.core import caching

caching.CacheImpl._locator_classes = []  # as where neither the package's folder nor the user's can be written
import imprint

print(imprint.weat(imprint.load("default"), "caliskan-5").extreme)
from imprint.significance.kernels import subset_sums

print(subset_sums.stats.cache_path)
"""


def test_without_a_place_for_them_kernels_are_compiled_anew():
    ran = subprocess.run([sys.executable, "-c", UNWRITABLE], capture_output=True, text=True, check=False)
    assert (ran.returncode, ran.stdout.split()) == (0, ["237", "None"]), ran.stderr


def test_kernels_run_in_the_interpreter_where_compiling_is_switched_off():
    code = "from imprint.significance.kernels import subset_sums; print(type(subset_sums).__name__)"
    environment = os.environ | {"NUMBA_DISABLE_JIT": "1"}
    ran = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=False, env=environment)
    assert (ran.returncode, ran.stdout) == (0, "function\n"), ran.stderr


KERNEL = """
from imprint.compiled import compiled

@compiled()
def total(count):
    found = 0
    for number in range(count):
        found += number * number
    return found
"""

DAMAGES = {
    "empty": lambda content: b"",
    "cut short": lambda content: content[: len(content) // 2],
    "noise": lambda content: b"\x80\x04noise",
    "one bit": lambda content: (
        content[: len(content) // 2] + bytes([content[len(content) // 2] ^ 1]) + content[len(content) // 2 + 1 :]
    ),
}


@pytest.mark.parametrize("damage", DAMAGES)
@pytest.mark.parametrize("suffix", [".nbi", ".nbc"])
def test_damaged_files_of_kernels_are_replaced(tmp_path, monkeypatch, damage, suffix):
    (tmp_path / "kernel.py").write_text(KERNEL)
    monkeypatch.setenv("NUMBA_CACHE_DIR", str(tmp_path / "cache"))
    monkeypatch.setattr("numba.core.config.CACHE_DIR", str(tmp_path / "cache"))
    monkeypatch.syspath_prepend(tmp_path)

    def run():
        monkeypatch.delitem(sys.modules, "kernel", raising=False)
        total = importlib.import_module("kernel").total
        return total(10), sum(total.stats.cache_hits.values())

    assert (run(), run()) == ((285, 0), (285, 1))
    (kept,) = (tmp_path / "cache").rglob(f"*{suffix}")
    kept.write_bytes(DAMAGES[damage](kept.read_bytes()))
    assert run() == (285, 0)
    assert run() == (285, 1)
