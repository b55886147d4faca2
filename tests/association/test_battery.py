import math
from dataclasses import replace

import numpy as np
import pytest
from refusals import refuses
from statsmodels.stats.multitest import multipletests

from imprint.association.battery import run_battery
from imprint.association.weat import weat
from imprint.embeddings.embedding import Embedding
from imprint.errors import SettingError, VocabularyError
from imprint.kinds.findings import read_findings
from imprint.rows import write_findings
from imprint.stimuli.definition import WeatTest, WefatTest, WordSet, words_of


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


def test_two_sided_p_values_are_corrected_over_the_tests_that_ran(embedding, tests):
    battery = run_battery(embedding, tests)
    assert [result.test.id for result in battery.weats] == ["found", "mixed", "tiny"]
    corrected = multipletests([result.checks.p_label for result in battery.weats], method="holm")[1]
    assert [result.judged.p_holm for result in battery.weats] == pytest.approx(corrected)
    for result in battery.weats:
        assert result.checks.p_label == weat(embedding, result.test, alternative="two-sided").p_value


def test_evidence_tells_not_found_from_cannot_be_found(embedding, tests):
    found, mixed, tiny = run_battery(embedding, tests).weats
    assert (found.evidence, mixed.evidence, tiny.evidence) == ("limited", "none shown", "too few words")
    assert found.detectable_shift is None
    assert mixed.detectable_shift > 0
    assert tiny.detectable_shift is None
    assert tiny.checks.p_label_floor == 2 / math.comb(4, 2)


def test_checks_against_other_words_do_not_run_in_a_small_vocabulary(embedding, tests):
    found = run_battery(embedding, tests).findings()[0]
    assert (found.p_frequency, found.p_axes, found.specificity) == (None, None, None)
    assert {"frequency", "axes"} <= set(found.checks_failed)
    assert found.words_low < found.mean_difference < found.words_high


def test_controls_are_in_no_family(embedding, tests):
    control = replace(tests[0], id="control", topics=("neutral",))
    battery = run_battery(embedding, (control, *tests))
    assert (battery.weats[0].evidence, battery.weats[0].judged.p_holm, battery.weats[0].judged.family_size) == (
        None, None, None,
    )  # fmt: skip
    assert battery.weats[1:] == run_battery(embedding, tests).weats


def test_swapping_the_targets_reverses_the_direction_and_nothing_else(embedding, tests):
    turned = [replace(test, x=test.y, y=test.x) for test in tests]
    for one, other in zip(run_battery(embedding, tests).weats, run_battery(embedding, turned).weats, strict=True):
        assert {one.direction, other.direction} == {"as predicted", "reversed"}
        assert other.mean_difference == pytest.approx(-one.mean_difference)
        assert other.judged == one.judged


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
    with refuses(SettingError, option="alpha", got=5):
        run_battery(embedding, tests, alpha=5)


def test_findings_survive_a_file(embedding, tests, tmp_path):
    findings = run_battery(embedding, tests).findings()
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
    (row,) = run_battery(embedding, tests[:1]).weats
    assert (row.judged.p_holm, row.evidence, row.direction) == (1, "none shown", None)
