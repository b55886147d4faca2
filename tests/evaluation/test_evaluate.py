"""All benchmarks together: one row each, skipped ones with a reason, the change against another embedding."""

import json

import numpy as np
import pytest

from imprint.embeddings.embedding import Embedding
from imprint.errors import VocabularyError
from imprint.evaluation.benchmarks import AnalogyBenchmark, PairBenchmark
from imprint.evaluation.evaluate import evaluate
from imprint.report.marking import Words
from imprint.report.sections.story import parts

WORDS = [f"w{row}" for row in range(30)]
PAIRS = PairBenchmark("rg-65", tuple((f"w{i}", f"w{i + 7}") for i in range(20)), tuple(range(20)))
ABSENT = PairBenchmark("absent", (("yak", "zebra"),) * 5, (1, 2, 3, 4, 5))
QUESTIONS = AnalogyBenchmark(
    "mine", tuple((f"w{i}", f"w{i + 1}", f"w{i + 2}", f"w{i + 3}") for i in range(20)), ("x",) * 20
)


def embedding(seed, name):
    return Embedding(name, WORDS, np.random.default_rng(seed).normal(size=(30, 4)).astype(np.float32))


def test_what_cannot_be_run_is_skipped_with_its_reason():
    found = evaluate(embedding(0, "one"), [PAIRS, ABSENT, QUESTIONS], resamples=20)
    assert [row.result.benchmark for row in found.rows] == ["rg-65", "mine"]
    ((skipped,),) = (found.skipped,)
    assert (skipped.test, skipped.reason[:30]) == ("absent", "absent: 0 of 5 pairs are in on")
    row = found.findings()[-1]
    assert (row.kind, row.test, row.embedding, row.details["part"]) == ("skipped", "absent", "one", "benchmarks")
    assert list(found.to_frame()["test"]) == ["rg-65", "mine"]
    (section,) = parts(found.findings(), Words())
    assert section.blocks[-1].rows == (("absent", skipped.reason),)


def test_nothing_to_run_is_refused_in_one_line():
    with pytest.raises(
        VocabularyError, match="none of 1 benchmarks can be run on one; for one, absent: 0 of 5"
    ) as error:
        evaluate(embedding(0, "one"), [ABSENT])
    assert "\n" not in str(error.value)
    with pytest.raises(VocabularyError, match="none was asked for"):
        evaluate(embedding(0, "one"), [])


def test_the_change_is_the_embedding_less_what_it_is_held_against():
    before, after = embedding(0, "before"), embedding(1, "after")
    found = evaluate(after, [PAIRS, QUESTIONS], against=before, resamples=20)
    for row, measure in zip(found.rows, ("spearman", "3cosmul"), strict=True):
        assert (row.against.embedding, row.result.embedding) == ("before", "after")
        expected = row.result.measures[measure].value - row.against.measures[measure].value
        assert row.change[measure].value == pytest.approx(expected)
    alone = evaluate(after, [PAIRS], resamples=20)
    assert alone.rows[0].result.measures == found.rows[0].result.measures


def test_findings_say_everything_and_are_json():
    found = evaluate(embedding(1, "after"), [PAIRS, QUESTIONS], against=embedding(0, "before"), resamples=20)
    pairs, questions = (json.loads(finding.to_json()) for finding in found.findings())
    assert (pairs["kind"], pairs["test"], pairs["against"]) == ("similarity", "rg-65", "before")
    assert pairs["published"] == [0.761, 0.764]
    assert pairs["effect_size"] == pairs["spearman"]
    assert pairs["change_spearman_low"] <= pairs["change_spearman"] <= pairs["change_spearman_high"]
    assert (questions["kind"], questions["published"], questions["words"]) == ("analogy_benchmark", None, 30)
    assert questions["sections"][0]["found"] == 20
    frame = found.to_frame()
    assert list(frame["test"]) == ["rg-65", "mine"]
    assert "<table" in found._repr_html_()
    assert repr(found) == "Evaluation(2 benchmarks, 0 skipped)"


def test_long_work_reports_its_progress():
    seen = []
    evaluate(embedding(0, "one"), [PAIRS, QUESTIONS], resamples=5, report=lambda *at: seen.append(at))
    assert seen == [("answering mine", 30, 30)]
