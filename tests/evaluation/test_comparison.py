"""Two embeddings side by side: the same words on both sides, what changed, agreement of scores."""

import json

import numpy as np
import pytest
from refusals import refuses
from scipy.stats import pearsonr

from imprint.association.changes import ChangeRow, TopicChangeRow
from imprint.association.weat import WeatRow, weat
from imprint.association.wefat import wefat
from imprint.embeddings.embedding import Embedding
from imprint.errors import VocabularyError
from imprint.evaluation.benchmarks import BenchmarkRow, PairBenchmark
from imprint.evaluation.comparison import AgreementRow, agree, compare
from imprint.kinds import row_type
from imprint.rows import WordPoint, read_row
from imprint.significance.outcomes import outcome
from imprint.stimuli import catalog

TESTS = [catalog.get(f"caliskan-{number}") for number in (6, 7, 8)]
PAIRS = PairBenchmark("mine", (("cat", "dog"), ("car", "bus"), ("sun", "king"), ("nurse", "tree")), (9, 8, 1, 0))
MADE = [Embedding(name, ["a"], np.ones((1, 1), dtype=np.float32)) for name in ("one", "other")]


@pytest.fixture(scope="module")
def noisy(bundled):
    """The bundled embedding with noise, without two of the words."""
    rng = np.random.default_rng(0)
    kept = [row for row, word in enumerate(bundled.words) if word not in ("amy", "nurse")]
    vectors = np.asarray(bundled.vectors)[kept]
    noise = rng.normal(scale=0.2, size=vectors.shape)
    return Embedding("noisy", [bundled.words[row] for row in kept], (vectors + noise).astype(np.float32))


@pytest.fixture(scope="module")
def compared(bundled, noisy):
    return compare(bundled, noisy, tests=TESTS, benchmarks=[PAIRS], resamples=50)


def test_each_test_has_a_row_per_embedding_and_one_for_the_change(compared):
    assert [(row.test, row.embedding) for row in compared.of(WeatRow)] == [
        (test.id, name) for test in TESTS for name in ("glove.6B.100d", "noisy")
    ]
    assert [row.test for row in compared.of(ChangeRow, TopicChangeRow)] == [*(test.id for test in TESTS), "gender"]


def test_changes_are_the_second_less_the_first(compared):
    *changes, topic = compared.of(ChangeRow, TopicChangeRow)
    for first, second, change in zip(compared.of(WeatRow)[::2], compared.of(WeatRow)[1::2], changes, strict=True):
        assert change.effect_size == change.effect_size_after - change.effect_size_before
        assert (change.effect_size_before, change.effect_size_after) == pytest.approx(
            (first.effect_size, second.effect_size), abs=1e-9
        )
        assert (change.size_before, change.size_after) == pytest.approx((first.size, second.size), abs=1e-9)
        assert change.size == pytest.approx(change.size_after - change.size_before)
        if change.size_low is None:
            assert (change.outcome, change.reason) == ("cannot tell", "attributes not distinguished")
        else:
            judged = outcome(change.size_low, change.size_high)
            assert (change.outcome, change.reason) == (judged.outcome, None)
        assert (change.change_from, change.change_to) == (first.embedding, second.embedding)
        assert (first.other, second.other) == (second.embedding, first.embedding)
        assert first.other_sha256 == second.embedding_sha256 == change.other_sha256
    assert (topic.kind, topic.topic) == ("topic-change", "gender")
    counted = [change for change in changes if change.size_low is not None]
    assert topic.tests == tuple(change.test for change in counted) != ()
    assert topic.size == pytest.approx(np.mean([change.size for change in counted]))
    assert topic.size_low < topic.size < topic.size_high


def test_both_are_tested_on_the_words_that_both_have(bundled, compared):
    first, second, *others = compared.of(WeatRow)
    assert first.left_out == first.missing == second.left_out == ("Amy",)
    scored = [{one.word for one in row.scores} for row in (first, second)]
    assert scored[0] == scored[1]
    assert "Amy" not in scored[0]
    for row in others[::2]:
        assert row.left_out == ()
        assert row.effect_size == weat(bundled, row.test).effect_size


def test_agreement_is_of_wefats_own_scores(bundled, noisy, compared):
    by_id = {one.test: one for one in compared.of(AgreementRow)}
    assert set(by_id) == {
        "caliskan-wefat-occupations", "caliskan-wefat-names", "winobias-wefat-occupations",
        "weat-words", "professions",
    }  # fmt: skip
    names = by_id["caliskan-wefat-names"]
    first, second = (wefat(one, "caliskan-wefat-names").scores for one in (bundled, noisy))
    assert names.points == tuple(
        WordPoint(one.word, one.value, other.value) for one, other in zip(first, second, strict=True)
    )
    r = pearsonr([one.x for one in names.points], [one.y for one in names.points]).statistic
    assert names.pearson == names.effect_size == pytest.approx(r)
    occupations = by_id["caliskan-wefat-occupations"]
    assert "nurse" in occupations.missing
    assert "nurse" not in {one.word for one in occupations.points}
    assert (occupations.published_pearson, occupations.published_spearman) == (0.88, 0.86)
    assert names.published_pearson is None
    assert all(0.3 < one.spearman < 1 for one in compared.of(AgreementRow))


def test_words_of_several_tests_are_pooled_by_test_and_counted_once(bundled, noisy):
    tests = [catalog.get(f"caliskan-{number}") for number in (4, 5)]  # the same names, other attributes
    found = compare(bundled, noisy, tests=tests, benchmarks=[], resamples=20)
    pooled = next(one for one in found.of(AgreementRow) if one.test == "weat-words")
    names = {one.word for one in found.of(WeatRow)[0].scores}
    assert (pooled.n_words, pooled.n_scores) == (len(names), 2 * len(names))
    assert {one.word for one in pooled.points} == {f"{test.id}: {name}" for test in tests for name in names}
    again = agree(
        MADE, "again", "", {one.word: one.x for one in pooled.points}, {one.word: one.y for one in pooled.points},
        words={one.word: one.word.split(": ")[1] for one in pooled.points}, resamples=20,
    )  # fmt: skip
    for name in ("pearson", "spearman"):
        for end in ("", "_low", "_high"):
            assert getattr(again, f"{name}{end}") == getattr(pooled, f"{name}{end}")


def repeated(scores, times):
    return {f"{word} {again}": score for word, score in scores.items() for again in range(times)}


def test_saying_every_score_three_times_makes_nothing_surer():
    x, y = np.random.default_rng(5).normal(size=(2, 12)) + np.linspace(0, 3, 12)
    first, second = ({f"w{at}": float(value) for at, value in enumerate(side)} for side in (x, y))
    once = agree(MADE, "once", "", first, second, resamples=200)
    owners = {name: name.split()[0] for name in repeated(first, 3)}
    thrice = agree(MADE, "thrice", "", repeated(first, 3), repeated(second, 3), words=owners, resamples=200)
    for name in ("pearson", "spearman"):
        for end in ("", "_low", "_high"):
            assert getattr(thrice, f"{name}{end}") == pytest.approx(getattr(once, f"{name}{end}")), (name, end)
    assert thrice.n_words == once.n_words == 12


@pytest.mark.slow
def test_intervals_hold_the_correlation_as_often_as_they_say_only_if_words_are_drawn():
    """Sixty words in four tests each; nine tenths of a score's variance is its word's, in either embedding."""
    rng = np.random.default_rng(8)
    true, words, times, trials = 0.5, 60, 4, 200
    names = [f"w{word} {test}" for word in range(words) for test in range(times)]
    owners = {name: name.split()[0] for name in names}
    covered = {"by word": 0, "by score": 0}
    for _ in range(trials):
        own, single = (rng.multivariate_normal([0, 0], [[1, true], [true, 1]], size=n) for n in (words, words * times))
        scores = np.sqrt(0.9) * np.repeat(own, times, axis=0) + np.sqrt(0.1) * single
        first, second = (dict(zip(names, side.tolist(), strict=True)) for side in scores.T)
        for way, of in (("by word", owners), ("by score", None)):
            found = agree(MADE, "x", "", first, second, words=of, resamples=200)
            covered[way] += found.pearson_low <= true <= found.pearson_high
    assert covered["by word"] / trials >= 0.89
    assert covered["by score"] / trials <= 0.80


def test_an_embedding_agrees_with_itself(bundled):
    found = compare(bundled, bundled, tests=TESTS[:1], benchmarks=[PAIRS], resamples=20)
    assert all(one.pearson == pytest.approx(1) for one in found.of(AgreementRow))
    assert found.of(WeatRow)[0].effect_size == found.of(WeatRow)[1].effect_size
    (row,) = found.of(BenchmarkRow)
    assert row.change_spearman == 0


def test_benchmarks_that_cannot_be_run_on_both_are_skipped(compared):
    assert compared.of(BenchmarkRow) == ()  # "nurse" is gone, and three pairs are too few
    assert [(one.test, one.part) for one in compared.skipped] == [("benchmarks", "benchmarks")]
    assert compared.findings()[-1] == compared.skipped[0]


def test_benchmarks_give_the_second_less_the_first(bundled, noisy):
    pairs = PairBenchmark("mine", (*PAIRS.pairs, ("moon", "star")), (*PAIRS.scores, 7))
    (row,) = compare(bundled, noisy, tests=TESTS[:1], benchmarks=[pairs], resamples=20).of(BenchmarkRow)
    assert (row.against, row.embedding) == (bundled.name, "noisy")
    assert row.change_pearson == pytest.approx(row.pearson - row.against_pearson)


def test_findings_are_json_and_name_the_other(compared):
    rows = [json.loads(finding.to_json()) for finding in compared.findings()]
    kinds = [row["kind"] for row in rows]
    assert kinds == ["weat"] * 6 + ["change"] * 3 + ["topic-change"] + ["agreement"] * 5 + ["skipped"]
    assert {row["other"] for row in rows[:6]} == {"glove.6B.100d", "noisy"}
    assert rows[0]["left_out"] == rows[0]["missing"] == ["Amy"]
    assert set(rows[-2]["points"][0]) == {"word", "x", "y"}
    assert [read_row(row, row_type) for row in rows] == [*compared]
    assert list(compared.to_frame()["kind"]) == [kind for kind in kinds if kind != "skipped"]


def test_embeddings_with_nothing_in_common_are_refused_in_one_line(bundled):
    other = Embedding("other", ["xxyy", "yyxx"], np.eye(2, dtype=np.float32))
    with refuses(VocabularyError, where="other"):
        compare(bundled, other, tests=TESTS, benchmarks=[PAIRS])
