import numpy as np
import pytest
from refusals import refuses

from imprint.debiasing.folds import FOLDS, REPEATS, SPREADS, choose_debiaser, fold_frontier
from imprint.debiasing.frontier import measure
from imprint.debiasing.linear import SPREAD, STRENGTH, LinearDebiaser, prepare
from imprint.embeddings.embedding import Embedding
from imprint.errors import SettingError, VocabularyError
from imprint.stimuli import seeds as catalogue

SEEDS = tuple(f"job{letter}" for letter in "abcdefghijklmnopqrst")
OTHERS = tuple(f"thing{one}{two}" for one in "abcdefghij" for two in "abcdefghij")
FEW = {"strengths": (5.0,), "spreads": (0.0,)}


@pytest.fixture(scope="module")
def private():
    """Every seed leans along he - she in a dimension of its own, which no other seed has."""
    generator = np.random.default_rng(3)
    count = len(SEEDS)
    lean = np.where(np.arange(count) % 2, 1.0, -1.0)
    he = np.concatenate([lean, [1.0, 0.0]])
    jobs = np.eye(count, count + 2)
    things = generator.normal(size=(len(OTHERS), count + 2))
    others = generator.normal(size=(3, count + 2))
    words = [*SEEDS, *OTHERS, "he", "she", "queen", "Thing", catalogue.background()[0]]
    return Embedding("private", words, np.concatenate([jobs, things, [he], [-he], others]).astype(np.float32))


def test_a_fold_is_judged_by_seeds_that_its_fit_never_saw(private):
    (point,) = fold_frontier(private, seeds=SEEDS, **FEW)
    problem = prepare(private, seeds=SEEDS)
    (seen,) = measure(problem, [LinearDebiaser(5.0, 0.0)], held_out=SEEDS, background=OTHERS)
    assert seen.variances.reduction > 3.0
    assert point.reduction < 1.5
    assert len(point.folds) == FOLDS * REPEATS
    assert sum(one.held_out for one in point.folds) == REPEATS * len(SEEDS)


def test_background_is_drawn_from_lower_case_words_that_are_neither_gendered_nor_judges(private):
    (point,) = fold_frontier(private, seeds=SEEDS, judges=OTHERS[:40], **FEW)
    assert {one.background for one in point.folds} == {60}  # not queen, Thing, nor the catalogue's word
    with refuses(VocabularyError, "background", where="private"):
        fold_frontier(private, seeds=SEEDS, judges=OTHERS[1:], **FEW)


def test_points_come_for_every_strength_and_spread_and_again_for_the_same_seed(private):
    options = {"seeds": SEEDS, "strengths": (1.0, 5.0), "spreads": (0.0, 0.1)}
    points = fold_frontier(private, **options)
    assert {(point.strength, point.spread) for point in points} == {(1.0, 0.0), (5.0, 0.0), (1.0, 0.1), (5.0, 0.1)}
    assert fold_frontier(private, **options) == points
    assert fold_frontier(private, seed=1, **options) != points


def test_too_few_seeds_for_folds_are_refused(private):
    with refuses(VocabularyError, "9", "10", where="private"):
        fold_frontier(private, seeds=[*SEEDS[:9], SEEDS[0], "nobody"])


def test_what_to_expect_is_the_median_selectivity_at_the_background_of_all_seeds(private):
    (point,) = fold_frontier(private, seeds=SEEDS, **FEW)
    (whole,) = measure(prepare(private, seeds=SEEDS), [LinearDebiaser(5.0, 0.0)], held_out=SEEDS, background=OTHERS)
    assert point.background_ratio == pytest.approx(whole.variances.background_ratio)
    expected = np.median([one.background_ratio * one.held_out_before / one.held_out_after for one in point.folds])
    assert point.reduction * point.background_ratio == pytest.approx(expected)


def test_enough_reduction_comes_first_and_the_least_changed_background_second(private):
    points = fold_frontier(private, seeds=SEEDS, strengths=(0.5, 5.0, 50.0), spreads=(0.0, 0.2, 0.5))
    for wanted in (1.0, *(point.reduction for point in points)):
        chosen = choose_debiaser(points, reduction=wanted)
        (point,) = (one for one in points if (one.strength, one.spread) == (chosen.strength, chosen.spread))
        rivals = [one for one in points if one.reduction >= wanted]
        assert point in rivals
        assert abs(np.log(point.background_ratio)) == min(abs(np.log(one.background_ratio)) for one in rivals)
    most = max(points, key=lambda point: point.reduction)
    assert choose_debiaser(points, reduction=1e6) == LinearDebiaser(most.strength, most.spread)
    with refuses(SettingError, option="points", got=[]):
        choose_debiaser([])


@pytest.mark.slow
def test_the_default_is_what_folds_of_the_bundled_seeds_choose(bundled):
    points = fold_frontier(bundled, strengths=(5.0, 10.0, 20.0), spreads=(SPREAD,))
    assert choose_debiaser(points) == LinearDebiaser() == LinearDebiaser(STRENGTH, SPREAD)
    assert SPREAD in SPREADS
