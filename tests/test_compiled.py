"""Kernels are kept on disk where that can be, and run where it cannot."""

import subprocess
import sys

UNWRITABLE = """
from numba.core import caching

caching.CacheImpl._locator_classes = []  # as where neither the package's folder nor the user's can be written
import imprint

print(imprint.weat(imprint.load("default"), "caliskan-5").significance.extreme)
from imprint.significance.kernels import subset_sums

print(subset_sums.stats.cache_path)
"""


def test_without_a_place_for_them_kernels_are_compiled_anew():
    ran = subprocess.run([sys.executable, "-c", UNWRITABLE], capture_output=True, text=True, check=False)
    assert (ran.returncode, ran.stdout.split()) == (0, ["237", "None"]), ran.stderr
