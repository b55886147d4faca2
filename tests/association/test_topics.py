"""One estimate per topic: every word counts once, tests with too few words do not count."""

import numpy as np
import pytest
from planted import SETS

from imprint.association.battery import run_battery
from imprint.association.seat_battery import run_seat_battery
from imprint.association.topics import TopicRow, topic_rows
from imprint.embeddings.embedding import Embedding
from imprint.stimuli.catalog import get
from imprint.stimuli.definition import WeatTest, WordSet


def asked(id_="t", topics=("gender",), **sets):
    words = SETS | sets
    return WeatTest(id_, "T", "here", "en", *(WordSet.of(key, words[key]) for key in "xyab"), topics=topics)


def topics_of(battery):
    return {row.topic: row for row in topic_rows(battery.weats)}


def test_a_topic_of_one_test_has_the_interval_of_the_test():
    battery = run_battery("default", [get("caliskan-6")])
    (test,), row = battery.weats, topics_of(battery)["gender"]
    assert row.mean_difference == test.mean_difference
    assert (row.words_low, row.words_high) == pytest.approx((test.checks.words_low, test.checks.words_high))
    assert row.p_words == pytest.approx(test.checks.p_words)
    assert (row.tests, row.n_words) == (("caliskan-6",), 32)


def test_asking_the_same_words_again_makes_nothing_surer(embedding):
    once = topics_of(run_battery(embedding, [asked()]))["gender"]
    thrice = topics_of(run_battery(embedding, [asked(f"t{place}") for place in range(3)]))["gender"]
    assert (thrice.words_low, thrice.words_high) == pytest.approx((once.words_low, once.words_high))
    assert thrice.n_words == once.n_words
    assert thrice.tests == ("t0", "t1", "t2")


def test_a_topic_is_the_mean_of_its_tests_about_people(embedding):
    tests = [asked("one"), asked("two", x=SETS["x"][:5]), asked("third", ("race",)), asked("flowers", ("neutral",))]
    battery = run_battery(embedding, tests)
    rows = topics_of(battery)
    assert {topic: row.tests for topic, row in rows.items()} == {"gender": ("one", "two"), "race": ("third",)}
    of_gender = [one.mean_difference for one in battery.weats[:2]]
    assert rows["gender"].mean_difference == pytest.approx(np.mean(of_gender))
    assert rows["gender"].words_low < rows["gender"].mean_difference < rows["gender"].words_high
    assert [row.kind for row in battery.findings()] == ["weat"] * 4 + ["topic"] * 2


def test_a_test_of_two_topics_counts_in_both_and_a_test_without_one_in_none(embedding):
    tests = [asked("both", ("race", "gender")), asked("none", ())]
    assert {topic: row.tests for topic, row in topics_of(run_battery(embedding, tests)).items()} == {
        "race": ("both",),
        "gender": ("both",),
    }


def test_a_test_with_too_few_words_is_named_and_left_out(embedding):
    few = asked("few", x=(*SETS["x"][:3], "unknown"))
    inflected = asked("inflected", a=("love", "loved", "loves", "peace"))
    forms = [*embedding.words, "loved", "loves"]
    vectors = np.asarray(embedding.vectors)
    more = Embedding("more", forms, np.vstack([vectors, vectors[-2:] + 1]))
    row = topics_of(run_battery(more, [asked(), few, inflected]))["gender"]
    assert (row.tests, row.tests_left_out) == (("t",), ("few", "inflected"))
    alone = topics_of(run_battery(embedding, [few]))["gender"]
    assert (alone.tests, alone.mean_difference, alone.words_low, alone.n_words) == ((), None, None, 0)


def test_seat_has_topics_of_words_in_sentences():
    battery = run_seat_battery(["cbow"], [get("caliskan-6")])
    (row,) = (row for row in battery.findings() if isinstance(row, TopicRow))
    bleached = next(one for one in battery.of_unit("word") if one.context == "bleached")
    assert [row] == topic_rows([bleached], part="seat")
    assert row.mean_difference == bleached.mean_difference
    assert (row.words_low, row.words_high) == pytest.approx((bleached.checks.words_low, bleached.checks.words_high))


def test_seat_of_words_alone_has_topics_of_words_alone():
    battery = run_seat_battery(["cbow"], [get("caliskan-6")], context="word")
    (row,) = (row for row in battery.findings() if isinstance(row, TopicRow))
    assert row.mean_difference == battery.of_unit("word")[0].mean_difference
