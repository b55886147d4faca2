"""The script that simulates outcomes: it decides as a question is judged, and its copies keep what they should."""

import importlib.util
import sys
from pathlib import Path

import numpy as np
import pytest

from imprint.association.evidence import SetVectors
from imprint.significance.outcomes import outcome
from imprint.significance.shares import Share

SCRIPT = Path(__file__).parents[2] / "scripts" / "question_rates.py"


@pytest.fixture(scope="module")
def rates():
    spec = importlib.util.spec_from_file_location("question_rates", SCRIPT)
    module = importlib.util.module_from_spec(spec)
    sys.modules["question_rates"] = module  # its frozen values look their module up
    spec.loader.exec_module(module)
    yield module
    del sys.modules["question_rates"]


@pytest.mark.parametrize(("size", "distance", "count"), [(0.0, 0.3, 150), (0.25, 0.3, 60), (0.4, 0.06, 25)])
def test_tests_at_the_margins_decide_as_the_interval_does(rates, size, distance, count):
    runs = 30
    drawn = rates.Space(size, distance, False).draw(np.random.default_rng(count), count, runs)
    decisions = rates.decide(drawn, size)
    outcomes = []
    for run in range(runs):
        x, y, a, b = (
            sample.moves[run] * count / np.sqrt(count / (count - 1)) + sample.mean[run] for sample in drawn.samples
        )
        interval = Share.of(np.concatenate([x, y]), np.concatenate([a, b]), count, count).size()
        judged = outcome(interval.low, interval.high, obstacle=interval.obstacle)
        outcomes.append(judged.outcome)
        assert decisions.distinguished[run] == (interval.obstacle is None)
        assert decisions.excludes_zero[run] == judged.excludes_zero
    assert decisions.substantial.tolist() == [outcome == "substantial" for outcome in outcomes]
    assert decisions.small.tolist() == [outcome == "small" for outcome in outcomes]
    assert decisions.present.tolist() == [outcome in ("substantial", "present") for outcome in outcomes]
    assert len(set(outcomes)) > 1


def test_a_planted_size_is_the_size_of_the_pools(rates):
    rng = np.random.default_rng(0)
    contrast = SetVectors(rng.normal(size=(20, 8)), rng.normal(size=(20, 8)), 9, 11, np.arange(20), np.arange(20))
    x, y, a, b = rates.Pools(contrast).planted(0.2)
    v = a.mean(axis=0) - b.mean(axis=0)
    assert (x.mean(axis=0) - y.mean(axis=0)) @ v / (v @ v) == pytest.approx(0.2)


def test_names_are_exchanged_within_their_octaves(rates):
    ranks = np.array([3, 5, 6, 40, 50, 700, 4, 3, 6, 33, 60, 900])
    contrast = SetVectors(np.zeros((12, 2)), np.zeros((8, 2)), 6, 4, ranks, np.arange(8))
    keys = np.random.default_rng(0).random((50, 12))
    order = rates.exchanged(contrast, keys)
    octaves = rates.octaves_of(contrast)
    assert (np.sort(order, axis=1) == np.arange(12)).all()
    assert (octaves[order] == octaves).all()
    assert len({tuple(row) for row in order.tolist()}) > 40
