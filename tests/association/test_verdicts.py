"""Levels of evidence: Holm's correction of the largest p of a level's checks, against a brute-force one."""

from dataclasses import replace

import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st

from imprint.association.evidence import Checks
from imprint.association.verdicts import FOUND, Case, best_known, judge, strongest

ALPHA = 0.05
NEEDED = {
    "limited": ("label",),
    "moderate": ("label", "frequency", "words"),
    "strong": ("label", "frequency", "words", "axes"),
}
# Numbers around what 0.05 is divided by, where Holm's steps decide.
P_VALUES = st.sampled_from([ALPHA / divisor * share for divisor in range(1, 7) for share in (0.5, 1.0, 1.001)]) | (
    st.floats(1e-9, 1.0)
)


@st.composite
def questions(draw):
    p_label = draw(P_VALUES)
    others = {f"p_{check}": draw(st.none() | P_VALUES) for check in ("frequency", "words", "axes")}
    floor = draw(st.just(0.0) | st.floats(0, 1).map(lambda share: share * p_label))
    return Case(Checks(p_label, p_label_floor=floor, **others), draw(st.booleans()), draw(st.booleans()))


FAMILIES = st.lists(questions(), max_size=6)


def largest(question, level):
    p_values = [getattr(question.checks, f"p_{check}") for check in NEEDED[level]]
    return max(1.0 if p is None else p for p in p_values)


def step_down(p_values, alpha):
    """Reject the smallest p while it is at most alpha divided by how many are left: Holm as he wrote it."""
    left = sorted(range(len(p_values)), key=p_values.__getitem__)
    rejected = set()
    while left and p_values[left[0]] * len(left) <= alpha:
        rejected.add(left.pop(0))
    return rejected


@settings(deadline=None)
@given(FAMILIES)
def test_a_level_is_reached_where_holms_correction_of_its_largest_p_rejects(asked):
    judged = judge(asked, ALPHA)
    family = [place for place, question in enumerate(asked) if not question.control]
    reached = {
        level: {family[place] for place in step_down([largest(asked[one], level) for one in family], ALPHA)}
        for level in NEEDED
    }
    for place in family:
        level = next((level for level in FOUND if place in reached[level]), None)
        if not asked[place].enough:
            assert judged[place].evidence == "too few words"
        elif level is not None:
            assert judged[place].evidence == level
        else:
            assert judged[place].evidence in ("none shown", "too few words")
        assert judged[place].family_size == len(family)


@given(FAMILIES)
def test_strong_implies_moderate_implies_limited(asked):
    for one in judge(asked, ALPHA):
        if one.evidence is not None:
            assert one.p_holm <= one.p_moderate_holm <= one.p_strong_holm


@given(FAMILIES)
def test_controls_are_never_judged_and_change_nothing(asked):
    judged = judge(asked, ALPHA)
    controls = [one for one, question in zip(judged, asked, strict=True) if question.control]
    assert all((one.evidence, one.p_holm, one.family_size) == (None, None, None) for one in controls)
    alone = judge([question for question in asked if not question.control], ALPHA)
    assert [one for one, question in zip(judged, asked, strict=True) if not question.control] == alone


@given(FAMILIES)
@example([Case(Checks(0.03, p_frequency=0.01, p_words=0.01, p_axes=0.01), False, True),
          Case(Checks(0.001, p_frequency=0.01, p_words=0.01, p_axes=0.9), False, True)])  # fmt: skip
def test_what_keeps_a_test_from_strong_evidence_is_named(asked):
    for one, question in zip(judge(asked, ALPHA), asked, strict=True):
        if one.evidence in ("moderate", "limited", "none shown"):
            assert one.checks_failed
        if one.evidence == "strong":
            assert one.checks_failed == ()
        for check in ("frequency", "words", "axes"):
            if getattr(question.checks, f"p_{check}") is None and one.evidence is not None:
                assert check in one.checks_failed


@given(FAMILIES, st.integers(0, 5))
def test_a_smaller_p_never_weakens_the_evidence(asked, place):
    order = ("none shown", "limited", "moderate", "strong")
    asked = [replace(question, enough=True, checks=replace(question.checks, p_label_floor=0.0)) for question in asked]
    place = min(place, len(asked) - 1)
    if not asked or asked[place].control:
        return
    smaller = replace(asked[place], checks=replace(asked[place].checks, p_label=asked[place].checks.p_label / 10))
    before, after = (judge(some, ALPHA) for some in (asked, [*asked[:place], smaller, *asked[place + 1 :]]))
    for one, other in zip(before, after, strict=True):
        assert one.evidence is other.evidence is None or order.index(other.evidence) >= order.index(one.evidence)


def test_no_p_of_so_few_words_could_be_small_enough():
    few = Case(Checks(0.03, p_label_floor=0.03), control=False, enough=True)
    others = [Case(Checks(0.9, p_label_floor=0.0), control=False, enough=True)] * 2
    assert [one.evidence for one in judge([few, *others], ALPHA)] == ["too few words", "none shown", "none shown"]
    assert judge([few], ALPHA)[0].evidence == "limited"


@pytest.mark.parametrize(
    ("levels", "best"),
    [((), None), ((None, "none shown"), None), (("limited", "moderate", None), "moderate"), (FOUND, "strong")],
)
def test_the_strongest_of_levels(levels, best):
    assert strongest(levels) == best
    assert best_known(levels) == best or best is None


@pytest.mark.parametrize(
    ("levels", "best"),
    [((), None), ((None,), None), (("too few words", "not run", None), "too few words"),
     (("not run", "none shown", "too few words"), "none shown"), (("none shown", "limited"), "limited")],
)  # fmt: skip
def test_without_any_found_the_level_that_says_most_counts(levels, best):
    assert best_known(levels) == best
