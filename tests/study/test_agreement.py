"""Krippendorff's alpha against its definition and published examples."""

from itertools import permutations

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from imprint.study.matching import interval_alpha, nominal_alpha, stratified_alpha

# Krippendorff (2011), section D: four observers, twelve units, missing answers as None.
KRIPPENDORFF_2011 = (
    (1, 2, 3, 3, 2, 1, 4, 1, 2, None, None, None),
    (1, 2, 3, 3, 2, 2, 4, 1, 2, 5, None, 3),
    (None, 3, 3, 3, 2, 3, 4, 2, 2, 5, 1, None),
    (1, 2, 3, 3, 2, 4, 4, 1, 2, 5, 1, None),
)
# The worked example of the encyclopedia article on alpha: three coders, fifteen units.
THREE_CODERS = (
    (None, None, None, None, None, 3, 4, 1, 2, 1, 1, 3, 3, None, 3),
    (1, None, 2, 1, 3, 3, 4, 3, None, None, None, None, None, None, None),
    (None, None, 2, 1, 3, 4, 4, None, 2, 1, 1, 3, 3, None, 4),
)


def units(observers):
    return [[value for value in unit if value is not None] for unit in zip(*observers, strict=True)]


def written(ratings):
    return [[str(value) for value in unit] for unit in ratings]


def by_definition(data, difference):
    """Mean difference within units, weighted by their number of values, over that of all values paired at random."""
    paired = [unit for unit in data if len(unit) > 1]
    values = [value for unit in paired for value in unit]
    n = len(values)
    within = sum(sum(difference(a, b) for a, b in permutations(unit, 2)) / (len(unit) - 1) for unit in paired)
    among = sum(difference(a, b) for a, b in permutations(values, 2))
    return None if among == 0 else 1 - (within / n) / (among / (n * (n - 1)))


@pytest.mark.parametrize(
    ("data", "nominal", "interval"), [(KRIPPENDORFF_2011, 0.743, 0.849), (THREE_CODERS, 0.691, 0.811)]
)
def test_published_examples_come_out_as_published(data, nominal, interval):
    assert round(nominal_alpha(written(units(data))), 3) == nominal
    assert round(interval_alpha(units(data)), 3) == interval


@given(st.lists(st.lists(st.integers(1, 7), max_size=6), max_size=8))
@settings(max_examples=100, deadline=None)
def test_alpha_is_what_its_definition_says(data):
    assert interval_alpha(data) == pytest.approx(by_definition(data, lambda a, b: (a - b) ** 2))
    assert nominal_alpha(written(data)) == pytest.approx(by_definition(data, lambda a, b: a != b))


def test_full_agreement_is_one_and_systematic_disagreement_below_zero():
    assert nominal_alpha([["a", "a"], ["b", "b"]]) == 1
    assert nominal_alpha([["a", "b"], ["b", "a"]]) < 0


@pytest.mark.parametrize("data", [[], [["a"], ["b"]], [["a", "a"], ["a", "a"]]])
def test_there_is_no_alpha_without_pairs_or_without_variation(data):
    assert nominal_alpha(data) is None


@given(st.lists(st.lists(st.lists(st.sampled_from("abc"), max_size=5), max_size=5), max_size=4))
@settings(max_examples=100, deadline=None)
def test_over_strata_both_disagreements_are_weighted_by_their_answers(strata):
    within = among = 0
    for units in strata:
        paired = [unit for unit in units if len(unit) > 1]
        values = [value for unit in paired for value in unit]
        if len(paired) > 1:
            n = len(values)
            observed = sum(sum(a != b for a, b in permutations(unit, 2)) / (len(unit) - 1) for unit in paired) / n
            expected = sum(a != b for a, b in permutations(values, 2)) / (n * (n - 1))
            within, among = within + n * observed, among + n * expected
    assert stratified_alpha(strata) == (pytest.approx(1 - within / among) if among else None)


def test_one_stratum_of_several_items_is_plain_alpha():
    data = written(units(KRIPPENDORFF_2011))
    assert stratified_alpha([data]) == nominal_alpha(data)
