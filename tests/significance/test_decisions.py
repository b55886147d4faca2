"""Outcomes of many repetitions at once, against the interval of each."""

from itertools import product

import numpy as np
import pytest

from imprint.significance.crossed import Spread, two_sided
from imprint.significance.outcomes import CONFIDENCE, outcome
from imprint.significance.shares import Decisions, ShareOfDistance, p_values

RUNS = 25


def drawn(size, distance, count):
    """Draw names and words around means; the size of so many dimensions of noise is planted along one of them."""
    rng = np.random.default_rng(count)
    targets, attributes = rng.normal(size=(2, RUNS, 2 * count, 20)) * 0.08
    sign = np.where(np.arange(2 * count) < count, 0.5, -0.5)
    attributes[..., 0] += sign * np.sqrt(distance)
    targets[..., 0] += sign * size * np.sqrt(distance)
    return targets, attributes


@pytest.mark.parametrize(
    ("size", "distance", "count"), [(0.0, 0.3, 60), (0.18, 0.3, 60), (0.4, 0.02, 25), (0.3, 0.03, 25)]
)
def test_tests_at_the_margins_decide_as_the_interval_does(size, distance, count):
    targets, attributes = drawn(size, distance, count)
    decisions = Decisions.of(ShareOfDistance.of(targets, attributes, count, count))
    judged = []
    for run in range(RUNS):
        share = ShareOfDistance.of(targets[run], attributes[run], count, count)
        interval = share.size()
        judged.append(outcome(interval.low, interval.high, obstacle=interval.obstacle))
        assert decisions.distinguished[run] == (interval.obstacle is None)
        difference, spread = share.contrast(0.0)
        p_value = two_sided(float(difference / np.sqrt(spread.variance)), float(spread.df))
        assert decisions.differs[run] == (p_value < 1 - CONFIDENCE)
    outcomes = [decided.outcome for decided in judged]
    assert decisions.substantial.tolist() == [answer == "substantial" for answer in outcomes]
    assert decisions.small.tolist() == [answer == "small" for answer in outcomes]
    assert decisions.excludes_zero.tolist() == [decided.excludes_zero for decided in judged]
    assert decisions.shows_difference.tolist() == [answer in ("substantial", "present") for answer in outcomes]
    assert len(set(outcomes)) > 1


def test_p_values_are_those_of_one_repetition_and_1_where_nothing_varies():
    ratios, degrees = np.array(list(product((0.0, -1.5, 4.0, 30.0), (1.3, 7.0, 900.0)))).T
    p_of = p_values(2 * ratios, Spread(np.full(len(ratios), 4.0), degrees))
    expected = [two_sided(ratio, df) for ratio, df in zip(ratios.tolist(), degrees.tolist(), strict=True)]
    assert p_of == pytest.approx(expected, rel=1e-9)
    assert p_values(np.array([3.0]), Spread(np.array([0.0]), np.array([np.nan]))).tolist() == [1.0]


def test_a_repetition_is_decided_whatever_is_decided_with_it():
    targets, attributes = drawn(0.25, 0.3, 30)
    chunks = [
        Decisions.of(ShareOfDistance.of(targets[part], attributes[part], 30, 30))
        for part in (slice(0, 10), slice(10, RUNS))
    ]
    whole = Decisions.of(ShareOfDistance.of(targets, attributes, 30, 30))
    for name in ("differs", "small"):
        assert np.concatenate([getattr(part, name) for part in chunks]).tolist() == getattr(whole, name).tolist()
