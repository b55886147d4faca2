"""Exact chance of matches against all permutations tried one by one."""

from fractions import Fraction
from itertools import permutations, product

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from imprint.study.matching import CategoryChoices, expected_matches, matches_p_value


def all_matches(categories):
    """Give the number of matches for every permutation of every category's labels."""
    ways = [
        [
            sum(choice == label for choice, label in zip(one.choices, labels, strict=False))
            for labels in permutations(range(one.labels))
        ]
        for one in categories
    ]
    return [sum(matches) for matches in product(*ways)]


@st.composite
def small(draw):
    labels = draw(st.integers(1, 4))
    choices = draw(st.lists(st.none() | st.integers(0, labels - 1), min_size=1, max_size=labels))
    return CategoryChoices(labels, tuple(choices))


@given(st.lists(small(), min_size=1, max_size=2), st.integers(0, 8))
@settings(max_examples=100, deadline=None)
def test_chance_is_what_all_permutations_give(categories, observed):
    matches = all_matches(categories)
    assert expected_matches(categories) == Fraction(sum(matches), len(matches))
    assert matches_p_value(categories, observed) == pytest.approx(sum(m >= observed for m in matches) / len(matches))


def test_choosing_one_group_for_everything_is_never_surprising():
    assert matches_p_value([CategoryChoices(12, (0,) * 12)], 1) == 1


def test_a_perfect_crowd_is_one_permutation_of_all():
    assert matches_p_value([CategoryChoices(4, (0, 1, 2, 3)), CategoryChoices(3, (2, 0, 1))], 7) == pytest.approx(
        1 / (24 * 6)
    )
