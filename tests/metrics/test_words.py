"""Which words a metric uses, and what its p-values and intervals are made of."""

from dataclasses import replace
from itertools import chain, combinations, product

import numpy as np
import pytest

from imprint import Embedding, WeatTest, WordSet, metric
from imprint.errors import SettingError, StimulusError
from imprint.metrics.by_name import make_metric
from imprint.metrics.metric import MetricWords, pooled, shares
from imprint.metrics.run import measure_metrics
from imprint.significance.relabelled import LEFT_OUT, Chosen, jackknife
from tests.support.refusals import refuses

ALL = [
    ("rnd", {}),
    ("rnd", {"distance": "cos", "normalize": False}),
    ("mac", {}),
    ("ect", {}),
    ("ripa", {}),
    ("ripa", {"relation": "component"}),
    ("direct-bias", {"c": 0.5}),
    ("same", {}),
    ("same", {"score": "skew"}),
    ("same", {"score": "stereotype"}),
]
PAIRED = ["ripa", "direct-bias"]


def with_words(test, **sets):
    return replace(test, **{key: WordSet.of(getattr(test, key).name, words) for key, words in sets.items()})


@pytest.mark.usefixtures("few_draws")
@pytest.mark.parametrize("name", PAIRED)
def test_a_pair_without_one_of_its_words_is_left_out_whole(bundled, names, name):
    x, y = (list(one.words) for one in (names.x, names.y))
    lost = with_words(names, x=[*x[:2], "zzunknowna", *x[3:]], y=[*y[:5], "zzunknownb", *y[6:]])
    kept = [place for place in range(8) if place not in (2, 5)]
    without = with_words(names, x=[x[place] for place in kept], y=[y[place] for place in kept])
    for one, two in zip(*(metric(name, bundled, test).findings() for test in (lost, without)), strict=True):
        assert (one.value, one.p_value, one.words_low) == (two.value, two.p_value, two.words_low)
        assert one.missing == ("zzunknowna", "zzunknownb")
        assert one.unpaired == (y[2], x[5])
        assert (one.n_x, one.n_y) == (6, 6)


def test_pairs_that_are_left_out_count_against_enough_words(bundled, names):
    x, y = (list(one.words) for one in (names.x, names.y))
    lost = with_words(
        names, x=["zzunknowna", "zzunknownb", "zzunknownc", *x[3:]], y=[*y[:6], "zzunknownd", "zzunknowne"]
    )
    (row,) = metric("direct-bias", bundled, lost).findings()
    assert (row.outcome, row.reason, row.words_low, row.n_x) == ("cannot tell", "few words", None, 3)


@pytest.mark.parametrize("name", PAIRED)
def test_sets_of_unequal_size_have_no_pairs(bundled, names, name):
    test = with_words(names, x=names.x.words[:6])
    (row,) = measure_metrics(bundled, [test], {name: make_metric(name)}).findings()
    assert row.test == names.id
    with refuses(StimulusError, 6, 8, where=names.id):
        MetricWords.of(bundled, test, unit=True, paired=True)


@pytest.mark.usefixtures("few_draws")
@pytest.mark.parametrize(("name", "settings"), ALL)
def test_missing_words_change_nothing_but_their_names(bundled, names, name, settings):
    more = with_words(names, a=[*names.a.words, "zzunknowna"])
    for one, two in zip(*(metric(name, bundled, test, **settings).findings() for test in (more, names)), strict=True):
        assert (one.value, one.p_value) == (two.value, two.p_value)
        assert one.missing == ("zzunknowna",)


@pytest.mark.parametrize(("name", "settings"), ALL)
def test_draws_of_random_words_at_once_give_the_values_of_each_alone(bundled, names, name, settings):
    found = make_metric(name, **settings)
    words = MetricWords.of(bundled, names, unit=found.unit, paired=found.paired)
    rng = np.random.default_rng(0)
    targets, attributes = rng.normal(size=(2, 7, 16, 20))
    together = found.values(replace(words, targets=targets, attributes=attributes), words.observed())
    alone = [
        found.values(replace(words, targets=x, attributes=a), words.observed())[0]
        for x, a in zip(targets, attributes, strict=True)
    ]
    assert together == pytest.approx(alone, abs=1e-12)


@pytest.mark.parametrize(("name", "settings"), ALL)
def test_many_choices_at_once_give_the_values_of_the_words_that_are_in(bundled, names, name, settings):
    found = make_metric(name, **settings)
    words = MetricWords.of(bundled, names, unit=found.unit, paired=found.paired)
    part = next(iter(found.parts(words, names))).words
    observed = part.observed()
    out = 3
    left = replace(observed, targets=observed.targets.copy())
    left.targets[0, [out, 8 + out]] = LEFT_OUT
    kept = [place for place in range(16) if place not in (out, 8 + out)]
    alone = part.only(kept, range(len(part.attribute_words)))
    assert found.values(part, left)[0] == pytest.approx(found.values(alone, alone.observed())[0], abs=1e-12)


@pytest.mark.parametrize(("name", "settings"), [("rnd", {}), ("ect", {}), ("same", {}), ("same", {"score": "skew"})])
def test_p_is_the_share_of_all_labels_also_where_sets_differ_in_size(bundled, names, name, settings):
    test = with_words(names, x=names.x.words[:4], y=names.y.words[:6])
    (row, *_) = metric(name, bundled, test, **settings).findings()
    pool = [*test.x.words, *test.y.words]
    values = []
    for first in combinations(pool, 4):
        relabelled = with_words(test, x=first, y=[word for word in pool if word not in first])
        found = make_metric(name, **settings)
        words = MetricWords.of(bundled, relabelled, unit=found.unit)
        part = next(iter(found.parts(words, relabelled)))
        values.append(found.values(part.words, part.words.observed())[0])
    values = np.array(values)
    far = {"both": abs(values - values.mean()), "low": -values, "high": values}[make_metric(name, **settings).tail]
    assert row.p_value == pytest.approx(np.mean(far >= far[0] - 1e-9))
    assert row.p_floor == pytest.approx(np.mean(far >= far.max() - 1e-9))
    assert row.expected == pytest.approx(values.mean())
    assert (row.p_method, row.labellings) == ("exact", "210")


def test_p_of_ripa_is_the_share_of_all_exchanges_of_pairs(bundled, names):
    row, _ = metric("ripa", bundled, names).findings()
    x, y, a = (bundled.lookup(one.words).vectors.astype(float) for one in (names.x, names.y, names.a))
    scores = [np.mean(a @ (one - two) / np.linalg.norm(one - two)) for one, two in zip(x, y, strict=True)]
    values = [abs(np.mean(np.multiply(signs, scores))) for signs in product((1, -1), repeat=8)]
    assert row.p_value == np.mean([one >= values[0] - 1e-9 for one in values])


def test_many_pairs_give_exact_p_values_and_more_are_drawn():
    rng = np.random.default_rng(4)
    for pairs, method in ((30, "exact"), (40, "sampled")):
        words = [
            [f"{letter}{place}" for place in range(size)]
            for letter, size in zip("xyab", (pairs, pairs, 5, 5), strict=True)
        ]
        vectors = rng.normal(size=(2 * pairs + 10, 8)).astype(np.float32)
        embedding = Embedding("made", [*chain(*words)], vectors)
        test = WeatTest("made", "Made", "me", "en", *(WordSet.of(one[0], one) for one in words))
        row, _ = metric("ripa", embedding, test).findings()
        assert row.p_method == method
        assert row.p_low <= row.p_value <= row.p_high or row.p_value == pytest.approx(row.p_low)
        assert row.p_frequency is None


def test_the_interval_of_pooled_sets_has_the_variance_of_a_stratified_mean():
    scores = np.random.default_rng(5).normal(size=12)
    observed = Chosen.of((4, 8), (0, 0))
    found = jackknife(
        lambda chosen: (pooled((4, 8), chosen.x, chosen.y) * scores).sum(axis=1), observed, (range(12), ())
    )
    assert found.value == pytest.approx(scores.mean())
    expected = (4 / 12) ** 2 * scores[:4].var(ddof=1) / 4 + (8 / 12) ** 2 * scores[4:].var(ddof=1) / 8
    assert found.error**2 == pytest.approx(expected)
    assert pooled((4, 8), observed.x, observed.y) == pytest.approx(shares(observed.x | observed.y))


def test_intervals_stay_within_what_a_metric_can_be(bundled, names):
    rows = metric("ect", bundled, names).findings()
    assert all(-1 <= row.words_low <= row.value <= row.words_high <= 1 for row in rows)


def test_words_of_two_pairs_that_share_an_inflection_are_one_unit(bundled, names):
    test = with_words(names, x=["king", "kings", "boy", "son"], y=["queen", "woman", "girl", "girls"])
    words = MetricWords.of(bundled, test, unit=True, paired=True)
    targets, _ = words.units()
    assert targets[:4] == targets[4:]
    assert len(set(targets)) == 2


@pytest.mark.parametrize(
    ("name", "settings", "option"),
    [
        ("rnd", {"distance": "far"}, "distance"),
        ("ripa", {"relation": "none"}, "relation"),
        ("same", {"score": "none"}, "score"),
        ("direct-bias", {"c": "0"}, "c"),
        ("direct-bias", {"c": "none"}, "direct-bias:c"),
        ("mac", {"normalize": True}, "a setting of mac"),
    ],
)
def test_a_setting_must_be_known(name, settings, option):
    with refuses(SettingError, option=option):
        make_metric(name, **settings)
