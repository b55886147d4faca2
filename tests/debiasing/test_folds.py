from dataclasses import replace

import numpy as np
import pytest
from refusals import refuses

from imprint.debiasing.folds import FOLDS, REPEATS, STRENGTHS, choose_debiaser, choose_on_folds, fold_frontier
from imprint.debiasing.frontier import measure
from imprint.debiasing.linear import SPREAD, STRENGTH, LinearDebiaser, prepare
from imprint.debiasing.programme import TARGET_GAP
from imprint.directions.axis import pair_axis
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
    assert len(point.selectivities) == FOLDS * REPEATS


def test_background_is_drawn_from_lower_case_words_that_are_neither_gendered_nor_judges(private):
    (point,) = fold_frontier(private, seeds=SEEDS, judges=OTHERS[:40], **FEW)
    problem = prepare(private, seeds=SEEDS)  # not queen, Thing, nor the catalogue's word
    (whole,) = measure(problem, [LinearDebiaser(5.0, 0.0)], held_out=SEEDS, background=OTHERS[40:])
    assert point.background_ratio == pytest.approx(whole.variances.background_ratio, rel=1e-4)
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


def test_every_fold_and_setting_is_what_the_certified_solution_gives(private):
    strengths, spreads = (0.5, 5.0, 50.0, 500.0), (0.0, 0.05)
    points = fold_frontier(private, seeds=SEEDS, strengths=strengths, spreads=spreads, seed=4)
    generator = np.random.default_rng(4)
    background = [OTHERS[row] for row in generator.choice(len(OTHERS), len(OTHERS), replace=False)]
    apart = [SEEDS[row] for row in generator.permutation(len(SEEDS))[0::FOLDS]]
    whole = prepare(private, seeds=SEEDS)
    rows = private.lookup(apart).vectors.astype(np.float64)
    one_fold = replace(whole, seed_gram=whole.seed_gram - rows.T @ rows)
    debiasers = [LinearDebiaser(point.strength, point.spread) for point in points]
    in_fold = measure(one_fold, debiasers, held_out=apart, background=background)
    in_all = measure(whole, debiasers, held_out=apart, background=background)
    assert {point.cone_active for point in in_fold} == {True, False}
    for point, fold, every in zip(points, in_fold, in_all, strict=True):
        assert point.selectivities[0] == pytest.approx(fold.variances.selectivity, rel=1e-3)
        assert point.background_ratio == pytest.approx(every.variances.background_ratio, rel=1e-3)
        assert point.reduction == np.median(point.selectivities) / point.background_ratio


def test_several_axes_are_chosen_for_together(private):
    axes = [pair_axis(private, [pair]) for pair in (("he", "she"), ("queen", "she"))]
    points = fold_frontier(private, axis=axes, seeds=SEEDS, strengths=(1.0, 5.0), spreads=(0.0,))
    assert all(point.background_ratio > 0.0 for point in points)
    assert LinearDebiaser(spread=0.0).fit(private, axis=axes, seeds=SEEDS).card.settings["strength"] in STRENGTHS


def test_enough_reduction_comes_first_and_the_least_changed_background_second(private):
    points = fold_frontier(private, seeds=SEEDS, strengths=(0.5, 5.0, 50.0), spreads=(0.0, 0.2, 0.5))
    for wanted in (1.0, *(point.reduction for point in points)):
        chosen = choose_debiaser(points, reduction=wanted)
        (point,) = (one for one in points if (one.strength, one.spread) == (chosen.strength, chosen.spread))
        rivals = [one for one in points if one.reduction >= wanted]
        assert point in rivals
        least = max(np.log(1.05), min(abs(np.log(one.background_ratio)) for one in rivals))
        alike = [one for one in rivals if abs(np.log(one.background_ratio)) <= least]
        assert point.reduction == max(one.reduction for one in alike)
    most = max(points, key=lambda point: point.reduction)
    assert choose_debiaser(points, reduction=1e6) == LinearDebiaser(most.strength, most.spread)
    with refuses(SettingError, option="points", got=[]):
        choose_debiaser([])


def test_the_default_is_what_folds_of_the_bundled_seeds_choose(bundled):
    chosen = choose_on_folds(bundled)
    fitted = LinearDebiaser().fit(bundled).card
    assert chosen == choose_debiaser(fold_frontier(bundled))
    assert (fitted.settings["strength"], fitted.settings["spread"]) == (chosen.strength, chosen.spread) == (10.0, 0.0)
    assert fitted.measured["gap"] <= TARGET_GAP
    assert choose_on_folds(bundled, spread=0.05).spread == 0.05


def test_without_words_for_folds_a_fixed_strength_is_used(private):
    assert choose_on_folds(private, seeds=SEEDS[:9]) is None
    card = LinearDebiaser().fit(private, seeds=SEEDS[:9]).card
    assert (card.settings["strength"], card.settings["spread"]) == (STRENGTH, SPREAD)
