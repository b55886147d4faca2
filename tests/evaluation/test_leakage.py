"""A bias that is removed is not recovered; one that is hidden is."""

from dataclasses import replace

import numpy as np
import pytest
from refusals import refuses

from imprint.debiasing.debiaser import debiaser
from imprint.directions.axis import pair_axis
from imprint.embeddings.embedding import Embedding
from imprint.errors import VocabularyError
from imprint.evaluation.leakage import GIVEN, HELD_OUT, NAMES, RACES, LeakageRow, group_leakage, hold_out, leakage
from imprint.evaluation.recovering import (
    CLUSTERS,
    RecoveryAttempt,
    estimate_change,
    estimate_recovery,
    recovery_methods,
)
from imprint.kinds import row_type
from imprint.rows import SkippedRow, read_row
from imprint.stimuli.definition import WordSet
from imprint.stimuli.names import first_names
from imprint.subjects.opening import load

TABLE = first_names()
WOMEN = [TABLE.names[row] for row in np.flatnonzero(TABLE.share_women >= 0.95)[:100]]
MEN = [TABLE.names[row] for row in np.flatnonzero(TABLE.share_women <= 0.05)[:100]]


def planted(*, along: float, aside: float) -> Embedding:
    """Names whose sex shows along he - she, and in another direction."""
    rng = np.random.default_rng(0)
    words = ["he", "she", "word", *MEN, *WOMEN]
    sex = np.array([0, 0, 0] + [1] * len(MEN) + [-1] * len(WOMEN))
    vectors = rng.normal(scale=0.3, size=(len(words), 20))
    vectors[:, 0] += along * sex
    vectors[:, 1] += aside * sex
    vectors[:2] = 0
    vectors[0, 0], vectors[1, 0], vectors[:2, 2] = 1, -1, 1
    return Embedding("planted", words, vectors.astype(np.float32))


def without_axis(embedding: Embedding) -> Embedding:
    vectors = embedding.vectors.copy()
    vectors[:, 0] = 0
    return replace(embedding, name="projected", vectors=vectors)


def recovered(embedding, **options):
    found = leakage(embedding, pair_axis(embedding, [("he", "she")]), **options)
    return {row.method: row for row in found.of(LeakageRow) if row.word_list == NAMES}


def test_what_lies_on_the_axis_alone_is_gone_with_it():
    bias = planted(along=1, aside=0)
    for row in recovered(bias, after=without_axis(bias)).values():
        assert row.against_accuracy > 0.95
        assert abs(row.accuracy - row.chance) < 0.12
        assert (row.embedding, row.against, row.group_sizes) == ("projected", "planted", (100, 100))
        assert row.change == pytest.approx(row.accuracy - row.against_accuracy)
        assert (row.change if row.method == CLUSTERS else row.change_high) < -0.3


def test_what_lies_beside_the_axis_is_still_recovered():
    bias = planted(along=1, aside=1)
    for row in recovered(bias, after=without_axis(bias)).values():
        assert row.accuracy > 0.95


def test_an_embedding_without_bias_gives_chance():
    for row in recovered(planted(along=0, aside=0)).values():
        assert abs(row.accuracy - row.chance) < 0.12
        assert (row.against, row.against_accuracy, row.change) == (None, None, None)


@pytest.mark.slow
def test_the_bundled_embedding_tells_the_sex_of_names_and_the_stereotypes_of_professions():
    embedding = load("default")
    found = leakage(embedding, pair_axis(embedding, [("he", "she")]))
    rows = {(row.word_list, row.method): row for row in found.of(LeakageRow)}
    assert rows[NAMES, "linear classifier"].accuracy_low > 0.9
    assert rows["professions, by the crowd", "linear classifier"].accuracy_low > 0.6
    assert len(found) == len(found.of(LeakageRow)) == len(found.to_frame()) == 11
    assert rows["first names, by race", "linear classifier"].accuracy_low > 0.6
    assert [read_row(row.to_dict(), row_type) for row in found] == [*found]
    assert found[0].statistic == found[0].accuracy


@pytest.mark.parametrize("strength", [0.0, 2.0])
def test_four_races_are_recovered_where_names_show_them_and_not_after_debiasing_gender(strength):
    rng = np.random.default_rng(1)
    races = [np.flatnonzero(TABLE.races[race] >= 0.8)[:40] for race in ("white", "black", "hispanic", "asian_pacific")]
    names = [TABLE.names[row] for rows in races for row in rows]
    words = ["he", "she", "word", *names]
    vectors = rng.normal(scale=0.3, size=(len(words), 20))
    vectors[np.arange(3, len(words)), 2 + np.repeat(np.arange(4), 40)] += strength
    subject = Embedding("races", words, vectors.astype(np.float32))
    axis = pair_axis(subject, [("he", "she")])
    rows = [row for row in leakage(subject, axis).of(LeakageRow) if row.word_list == RACES]
    assert {row.method for row in rows} == {"linear classifier", "RBF classifier"}
    for row in rows:
        assert (row.chance, row.group_sizes) == (0.25, (40,) * 4)
        assert row.accuracy > 0.95 if strength else abs(row.accuracy - 0.25) < 0.12
    assert not [row for row in leakage(subject, axis, after=subject).of(LeakageRow) if row.word_list == RACES]


def test_groups_of_one_s_own_are_recovered_before_and_after():
    rng = np.random.default_rng(2)
    groups = {name: tuple(f"{name}{number}" for number in range(30)) for name in ("one", "two", "three")}
    words = ["he", "she", "word", *MEN, *WOMEN, *(word for own in groups.values() for word in own)]
    vectors = rng.normal(scale=0.3, size=(len(words), 20))
    vectors[-90:, 3:6] += np.repeat(np.eye(3), 30, axis=0)
    subject = Embedding("groups", words, vectors.astype(np.float32))
    without = subject.vectors.copy()
    without[:, 3:6] = 0
    after = replace(subject, name="without", vectors=without)
    found = leakage(subject, pair_axis(subject, [("he", "she")]), after=after, groups=groups)
    rows = [row for row in found.of(LeakageRow) if row.word_list == GIVEN]
    assert [row.method for row in rows] == ["linear classifier", "RBF classifier"]
    for row in rows:
        assert (row.group_names, row.group_sizes, row.chance) == (tuple(groups), (30, 30, 30), 1 / 3)
        assert row.against_accuracy > 0.8
        assert row.accuracy < 0.55


def test_of_a_long_group_no_more_words_are_tried_than_memory_can_hold(monkeypatch):
    """A machine holds a table of all pairs of the words that it is trained on, and of those tried with them."""
    sizes = []

    def recover(vectors, labels):
        sizes.append(len(vectors))
        return RecoveryAttempt(np.ones(len(vectors)), np.ones(25))

    monkeypatch.setattr("imprint.evaluation.leakage.recovery_methods", lambda seed: {"linear classifier": recover})
    groups = {name: [f"{name}{number}" for number in range(20_000)] for name in ("one", "two")}
    words = ["he", "she", "word", *groups["one"], *groups["two"]]
    subject = Embedding("long", words, np.random.default_rng(5).normal(size=(len(words), 2)).astype(np.float32))
    row = leakage(subject, pair_axis(subject, [("he", "she")]), groups=groups)[0]
    assert (row.word_list, row.group_sizes) == (GIVEN, (4_000, 4_000))
    trained = 0.8 * sizes[0]
    assert 8 * trained * sizes[0] < 1 << 29  # bytes


def test_the_seed_decides():
    bias = planted(along=0.2, aside=0)
    assert recovered(bias, seed=3) == recovered(bias, seed=3)
    assert recovered(bias, seed=3) != recovered(bias, seed=4)


def test_too_few_words_are_refused():
    few = Embedding("few", ["he", "she", "word"], np.eye(3, dtype=np.float32))
    with refuses(VocabularyError, where="few"):
        leakage(few, pair_axis(few, [("he", "she")]))


def test_a_rare_label_is_not_recovered_by_calling_everything_the_other():
    bias = planted(along=0, aside=0)
    few = [word for word in bias.words if word not in WOMEN[20:]]
    rare = replace(bias, words=few, vectors=bias.lookup(few).vectors)
    for row in recovered(rare).values():
        assert row.group_sizes == (20, 100)
        assert (row.accuracy if row.method == CLUSTERS else row.accuracy_low) < row.chance + 0.05


@pytest.mark.slow
@pytest.mark.parametrize("method", ["linear classifier", "RBF classifier"])
def test_intervals_of_classifiers_hold_chance_where_there_is_nothing_to_find(method):
    """Labels dealt anew each time: resampling the words judged alone would leave chance out three times too often."""
    rng = np.random.default_rng(8)
    recover = recovery_methods(0)[method]
    labels = np.arange(90) < 30
    found = []
    for _ in range(100):
        one = estimate_recovery(recover(rng.normal(size=(90, 12)).astype(np.float32), labels), labels)
        found.append((one.value, one.low, one.high))
    value, low, high = np.array(found).T
    assert np.mean((low > 0.5) | (high < 0.5)) <= 0.12  # three standard errors above 0.05
    assert 1.5 < np.mean(high - low) / (2 * value.std()) < 3.5


def test_the_same_vectors_twice_change_nothing_and_all_right_is_no_certainty():
    labels = np.arange(40) < 20
    clear = np.where(labels, 1.0, -1.0)[:, None] * np.ones((40, 3)) + np.random.default_rng(0).normal(0, 0.01, (40, 3))
    tried = recovery_methods(0)["linear classifier"](clear.astype(np.float32), labels)
    one, change = estimate_recovery(tried, labels), estimate_change(tried, tried, labels)
    assert (one.value, np.isnan(one.low), np.isnan(one.high)) == (1.0, True, True)
    assert (change.value, change.low, change.high) == (0.0, 0.0, 0.0)
    wrong = estimate_recovery(RecoveryAttempt(tried.right * 0, tried.folds * 0), labels)
    assert (wrong.value, np.isnan(wrong.low), np.isnan(wrong.high)) == (0.0, True, True)


def test_clusters_have_no_interval():
    """Other words would be clustered otherwise, which resampling the words leaves out."""
    bias = planted(along=0.2, aside=0)
    rows = recovered(bias, after=without_axis(bias))
    ends = {
        method: {end is None for end in (row.accuracy_low, row.against_accuracy_high, row.change_low)}
        for method, row in rows.items()
    }
    assert ends == {"linear classifier": {False}, "RBF classifier": {False}, CLUSTERS: {True}}


def test_lists_with_too_few_words_are_named():
    bias = planted(along=1, aside=0)
    found = leakage(bias, pair_axis(bias, [("he", "she")]))
    assert [row.test for row in found.skipped] == [
        RACES,
        "professions, by the crowd",
        "words furthest out on he - she",
    ]
    assert {row.part for row in found.skipped} == {"debiasing"}
    assert {row.word_list for row in found.of(LeakageRow)} == {NAMES}
    assert [*found] == [*found.of(LeakageRow), *found.skipped]


def three_groups(each=100):
    """Three groups far apart in two of twenty dimensions, and a third one in which they differ too."""
    rng = np.random.default_rng(4)
    groups = [WordSet.of(name, [f"{name}{number}" for number in range(each)]) for name in ("a", "b", "c")]
    labels = np.repeat([0, 1, 2], each)
    rows = rng.normal(size=(3 * each, 20))
    rows[:, :2] += 6.0 * np.array([[1.0, 0.0], [-0.5, 0.9], [-0.5, -0.9]])[labels]
    return Embedding("three", [word for group in groups for word in group.words], rows.astype(np.float32)), groups


@pytest.mark.parametrize("method", ["leace", "inlp", "projection", "hard", "multiclass-hard"])
def test_the_group_of_held_out_words_is_recovered_before_and_by_chance_after(method):
    embedding, groups = three_groups()
    fitted, held_out = hold_out(groups)
    transform = debiaser(method).fit_groups(embedding, fitted)
    row = group_leakage(embedding, transform.apply(embedding), transform, fitted, held_out)
    assert (row.word_list, row.group_names, row.group_sizes) == (HELD_OUT, ("a", "b", "c"), (20, 20, 20))
    assert row.chance == pytest.approx(1 / 3)
    assert row.against_accuracy > 0.95
    assert row.accuracy == pytest.approx(1 / 3, abs=0.2)  # 20 words of each group
    assert read_row(row.to_dict(), row_type) == row


def test_words_that_a_debiaser_keeps_do_not_hide_what_is_left():
    """Half-sibling regression shrinks what separates the groups and keeps the words it was fitted on."""
    embedding, groups = three_groups()
    fitted, held_out = hold_out(groups)
    transform = debiaser("half-sibling", alpha=1e5).fit_groups(embedding, fitted)
    row = group_leakage(embedding, transform.apply(embedding), transform, fitted, held_out)
    assert row.accuracy == pytest.approx(row.against_accuracy, abs=0.02)


def test_every_fifth_word_is_held_out_where_that_is_enough_to_judge_by():
    _, groups = three_groups()
    fitted, held_out = hold_out(groups)
    assert [group.words[:2] for group in held_out] == [(f"{name}4", f"{name}9") for name in "abc"]
    assert {len(group) for group in fitted} == {80}
    embedding, few = three_groups(each=49)
    fitted, held_out = hold_out(few)
    assert (list(fitted), held_out) == (few, ())
    transform = debiaser("leace").fit_groups(embedding, fitted)
    assert isinstance(group_leakage(embedding, embedding, transform, fitted, held_out), SkippedRow)
