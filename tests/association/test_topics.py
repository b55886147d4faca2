"""One estimate per topic: every word counts once, tests with too few words do not count."""

from dataclasses import replace

import numpy as np
import pytest
from planted import SETS

from imprint.association.battery import run_battery
from imprint.association.rows import SeatRow, TopicRow
from imprint.association.seat_battery import run_seat_battery
from imprint.association.topics import topic_rows
from imprint.association.weat import WeatRow
from imprint.embeddings.embedding import Embedding
from imprint.stimuli.catalog import get
from imprint.stimuli.definition import WeatTest, WordSet


def asked(id_="t", topics=("gender",), **sets):
    words = SETS | sets
    return WeatTest(id_, "T", "here", "en", *(WordSet.of(key, words[key]) for key in "xyab"), topics=topics)


def topics_of(battery):
    return {row.topic: row for row in topic_rows(battery.measured)}


def size(row):
    return row.size, row.size_low, row.size_high, row.outcome, row.reason


def test_a_topic_of_one_test_says_what_the_test_says():
    battery = run_battery("default", [get("gender-career")])
    (test,), row = battery.of(WeatRow), topics_of(battery)["gender"]
    assert size(row) == size(test)
    assert row.interval == test.interval == (row.size_low, row.size_high)
    assert row.outcome == "substantial"
    assert row.found
    assert row.test_outcomes == (test.outcome,)
    assert (row.tests, row.n_words) == (("gender-career",), test.n_x + test.n_y + test.n_a + test.n_b)


def test_asking_the_same_words_again_makes_nothing_surer(embedding):
    once, thrice = (
        topics_of(run_battery(embedding, [asked(f"t{place}") for place in range(times)]))["gender"] for times in (2, 6)
    )
    assert size(thrice)[:3] == pytest.approx(size(once)[:3])
    assert thrice.n_words == once.n_words == 21
    assert thrice.tests == ("t0", "t1", "t2", "t3", "t4", "t5")


def test_a_topic_is_the_mean_of_its_tests_about_people(embedding):
    tests = [asked("one"), asked("two", x=SETS["x"][:5]), asked("third", ("race",)), asked("flowers", ("neutral",))]
    battery = run_battery(embedding, tests)
    rows = topics_of(battery)
    assert {topic: row.tests for topic, row in rows.items()} == {"gender": ("one", "two"), "race": ("third",)}
    assert rows["gender"].size == pytest.approx(np.mean([row.size for row in battery.of(WeatRow)[:2]]))
    assert rows["gender"].size_low < rows["gender"].size < rows["gender"].size_high
    assert [row.kind for row in battery.findings()] == ["weat"] * 4 + ["topic"] * 2


def test_questions_count_and_tests_where_no_question_has_an_answer(embedding):
    question = replace(asked("question"), is_question=True)
    lost = replace(asked("lost", x=("rose", "iris", *"pqrs")), is_question=True)
    assert topics_of(run_battery(embedding, [asked("test"), question, lost]))["gender"].tests == ("question",)
    row = topics_of(run_battery(embedding, [asked("test"), lost]))["gender"]
    assert (row.tests, row.tests_left_out) == (("test",), ("lost",))


def test_a_topic_of_questions_does_not_miss_published_tests_that_did_not_run(embedding):
    questions = [replace(asked(name), is_question=True) for name in ("one", "two")]
    tests = [asked(f"test {number}", x=[*"pqrst"]) for number in range(3)]
    lost = replace(asked("lost", x=[*"pqrst"]), is_question=True)
    (row,) = run_battery(embedding, [*questions, lost, *tests]).of(TopicRow)
    assert (row.tests, row.tests_left_out, row.lost_most()) == (("one", "two"), ("lost",), None)
    (row,) = run_battery(embedding, [asked("one"), asked("two"), lost, *tests]).of(TopicRow)
    assert row.tests_left_out == ("lost", "test 0", "test 1", "test 2")


def test_what_keeps_one_of_its_tests_from_an_answer_keeps_the_topic_from_it(embedding):
    row = topics_of(run_battery(embedding, [asked("one"), asked("two")]))["gender"]
    assert row.size_low > 0
    assert (row.outcome, row.reason, row.found) == ("cannot tell", "frequency", False)


def test_frequency_counts_in_a_topic_where_the_intervals_of_its_tests_contain_zero():
    battery = run_battery("glove-840b-stimuli", [get("caliskan-4"), get("caliskan-5")])
    tests, row = battery.of(WeatRow), topics_of(battery)["race"]
    assert [(test.outcome, test.reason, test.size_low < 0) for test in tests] == [("cannot tell", None, True)] * 2
    assert row.size_low > 0
    assert (row.outcome, row.reason, row.obstacle) == ("cannot tell", "frequency", "frequency")


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
    assert (alone.tests, alone.n_words) == ((), 0)
    assert size(alone) == (None, None, None, "cannot tell", "few words"), "as every other number without an interval"


def test_seat_has_topics_of_words_in_frames():
    battery = run_seat_battery(["cbow"], [get("caliskan-6")])
    (row,) = (row for row in battery.findings() if isinstance(row, TopicRow))
    framed = next(one for one in battery.of(SeatRow) if one.context == "framed")
    assert size(row) == size(framed)
    assert (row.part, row.tests) == ("seat", ("caliskan-6",))


def test_words_alone_have_no_size_and_no_topic():
    battery = run_seat_battery(["cbow"], [get("caliskan-6")], context="word")
    assert {one.size for one in battery.of(SeatRow)} == {None}
    assert not [row for row in battery.findings() if isinstance(row, TopicRow)]
