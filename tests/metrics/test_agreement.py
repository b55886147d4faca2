"""Which metrics say the same: against what the rows say, one test at a time."""

import numpy as np
import pytest
from scipy.stats import spearmanr

from imprint import run_battery
from imprint.metrics.agreement import metric_agreement
from imprint.metrics.by_name import make_metric
from imprint.metrics.run import measure_metrics
from imprint.stimuli.catalog import catalogue, choose


@pytest.fixture(scope="module")
def rows(bundled):
    tests = choose(catalogue(), ["caliskan-[5-9]"])
    metrics = {name: make_metric(name) for name in ("group-association", "rnd", "clustering")}
    return [*run_battery(bundled, tests).findings(), *measure_metrics(bundled, tests, metrics).findings()]


def test_what_is_the_same_by_algebra_agrees_in_all(rows):
    found = {(row.metric, row.other_metric): row for row in metric_agreement(rows)}
    assert len(found) == 6
    same = found["weat", "group-association"]
    assert (same.n_tests, same.n_directed, same.n_same_direction, same.n_judged, same.n_same_outcome) == (5,) * 5
    assert same.rank_correlation == pytest.approx(1.0)


def test_counts_and_order_are_those_of_the_rows(rows):
    found = {(row.metric, row.other_metric): row for row in metric_agreement(rows)}
    excess, outcomes = {}, {}
    for row in rows:
        if row.kind == "metric":
            excess.setdefault(row.metric, {}).setdefault(row.test, []).append(row.excess)
            judged = row.outcome is not None and row.reason != "few words"
            outcomes.setdefault(row.metric, {}).setdefault(row.test, []).extend([row.found] * judged)
    values = {name: [np.mean(one) for one in tests.values()] for name, tests in excess.items()}
    shown = {name: [any(one) if one else None for one in tests.values()] for name, tests in outcomes.items()}
    row = found["rnd", "clustering"]
    assert (row.n_directed, row.n_same_direction) == (0, 0)
    assert row.rank_correlation == pytest.approx(spearmanr(values["rnd"], values["clustering"]).statistic)
    both = [pair for pair in zip(shown["rnd"], shown["clustering"], strict=True) if None not in pair]
    assert 0 < len(both) < 5  # clusters that are the groups have no interval
    assert (row.n_judged, row.n_same_outcome) == (len(both), sum(one == two for one, two in both))
    row = found["group-association", "rnd"]
    pairs = zip(values["group-association"], values["rnd"], strict=True)
    assert row.n_same_direction == sum(one * two > 0 for one, two in pairs)


def test_few_tests_are_not_put_in_order(rows):
    some = [row for row in rows if row.test in ("caliskan-5", "caliskan-6")]
    assert {row.rank_correlation for row in metric_agreement(some)} == {None}
    assert metric_agreement(some[:1]) == []
