"""Axes of bias: against formulas written out, and against what geometry promises."""

import numpy as np
import pytest
from refusals import refuses

from imprint.directions.axis import pair_axis, set_axis
from imprint.embeddings.embedding import Embedding
from imprint.errors import SettingError, VocabularyError

MEN, WOMEN = ("he", "man", "boy", "king"), ("she", "woman", "girl", "queen")
PAIRS = tuple(zip(MEN, WOMEN, strict=True))


def embedded(vectors, words=(*MEN, *WOMEN)):
    return Embedding("small", list(words), np.asarray(vectors, dtype=np.float32))


@pytest.fixture
def vectors():
    rng = np.random.default_rng(8)
    gender = rng.normal(size=12)
    return (rng.normal(size=(8, 12)) + np.outer([1] * 4 + [-1] * 4, gender)).astype(np.float32)


@pytest.fixture
def units(vectors):
    """Every word's row at unit length, in double precision."""
    rows = vectors.astype(float)
    return dict(zip((*MEN, *WOMEN), rows / np.sqrt((rows**2).sum(axis=1, keepdims=True)), strict=True))


def test_one_pair_is_the_papers_formula(vectors, units):
    axis = pair_axis(embedded(vectors), [("he", "she")])
    difference = units["he"] - units["she"]
    assert axis.direction == pytest.approx(difference / np.sqrt(difference @ difference))
    assert (axis.explained, axis.agreement, axis.missing) == (None, None, ())
    assert repr(axis) == "Axis(he - she, difference, 12 dimensions)"


def test_several_pairs_give_the_mean_of_their_differences(vectors, units):
    axis = pair_axis(embedded(vectors), PAIRS)
    mean = sum(units[man] - units[woman] for man, woman in PAIRS) / 4
    assert axis.direction == pytest.approx(mean / np.linalg.norm(mean))
    assert (axis.positive, axis.negative, axis.name) == (MEN, WOMEN, "he, ... - she, ...")


def test_pca_is_the_first_component_of_the_words_around_each_pairs_middle(vectors, units):
    axis = pair_axis(embedded(vectors), PAIRS, method="pca")
    around = []
    for man, woman in PAIRS:
        middle = (units[man] + units[woman]) / 2
        around += [units[man] - middle, units[woman] - middle]
    values, components = np.linalg.eigh(np.transpose(around) @ np.array(around))
    assert abs(axis.direction @ components[:, -1]) == pytest.approx(1)
    assert axis.explained == pytest.approx(values[-1] / values.sum())


def test_pca_finds_a_direction_that_was_put_in():
    rng = np.random.default_rng(2)
    gender, middles = np.zeros(6), rng.normal(size=(4, 6))
    gender[2] = 1.0
    middles[:, 2] = 0.0  # so that both words of a pair have one length, and differ along the axis alone
    built = embedded(np.concatenate([middles + gender, middles - gender]))
    for method in ("difference", "pca"):
        axis = pair_axis(built, PAIRS, method=method)
        assert axis.direction == pytest.approx(gender, abs=1e-6)
        assert (axis.explained, axis.agreement) == pytest.approx((1.0, 1.0))


def test_no_direction_explains_more_than_pcas(vectors):
    built = embedded(vectors)
    assert pair_axis(built, PAIRS, method="pca").explained > pair_axis(built, PAIRS).explained


def test_explained_and_agreement_are_their_formulas(vectors, units):
    differences = [units[man] - units[woman] for man, woman in PAIRS]
    for method in ("difference", "pca"):
        axis = pair_axis(embedded(vectors), PAIRS, method=method)
        along = sum((difference @ axis.direction) ** 2 for difference in differences)
        assert axis.explained == pytest.approx(along / sum(difference @ difference for difference in differences))
        cosines = [
            a @ b / np.linalg.norm(a) / np.linalg.norm(b)
            for place, a in enumerate(differences)
            for b in differences[:place]
        ]
        assert axis.agreement == pytest.approx(sum(cosines) / 6)


@pytest.mark.parametrize("method", ["difference", "pca"])
def test_the_axis_points_to_the_first_words_and_turns_with_the_pairs(vectors, method):
    built = embedded(vectors)
    axis = pair_axis(built, PAIRS, method=method)
    turned = pair_axis(built, [pair[::-1] for pair in PAIRS], method=method)
    assert axis.project(vectors[:4]).mean() > 0 > axis.project(vectors[4:]).mean()
    assert turned.direction == pytest.approx(-axis.direction)
    assert (turned.explained, turned.agreement) == pytest.approx((axis.explained, axis.agreement))


def axes(embedding):
    return (
        pair_axis(embedding, PAIRS[:1]),
        pair_axis(embedding, PAIRS),
        pair_axis(embedding, PAIRS, method="pca"),
        set_axis(embedding, MEN, WOMEN[:2]),
    )


def test_the_lengths_of_rows_change_nothing(vectors):
    lengths = np.random.default_rng(1).uniform(0.1, 9.0, size=(8, 1))
    for axis, scaled in zip(axes(embedded(vectors)), axes(embedded(vectors * lengths)), strict=True):
        assert scaled.direction == pytest.approx(axis.direction, abs=1e-6)


def test_a_common_rotation_turns_the_axis_with_it(vectors):
    rotation, _ = np.linalg.qr(np.random.default_rng(5).normal(size=(12, 12)))
    for axis, rotated in zip(axes(embedded(vectors)), axes(embedded(vectors @ rotation)), strict=True):
        assert rotated.direction == pytest.approx(axis.direction @ rotation, abs=1e-6)
        assert np.linalg.norm(rotated.direction) == pytest.approx(1)
        if axis.explained is not None:
            assert (rotated.explained, rotated.agreement) == pytest.approx((axis.explained, axis.agreement), abs=1e-5)


def test_two_sets_are_joined_by_their_means(vectors, units):
    axis = set_axis(embedded(vectors), (*MEN, "lad"), WOMEN[:2])
    joined = sum(units[man] for man in MEN) / 4 - (units["she"] + units["woman"]) / 2
    assert axis.direction == pytest.approx(joined / np.linalg.norm(joined))
    assert (axis.method, axis.positive, axis.negative, axis.missing) == ("sets", MEN, WOMEN[:2], ("lad",))


def test_sets_of_one_word_each_are_a_pair(vectors):
    built = embedded(vectors)
    assert set_axis(built, ["he"], ["she"]).direction == pytest.approx(pair_axis(built, [("he", "she")]).direction)


def test_pairs_that_miss_a_word_are_left_out_and_the_word_is_named(vectors):
    axis = pair_axis(embedded(vectors), [*PAIRS[:2], ("uncle", "she")])
    assert axis.missing == ("uncle",)
    assert axis.direction == pytest.approx(pair_axis(embedded(vectors), PAIRS[:2]).direction)


@pytest.mark.parametrize(
    ("make", "error", "fields"),
    [
        (lambda e: pair_axis(e, [("he", "ze")]), VocabularyError, {"words": ("ze",), "where": "small"}),
        (lambda e: pair_axis(e, [("he", "he")]), SettingError, {"words": ("he",), "option": "pairs"}),
        (lambda e: pair_axis(e, [("He", "he")]), VocabularyError, {"words": ("He", "he"), "where": "small"}),
        (lambda e: pair_axis(e, [("he", "twice")]), VocabularyError, {"words": ("he", "twice")}),
        (lambda e: pair_axis(e, [("man", "woman"), ("he", "twice")]), VocabularyError, {"words": ("he", "twice")}),
        (lambda e: pair_axis(e, [("he", "she"), ("she", "he")]), VocabularyError, {"where": "small"}),
        (lambda e: pair_axis(e, []), SettingError, {"option": "pairs", "got": []}),
        (lambda e: pair_axis(e, ("he", "she")), SettingError, {"option": "pairs"}),
        (lambda e: pair_axis(e, "he"), SettingError, {"option": "pairs", "got": "he"}),
        (lambda e: pair_axis(e, [("he", 3)]), SettingError, {"option": "pairs"}),
        (lambda e: pair_axis(e, [("he", "she", "it")]), SettingError, {"option": "pairs"}),
        (lambda e: pair_axis(e, [("he", "she")], method="mean"), SettingError, {"option": "method", "got": "mean"}),
        (lambda e: set_axis(e, ["ze"], ["she"]), VocabularyError, {"words": ("ze",), "where": "small"}),
        (lambda e: set_axis(e, [], ["she"]), SettingError, {"got": []}),
        (lambda e: set_axis(e, ["he", "man"], ["man", "he"]), VocabularyError, {"where": "small"}),
        (lambda e: set_axis(e, "he", ["she"]), SettingError, {"option": "words", "got": "he"}),
    ],
)
def test_what_makes_no_axis_is_refused_in_one_line(vectors, make, error, fields):
    # "twice" is "he" at another length: the same place once rows have unit length, up to rounding.
    built = embedded(np.concatenate([vectors, vectors[:1] * np.float32(1.7)]), (*MEN, *WOMEN, "twice"))
    with refuses(error, **fields):
        make(built)
