"""Metrics on the example query of WEFE's documentation, against what WEFE 1.0.1 gives on its own test model.

WEFE computes in single precision, so its last digits differ.
"""

import pytest

from imprint import WeatTest, WordSet, metric

SETS = {
    "female terms": "female woman girl sister she her hers daughter",
    "male terms": "male man boy brother he him his son",
    "family": "home parents children family cousins marriage wedding relatives",
    "career": "executive management professional corporation salary office business career",
}
QUERY = WeatTest(
    "wefe-example",
    "Gender and family or career",
    "WEFE 1.0.1",
    "en",
    *(WordSet.of(name, words.split()) for name, words in SETS.items()),
)
GIVEN = [
    ("rnd", {"distance": "norm", "normalize": False}, (0.030381858348846436, 0.1653028428554535)),
    ("rnd", {"distance": "cos", "normalize": False}, (0.02674170397222042, -0.020763542037457228)),
    ("rnd", {"distance": "norm", "normalize": True}, (-0.006278768181800842, 0.04476918280124664)),
    ("rnd", {"distance": "cos", "normalize": True}, (0.036434680223464966, -0.026151183992624283)),
    ("mac", {}, (0.8416415210425748,)),
    ("ect", {"normalize": False}, (0.6190476190476191, 0.7619047619047621)),
    ("ect", {"normalize": True}, (0.7619047619047621, 0.7619047619047621)),
    ("ripa", {"normalize": False}, (0.19969230890274048, -0.01967672072350979)),
    ("ripa", {"normalize": True}, (0.04775982350111008, -0.010736288502812386)),
]


@pytest.mark.parametrize(("name", "settings", "expected"), GIVEN)
def test_a_metric_has_the_value_that_wefe_gives(google_news, name, settings, expected):
    rows = metric(name, google_news, QUERY, **settings).findings()
    assert [row.value for row in rows] == pytest.approx(expected, abs=1e-6)
    assert all(row.p_value is not None and row.words_low < row.value < row.words_high for row in rows)
