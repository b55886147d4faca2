"""Families of SEATs: corrected together, nothing left out without a reason."""

import math
from dataclasses import replace

import numpy as np
import pytest
from refusals import refuses
from statsmodels.stats.multitest import multipletests

from imprint.association.seat import seat
from imprint.association.seat_battery import put, run_seat_battery
from imprint.encoders.bag_of_words import BagOfWordsEncoder
from imprint.encoders.function import FunctionEncoder
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
            words = [next(word for word in known if word in text.lower()) for text in texts]
            around = [np.random.default_rng([*name.encode(), *text.encode()]).normal(size=20) for text in texts]
            return [known[word] + noise * other for word, other in zip(words, around, strict=True)]

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
        assert [(row.result.test.id, row.result.context) for row in battery.of_unit(unit)] == expected
    assert {row.result.context for row in run_seat_battery([speaker()], tests, context="word").seats} == {"word"}


def test_rows_are_those_of_single_tests(speaker, tests):
    encoder = speaker()
    for row in run_seat_battery([encoder], tests, alternative="two-sided", seed=3).seats:
        result = row.result
        options = {"unit": result.unit, "context": result.context, "alternative": "two-sided", "seed": 3}
        alone = seat(encoder, result.test, **options)
        for name in ("significance", "effect_size", "d_within", "mean_difference", "scores", "centred"):
            assert getattr(result, name) == getattr(alone, name)


def test_single_words_are_one_count_shared_by_both_units(speaker, tests):
    battery = run_seat_battery([speaker()], tests)
    for words, by_sentences in zip(battery.of_unit("word"), battery.of_unit("sentence"), strict=True):
        shared = words.result.significance is by_sentences.result.significance
        assert shared == (words.result.context != "bleached")


@pytest.mark.parametrize("names", [("one",), ("one", "other", "third")])
@pytest.mark.slow
def test_each_unit_is_a_family_over_all_contexts_and_encoders(speaker, tests, names):
    battery = run_seat_battery([speaker(name) for name in names], tests)
    for unit in UNITS:
        rows = battery.of_unit(unit)
        assert len(rows) == 7 * len(names)
        corrected = multipletests([row.result.p_value for row in rows], method="holm")[1]
        assert [row.p_holm for row in rows] == pytest.approx(corrected, rel=1e-12)


def test_stars_tell_alone_from_within_the_family(speaker, tests):
    rows = seat_rows(run_seat_battery([speaker()], tests, alpha=0.01))
    for row in rows:
        assert row.stars == ("**" if row.p_holm <= 0.01 else "*" if row.p_value <= 0.01 else "")
    assert {row.stars for row in rows} == {"", "**"}
    # p of the planted effect is 1/924: it passes this alpha alone, and not among seven.
    level = 1.5 / math.comb(12, 6)
    (found,) = [
        row
        for row in seat_rows(run_seat_battery([speaker()], tests, alpha=level))
        if (row.test, row.context, row.unit) == ("found", "word", "word")
    ]
    assert (found.p_value, found.stars, found.verdict) == (1 / math.comb(12, 6), "*", "cannot reach")


def test_verdicts_tell_not_found_from_cannot_be_found(speaker, tests):
    battery = run_seat_battery([speaker()], tests)
    rows = {(one.result.test.id, one.result.context, one.result.unit): one for one in battery.seats}
    found, mixed, tiny = (rows[test, "bleached", "word"] for test in ("found", "mixed", "tiny"))
    assert (found.verdict, mixed.verdict, tiny.verdict) == ("significant", "not significant", "cannot reach")
    assert (found.detectable_shift, tiny.detectable_shift) == (None, None)
    assert mixed.detectable_shift > 0
    assert rows["tiny", "bleached", "sentence"].verdict != "cannot reach"
    assert rows["mixed", "bleached", "sentence"].detectable_shift is None


def test_four_group_terms_a_side_cannot_reach_a_hundredth_by_words():
    def speak(texts):
        return [np.random.default_rng([*text.encode()]).normal(size=4) for text in texts]

    battery = run_seat_battery([FunctionEncoder(speak)], [get("seat-abw-terms")], context="bleached")
    words, by_sentences = battery.seats
    assert (words.verdict, words.result.significance.p_floor) == ("cannot reach", 1 / 70)
    assert by_sentences.verdict != "cannot reach"


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
    assert [row.result.context for row in battery.of_unit("word") if row.result.test.id == "foreign"] == ["word"]
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
    questions, _ = put(tests, None, None)
    assert sorted(asked) == sorted({text for question in questions for text in question.texts})
    assert battery.encoded == len(asked)
    assert {row.context: row.texts for row in battery.anisotropy} == {"word": 21, "bleached": 84, "unbleached": 21}


def test_an_encoder_given_twice_is_refused_and_two_of_one_name_are_told_apart(speaker, tests):
    with refuses(SettingError, option="encoders", got="speaker"):
        run_seat_battery([speaker(), speaker()], tests)
    one, other = speaker(), speaker()
    other.identity = "another"
    battery = run_seat_battery([one, other], tests[:1])
    assert [row.result.embedding_sha256 for row in battery.of_unit("word")] == [one.identity] * 2 + ["another"] * 2


def test_findings_survive_a_file(speaker, tests, tmp_path):
    findings = run_seat_battery([speaker()], tests).findings()
    write_findings(tmp_path / "findings.jsonl", findings)
    again = read_findings(tmp_path / "findings.jsonl")
    assert again == findings
    assert [finding.kind for finding in again] == ["seat"] * 14 + ["seat-anisotropy"] * 3


def test_a_battery_is_one_line_a_table_and_safe_in_a_notebook(speaker, tests):
    battery = run_seat_battery([speaker()], [replace(tests[0], id="<script>alert(1)</script>")])
    assert (
        repr(battery) == "SeatBattery(significant after Holm at 0.01: 2 of 2 by words, 2 of 2 by sentences; 0 skipped)"
    )
    frame = battery.to_frame()
    frame = frame[frame["kind"] == "seat"]
    assert list(frame["unit"]) == ["word", "sentence"] * 2
    assert list(frame["p_holm"]) == [one.p_holm for one in battery.seats]
    assert frame.index.is_unique
    assert "<script>" not in battery._repr_html_()


def test_progress_tells_what_is_done_and_how_much_of_it(speaker, tests):
    seen = []
    run_seat_battery([speaker()], tests, report=lambda *told: seen.append(told))
    assert seen[0] == ("encoding with speaker", 126, 126)
    assert seen[1:8] == [("testing speaker", done, 7) for done in range(1, 8)]
    assert seen[8:] == [("asking what each test could have found", done, 14) for done in range(1, 15)]


def test_settings_out_of_range_and_encoders_all_alike_are_refused(tests):
    flat = FunctionEncoder(lambda texts: np.ones((len(texts), 3)), name="flat")
    with refuses(SettingError, option="alpha", got=5):
        run_seat_battery([flat], tests, alpha=5)
    with refuses(EncoderError, "126 texts", where="flat"):
        run_seat_battery([flat], tests)
