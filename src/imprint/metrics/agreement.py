"""Do metrics say the same on the same tests? Direction, outcome, and the order in which they put the tests."""

import math
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from itertools import combinations
from typing import Annotated

import numpy as np

from imprint.association.rows import AssociationRow
from imprint.metrics.run import MetricRow
from imprint.rows import Row, shown
from imprint.significance.ranks import midranks
from imprint.types import Floats

_FEWEST_TESTS = 4  # that are put in order


class MetricAgreementRow(Row, frozen=True, kw_only=True, tag="metric-agreement"):
    """Two metrics on the tests that both ran on.

    A metric's value on a test is its mean `excess` over attribute sets or words, where it has several.
    """

    metric: Annotated[str, shown("Metric", "Name of the first metric.")]
    other_metric: Annotated[str, shown("Other", "Name of the second metric.")]
    n_tests: Annotated[int, shown("Tests", "Tests on which both were measured.")]
    n_directed: Annotated[int, shown("Directed", "Tests on which both have a direction.")]
    n_same_direction: Annotated[int, shown("Same direction", "Of the tests on which both have a direction.")]
    n_judged: Annotated[int, shown("Judged", "Tests on which both have an outcome.")]
    n_same_outcome: Annotated[
        int,
        shown(
            "Both show it, or neither",
            "Both or neither show a difference, of the tests on which both have an outcome.",
        ),
    ]
    rank_correlation: Annotated[
        float | None, shown("Rank correlation", "Spearman's, over tests; no p-value, since tests share words.")
    ] = None


@dataclass(frozen=True)
class _Said:
    """What a metric says on one test."""

    excess: float
    is_directed: bool
    shows_difference: bool | None  # None: it could not, for the words or for want of an interval


def metric_agreement(rows: Iterable[Row]) -> list[MetricAgreementRow]:
    """Compare every two metrics, WEAT and SEAT included, by the rows that they gave on one subject."""
    by_metric: dict[str, dict[str, list[MetricRow | AssociationRow]]] = {}
    for row in rows:
        if isinstance(row, MetricRow | AssociationRow):
            name = row.metric if isinstance(row, MetricRow) else row.kind
            by_metric.setdefault(name, {}).setdefault(row.test, []).append(row)
    said = {name: {test: _said(own) for test, own in tests.items()} for name, tests in by_metric.items()}
    compared = []
    for first, second in combinations(said, 2):
        tests = [test for test in said[first] if test in said[second]]
        if tests:
            subject = by_metric[first][tests[0]][0]
            pairs = [(said[first][test], said[second][test]) for test in tests]
            compared.append(_compared(subject, first, second, pairs))
    return compared


def _said(rows: Sequence[MetricRow | AssociationRow]) -> _Said:
    values = [row.excess if isinstance(row, MetricRow) else row.mean_difference for row in rows]
    numbers = [value for value in values if value is not None]
    judged = [row.found for row in rows if row.outcome is not None and row.reason != "few words"]
    return _Said(
        float(np.mean(numbers)) if numbers else math.nan,
        any(not isinstance(row, MetricRow) or row.directed for row in rows),
        any(judged) if judged else None,
    )


def _compared(subject: Row, first: str, second: str, pairs: Sequence[tuple[_Said, _Said]]) -> MetricAgreementRow:
    directed = [(first.excess, second.excess) for first, second in pairs if first.is_directed and second.is_directed]
    shows = [(first.shows_difference, second.shows_difference) for first, second in pairs]
    judged = [both for both in shows if None not in both]
    return MetricAgreementRow(
        test="agreement of metrics",
        embedding=subject.embedding,
        embedding_sha256=subject.embedding_sha256,
        seed=subject.seed,
        metric=first,
        other_metric=second,
        n_tests=len(pairs),
        n_directed=len(directed),
        n_same_direction=sum(first * second > 0 for first, second in directed),
        n_judged=len(judged),
        n_same_outcome=sum(first == second for first, second in judged),
        rank_correlation=_spearman(np.array([(first.excess, second.excess) for first, second in pairs])),
    )


def _spearman(pairs: Floats) -> float | None:
    pairs = pairs[np.isfinite(pairs).all(axis=1)]
    if len(pairs) < _FEWEST_TESTS or not np.ptp(pairs, axis=0).all():
        return None
    first, second = midranks(pairs.T)
    return float(np.corrcoef(first, second)[0, 1])
