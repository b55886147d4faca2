"""What changed between two versions: brute-force permutation of changes, the interval of the difference table."""

from dataclasses import replace
from itertools import combinations

import numpy as np
import pytest
from planted import SETS, planted

from imprint.association.battery import run_battery
from imprint.association.changes import ChangeRow, TopicChangeRow, before_and_after, change_rows
from imprint.association.weat import measure
from imprint.embeddings.embedding import Embedding
from imprint.significance.corrections import holm
from imprint.significance.crossed import over_words
from imprint.stimuli.definition import WeatTest, WordSet


def asked(topics=("gender",), id_="t"):
    return WeatTest(id_, "T", "here", "en", *(WordSet.of(key, SETS[key]) for key in "xyab"), topics=topics)


def noisy(embedding, scale=0.3, seed=1):
    rng = np.random.default_rng(seed)
    vectors = np.asarray(embedding.vectors)
    moved = vectors + rng.normal(scale=scale, size=vectors.shape)
    return Embedding("moved", list(embedding.words), moved.astype(np.float32))


@pytest.fixture
def both(embedding):
    return measure(embedding, asked()), measure(noisy(embedding), asked())


def one(first, second, alpha=0.05):
    row, topic = change_rows([first], [second], alpha)
    assert isinstance(row, ChangeRow)
    assert isinstance(topic, TopicChangeRow)
    return row, topic


def test_p_is_the_share_of_all_splits_of_the_words_changes(both):
    first, second = both
    row, _ = one(*both)
    changes = np.array([second.scores[word] - first.scores[word] for word in first.scores])
    splits = [
        abs(changes[list(split)].mean() - np.delete(changes, split).mean())
        for split in combinations(range(len(changes)), 6)
    ]
    observed = abs(changes[:6].mean() - changes[6:].mean())
    assert row.p_label == row.p_value == np.mean(np.array(splits) >= observed - 1e-12)
    assert [score.value for score in row.scores] == pytest.approx(changes)
    assert row.mean_difference == pytest.approx(second.mean_difference - first.mean_difference)
    assert row.effect_size == second.effect_size - first.effect_size


def test_the_interval_is_that_of_the_difference_table(both):
    first, second = both
    row, topic = one(*both)
    change = second.table.cosines - first.table.cosines
    expected = over_words(change, 6, 4, units=first.table.units, confidence=0.95)
    assert (row.words_low, row.words_high, row.p_words) == (expected.low, expected.high, expected.p_value)
    assert topic.mean_difference == row.mean_difference
    assert topic.mean_difference_before == first.mean_difference
    assert topic.n_words == 21
    assert topic.tests == ("t",)


def test_swapping_both_flips_every_sign_and_nothing_else(both):
    row, topic = one(*both)
    other, other_topic = one(*both[::-1])
    assert (other.mean_difference, other.effect_size, other.statistic) == (
        -row.mean_difference,
        -row.effect_size,
        -row.statistic,
    )
    assert (other.words_low, other.words_high) == (-row.words_high, -row.words_low)
    assert (other.p_label, other.p_words, other.evidence) == (row.p_label, row.p_words, row.evidence)
    assert (other.change_from, other.change_to) == (row.change_to, row.change_from)
    assert (other_topic.words_low, other_topic.words_high) == (-topic.words_high, -topic.words_low)


def test_a_planted_change_has_moderate_evidence_and_noise_has_none():
    with_bias, without = planted(strength=0.8), planted(strength=0.0)
    row, _ = one(measure(with_bias, asked()), measure(without, asked()))
    assert row.mean_difference < 0
    assert row.evidence == "moderate"
    assert row.checks_failed == ()
    assert row.p_moderate_holm == max(row.p_label, row.p_words)
    assert row.p_strong_holm is None
    unbiased, _ = one(measure(without, asked()), measure(noisy(without), asked()))
    assert unbiased.evidence == "none shown"


def test_identical_subjects_have_no_change_and_no_interval(embedding):
    scaled = Embedding("scaled", list(embedding.words), np.asarray(embedding.vectors) * np.float32(1 / 3))
    for other in (embedding, scaled):  # rounding alone is no change
        row, topic = one(measure(embedding, asked()), measure(other, asked()))
        assert (row.mean_difference, row.p_label, row.evidence) == (0.0, 1.0, "none shown")
        assert (row.words_low, row.words_high, row.p_words) == (None, None, None)
        assert (topic.mean_difference, topic.words_low, topic.p_words) == (0.0, None, None)


def test_changes_are_one_family_without_controls(embedding):
    tests = [asked(id_="one"), asked(id_="two"), asked(("neutral",), "flowers")]
    first, second = (run_battery(one, tests) for one in (embedding, noisy(embedding)))
    rows = before_and_after(first, second)
    assert [row.kind for row in rows] == ["weat"] * 6 + ["change"] * 3 + ["topic-change"]
    changed = rows[6:8]
    assert {row.family_size for row in changed} == {2}
    assert [row.p_holm for row in changed] == list(holm([row.p_label for row in changed]))
    assert (rows[8].evidence, rows[8].family_size) == (None, None)
    assert rows[9].tests == ("one", "two")


def test_only_words_of_both_are_compared_and_half_a_set_is_too_few(embedding):
    first = measure(embedding, asked())
    fewer = Embedding("fewer", list(embedding.words[1:]), np.asarray(embedding.vectors)[1:])
    row, _ = one(first, measure(fewer, asked()))
    assert row.missing == ("aster",)
    assert row.n_x == 5
    assert row.mean_difference_before != first.mean_difference
    assert "aster" not in {score.word for score in row.scores}
    gone = set(SETS["x"][:4])
    kept = [place for place, word in enumerate(embedding.words) if word not in gone]
    least = Embedding("least", [embedding.words[place] for place in kept], np.asarray(embedding.vectors)[kept])
    row, topic = one(first, measure(least, asked()))
    assert row.evidence == "too few words"
    assert (topic.tests, topic.tests_left_out, topic.mean_difference) == ((), ("t",), None)


def test_tests_asked_of_one_alone_have_no_change(both):
    first, second = both
    assert change_rows([first], [replace(second, test=replace(second.test, id="other"))], 0.05) == []
    assert change_rows([], [], 0.05) == []
