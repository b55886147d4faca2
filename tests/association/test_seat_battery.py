"""Families of SEATs: corrected together, nothing left out without a reason."""

from dataclasses import replace

import msgspec
import numpy as np
import pytest
from fields import splits
from planted import SETS, planted
from refusals import refuses
from statsmodels.stats.multitest import multipletests

from imprint.association.rows import SeatRow
from imprint.association.seat import seat
from imprint.association.seat_battery import all_in_sentences, run_seat_battery
from imprint.association.sensitivity import AnisotropyRow
from imprint.encoders.bag_of_words import BagOfWordsEncoder
from imprint.encoders.base import FunctionEncoder
from imprint.errors import EncoderError, SettingError, StimulusError, VocabularyError
from imprint.kinds.findings import read_findings
from imprint.stimuli.catalog import get
from imprint.stimuli.definition import Unbleached, WeatTest, WordSet
from imprint.writing import write_findings

UNITS = ("word", "sentence")


def make_test(identifier, x, y, a, b, **more):
    sets = [WordSet.of(name, words) for name, words in zip("XYAB", (x, y, a, b), strict=True)]
    return WeatTest(identifier, f"{identifier} words", "made here", "en", *sets, **more)


@pytest.fixture(scope="module")
def tests():
    x, y, a, b = (SETS[key] for key in "xyab")
    own = Unbleached(("Behold {word}!",), ("{word}?",))
    return (
        make_test("found", x, y, a, b),
        make_test("mixed", x[:3] + y[:3], x[3:] + y[3:], a, b, unbleached=own),
        make_test("tiny", x[:2], y[:2], a, b),
    )


@pytest.fixture(scope="module")
def speaker():
    """An encoder by the words planted in an embedding, with noise from what stands around them."""
    embedding = planted()
    known = dict(zip(embedding.words, embedding.vectors, strict=True))

    def make(name="speaker", noise=0.5):
        def speak(texts):
            said = [known.get(next((word for word in known if word in text.lower()), "")) for text in texts]
            around = [np.random.default_rng([*name.encode(), *text.encode()]).normal(size=20) for text in texts]
            return [
                noise * other if planted is None else planted + noise * other
                for planted, other in zip(said, around, strict=True)
            ]

        return FunctionEncoder(speak, name=name)

    return make


def of_unit(battery, unit):
    return [row for row in battery.of(SeatRow) if row.unit == unit]


@pytest.fixture(scope="module")
def battery(speaker, tests):
    return run_seat_battery([speaker()], tests)


def test_every_context_of_the_paper_has_a_row_in_both_units_and_words_in_frames_have_one(battery, speaker, tests):
    expected = [
        ("found", "framed"), ("found", "word"), ("found", "bleached"),
        ("mixed", "framed"), ("mixed", "word"), ("mixed", "bleached"), ("mixed", "unbleached"),
        ("tiny", "framed"), ("tiny", "word"), ("tiny", "bleached"),
    ]  # fmt: skip
    assert [(row.test, row.context) for row in of_unit(battery, "word")] == expected
    assert [(row.test, row.context) for row in of_unit(battery, "sentence")] == [
        place for place in expected if place[1] != "framed"
    ]
    assert {row.context for row in run_seat_battery([speaker()], tests, context="word").of(SeatRow)} == {"word"}
    assert {row.context for row in run_seat_battery([speaker()], tests, alone=False).of(SeatRow)} == {
        "framed", "bleached", "unbleached",
    }  # fmt: skip


def test_a_question_is_asked_in_frames_alone(speaker, tests):
    question = replace(tests[0], is_question=True)
    (row,) = run_seat_battery([speaker()], [question]).of(SeatRow)
    assert (row.context, row.unit, row.is_question, row.p_value) == ("framed", "word", True, None)


def test_rows_are_those_of_single_tests(speaker, tests):
    encoder, by_id = speaker(), {test.id: test for test in tests}
    for row in run_seat_battery([encoder], tests, alternative="two-sided", seed=3).of(SeatRow):
        options = {"unit": row.unit, "context": row.context, "alternative": "two-sided", "seed": 3}
        alone = seat(encoder, by_id[row.test], **options)
        assert alone == msgspec.structs.replace(row, stars="")


def test_single_words_have_one_count_in_both_units(battery):
    words = {(row.test, row.context): row for row in of_unit(battery, "word")}
    for by_sentences in of_unit(battery, "sentence"):
        by_words = words[by_sentences.test, by_sentences.context]
        assert (splits(by_words) == splits(by_sentences)) == (by_words.context != "bleached")


def test_only_frames_have_sizes_and_what_else_is_asked_changes_none(battery, speaker, tests):
    for row in battery.of(SeatRow):
        assert (row.outcome is not None) == (row.context == "framed")
        assert (row.size is not None) <= (row.context == "framed")
    more = run_seat_battery([speaker(), speaker("other")], tests[:1])
    first = [row for row in more.of(SeatRow) if row.embedding == "speaker"]
    assert [row for row in first if row.context == "framed"] == [
        row for row in battery.of(SeatRow) if (row.test, row.context) == ("found", "framed")
    ]


def test_by_sentences_the_papers_p_is_starred_after_holms_correction(speaker, tests):
    battery = run_seat_battery([speaker(), speaker("other")], tests)
    assert {row.stars for row in battery.of(SeatRow) if row.unit == "word"} == {""}
    for encoder in ("speaker", "other"):
        rows = [row for row in battery.of(SeatRow) if row.unit == "sentence" and row.embedding == encoder]
        corrected = multipletests([row.p_value for row in rows], method="holm")[1]
        for row, adjusted in zip(rows, corrected, strict=True):
            assert row.stars == ("**" if adjusted <= 0.05 else "*" if row.p_value <= 0.05 else "")
        assert {row.stars for row in rows} == {"", "**"}


def test_outcomes_tell_what_is_found_from_what_cannot_be_told(battery):
    found, mixed, tiny = (row for row in battery.of(SeatRow) if row.context == "framed")
    assert found.size_low > 0
    assert 0 < found.p_frequency <= 1
    assert mixed.size_low < 0 < mixed.size_high
    assert mixed.detectable > 0
    assert (tiny.outcome, tiny.reason, tiny.size_low, tiny.detectable) == ("cannot tell", "few words", None, None)


def test_words_are_not_compared_where_an_encoder_may_not_be_sent_so_many_texts(speaker, tests):
    encoder = speaker()
    encoder.max_texts = 200
    (row, *_) = run_seat_battery([encoder], tests[:1]).findings()
    assert (row.p_frequency, row.unrelated) == (None, None)
    assert row.size_low > 0
    assert (row.outcome, row.reason) == ("cannot tell", "frequency")


def test_questions_come_first_where_an_encoder_may_be_sent_few_texts(speaker, tests):
    question = replace(tests[0], id="question", is_question=True)
    other = make_test("other", ("orchid", "peony", "tulip"), ("gnat", "moth", "wasp"), *(SETS[key] for key in "ab"))
    (framed, *contexts), _ = all_in_sentences([question, other], None, None)
    needed = len({*framed.texts})
    for more, expected in ((0, []), (len({*contexts[0].texts} - {*framed.texts}), ["framed"])):
        encoder = speaker()
        encoder.max_texts = needed + more
        battery = run_seat_battery([encoder], [other, question])
        ran = [(row.test, row.context) for row in battery.of(SeatRow)]
        assert sorted(ran) == [*(("other", context) for context in expected), ("question", "framed")]
        assert encoder.sent == needed + more
        assert [row.test for row in battery.skipped] == ["other"]  # in some sentences, or in all
        assert "texts would be sent" in battery.skipped[0].reason
    encoder.max_texts = encoder.sent + needed - 1
    with refuses(VocabularyError, "none of 1 tests", "texts would be sent"):
        run_seat_battery([encoder], [question])
    with refuses(SettingError, option="max_texts"):
        run_seat_battery([encoder], [question], skip=False)


def test_what_cannot_run_is_listed_with_its_reason_or_raises(embedding, tests, attributes, targets):
    encoder = BagOfWordsEncoder(embedding)
    absent = make_test("absent", ("orchid", "peony"), targets[1], *attributes)
    foreign = replace(tests[0], id="foreign", language="tlh")
    battery = run_seat_battery([encoder], (*tests, absent, foreign))
    reasons = [(row.test, row.reason) for row in battery.skipped]
    assert [test for test, _ in reasons] == ["foreign", "absent"]
    assert [row.test for row in battery.findings() if row.kind == "skipped"] == ["foreign", "absent"]
    assert "'tlh'" in reasons[0][1]
    assert "'orchid', 'peony'" in reasons[1][1]
    assert [row.context for row in of_unit(battery, "word") if row.test == "foreign"] == ["word"]
    with refuses(VocabularyError, words=("orchid", "peony")):
        run_seat_battery([encoder], [absent], skip=False)
    with refuses(StimulusError, "'tlh'"):
        run_seat_battery([encoder], [foreign], skip=False)
    with refuses(VocabularyError, "absent: X: planted"):
        run_seat_battery([encoder], [absent])


def test_each_distinct_text_is_encoded_once(speaker, tests):
    encoder, asked = speaker(), []
    embed = encoder.embed

    def counted(texts):
        asked.extend(texts)
        return embed(texts)

    encoder.embed = counted
    battery = run_seat_battery([encoder], tests)
    questions, _ = all_in_sentences(tests, None, None)
    own = {text for question in questions for text in question.texts}
    assert own < set(asked)
    assert len(asked) == len(set(asked))
    assert encoder.sent == len(asked)
    assert {row.context: row.texts for row in battery.of(AnisotropyRow)} == {
        "framed": 42, "word": 21, "bleached": 84, "unbleached": 21,
    }  # fmt: skip


def test_an_encoder_given_twice_is_refused_and_two_of_one_name_are_told_apart(speaker, tests):
    with refuses(SettingError, option="encoders", got="speaker"):
        run_seat_battery([speaker(), speaker()], tests)
    one, other = speaker(), speaker()
    other.identity = "another"
    battery = run_seat_battery([one, other], tests[:1])
    assert [row.embedding_sha256 for row in of_unit(battery, "word")] == [one.identity] * 3 + ["another"] * 3


def test_findings_survive_a_file(battery, tmp_path):
    findings = [*battery]
    write_findings(tmp_path / "findings.jsonl", findings)
    again = read_findings(tmp_path / "findings.jsonl")
    assert again == findings
    assert [finding.kind for finding in again] == ["seat"] * 17 + ["seat-anisotropy"] * 4


def test_a_battery_is_one_line_a_table_and_safe_in_a_notebook(speaker, tests):
    battery = run_seat_battery([speaker()], [replace(tests[0], id="<script>alert(1)</script>")])
    assert repr(battery).startswith("Rows(5 seat: 1 ")
    frame = battery.to_frame()
    frame = frame[frame["kind"] == "seat"]
    assert list(frame["unit"]) == ["word", *["word", "sentence"] * 2]
    assert list(frame["p_value"]) == [row.p_value for row in battery.of(SeatRow)]
    assert frame.index.is_unique
    assert "<script>" not in battery._repr_html_()


def test_progress_tells_what_is_done_and_how_much_of_it(speaker, tests):
    seen = []
    run_seat_battery([speaker()], tests, report=lambda *told: seen.append(told))
    encoding = [told for told in seen if told[0] == "encoding with speaker"]
    assert encoding[-1][1] == encoding[-1][2] > 126
    seen = seen[len(encoding) - 1 :]
    assert seen[1:] == [("testing speaker", done, 10) for done in range(1, 11)]


def test_encoders_all_alike_are_refused(tests):
    flat = FunctionEncoder(lambda texts: np.ones((len(texts), 3)), name="flat")
    with refuses(EncoderError, "168 texts", where="flat"):
        run_seat_battery([flat], tests)


def test_a_test_with_sentences_of_its_own_counts_once_in_its_topic():
    own = Unbleached(("Behold {word}!",), ("{word}?",))
    first = get("caliskan-6")
    tests = [first, replace(first, id="turned", a=first.b, b=first.a, unbleached=own)]
    battery = run_seat_battery(["cbow"], tests)
    assert {row.context for row in of_unit(battery, "word")} == {"framed", "word", "bleached", "unbleached"}
    (gender,) = [row for row in battery.findings() if row.kind == "topic" and row.topic == "gender"]
    sizes = [row.size for row in battery.of(SeatRow) if row.context == "framed"]
    assert gender.tests == ("caliskan-6", "turned")
    assert gender.size == pytest.approx(np.mean(sizes), abs=1e-9)
