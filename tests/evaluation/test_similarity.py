"""Correlations with people's scores: equal to scipy's, paired where two embeddings are compared."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from refusals import refuses
from scipy.stats import pearsonr, spearmanr

from imprint.embeddings.embedding import Embedding
from imprint.errors import VocabularyError
from imprint.evaluation.benchmarks import PairBenchmark, bundled_benchmarks
from imprint.evaluation.resampling import midranks, weighted_correlation
from imprint.evaluation.similarity import correlate, similarity
from imprint.kinds import row_type
from imprint.rows import read_row
from imprint.significance.dyads import Dyads, pearson, spearman

WORDS = tuple("abcdefghijklmnop")
PAIRS = [one for one in bundled_benchmarks() if isinstance(one, PairBenchmark)]


def embedding(seed=0, words=WORDS, name="random"):
    vectors = np.random.default_rng(seed).normal(size=(len(words), 5)).astype(np.float32)
    return Embedding(name, list(words), vectors)


def benchmark(pairs=40, seed=1, words=WORDS):
    rng = np.random.default_rng(seed)
    chosen = tuple((words[i], words[j]) for i, j in rng.integers(0, len(words), (pairs, 2)))
    return PairBenchmark("mine", chosen, tuple(np.round(rng.random(pairs) * 3, 1).tolist()))


def cosines(one, asked):
    index = {word: one.vectors[row].astype(np.float64) for row, word in enumerate(one.words)}
    found = [index[a] @ index[b] / np.linalg.norm(index[a]) / np.linalg.norm(index[b]) for a, b in asked.pairs]
    return np.round(found, 12)


def test_correlations_are_those_of_scipy():
    one, asked = embedding(), benchmark()
    result = similarity(one, asked)
    expected = cosines(one, asked)
    assert result.spearman == pytest.approx(spearmanr(expected, asked.scores).statistic, abs=1e-12)
    assert result.pearson == pytest.approx(pearsonr(expected, asked.scores).statistic, abs=1e-12)
    assert (result.found, result.asked, result.missing) == (40, 40, ())


@given(st.lists(st.tuples(st.integers(0, 4), st.integers(0, 4), st.integers(0, 3)), min_size=4, max_size=12))
def test_counting_a_pair_several_times_is_repeating_it(rows):
    x, y, counts = np.array(rows, dtype=np.float64).T
    repeated = [np.repeat(side, counts.astype(int)) for side in (x, y)]
    if not all(len(side) and np.ptp(side) for side in repeated):
        return
    (by_rank,) = weighted_correlation(midranks(x, counts[None]), midranks(y, counts[None]), counts[None])
    (by_value,) = weighted_correlation(x, y, counts[None])
    assert by_rank == pytest.approx(spearmanr(*repeated).statistic, abs=1e-9)
    assert by_value == pytest.approx(pearsonr(*repeated).statistic, abs=1e-9)


def test_the_interval_knows_which_pairs_share_a_word():
    one, asked = embedding(), benchmark()
    found = similarity(one, asked)
    places = np.array([[WORDS.index(word) for word in pair] for pair in asked.pairs]).T
    for name, correlation in (("spearman", spearman), ("pearson", pearson)):
        expected = Dyads(*places).interval(correlation(np.array(asked.scores), cosines(one, asked)))
        assert found.measured(name)[1:] == pytest.approx(expected, abs=1e-9)
    assert found.n_words == len({word for pair in asked.pairs for word in pair})


def test_two_embeddings_are_measured_on_the_pairs_both_have():
    one, other = embedding(0), embedding(7, words=WORDS[4:])
    asked = benchmark()
    row = similarity(other, asked, against=one)
    kept = [i for i, pair in enumerate(asked.pairs) if not set(pair) & set(WORDS[:4])]
    shared = PairBenchmark("mine", tuple(asked.pairs[i] for i in kept), tuple(asked.scores[i] for i in kept))
    before, after = similarity(one, shared), similarity(other, shared)
    assert row.found == len(kept) < 40
    assert set(row.missing) <= set(WORDS[:4])
    assert row.against_missing == ()
    for name in row.measures:
        assert row.measured(name) == after.measured(name)
        assert row.measured(name, "against_") == before.measured(name)
        assert row.measured(name, "change_")[0] == pytest.approx(after.measured(name)[0] - before.measured(name)[0])


def test_an_embedding_differs_from_its_rotation_by_nothing():
    one = embedding()
    turned = np.linalg.qr(np.random.default_rng(2).normal(size=(5, 5)))[0]
    rotated = Embedding("rotated", one.words, (one.vectors @ turned * 3).astype(np.float32))
    row = similarity(rotated, benchmark(), against=one)
    assert (row.change_pearson_low, row.change_pearson_high) == pytest.approx((0, 0), abs=1e-6)


def test_the_paired_interval_is_narrower_than_the_two_apart():
    one = embedding()
    noise = np.random.default_rng(4).normal(scale=0.05, size=one.vectors.shape).astype(np.float32)
    row = similarity(Embedding("near", one.words, one.vectors + noise), benchmark(), against=one)
    apart = row.against_spearman_high - row.against_spearman_low
    assert row.change_spearman_high - row.change_spearman_low < apart / 2


def test_words_of_a_missing_pair_are_named():
    asked = PairBenchmark("mine", (*benchmark().pairs, ("a", "zebra"), ("yak", "zebra")), (*benchmark().scores, 1, 2))
    result = similarity(embedding(), asked)
    assert result.missing == ("zebra", "yak")
    assert (result.found, result.asked) == (40, 42)
    assert result.to_dict()["missing"] == ["zebra", "yak"]


def test_the_row_has_every_measure_and_reads_back_as_written():
    alone = similarity(embedding(7, name="other"), benchmark())
    row = similarity(embedding(7, name="other"), benchmark(), against=embedding(0))
    assert (row.effect_size, row.embedding, row.against) == (row.spearman, "other", "random")
    assert row.measured("pearson") == (row.pearson, row.pearson_low, row.pearson_high) == alone.measured("pearson")
    assert None not in row.measured("spearman", "change_")
    assert (alone.against, alone.change_spearman, alone.against_missing) == (None, None, ())
    assert read_row(row.to_dict(), row_type) == row


def test_in_an_audit_the_row_is_about_the_embedding_that_the_copy_is_held_against():
    row = similarity(embedding(7, name="copy"), benchmark(), against=embedding(0))
    assert (row.audited, row.own_field("effect_size")) == ("copy", "effect_size")
    own = row.in_part("benchmarks")
    assert own.audited == "random"
    fields = ("effect_size", "pearson", "pearson_low", "change_spearman", "found")
    assert [own.own_field(field) for field in fields] == [
        "against_spearman", "against_pearson", "against_pearson_low", "change_spearman", "found",
    ]  # fmt: skip
    assert similarity(embedding(7), benchmark()).in_part("benchmarks").own_field("effect_size") == "effect_size"


def test_a_benchmark_without_a_pair_is_refused():
    with refuses(VocabularyError, "0 of 40", "other", where="mine"):
        similarity(embedding(words=tuple("xyz"), name="other"), benchmark(words=tuple("abcdefgh")))


def test_cosines_that_are_all_alike_are_refused():
    flat = Embedding("flat", list(WORDS), np.ones((len(WORDS), 3), dtype=np.float32))
    with refuses(VocabularyError, "flat", where="mine"):
        similarity(flat, benchmark())


@pytest.mark.parametrize("asked", PAIRS, ids=lambda one: one.name)
def test_intervals_over_a_benchmarks_pairs_hold_the_truth_when_words_are_drawn_anew(asked):
    """Words with meanings, seen by people and, less clearly and with a frequency beside, by two embeddings."""
    names, places = np.unique(np.array(asked.pairs), return_inverse=True)
    first, second = places.reshape(-1, 2).T
    rng = np.random.default_rng(11)

    def draw(words, left, right):
        meaning, frequency = rng.standard_normal((words, 4)), rng.standard_normal(words)
        better = 0.8 * meaning + 0.6 * rng.standard_normal(meaning.shape)
        worse = 0.7 * better + 0.7 * rng.standard_normal(meaning.shape)
        people = (meaning[left] * meaning[right]).sum(axis=1) + rng.standard_normal(len(left))
        sides = [
            (seen[left] * seen[right]).sum(axis=1) + frequency[left] + frequency[right] for seen in (better, worse)
        ]
        return people, sides

    many = np.arange(300_000)
    people, sides = draw(2 * len(many), many, many + len(many))
    truth = [spearmanr(people, side).statistic for side in sides]
    dyads, repeats, hits = Dyads(first, second), 300, np.zeros(2)
    for _ in range(repeats):
        people, sides = draw(len(names), first, second)
        (measures, _), change = correlate(people, sides, dyads)
        pairs = ((truth[0], measures["spearman"]), (truth[1] - truth[0], change["spearman"]))
        hits += [one.low <= true <= one.high for true, one in pairs]
    assert np.all((hits / repeats > 0.9) & (hits / repeats < 0.995))
