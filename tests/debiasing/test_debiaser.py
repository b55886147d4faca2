"""Debiasers by name: one table, one shape, and no name that quietly means another."""

from inspect import signature

import numpy as np
import pytest

from imprint.debiasing import DEBIASERS, METHODS
from imprint.debiasing.debiaser import Debiaser, debiaser, find_debiaser, label_fact
from imprint.debiasing.hard import HardDebiaser
from imprint.debiasing.linear import LinearDebiaser
from imprint.directions.axis import pair_axis
from imprint.embeddings.embedding import Embedding
from imprint.errors import SettingError

PAIRS = [("king", "queen"), ("young", "old")]


@pytest.fixture(params=METHODS)
def method(request):
    return request.param


def test_every_debiaser_has_a_summary_and_fits_a_transform_of_its_name(method, bundled):
    assert issubclass(DEBIASERS.get(method), Debiaser)
    assert find_debiaser(method).summary != Debiaser.summary
    assert debiaser(method).fit_gender(bundled).method == method


def test_a_transform_moves_arrays_as_it_moves_words(method, bundled):
    transform = debiaser(method).fit(bundled, pairs=PAIRS)
    rows = bundled.lookup(["nurse", "river", "physics"]).vectors
    moved = transform(rows)
    assert moved.shape == rows.shape
    np.testing.assert_allclose(
        moved, transform.apply(bundled).lookup(["nurse", "river", "physics"]).vectors, atol=1e-5
    )


@pytest.mark.parametrize("shape", [(100,), (3, 99)])
def test_an_array_of_another_shape_is_refused(method, bundled, shape):
    with pytest.raises(SettingError):
        debiaser(method).fit_gender(bundled)(np.zeros(shape))


def test_own_pairs_define_the_axis_and_nothing_of_gender_is_used(method, bundled):
    card = debiaser(method).fit(bundled, pairs=PAIRS).card
    assert (card.positive, card.negative) == (("king", "young"), ("queen", "old"))
    assert not {"he", "she"} & {*card.positive, *card.negative}


def test_hard_debiasing_along_own_pairs_is_that_along_their_axis_with_their_words_alone(bundled):
    axis = pair_axis(bundled, PAIRS, method="pca")
    first = HardDebiaser().fit(bundled, pairs=PAIRS)
    second = HardDebiaser().fit(bundled, axis=axis, pairs=PAIRS, specific=())
    np.testing.assert_array_equal(first.basis, second.basis)
    assert (first.kept, first.pairs) == (second.kept, second.pairs)


def test_settings_reach_the_debiaser_and_unknown_ones_are_refused():
    assert debiaser("linear", strength=3.0) == LinearDebiaser(3.0)
    with pytest.raises(SettingError):
        debiaser("hard", strength=3.0)


def test_an_unknown_name_is_refused_and_described_without_guessing():
    with pytest.raises(SettingError):
        debiaser("soft")
    assert find_debiaser("soft").summary == "changes the vectors"


def test_a_fact_has_the_label_that_its_debiaser_gives_it():
    assert label_fact("linear", "gap") == "solver gap"
    assert label_fact("double-hard", "kept") == label_fact("half-sibling", "kept") == "words kept unchanged"
    assert label_fact("leace", "changed") == "labelled words' variance removed"
    assert label_fact("double-hard", "component_dropped") == "component dropped"
    assert label_fact("soft", "cone_active") == "cone active"  # nobody knows what soft means by it


def test_every_label_and_compared_fact_is_one_of_a_fitted_transform(method, bundled):
    kind, card = find_debiaser(method), debiaser(method).fit_gender(bundled).card
    facts = {*card.settings, *card.measured}
    assert set(kind.compared) <= facts
    assert set(kind.labels) <= facts
    assert set(kind.candidates) <= facts


@pytest.mark.parametrize(
    ("method", "words"),
    [("leace", {"James"}), ("inlp", {"James"}), ("sentence-debias", {"boy"}), ("half-sibling", {"Grandfather"})],
)
def test_the_words_that_judge_are_left_out_where_more_than_he_and_she_are_fitted_on(method, words, bundled):
    whole, left = (debiaser(method).fit_gender(bundled, leave_out=leave_out) for leave_out in ((), words))
    moved = bundled.vectors.copy()
    moved[[bundled.index[word.lower()] for word in words]] *= 3.0
    other = debiaser(method).fit_gender(Embedding("other", bundled.words, moved), leave_out=words)
    assert not np.allclose(whole.matrix, left.matrix, atol=1e-6)
    np.testing.assert_allclose(other.matrix, left.matrix, atol=1e-9)  # wherever these words are


def test_options_say_what_a_debiaser_takes(method, bundled):
    kind = find_debiaser(method)
    assert ("strength" in kind.options) == ("strength" in signature(kind).parameters)
    assert ("seeds" in kind.options) == ("seeds" in signature(kind.fit).parameters)
    assert (debiaser(method).choose_settings(bundled, axis=pair_axis(bundled, PAIRS))[1] != "") == bool(kind.options)
    if "frontier" not in kind.options:
        with pytest.raises(SettingError):
            kind.frontier(bundled, debiaser(method).fit_gender(bundled))


def test_a_plug_in_adds_a_debiaser(plug_in):
    plug_in("imprint.debiasers", "half = imprint.debiasing.hard:HardDebiaser")
    assert DEBIASERS.names() == (*METHODS, "half")
    assert debiaser("half") == HardDebiaser()
