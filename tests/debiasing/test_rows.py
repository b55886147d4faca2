"""Debiasing as rows: the points drawn are those whose variances are printed."""

import json
import math
from dataclasses import replace

import numpy as np
import pytest
from refusals import refuses

from imprint.debiasing.frontier import Variances, frontier, stereotype_variances
from imprint.debiasing.hard import HardDebiaser
from imprint.debiasing.leace import LeaceDebiaser
from imprint.debiasing.linear import LinearDebiaser
from imprint.debiasing.rows import (
    Fact,
    MeasuredVariances,
    debiasing_finding,
    frontier_finding,
    moved_words,
    projection_finding,
)
from imprint.directions.axis import pair_axis
from imprint.embeddings.embedding import Embedding
from imprint.errors import VocabularyError
from imprint.kinds.debiasing import DEBIASING, FRONTIER, MOVED
from imprint.rows import read_row
from imprint.stimuli.seeds import background, held_out


@pytest.mark.parametrize("debiaser", [LinearDebiaser(), HardDebiaser(), LeaceDebiaser()])
def test_the_points_have_the_variances_that_are_measured(bundled, debiaser):
    axis = pair_axis(bundled, [("he", "she")])
    transform = debiaser.fit(bundled)
    after = transform.apply(bundled)
    measured = stereotype_variances(bundled, after, axis)
    row = projection_finding(bundled, after, transform, axis)
    assert (row.kind, row.method) == ("debiased projection", transform.method)
    for name in ("held_out", "background"):
        points = np.array([(one.before, one.after) for one in getattr(row, name)])
        assert len(points) == getattr(measured, name)
        np.testing.assert_allclose(points[:, 0].var(ddof=1), getattr(measured, f"{name}_before"), rtol=1e-5)
        np.testing.assert_allclose(points[:, 1].var(ddof=1), getattr(measured, f"{name}_after"), rtol=1e-5)
    assert {one.word for one in row.held_out} <= set(held_out())
    assert {one.word for one in row.background} <= set(background())
    assert read_row(row.to_dict(), lambda kind, part: MOVED.row) == row


def test_where_nothing_is_left_of_the_axis_there_is_no_place_after():
    words = ["he", "she", "one", "two"]
    before = Embedding("before", words, np.random.default_rng(0).standard_normal((4, 3)).astype(np.float32))
    moved_to = np.where(
        np.arange(4)[:, None] == 1, before.vectors[0] * before.norms[1] / before.norms[0], before.vectors
    )
    after = Embedding("after", words, moved_to.astype(np.float32))
    moved = moved_words(before, after, pair_axis(before, [("he", "she")]), ["one", "two", "three"])
    assert [one.word for one in moved] == ["one", "two"]
    assert all(math.isfinite(one.before) and one.after is None for one in moved)


def test_words_that_are_not_there_are_refused(planted):
    axis = pair_axis(planted, [("he", "she")])
    with refuses(VocabularyError, where="planted", words=("a", "b")):
        moved_words(planted, planted, axis, ["a", "b"])


def test_the_row_says_what_was_fitted_and_how_much_smaller_the_variance_is(bundled):
    axis = pair_axis(bundled, [("he", "she")])
    transform = LinearDebiaser().fit(bundled)
    measured = stereotype_variances(bundled, transform.apply(bundled), axis)
    row = debiasing_finding(bundled, transform, axis, measured)
    told = row.variances
    assert told.reduction == told.held_out_before / told.held_out_after
    assert told.background_ratio == told.background_after / told.background_before
    assert row.fitted_on == bundled.sha256
    assert {"strength", "spread", "background", "gap"} <= {fact.name for fact in row.fitted}
    assert Fact("strength", 10.0) in row.fitted
    assert Fact("cone_active", 0.0, "no") in row.fitted
    assert debiasing_finding(bundled, transform, axis, None).variances is None
    assert read_row(json.loads(row.to_json()), lambda kind, part: DEBIASING.row) == row


def test_variances_that_do_not_exist_have_no_ratio():
    numbers = dict.fromkeys(("held_out_before", "background_before", "held_out_fixed", "background_fixed"), 0.5)
    counts = dict.fromkeys(("held_out", "background", "held_out_asked", "background_asked"), 3)
    ends = ("reduction_low", "reduction_high")
    nothing = dict.fromkeys(("held_out_after", "background_after", *ends), math.nan)
    measured = MeasuredVariances.of(Variances(**numbers, **counts, **nothing, axis_left=0.0))
    assert all(math.isnan(value) for value in (measured.reduction, measured.background_ratio, measured.selectivity))


def test_a_card_read_from_a_file_may_hold_anything(bundled):
    axis = pair_axis(bundled, [("he", "she")])
    fitted = LinearDebiaser().fit(bundled, axis=axis)
    odd = {"large": 10**400, "none": math.nan, "text": "x", "list": [1], "number": 2}
    card = replace(fitted.card, settings=odd, measured={})
    row = debiasing_finding(bundled, replace(fitted, card=card), axis, None)
    assert [fact.value for fact in row.fitted] == [None, None, None, None, 2.0]
    assert [fact.text for fact in row.fitted] == [str(10**400), "nan", "x", "[1]", None]


def test_the_frontier_row_has_every_strength_and_the_one_used(bundled):
    axis = pair_axis(bundled, [("he", "she")])
    points = frontier(bundled, axis=axis, strengths=(1.0, 10.0))
    row = frontier_finding(bundled, LinearDebiaser().fit(bundled, axis=axis), axis, points)
    assert (row.kind, row.method, row.chosen) == ("frontier", "linear", 10.0)
    assert [one.strength for one in row.strengths] == [1.0, 10.0]
    assert [one.reduction for one in row.strengths] == [point.variances.reduction for point in points]
    assert read_row(row.to_dict(), lambda kind, part: FRONTIER.row) == row
