"""Marks for tests of what only some systems have."""

import os
import sys

import pytest

posix = pytest.mark.skipif(os.name != "posix", reason="needs pipes, links, signals or shells as POSIX has them")
linux = pytest.mark.skipif(sys.platform != "linux", reason="needs /proc, /dev/full or a limit on the address space")
