"""The four outcomes: their order, and what stands in their way."""

import math

import pytest
from hypothesis import given
from hypothesis import strategies as st

from imprint.significance.outcomes import MARGIN, outcome, too_few

ENDS = st.tuples(*[st.floats(-2, 2) | st.sampled_from([-MARGIN, 0.0, MARGIN, -math.inf, math.inf])] * 2).map(sorted)
OBSTACLES = st.sampled_from([None, "few words", "frequency", "attributes not distinguished", "controls"])


@given(ENDS, OBSTACLES)
def test_outcomes_are_tried_in_their_order(ends, obstacle):
    low, high = ends
    beyond, within = low > MARGIN or high < -MARGIN, low >= -MARGIN and high <= MARGIN
    excludes_zero = low > 0 or high < 0
    judged = outcome(low, high, obstacle=obstacle)
    assert judged.obstacle == obstacle
    if obstacle is None:
        shown = [
            *(["substantial"] if beyond else []),
            *(["small"] if within else []),
            *(["present"] if excludes_zero else []),
            "cannot tell",
        ]
        assert (judged.outcome, judged.reason, judged.excludes_zero) == (shown[0], None, excludes_zero)
    elif obstacle == "frequency":
        assert judged.outcome == ("small" if within else "cannot tell")
        assert judged.reason == ("frequency" if excludes_zero and not within else None)
    else:
        assert (judged.outcome, judged.reason) == ("cannot tell", obstacle)


@given(ENDS, OBSTACLES)
def test_the_other_direction_has_the_same_outcome(ends, obstacle):
    low, high = ends
    assert outcome(low, high, obstacle=obstacle) == outcome(-high, -low, obstacle=obstacle)


@given(ENDS, ENDS)
def test_a_narrower_interval_never_takes_back_what_was_said(one, other):
    low, high = max(one[0], other[0]), min(one[1], other[1])
    if low > high:
        return
    wide, narrow = outcome(*one), outcome(low, high)
    still = {
        "substantial": {"substantial"},
        "small": {"small"},
        "present": {"present", "substantial", "small"},
        "cannot tell": {"substantial", "small", "present", "cannot tell"},
    }
    assert narrow.outcome in still[wide.outcome]
    assert narrow.excludes_zero >= wide.excludes_zero


@pytest.mark.parametrize("ends", [(None, None), (math.nan, math.nan), (0.2, None)])
def test_without_an_interval_nothing_can_be_said(ends):
    assert outcome(*ends) == outcome(*ends, obstacle="few words")
    assert outcome(*ends, obstacle="attributes not distinguished").reason == "attributes not distinguished"


@pytest.mark.parametrize(
    ("units", "words", "listed", "few"),
    [
        ((4, 4, 4, 4), (4, 4, 4, 4), (8, 8, 8, 8), False),
        ((3, 9, 9, 9), (6, 9, 9, 9), (6, 9, 9, 9), True),
        ((4, 9, 9, 9), (4, 9, 9, 9), (9, 9, 9, 9), True),
    ],
)
def test_fewer_than_four_units_or_half_of_the_words_are_too_few(units, words, listed, few):
    assert too_few(units, words, listed) is few
