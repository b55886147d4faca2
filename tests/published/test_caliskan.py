"""Caliskan, Bryson and Narayanan (2016, 2017): every figure that can be computed, to its printed rounding."""

import math

import pytest
from scipy.stats import pearsonr, spearmanr

from imprint.association.battery import run_battery
from imprint.association.weat import WeatRow, weat
from imprint.association.wefat import wefat
from imprint.stimuli.catalog import catalogue, choose, get

# Test: (effect size, p as printed). A bound "< 1e-7" is one, "1e-2" is an order of magnitude.
FIGURES = {
    "caliskan-1": (1.50, "<1e-7"),
    "caliskan-2": (1.53, "<1e-7"),
    "caliskan-3": (1.41, "<1e-8"),
    "caliskan-4": (1.50, "<1e-4"),
    "caliskan-5": (1.28, "<1e-3"),
    "caliskan-6": (1.81, "<1e-3"),
    "caliskan-7": (1.06, "1e-2"),
    "caliskan-8": (1.24, "1e-2"),
    "caliskan-9": (1.38, "1e-2"),
    "caliskan-10": (1.21, "1e-2"),
}
HALF_A_DIGIT = 0.005 + 1e-9


@pytest.mark.parametrize("identifier", FIGURES)
def test_effect_sizes_and_p_values_are_those_printed(glove, identifier):
    effect, p = FIGURES[identifier]
    result = weat(glove, identifier)
    assert result.missing == ()
    assert abs(result.effect_size - effect) <= HALF_A_DIGIT
    if p.startswith("<"):
        assert result.p_value < float(p[1:])
    else:
        assert round(math.log10(result.p_value)) == math.log10(float(p))


@pytest.mark.parametrize("identifier", FIGURES)
def test_the_catalogue_prints_the_same_figures(identifier):
    figure = get(identifier).published[0]
    assert (figure.effect, figure.p) == FIGURES[identifier]


def test_every_p_value_of_the_ten_tests_is_an_exact_count(glove):
    battery = run_battery(glove, choose(catalogue(), FIGURES))
    for row in battery.of(WeatRow):
        assert row.p_method == "exact"
        assert int(row.partitions) == math.comb(row.n_x + row.n_y, row.n_x)
        assert row.p_value == int(row.extreme) / int(row.partitions)
    assert {row.test: int(row.extreme) for row in battery.of(WeatRow)} == {
        "caliskan-1": 183_759,
        "caliskan-2": 5_850,
        "caliskan-3": 100_522_568,
        "caliskan-4": 572,
        "caliskan-5": 13_486,
        "caliskan-6": 1,
        "caliskan-7": 202,
        "caliskan-8": 61,
        "caliskan-9": 4,
        "caliskan-10": 66,
    }


@pytest.mark.parametrize(
    ("identifier", "r", "below"),
    [("caliskan-wefat-occupations", 0.90, 1e-18), ("caliskan-wefat-names", 0.84, 1e-13)],
)
def test_correlations_with_the_world_are_those_printed(glove, identifier, r, below):
    row = wefat(glove, identifier)
    assert len(row.scores) == 50
    assert abs(row.r - r) <= HALF_A_DIGIT
    assert row.p_value < below


def test_seats_word_test_7_on_bags_of_words_has_the_printed_p(glove):
    assert round(weat(glove, "caliskan-7").p_value, 3) == 0.016


@pytest.mark.parametrize(("identifier", "effect"), [("caliskan-1", 1.54), ("caliskan-6", 1.89), ("caliskan-7", 0.97)])
def test_effects_on_google_news_are_those_printed(google_news, identifier, effect):
    assert abs(weat(google_news, identifier).effect_size - effect) <= HALF_A_DIGIT


def test_occupations_agree_across_embeddings_nearly_as_printed(glove, google_news):
    one, other = (
        {score.word: score.value for score in wefat(embedding, "caliskan-wefat-occupations").scores}
        for embedding in (glove, google_news)
    )
    shared = [word for word in one if word in other]
    pairs = [one[word] for word in shared], [other[word] for word in shared]
    # The package lacks six of the fifty words, so the last printed digit may be off by one.
    assert len(shared) == 44
    assert abs(pearsonr(*pairs).statistic - 0.88) <= HALF_A_DIGIT + 0.01
    assert abs(spearmanr(*pairs).statistic - 0.86) <= HALF_A_DIGIT + 0.01
