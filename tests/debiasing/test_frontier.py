import math

import numpy as np
import pytest
from refusals import refuses

from imprint.debiasing.frontier import choose_strength, frontier, stereotype_variances
from imprint.debiasing.linear import STRENGTH, LinearDebiaser
from imprint.directions.axis import pair_axis
from imprint.embeddings.embedding import Embedding
from imprint.errors import SettingError, VocabularyError

from .conftest import FITTED, HELD_OUT, OTHERS

HE_SHE = [("he", "she")]
WORDS = {"held_out": HELD_OUT, "background": OTHERS}


def test_variances_are_those_of_rows_at_unit_length_before_and_not_normalised_after(planted):
    transform = LinearDebiaser(20.0).fit(planted, axis=pair_axis(planted, HE_SHE), seeds=FITTED)
    result = stereotype_variances(planted, transform.apply(planted), pair_axis(planted, HE_SHE), **WORDS)
    units = {
        word: row / np.linalg.norm(row) for word, row in zip(planted.words, planted.vectors.astype(float), strict=True)
    }
    axis = units["he"] - units["she"]
    assert result.held_out_before == pytest.approx(np.var([units[w] @ axis for w in HELD_OUT], ddof=1) / (axis @ axis))
    moved = transform.matrix @ axis
    after = np.var([transform.matrix @ units[word] @ moved for word in OTHERS], ddof=1) / (moved @ moved)
    assert result.background_after == pytest.approx(after, rel=1e-4)
    fixed = np.var([transform.matrix @ units[word] @ axis for word in HELD_OUT], ddof=1) / (axis @ axis)
    assert result.held_out_fixed == pytest.approx(fixed, rel=1e-4)
    assert result.selectivity == pytest.approx(result.reduction * result.background_after / result.background_before)
    assert result.axis_left == pytest.approx(np.linalg.norm(moved) / np.linalg.norm(axis), rel=1e-5)
    assert (result.held_out, result.background) == (len(HELD_OUT), len(OTHERS))


def test_the_frontier_measures_what_fitting_and_applying_each_strength_gives(planted):
    axis = pair_axis(planted, HE_SHE)
    points = frontier(planted, axis=axis, seeds=FITTED, strengths=(0.0, 4.0), **WORDS)
    after = LinearDebiaser(4.0).fit(planted, axis=axis, seeds=FITTED).apply(planted)
    expected = stereotype_variances(planted, after, axis, **WORDS)
    assert points[1].variances.held_out_after == pytest.approx(expected.held_out_after, rel=1e-5)
    assert points[1].variances.background_ratio == pytest.approx(expected.background_ratio, rel=1e-5)
    assert points[0].variances.reduction == pytest.approx(1.0)
    assert all(point.gap <= 1e-9 for point in points)


def test_on_the_bundled_frontier_the_default_is_the_smallest_strength_that_is_enough(bundled):
    points = frontier(bundled)
    assert choose_strength(points) == STRENGTH
    reductions = [point.variances.reduction for point in points]
    assert reductions == sorted(reductions)


def test_where_no_strength_is_enough_the_largest_is_chosen(planted):
    points = frontier(planted, axis=pair_axis(planted, HE_SHE), seeds=FITTED, strengths=(2.0, 1.0), **WORDS)
    assert choose_strength(points, reduction=1e6) == 2.0
    assert choose_strength(points, reduction=1.01) == 1.0
    with refuses(SettingError, option="points", got=[]):
        choose_strength([])


def test_an_axis_that_is_gone_gives_no_variance(planted):
    flat = Embedding("flat", planted.words, np.ones_like(planted.vectors))
    flat.vectors[:] = planted.norms[:, None]
    result = stereotype_variances(planted, flat, pair_axis(planted, HE_SHE), **WORDS)
    assert math.isnan(result.held_out_after)
    assert result.axis_left < 1e-6


def test_too_few_words_are_refused_by_what_they_were_for(planted):
    axis = pair_axis(planted, HE_SHE)
    with refuses(VocabularyError, "1", "held-out", where="planted"):
        stereotype_variances(planted, planted, axis, held_out=["job1", "nobody"], background=OTHERS)
    with refuses(VocabularyError, "0", "background", where="planted"):
        stereotype_variances(planted, planted, axis, held_out=HELD_OUT, background=["nobody"])
