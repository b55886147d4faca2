"""Debiasing as rows: the points drawn are those whose variances are printed."""

import math

import numpy as np
import pytest

from imprint.debiasing.frontier import stereotype_variances
from imprint.debiasing.hard import HardDebiaser
from imprint.debiasing.leace import LeaceDebiaser
from imprint.debiasing.linear import LinearDebiaser
from imprint.debiasing.rows import debiasing_finding, moved_words, projection_finding
from imprint.directions.axis import pair_axis
from imprint.embeddings.embedding import Embedding
from imprint.errors import VocabularyError
from imprint.stimuli.seeds import background, held_out


@pytest.mark.parametrize("debiaser", [LinearDebiaser(), HardDebiaser(), LeaceDebiaser()])
def test_the_points_have_the_variances_that_are_measured(bundled, debiaser):
    axis = pair_axis(bundled, [("he", "she")])
    transform = debiaser.fit(bundled)
    after = transform.apply(bundled)
    measured = stereotype_variances(bundled, after, axis)
    row = projection_finding(bundled, after, transform, axis)
    assert row.kind == "debiased projection"
    assert row.details["method"] == transform.method
    for name in ("held_out", "background"):
        points = np.array(list(row.details[name].values()))
        assert len(points) == getattr(measured, name)
        np.testing.assert_allclose(points[:, 0].var(ddof=1), getattr(measured, f"{name}_before"), rtol=1e-5)
        np.testing.assert_allclose(points[:, 1].var(ddof=1), getattr(measured, f"{name}_after"), rtol=1e-5)
    assert set(row.details["held_out"]) <= set(held_out())
    assert set(row.details["background"]) <= set(background())


def test_where_nothing_is_left_of_the_axis_there_is_no_place_after():
    words = ["he", "she", "one", "two"]
    before = Embedding("before", words, np.random.default_rng(0).standard_normal((4, 3)).astype(np.float32))
    moved_to = np.where(
        np.arange(4)[:, None] == 1, before.vectors[0] * before.norms[1] / before.norms[0], before.vectors
    )
    after = Embedding("after", words, moved_to.astype(np.float32))
    moved = moved_words(before, after, pair_axis(before, [("he", "she")]), ["one", "two", "three"])
    assert list(moved) == ["one", "two"]
    assert all(math.isfinite(first) and last is None for first, last in moved.values())


def test_words_that_are_not_there_are_refused(planted):
    axis = pair_axis(planted, [("he", "she")])
    with pytest.raises(VocabularyError, match="none of 'a', 'b' is in planted; use words it has"):
        moved_words(planted, planted, axis, ["a", "b"])


def test_the_row_tells_how_many_times_smaller_the_variance_is(bundled):
    axis = pair_axis(bundled, [("he", "she")])
    transform = LinearDebiaser().fit(bundled)
    measured = stereotype_variances(bundled, transform.apply(bundled), axis)
    row = debiasing_finding(bundled, transform, axis, measured)
    told = row.to_dict()["variances"]
    assert told["reduction"] == told["held_out_before"] / told["held_out_after"]
    assert told["background_ratio"] == told["background_after"] / told["background_before"]
    assert row.details["fitted_on"] == bundled.sha256
    assert debiasing_finding(bundled, transform, axis, None).details["variances"] is None
