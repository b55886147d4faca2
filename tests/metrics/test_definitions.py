"""Metrics of other works against their definitions, written out word by word, and against each other."""

from dataclasses import replace
from itertools import chain, product

import numpy as np
import pytest
from scipy.stats import spearmanr
from sklearn.decomposition import PCA

from imprint import Embedding, WeatTest, WordSet, metric, pair_axis, weat


def cosine(one, two):
    return one @ two / np.linalg.norm(one) / np.linalg.norm(two)


@pytest.fixture(scope="module")
def rows(bundled, names):
    """The vectors of the sets of a test, as stored."""
    return [bundled.lookup(one.words).vectors.astype(float) for one in (names.x, names.y, names.a, names.b)]


@pytest.fixture(scope="module")
def units(rows):
    return [one / np.linalg.norm(one, axis=1, keepdims=True) for one in rows]


def values_of(found):
    return [row.value for row in found.findings()]


def test_mac_is_the_mean_over_targets_and_attribute_sets_of_the_mean_distance(bundled, names, rows):
    x, y, a, b = rows[0], rows[1], rows[2], rows[3][:5]
    test = replace(names, b=names.b.subset(names.b.words[:5]))
    expected = np.mean([np.mean([1 - cosine(t, one) for one in side]) for t in (*x, *y) for side in (a, b)])
    (row,) = metric("mac", bundled, test).findings()
    assert row.value == pytest.approx(expected, abs=1e-12)
    assert (row.permuted, row.p_method, row.p_value) == (None, None, row.p_frequency)


@pytest.mark.parametrize("normalize", [True, False])
def test_ect_is_the_rank_correlation_of_cosines_with_the_means(bundled, names, rows, units, normalize):
    x, y, a, b = units if normalize else rows
    expected = [
        spearmanr(*([cosine(mean, one) for one in side] for mean in (x.mean(axis=0), y.mean(axis=0)))).statistic
        for side in (a, b)
    ]
    assert values_of(metric("ect", bundled, names, normalize=normalize)) == pytest.approx(expected, abs=1e-12)


@pytest.mark.parametrize("normalize", [True, False])
def test_ripa_is_the_mean_inner_product_with_the_unit_differences_of_pairs(bundled, names, rows, units, normalize):
    x, y, a, b = units if normalize else rows
    relations = [(one - two) / np.linalg.norm(one - two) for one, two in zip(x, y, strict=True)]
    expected = [np.mean([relation @ one for relation, one in product(relations, side)]) for side in (a, b)]
    assert values_of(metric("ripa", bundled, names, normalize=normalize)) == pytest.approx(expected, abs=1e-12)


def test_ripa_along_a_component_is_the_projection_on_the_axis_of_the_pairs(bundled, names, units):
    axis = pair_axis(bundled, list(zip(names.x.words, names.y.words, strict=True)), method="pca")
    expected = [np.mean(side @ axis.direction) for side in units[2:]]
    found = metric("ripa", bundled, names, relation="component", normalize=True)
    assert values_of(found) == pytest.approx(expected, abs=1e-6)


def test_both_forms_of_ripa_are_the_projection_on_the_axis_where_pairs_have_one_difference():
    rng = np.random.default_rng(0)
    relation = rng.normal(size=5)
    y = rng.normal(size=(3, 5))
    embedding, test = _made([y + relation, y, rng.normal(size=(4, 5)), rng.normal(size=(4, 5))])
    attributes = embedding.vectors[6:10].astype(float)
    expected = np.mean(attributes @ relation / np.linalg.norm(relation))
    for form in ("pairs", "component"):
        assert metric("ripa", embedding, test, relation=form).findings()[0].value == pytest.approx(expected, abs=1e-6)


@pytest.mark.parametrize("c", [1, 0.5, 2])
def test_direct_bias_is_the_mean_cosine_with_the_component_of_pairs_around_their_middles(bundled, names, units, c):
    x, y, a, b = units
    middles = (x + y) / 2
    component = PCA(1).fit(np.vstack([x - middles, y - middles])).components_[0]
    expected = np.mean([abs(cosine(one, component)) ** c for one in (*a, *b)])
    (row,) = metric("direct-bias", bundled, names, c=c).findings()
    assert row.value == pytest.approx(expected, abs=1e-9)
    assert (row.directed, row.excess) == (False, pytest.approx(row.value - row.expected))


def test_direct_bias_is_that_of_the_axis(bundled, names, units):
    axis = pair_axis(bundled, list(zip(names.x.words, names.y.words, strict=True)), method="pca")
    expected = np.mean(np.abs(np.vstack(units[2:]) @ axis.direction))
    assert values_of(metric("direct-bias", bundled, names)) == pytest.approx([expected], abs=1e-6)


def test_same_is_made_of_cosines_with_the_difference_of_means(bundled, names, units):
    x, y, a, b = units
    way = x.mean(axis=0) - y.mean(axis=0)
    cosines = np.array([cosine(one, way) for one in (*a, *b)])
    assert values_of(metric("same", bundled, names)) == pytest.approx([np.mean(np.abs(cosines))], abs=1e-12)
    skew = metric("same", bundled, names, score="skew")
    assert values_of(skew) == pytest.approx([cosines[:8].mean(), cosines[8:].mean()], abs=1e-12)
    assert values_of(metric("same", bundled, names, score="stereotype")) == pytest.approx([cosines.std()], abs=1e-12)


def test_the_difference_of_skews_is_weats_mean_difference_over_the_length_of_the_direction(bundled, names, units):
    length = np.linalg.norm(units[0].mean(axis=0) - units[1].mean(axis=0))
    of_a, of_b = values_of(metric("same", bundled, names, score="skew"))
    assert (of_a - of_b) * length == pytest.approx(weat(bundled, names).mean_difference, abs=1e-6)


def test_relative_norm_distance_by_cosine_is_weats_difference_only_where_means_are_equally_long(bundled, names, units):
    lengths = [np.linalg.norm(one.mean(axis=0)) for one in units[:2]]
    of_a, of_b = values_of(metric("rnd", bundled, names, distance="cos"))
    x, y = ((one.mean(axis=0) @ (units[2].mean(axis=0) - units[3].mean(axis=0))) for one in units[:2])
    assert of_a - of_b == pytest.approx(x / lengths[0] - y / lengths[1], abs=1e-12)
    assert weat(bundled, names).mean_difference == pytest.approx(x - y, abs=1e-6)
    rng = np.random.default_rng(1)
    first = rng.normal(size=(4, 6))
    turned = np.linalg.qr(rng.normal(size=(6, 6)))[0]
    embedding, test = _made([first, first @ turned, rng.normal(size=(4, 6)), rng.normal(size=(4, 6))])
    of_a, of_b = values_of(metric("rnd", embedding, test, distance="cos"))
    rows = embedding.vectors[:4].astype(float)
    length = np.linalg.norm((rows / np.linalg.norm(rows, axis=1, keepdims=True)).mean(axis=0))
    assert (of_a - of_b) * length == pytest.approx(weat(embedding, test).mean_difference, abs=1e-6)


@pytest.mark.parametrize(
    ("name", "settings"),
    [
        ("rnd", {}),
        ("rnd", {"distance": "cos"}),
        ("ripa", {}),
        ("ripa", {"relation": "component"}),
        ("same", {"score": "skew"}),
    ],
)
def test_exchanging_x_and_y_turns_the_sign_of_what_has_a_direction(bundled, names, name, settings):
    turned = WeatTest("turned", "t", "s", "en", names.y, names.x, names.a, names.b)
    one, two = (metric(name, bundled, test, **settings).findings() for test in (names, turned))
    assert [row.value for row in one] == pytest.approx([-row.value for row in two], abs=1e-9)
    assert [row.p_value for row in one] == pytest.approx(
        [row.p_value for row in two], abs=0 if one[0].permuted else 0.02
    )


@pytest.mark.parametrize("name", ["mac", "ect", "direct-bias", "same"])
def test_exchanging_x_and_y_leaves_what_has_no_direction(bundled, names, name):
    turned = WeatTest("turned", "t", "s", "en", names.y, names.x, names.a, names.b)
    one, two = (metric(name, bundled, test).findings() for test in (names, turned))
    assert [row.value for row in one] == pytest.approx([row.value for row in two], abs=1e-9)
    assert [row.p_value for row in one] == pytest.approx(
        [row.p_value for row in two], abs=0 if one[0].permuted else 0.02
    )


def _made(rows):
    """Make an embedding of these rows, and the test of them."""
    words = [[f"{letter}{place}" for place in range(len(side))] for letter, side in zip("xyab", rows, strict=True)]
    embedding = Embedding("made", [*chain(*words)], np.vstack(rows).astype(np.float32))
    sets = [WordSet.of(letter, side) for letter, side in zip("XYAB", words, strict=True)]
    return embedding, WeatTest("made", "Made", "me", "en", *sets)
