"""What several files ask of: every debiaser compared on the bundled embedding, once."""

import pytest

from imprint.evaluation.debiasers import compare_debiasers


@pytest.fixture(scope="session")
def compared(bundled):
    return compare_debiasers(bundled)
