"""All benchmarks together: one row each, skipped ones with a reason, the change against another embedding."""

import json

import numpy as np
import pytest
from refusals import refuses

from imprint.embeddings.embedding import Embedding
from imprint.errors import VocabularyError
from imprint.evaluation.benchmarks import AnalogyBenchmark, BenchmarkRow, PairBenchmark
from imprint.evaluation.evaluate import evaluate

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
    assert [row.test for row in found.of(BenchmarkRow)] == ["rg-65", "mine"]
    (skipped,) = found.skipped
    assert (skipped.kind, skipped.test, skipped.embedding, skipped.part) == ("skipped", "absent", "one", "benchmarks")
    assert found[-1] is skipped
    assert list(found.to_frame()["kind"]) == ["similarity", "analogy_benchmark"]


def test_nothing_to_run_is_refused_in_one_line():
    with refuses(VocabularyError, "absent: 0 of 5", where="one"):
        evaluate(embedding(0, "one"), [ABSENT])
    with refuses(VocabularyError, where="one"):
        evaluate(embedding(0, "one"), [])


def test_the_change_is_the_embedding_less_what_it_is_held_against():
    before, after = embedding(0, "before"), embedding(1, "after")
    found = evaluate(after, [PAIRS, QUESTIONS], against=before, resamples=20)
    for row, measure in zip(found, ("spearman", "3cosmul"), strict=True):
        assert (row.against, row.embedding) == ("before", "after")
        now, then, change = (row.measured(measure, of)[0] for of in ("", "against_", "change_"))
        assert change == pytest.approx(now - then)
    (alone,) = evaluate(after, [PAIRS], resamples=20)
    assert alone.measured("spearman") == found[0].measured("spearman")


def test_findings_say_everything_and_are_json():
    found = evaluate(embedding(1, "after"), [PAIRS, QUESTIONS], against=embedding(0, "before"), resamples=20)
    pairs, questions = (json.loads(finding.to_json()) for finding in found.findings())
    assert (pairs["kind"], pairs["test"], pairs["against"]) == ("similarity", "rg-65", "before")
    assert (pairs["published_before"], pairs["published_after"]) == (0.761, 0.764)
    assert pairs["effect_size"] == pairs["spearman"]
    assert pairs["change_spearman_low"] <= pairs["change_spearman"] <= pairs["change_spearman_high"]
    assert (questions["kind"], questions["published_before"], questions["n_words"]) == ("analogy_benchmark", None, 30)
    assert questions["sections"][0]["found"] == 20
    assert list(found.to_frame()["test"]) == ["rg-65", "mine"]


def test_long_work_reports_its_progress():
    seen = []
    evaluate(embedding(0, "one"), [PAIRS, QUESTIONS], resamples=5, report=lambda *at: seen.append(at))
    assert seen == [("answering mine", 30, 30)]
