"""What every metric is tried on: the bundled embedding, and names with career and family words."""

import pytest

from imprint.stimuli.catalog import get


@pytest.fixture(scope="session")
def names():
    return get("caliskan-6")
