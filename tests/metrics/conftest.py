"""What every metric is tried on: the bundled embedding, and names with career and family words."""

import pytest

from imprint.metrics import run
from imprint.stimuli.catalog import get


@pytest.fixture(scope="session")
def names():
    return get("caliskan-6")


@pytest.fixture
def few_draws(monkeypatch):
    """Draw fewer random words, where only rows of equal draws are compared."""
    monkeypatch.setattr(run, "DRAWS", {True: 99, False: 49})
