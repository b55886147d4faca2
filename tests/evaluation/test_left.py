"""What is left of gender is one number, along one axis, wherever it is said; the default is what is recommended."""

import math

import numpy as np
import pytest

import imprint
from imprint.debiasing import DEFAULT_METHOD, SEEDED_METHOD
from imprint.debiasing.rows import DebiasingRow, LeftRow
from imprint.evaluation.debias import DebiasedCopy
from imprint.evaluation.debiasers import DebiasComparisonRow
from imprint.evaluation.left import judging_axis, measure_left
from imprint.jobs.job import Job, Plan
from imprint.stimuli.seeds import Seeds, background, held_out

METHODS = ("linear", "leace", "sentence-debias", "double-hard")
LEFT = LeftRow.__struct_fields__[LeftRow.__struct_fields__.index("bias_left") :]


def left(rows):
    (row,) = (row for row in rows if isinstance(row, DebiasingRow))
    return {name: getattr(row, name) for name in LEFT}


def test_the_default_is_the_method_that_is_recommended(compared):
    assert compared.recommended == DEFAULT_METHOD == Plan().debias


@pytest.mark.parametrize("method", METHODS)
def test_debiasing_alone_leaves_what_a_comparison_says(bundled, compared, method):
    (row,) = (row for row in compared.of(DebiasComparisonRow) if row.method == method)
    assert left(imprint.debias(bundled, method=method, tests=[])) == {name: getattr(row, name) for name in LEFT}


@pytest.mark.parametrize("method", [DEFAULT_METHOD, "linear"])
def test_an_audit_says_the_same(bundled, compared, method):
    (row,) = (row for row in compared.of(DebiasComparisonRow) if row.method == method)
    job = Job(bundled, Plan(debias=method))
    copy = DebiasedCopy(job.embedding, job.debiased, job.transform, job.axis)
    assert left(copy.fitted()) == {name: getattr(row, name) for name in LEFT}


def test_the_share_is_that_of_the_variance_along_the_axis_before(bundled):
    axis = judging_axis(bundled)
    after = imprint.HardDebiaser().fit(bundled).apply(bundled)
    shares = measure_left(bundled, after, axis)

    def variance(embedding, words):
        rows = np.array([embedding.vectors[embedding.index[word]] for word in words if word in embedding], dtype=float)
        return np.var(rows / np.linalg.norm(rows, axis=1, keepdims=True) @ axis.direction)

    for words, name in ((held_out(), "bias_left"), (background(), "background_left")):
        share = shares[name]
        assert share.value == pytest.approx(variance(after, words) / variance(bundled, words), rel=1e-4)
        assert share.low < share.value < share.high


def test_an_axis_of_ones_own_is_judged_along_itself_and_where_nothing_varies_nothing_is_said(bundled):
    seeds = Seeds(("child", "baby", "teenager"), ("grandfather", "veteran", "pupil"))
    done = imprint.debias(bundled, axis=("young", "old"), seeds=seeds)
    assert done.transform.method == SEEDED_METHOD
    young = imprint.pair_axis(bundled, [("young", "old")])
    assert left(done)["n_pairs"] == 0
    assert left(done)["bias_left"] == measure_left(bundled, done.result, young, seeds.held_out)["bias_left"].value
    axis = imprint.pair_axis(bundled, [("he", "she")])
    flat = imprint.debiaser("projection").fit(bundled, axis=axis).apply(bundled)
    assert all(math.isnan(share.value) for share in measure_left(flat, flat, axis).values())
