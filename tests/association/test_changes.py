"""What changed between two versions: a change of size with its interval, on the words that both have."""

from dataclasses import replace

import numpy as np
import pytest
from planted import SETS, planted

from imprint.association.battery import run_battery
from imprint.association.changes import ChangeRow, TopicChangeRow, before_and_after, change_rows
from imprint.association.weat import measure
from imprint.embeddings.embedding import Embedding
from imprint.significance.shares import change_of_size
from imprint.stimuli.definition import WeatTest, WordSet


def asked(topics=("gender",), id_="t", *, is_question=True):
    sets = (WordSet.of(key, SETS[key]) for key in "xyab")
    return WeatTest(id_, "T", "here", "en", *sets, topics=topics, is_question=is_question)


def noisy(embedding, scale=0.3, seed=1):
    rng = np.random.default_rng(seed)
    vectors = np.asarray(embedding.vectors)
    moved = vectors + rng.normal(scale=scale, size=vectors.shape)
    return Embedding("moved", list(embedding.words), moved.astype(np.float32))


@pytest.fixture
def both(embedding):
    return measure(embedding, asked()), measure(noisy(embedding), asked())


def change(first, second):
    row, topic = change_rows([first], [second])
    assert isinstance(row, ChangeRow)
    assert isinstance(topic, TopicChangeRow)
    return row, topic


def test_a_change_is_the_size_after_less_that_before_with_the_interval_of_their_difference(both):
    first, second = both
    row, topic = change(*both)
    expected = change_of_size([first.words.share], [second.words.share])
    assert (row.size, row.size_low, row.size_high) == (expected.value, expected.low, expected.high)
    assert (row.size_before, row.size_after) == (first.row.size, second.row.size)
    assert row.size == pytest.approx(row.size_after - row.size_before)
    assert (row.effect_size_before, row.effect_size_after) == pytest.approx(
        (first.row.effect_size, second.row.effect_size)
    )
    assert row.effect_size == row.effect_size_after - row.effect_size_before
    assert (row.change_from, row.change_to, row.other_sha256) == ("planted", "moved", second.row.embedding_sha256)
    assert (topic.size, topic.size_low, topic.size_high) == (row.size, row.size_low, row.size_high)
    assert (topic.outcome, topic.n_words, topic.tests) == (row.outcome, 21, ("t",))


def test_swapping_both_flips_every_sign_and_nothing_else(both):
    row, topic = change(*both)
    other, other_topic = change(*both[::-1])
    for one, turned in ((row, other), (topic, other_topic)):
        assert (turned.size, turned.size_low, turned.size_high) == pytest.approx(
            (-one.size, -one.size_high, -one.size_low)
        )
        assert (turned.outcome, turned.reason) == (one.outcome, one.reason)
        assert (turned.size_before, turned.size_after) == (one.size_after, one.size_before)
    assert other.effect_size == -row.effect_size
    assert (other.change_from, other.change_to) == (row.change_to, row.change_from)


def test_a_planted_change_is_found():
    """Both versions tell A from B; in the second, X and Y have moved to the other side."""
    with_bias = planted(strength=0.8)
    vectors = np.array(with_bias.vectors)
    n_x = len(SETS["x"])
    vectors[: 2 * n_x] = np.concatenate([vectors[n_x : 2 * n_x], vectors[:n_x]])
    row, _ = change(measure(with_bias, asked()), measure(Embedding("turned", with_bias.words, vectors), asked()))
    assert row.size == pytest.approx(-2 * row.size_before)
    assert row.size_high < -0.10
    assert (row.outcome, row.reason, row.found) == ("substantial", None, True)


def test_noise_alone_rarely_changes_anything():
    """Of 200 changes by noise alone, 1 is expected outside its interval; 6 are reached in one run of 1,000."""
    rows = [
        change(
            measure(noisy(planted(seed), 0.5, seed), asked()), measure(noisy(planted(seed), 0.5, 1000 + seed), asked())
        )
        for seed in range(1, 201)
    ]
    assert sum(row.found for row, _ in rows) <= 6
    assert {row.reason for row, _ in rows} <= {None, "attributes not distinguished"}


def test_where_a_version_does_not_tell_the_attributes_apart_a_change_cannot_be_told():
    row, _ = change(measure(planted(strength=0.8), asked()), measure(planted(strength=0.0), asked()))
    assert (row.size_low, row.outcome, row.reason) == (None, "cannot tell", "attributes not distinguished")


def test_identical_subjects_have_changed_by_nothing(embedding):
    scaled = Embedding("scaled", list(embedding.words), np.asarray(embedding.vectors) * np.float32(1 / 3))
    row, topic = change(measure(embedding, asked()), measure(embedding, asked()))
    for same in (row, topic):
        assert (same.size, same.size_low, same.size_high, same.outcome) == (0.0, 0.0, 0.0, "small")
    row, _ = change(measure(embedding, asked()), measure(scaled, asked()))
    assert (row.size, row.size_low, row.size_high) == pytest.approx((0, 0, 0), abs=1e-6)
    assert row.outcome == "small"


def test_a_change_is_the_same_whatever_else_is_asked(embedding):
    tests = [asked(id_="one"), asked(id_="two"), asked(("neutral",), "flowers")]
    first, second = (run_battery(one, tests) for one in (embedding, noisy(embedding)))
    rows = before_and_after(first, second)
    assert [row.kind for row in rows] == ["weat"] * 6 + ["change"] * 3 + ["topic-change"]
    (alone, _) = change_rows(first.measured[:1], second.measured[:1])
    assert rows[6] == alone
    assert rows[9].tests == ("one", "two")


def test_only_words_of_both_are_compared_and_half_a_set_is_too_few(embedding):
    first = measure(embedding, asked())
    fewer = Embedding("fewer", list(embedding.words[1:]), np.asarray(embedding.vectors)[1:])
    row, _ = change(first, measure(fewer, asked()))
    assert row.missing == ("aster",)
    assert row.n_x == 5
    assert row.size_before != first.row.size
    gone = set(SETS["x"][:4])
    kept = [place for place, word in enumerate(embedding.words) if word not in gone]
    least = Embedding("least", [embedding.words[place] for place in kept], np.asarray(embedding.vectors)[kept])
    row, topic = change(first, measure(least, asked()))
    assert (row.outcome, row.reason) == ("cannot tell", "few words")
    assert (topic.tests, topic.tests_left_out, topic.size) == ((), ("t",), None)
    assert (topic.outcome, topic.reason) == ("cannot tell", "few words")


def test_tests_asked_of_one_alone_have_no_change(both, embedding):
    first, _ = both
    other = measure(embedding, replace(asked(), id="other"))
    assert change_rows([first], [other]) == []
    assert change_rows([], []) == []
