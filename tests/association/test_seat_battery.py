"""Families of SEATs: corrected together, nothing left out without a reason."""

from dataclasses import replace

import numpy as np
import pytest
from refusals import refuses
from statsmodels.stats.multitest import multipletests

from imprint.association.seat import seat
from imprint.association.seat_battery import all_in_sentences, run_seat_battery
from imprint.encoders.bag_of_words import BagOfWordsEncoder
from imprint.encoders.base import FunctionEncoder
from imprint.errors import EncoderError, SettingError, StimulusError, VocabularyError
from imprint.kinds.findings import read_findings
from imprint.rows import write_findings
from imprint.stimuli.catalog import get
from imprint.stimuli.definition import Unbleached, WeatTest, WordSet

UNITS = ("word", "sentence")


def make_test(identifier, x, y, a, b, **more):
    sets = [WordSet.of(name, words) for name, words in zip("XYAB", (x, y, a, b), strict=True)]
    return WeatTest(identifier, f"{identifier} words", "made here", "en", *sets, **more)


@pytest.fixture
def tests(targets, attributes):
    (x, y), (a, b) = targets, attributes
    own = Unbleached(("Behold {word}!",), ("{word}?",))
    return (
        make_test("found", x, y, a, b),
        make_test("mixed", x[:3] + y[:3], x[3:] + y[3:], a, b, unbleached=own),
        make_test("tiny", x[:2], y[:2], a, b),
    )


@pytest.fixture
def speaker(embedding):
    """An encoder by the words planted in an embedding, with noise from what stands around them."""
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


def seat_rows(battery):
    return [row for row in battery.findings() if row.kind == "seat"]


def test_every_context_of_a_test_has_a_row_in_both_units(speaker, tests):
    battery = run_seat_battery([speaker()], tests)
    expected = [
        ("found", "word"), ("found", "bleached"), ("mixed", "word"), ("mixed", "bleached"), ("mixed", "unbleached"),
        ("tiny", "word"), ("tiny", "bleached"),
    ]  # fmt: skip
    for unit in UNITS:
        assert [(row.test.id, row.context) for row in battery.of_unit(unit)] == expected
    assert {row.context for row in run_seat_battery([speaker()], tests, context="word").seats} == {"word"}


def test_rows_are_those_of_single_tests(speaker, tests):
    encoder = speaker()
    for result in run_seat_battery([encoder], tests, alternative="two-sided", seed=3).seats:
        options = {"unit": result.unit, "context": result.context, "alternative": "two-sided", "seed": 3}
        alone = seat(encoder, result.test, **options)
        for name in ("significance", "effect_size", "d_within", "mean_difference", "scores", "centred"):
            assert getattr(result, name) == getattr(alone, name)


def test_single_words_are_one_count_shared_by_both_units(speaker, tests):
    battery = run_seat_battery([speaker()], tests)
    for words, by_sentences in zip(battery.of_unit("word"), battery.of_unit("sentence"), strict=True):
        shared = words.significance is by_sentences.significance
        assert shared == (words.context != "bleached")


@pytest.mark.parametrize("names", [("one",), ("one", "other")])
def test_each_encoder_has_a_family_of_single_words_and_one_of_words_in_sentences(speaker, tests, names):
    control = replace(tests[0], id="control", topics=("neutral",))
    battery = run_seat_battery([speaker(name) for name in names], (*tests, control))
    rows = [one for one in battery.of_unit("word") if one.test.id != "control"]
    assert len(rows) == 7 * len(names)
    families = {}
    for one in rows:
        families.setdefault((one.embedding, one.context == "word"), []).append(one)
    for family in families.values():
        corrected = multipletests([one.checks.p_label for one in family], method="holm")[1]
        assert [one.judged.p_holm for one in family] == pytest.approx(corrected, rel=1e-12)
        assert {one.judged.family_size for one in family} == {len(family)}
    assert {one.evidence for one in battery.of_unit("word") if one.test.id == "control"} == {None}


def test_by_sentences_the_papers_p_is_corrected_and_starred_and_nothing_is_judged(speaker, tests):
    battery = run_seat_battery([speaker()], tests, alpha=0.01)
    rows = [row for row in seat_rows(battery) if row.unit == "sentence"]
    corrected = multipletests([row.p_value for row in rows], method="holm")[1]
    assert [row.p_holm for row in rows] == pytest.approx(corrected, rel=1e-12)
    for row in rows:
        assert row.stars == ("**" if row.p_holm <= 0.01 else "*" if row.p_value <= 0.01 else "")
        assert (row.evidence, row.p_label, row.words_low) == (None, None, None)
    assert {row.stars for row in seat_rows(battery) if row.unit == "word"} == {""}
    assert {row.stars for row in rows} == {"", "**"}


def test_evidence_tells_not_found_from_cannot_be_found(speaker, tests):
    battery = run_seat_battery([speaker()], tests)
    rows = {(one.test.id, one.context, one.unit): one for one in battery.seats}
    found, mixed, tiny = (rows[test, "bleached", "word"] for test in ("found", "mixed", "tiny"))
    assert (mixed.evidence, tiny.evidence) == ("none shown", "too few words")
    assert found.finding().found
    assert (found.detectable_shift, tiny.detectable_shift) == (None, None)
    assert mixed.detectable_shift > 0
    assert rows["mixed", "bleached", "sentence"].detectable_shift is None


def test_a_test_whose_smallest_p_is_above_alpha_has_too_few_words():
    def speak(texts):
        return [np.random.default_rng([*text.encode()]).normal(size=4) for text in texts]

    test = get("seat-abw-terms")
    battery = run_seat_battery([FunctionEncoder(speak)], [test], context="bleached", alpha=0.01)
    words, by_sentences = battery.seats
    assert (words.evidence, words.checks.p_label_floor) == ("too few words", 2 / 70)
    assert by_sentences.evidence is None


def test_two_checks_do_not_run_where_an_encoder_may_not_be_sent_so_many_texts(speaker, tests):
    encoder = speaker()
    encoder.max_texts = 200
    (one, *_) = run_seat_battery([encoder], tests[:1]).findings()
    assert (one.p_frequency, one.p_axes) == (None, None)
    assert one.p_words is not None


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
    assert [row.context for row in battery.of_unit("word") if row.test.id == "foreign"] == ["word"]
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
    assert battery.encoded == len(asked)
    assert {row.context: row.texts for row in battery.anisotropy} == {"word": 21, "bleached": 84, "unbleached": 21}


def test_an_encoder_given_twice_is_refused_and_two_of_one_name_are_told_apart(speaker, tests):
    with refuses(SettingError, option="encoders", got="speaker"):
        run_seat_battery([speaker(), speaker()], tests)
    one, other = speaker(), speaker()
    other.identity = "another"
    battery = run_seat_battery([one, other], tests[:1])
    assert [row.embedding_sha256 for row in battery.of_unit("word")] == [one.identity] * 2 + ["another"] * 2


def test_findings_survive_a_file(speaker, tests, tmp_path):
    findings = run_seat_battery([speaker()], tests).findings()
    write_findings(tmp_path / "findings.jsonl", findings)
    again = read_findings(tmp_path / "findings.jsonl")
    assert again == findings
    assert [finding.kind for finding in again] == ["seat"] * 14 + ["seat-anisotropy"] * 3


def test_a_battery_is_one_line_a_table_and_safe_in_a_notebook(speaker, tests):
    battery = run_seat_battery([speaker()], [replace(tests[0], id="<script>alert(1)</script>")])
    assert repr(battery).startswith("SeatBattery(2 SEATs by words: ")
    frame = battery.to_frame()
    frame = frame[frame["kind"] == "seat"]
    assert list(frame["unit"]) == ["word", "sentence"] * 2
    assert list(frame["p_holm"]) == [one.judged.p_holm for one in battery.seats]
    assert frame.index.is_unique
    assert "<script>" not in battery._repr_html_()


def test_progress_tells_what_is_done_and_how_much_of_it(speaker, tests):
    seen = []
    run_seat_battery([speaker()], tests, report=lambda *told: seen.append(told))
    encoding = [told for told in seen if told[0] == "encoding with speaker"]
    assert encoding[-1][1] == encoding[-1][2] > 126
    seen = seen[len(encoding) - 1 :]
    assert seen[1:8] == [("testing speaker", done, 7) for done in range(1, 8)]
    assert seen[8:] == [("computing the smallest detectable effects", done, 14) for done in range(1, 15)]


def test_settings_out_of_range_and_encoders_all_alike_are_refused(tests):
    flat = FunctionEncoder(lambda texts: np.ones((len(texts), 3)), name="flat")
    with refuses(SettingError, option="alpha", got=5):
        run_seat_battery([flat], tests, alpha=5)
    with refuses(EncoderError, "126 texts", where="flat"):
        run_seat_battery([flat], tests)


def test_a_test_with_sentences_of_its_own_counts_once_in_its_topic():
    tests = [get(test) for test in ("caliskan-6", "seat-double-bind-competent")]
    battery = run_seat_battery(["cbow"], tests)
    assert {one.context for one in battery.of_unit("word")} == {"word", "bleached", "unbleached"}
    (gender,) = [row for row in battery.findings() if row.kind == "topic" and row.topic == "gender"]
    bleached = [one.mean_difference for one in battery.of_unit("word") if one.context == "bleached"]
    assert len(bleached) == len(gender.tests) == 2
    assert gender.mean_difference == pytest.approx(np.mean(bleached))
