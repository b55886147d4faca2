from dataclasses import replace

import numpy as np
import pytest
from planted import SETS, planted
from refusals import refuses

from imprint.association.battery import run_battery
from imprint.association.weat import WeatRow, weat
from imprint.embeddings.embedding import Embedding
from imprint.errors import VocabularyError
from imprint.kinds.findings import read_findings
from imprint.stimuli.definition import WeatTest, WefatTest, WordSet, words_of
from imprint.writing import write_findings


def make_test(identifier, x, y, a, b):
    sets = [WordSet.of(name, words) for name, words in zip("XYAB", (x, y, a, b), strict=True)]
    return WeatTest(identifier, identifier, "made here", "en", *sets)


@pytest.fixture
def tests(targets, attributes):
    (x, y), (a, b) = targets, attributes
    return (
        make_test("found", x, y, a, b),
        make_test("mixed", x[:3] + y[:3], x[3:] + y[3:], a, b),
        make_test("tiny", x[:2], y[:2], a, b),
        make_test("absent", ("orchid", "peony"), y, a, b),
    )


def make_question(**lists):
    return replace(make_test("question", *({**SETS, **lists}[key] for key in "xyab")), is_question=True)


def test_each_test_has_the_row_it_has_alone(embedding, tests):
    battery = run_battery(embedding, tests)
    assert [row.test for row in battery.of(WeatRow)] == ["found", "mixed", "tiny"]
    assert [*battery.of(WeatRow)] == [weat(embedding, test) for test in tests[:3]]


def test_an_outcome_does_not_depend_on_what_else_is_asked(embedding, tests):
    question = make_question()
    alone, among = (run_battery(embedding, asked).of(WeatRow)[-1] for asked in ([question], [*tests, question]))
    assert alone == among
    assert alone.outcome == "substantial"


@pytest.mark.parametrize(
    ("strength", "lists", "outcome", "reason"),
    [
        (0.8, {}, "substantial", None),
        (0.8, {"x": SETS["x"][:3] + SETS["y"][:3], "y": SETS["x"][3:] + SETS["y"][3:]}, "cannot tell", None),
        (0.0, {}, "cannot tell", "attributes not distinguished"),
        (0.8, {"x": SETS["x"][:3]}, "cannot tell", "few words"),
        (0.8, {"b": (*SETS["b"], *(f"unknown{n}" for n in range(6)))}, "cannot tell", "few words"),
    ],
)
def test_a_question_says_why_it_cannot_tell(strength, lists, outcome, reason):
    (row,) = run_battery(planted(strength=strength), [make_question(**lists)]).of(WeatRow)
    assert (row.outcome, row.reason, row.found) == (outcome, reason, outcome == "substantial")
    assert (row.size_low is None) == (row.detectable is None) == (reason is not None)
    assert row.p_value is None


def test_lists_that_are_not_matched_need_other_words_to_compare_with(embedding, tests):
    found, mixed, tiny = run_battery(embedding, tests).of(WeatRow)
    assert (found.p_frequency, found.unrelated) == (None, None)
    assert 0 < found.size_low < found.size < found.size_high
    assert [(row.outcome, row.reason) for row in (found, mixed, tiny)] == [
        ("cannot tell", "frequency"),
        ("cannot tell", None),
        ("cannot tell", "few words"),
    ]


def test_swapping_the_targets_turns_the_size_round_and_nothing_else(embedding, tests):
    asked = [make_question(), *tests[:3]]
    turned = [replace(test, x=test.y, y=test.x) for test in asked]
    for row, other in zip(
        run_battery(embedding, asked).of(WeatRow), run_battery(embedding, turned).of(WeatRow), strict=True
    ):
        assert other.mean_difference == pytest.approx(-row.mean_difference)
        assert (other.outcome, other.reason) == (row.outcome, row.reason)
        if row.size_low is not None:
            ends = (row.size, row.size_low, row.size_high)
            assert (-other.size, -other.size_high, -other.size_low) == pytest.approx(ends)


def test_what_cannot_run_is_listed_with_its_reason_or_raises(embedding, tests):
    battery = run_battery(embedding, tests)
    (skipped,) = battery.skipped
    assert skipped.test == "absent"
    assert "'orchid', 'peony'" in skipped.reason
    row = battery.findings()[-1]
    assert (row.kind, row.test, row.embedding_sha256) == ("skipped", "absent", embedding.sha256)
    assert row == skipped
    assert (row.part, row.title) == ("weat", "absent")
    with refuses(VocabularyError, words=("orchid", "peony")):
        run_battery(embedding, tests, skip=False)
    with refuses(VocabularyError, "absent: ", where="planted"):
        run_battery(embedding, tests[3:])


def test_findings_survive_a_file(embedding, tests, tmp_path):
    findings = [*run_battery(embedding, tests)]
    write_findings(tmp_path / "findings.jsonl", findings)
    again = read_findings(tmp_path / "findings.jsonl")
    assert again == findings
    assert [finding.kind for finding in again] == ["weat"] * 3 + ["skipped"]


def test_both_kinds_of_test_make_rows_of_one_table(embedding, tests):
    words = WordSet.of("W", embedding.words[:12])
    rng = np.random.default_rng(0)
    wefat = WefatTest(
        "w",
        "w",
        "made here",
        "en",
        words,
        tests[0].a,
        tests[0].b,
        dict(zip(words.words, rng.random(12), strict=True)),
    )
    battery = run_battery(embedding, (*tests, wefat))
    frame = battery.to_frame()
    assert list(frame["kind"]) == ["weat"] * 3 + ["wefat"]
    assert "\n" not in repr(battery)
    assert words_of((tests[3], wefat)) >= {"orchid", *words.words}


def test_a_hostile_title_is_escaped_in_a_notebook(embedding, targets, attributes):
    test = make_test("<script>alert(1)</script>", *targets, *attributes)
    assert "<script>" not in run_battery(embedding, [test])._repr_html_()


def test_progress_is_told_once_a_test(embedding, tests):
    seen = []
    run_battery(embedding, tests, progress=lambda done, total: seen.append((done, total)))
    assert seen == [(1, 4), (2, 4), (3, 4), (4, 4)]


def test_an_embedding_without_direction_is_no_obstacle(tests):
    embedding = Embedding(
        "flat",
        [w for t in tests[:1] for w in (*t.x.words, *t.y.words, *t.a.words, *t.b.words)],
        np.ones((21, 4), dtype=np.float32),
    )
    (row,) = run_battery(embedding, tests[:1]).of(WeatRow)
    assert (row.p_value, row.effect_size, row.outcome) == (1, None, "cannot tell")
    assert row.reason == "attributes not distinguished"
