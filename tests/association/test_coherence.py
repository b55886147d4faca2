"""The paper's checks and summaries, on results whose numbers are made up."""

import math

import numpy as np
import pytest
from msgspec.structs import replace

from imprint.association.coherence import check_coherence, contrasts
from imprint.association.seat import seat
from imprint.stimuli.catalog import get


@pytest.fixture(scope="module")
def template():
    """A result to change."""
    return seat(
        lambda texts: [np.random.default_rng([*text.encode()]).normal(size=4) for text in texts],
        "caliskan-7",
        context="word",
    )


@pytest.fixture
def make(template):
    def result(test, effect=1.0, p=0.001, **changes):
        return replace(
            template,
            test=test,
            topics=get(test).topics,
            effect_size=effect,
            **{"p_value": p, "p_low": p, "p_high": p} | changes,
        )

    return result


@pytest.fixture
def row(make):
    def make_row(test, effect, *, found=False, **changes):
        return make(test, effect, 0.01 if found else 0.011, stars="**" if found else "", **changes)

    return make_row


@pytest.mark.parametrize(
    ("seven", "eight", "holds"),
    [
        ((1.0, 0.001), (0.9, 0.002), True),
        ((0.2, 0.3), (0.1, 0.4), None),
        ((0.2, 0.3), (-0.1, 0.6), None),  # neither says anything
        ((1.0, 0.01), (-1.0, 0.01), False),  # the level itself is significant
        ((1.0, 0.001), (-1.0, 0.001), False),
        # The paper calls 0.016 and 0.01 similar, the next two discrepant.
        ((1.0, 0.016), (0.9, 0.01), True),
        ((1.0, 0.12), (0.9, 0.001), False),
        ((1.0, 0.005), (0.9, 0.05), True),
        ((1.0, 0.005), (0.9, 0.051), False),
    ],
)
def test_tests_seven_and_eight_agree_unless_one_is_found_clearly_or_both_are_opposed(make, seven, eight, holds):
    (check,) = check_coherence([make("caliskan-8", *eight), make("caliskan-7", *seven)])
    assert (check.kind, check.check, check.test) == ("seat-coherence", "agree", "caliskan-7 caliskan-8")
    assert (check.effect_sizes, check.p_values) == ((seven[0], eight[0]), (seven[1], eight[1]))
    assert check.holds is holds


@pytest.mark.parametrize(
    ("p_values", "holds"),
    [
        ((0.001, 0.01, 0.02), True),
        ((0.01, 0.01, 0.01), True),
        ((0.1, 0.2, 0.3), None),  # nothing found that could rise
        ((0.01, 0.001, 0.02), False),
        ((0.01, 0.3, 0.2), False),
    ],
)
def test_p_rises_from_test_three_to_five(make, p_values, holds):
    numbered = zip((3, 4, 5), p_values, strict=True)
    results = [make(f"caliskan-{number}", p=p, unit="sentence") for number, p in numbered]
    (check,) = check_coherence(results[::-1])
    assert (check.check, check.p_values) == ("p rises", p_values)
    assert check.holds is holds


def test_by_words_p_need_not_rise_between_tests_of_the_same_names(make):
    # Tests 4 and 5 permute the same names: only test 3 has more.
    assert get("caliskan-4").x.words == get("caliskan-5").x.words
    assert len(get("caliskan-3").x.words) == 2 * len(get("caliskan-4").x.words)
    assert get("caliskan-3").a.words == get("caliskan-4").a.words
    (check,) = check_coherence([make(f"caliskan-{n}", p=p) for n, p in ((3, 0.001), (4, 0.01), (5, 0.002))])
    assert (check.test, check.unit, check.holds) == ("caliskan-3 caliskan-4", "word", True)
    assert check.reason


def test_bounds_that_overlap_do_not_fall(make):
    p_values = {3: 0.0105, 4: 0.0100, 5: 0.02}
    three, four, five = (make(f"caliskan-{number}", p=p, unit="sentence") for number, p in p_values.items())
    assert not check_coherence([three, four, five])[0].holds
    bounded = replace(three, p_low=0.0098)
    assert check_coherence([bounded, four, five])[0].holds


def test_only_results_of_one_encoder_context_and_unit_are_checked_together(make):
    seven, eight = make("caliskan-7"), make("caliskan-8")
    elsewhere = ({"unit": "sentence"}, {"context": "bleached"}, {"embedding": "other"}, {"embedding_sha256": "other"})
    for changes in elsewhere:
        assert check_coherence([seven, replace(eight, **changes)]) == []
    both = [replace(result, **changes) for changes in elsewhere for result in (seven, eight)]
    assert len(check_coherence([seven, eight, *both])) == 1 + len(elsewhere)
    assert check_coherence([make("caliskan-3"), make("caliskan-5")]) == []


def test_a_check_has_the_seed_of_its_results_and_none_for_effects_that_do_not_exist(make):
    (check,) = check_coherence([make("caliskan-7", seed=3), make("caliskan-8", math.nan, seed=3)])
    assert (check.seed, check.effect_sizes, check.unit) == (3, (1.0, None), "word")


def test_names_are_set_against_group_terms_where_both_were_asked_in_one_context(row):
    rows = [
        row("caliskan-6", 1.0, found=True),
        row("seat-6b", 0.5),
        row("caliskan-7", 0.2, found=True),  # here the terms are Caliskan's
        row("seat-7b", 0.4, found=True),
        row("caliskan-5", 9.0, found=True),  # nothing to set it against
        row("seat-5b", 9.0, context="bleached"),
    ]
    (found,) = contrasts(rows)
    assert (found.ways, found.questions, found.found) == (("names", "group terms"), 2, (2, 1))
    assert found.mean_effects == pytest.approx((0.7, 0.35))


def test_words_are_set_against_bleached_sentences_of_the_same_test(row):
    rows = [
        row("caliskan-9", 1.0, found=True),
        row("caliskan-9", 0.5, context="bleached", found=True),
        row("caliskan-10", 0.2),
        row("caliskan-10", 0.3, context="bleached", found=True),
        row("seat-double-bind-likable", 9.0, context="unbleached", found=True),
    ]
    (found,) = contrasts(rows)
    assert (found.ways, found.questions, found.found) == (("words", "sentences"), 2, (1, 2))
    assert found.mean_effects == pytest.approx((0.6, 0.4))


def test_units_and_encoders_are_summed_up_apart(row):
    places = [{"unit": unit, "embedding": name} for unit in ("word", "sentence") for name in ("one", "other")]
    rows = [row("caliskan-9", 1.0, context=c, **place) for place in places for c in ("word", "bleached")]
    found = contrasts(rows)
    assert [(one.unit, one.embedding, one.questions) for one in found] == [
        (place["unit"], place["embedding"], 1) for place in places
    ]
    assert contrasts(rows[:1]) == []


def test_tests_without_a_p_value_compare_nothing(row):
    rows = [row("caliskan-9", 1.0, context=context, p_value=None) for context in ("word", "bleached")]
    assert contrasts(rows) == []
