"""A sample plug-in of imprint: `pyproject.toml` names each thing that it adds, one module has each."""

from pathlib import Path

TESTS = Path(__file__).with_name("tests.toml")
