"""Analogies: the same answers as brute force in float64, and the same accuracy as gensim."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from refusals import refuses

from imprint.embeddings.embedding import Embedding
from imprint.errors import EmbeddingFileError, SettingError, VocabularyError
from imprint.evaluation import analogy as analogy_module
from imprint.evaluation.analogy import METHODS, Vocabulary, analogy, best_answers
from imprint.evaluation.benchmarks import AnalogyBenchmark, EvaluationSettings, bundled_benchmarks
from imprint.kinds import row_type
from imprint.rows import read_row
from imprint.subjects.opening import load

FEW = EvaluationSettings(resamples=5)


def random_embedding(seed=0, words=300, dimension=8, name="random"):
    vectors = np.random.default_rng(seed).normal(size=(words, dimension)).astype(np.float32)
    return Embedding(name, [f"w{row}" for row in range(words)], vectors)


def random_questions(vocabulary, count=200, seed=1):
    return np.random.default_rng(seed).integers(0, len(vocabulary.rows), (count, 3))


def brute_force(vectors, question, method, excluded):
    """Score every word by the definition, in float64, one question at a time."""
    rows = vectors.astype(np.float64)
    rows = rows / np.linalg.norm(rows, axis=1, keepdims=True)
    to_a, to_b, to_c = (rows @ rows[word] for word in question)
    near_a, near_b, near_c = ((1 + cosines) / 2 for cosines in (to_a, to_b, to_c))
    scores = to_b + to_c - to_a if method == "3cosadd" else near_b * near_c / (near_a + 0.001)
    scores[list(excluded)] = -np.inf
    return scores


@pytest.mark.parametrize("dimension", [2, 8, 60])
@pytest.mark.parametrize("method", METHODS)
def test_answers_are_those_of_brute_force(method, dimension):
    one = random_embedding(dimension=dimension, words=1_500)  # more than a block
    vocabulary = Vocabulary.of(one, len(one))
    questions = random_questions(vocabulary)
    found = best_answers(vocabulary, questions)[method]
    for question, answer in zip(questions, found, strict=True):
        scores = brute_force(one.vectors, question, method, question)
        assert answer == scores.argmax() or scores[answer] >= scores.max() - 1e-12 * max(1, scores.max())


@settings(deadline=None)
@given(st.integers(0, 2**32), st.integers(1, 40))
def test_near_ties_are_settled_in_float64(seed, spread):
    """Words a few units of float32 apart: the best in float32 is often not the best."""
    rng = np.random.default_rng(seed)
    vectors = rng.normal(size=(40, 3)).astype(np.float32)
    for row in range(10, 40):
        vectors[row] = vectors[9] + rng.integers(-spread, spread + 1, 3) * np.spacing(vectors[9])
    one = Embedding("near", [f"w{row}" for row in range(40)], vectors)
    vocabulary = Vocabulary.of(one, 40)
    questions = rng.integers(0, 9, (20, 3))
    for method, found in best_answers(vocabulary, questions).items():
        for question, answer in zip(questions, found, strict=True):
            scores = brute_force(vectors, question, method, question)
            assert scores[answer] >= scores.max() - 1e-12 * max(1, scores.max())


def test_of_equal_words_the_most_frequent_answers():
    vectors = np.random.default_rng(0).normal(size=(12, 4)).astype(np.float32)
    twins = np.vstack([vectors, vectors])  # every word twice, the copy rarer
    one = Embedding("twins", [f"w{row}" for row in range(24)], twins)
    questions = random_questions(Vocabulary.of(one, 12))
    for found in best_answers(Vocabulary.of(one, 24), questions).values():
        copies = found >= 12
        assert not copies.all()
        # A copy answers only where its original is one of the question's own words, which is no answer itself.
        assert all(answer - 12 in question for answer, question in zip(found[copies], questions[copies], strict=True))


def test_the_order_of_words_is_by_rank_where_ranks_are_known():
    one = random_embedding(words=50)
    order = np.random.default_rng(3).permutation(50)
    shuffled = Embedding(
        "shuffled", [one.words[row] for row in order], one.vectors[order], ranks=order.astype(np.int32)
    )
    vocabulary = Vocabulary.of(shuffled, 20)
    assert [shuffled.words[row] for row in vocabulary.rows] == list(one.words[:20])
    questions = random_questions(vocabulary, 30)
    expected = best_answers(Vocabulary.of(one, 20), questions)
    for method, found in best_answers(vocabulary, questions).items():
        np.testing.assert_array_equal(found, expected[method])


def test_no_spelling_of_a_question_word_answers_and_any_spelling_of_the_answer_does():
    rows = {
        "man": (1, 0, 0),
        "woman": (1, 1, 0),
        "king": (1, 0, 1),
        "King": (1, 0.9, 0.9),
        "Queen": (1, 1, 1),
        "queen": (0, 0, 1),
    }
    one = Embedding("cased", list(rows), np.array(list(rows.values()), dtype=np.float32))
    asked = AnalogyBenchmark("mine", (("Man", "WOMAN", "king", "queen"),), ("all",))
    result = analogy(one, asked, FEW)
    assert result.cosadd == result.cosmul == 1.0
    vocabulary = Vocabulary.of(one, 6)
    assert vocabulary.groups.tolist() == [0, 1, 2, 2, 4, 4]


def test_words_without_direction_neither_ask_nor_answer():
    rows = np.array([(1, 0), (0, 1), (1, 1), (-1, -1), (0, 0)], dtype=np.float32)
    one = Embedding("zero", ["a", "b", "c", "d", "nothing"], rows)
    result = analogy(one, AnalogyBenchmark("mine", (("a", "b", "c", "d"), ("a", "b", "c", "nothing")), ("x", "x")))
    assert (result.found, result.asked, result.missing) == (1, 2, ("nothing",))
    assert result.cosadd == 1.0  # "d" scores below zero, where "nothing" would lie


def test_a_question_that_nothing_else_can_answer_is_wrong():
    one = random_embedding(words=3)
    result = analogy(one, AnalogyBenchmark("mine", (("w0", "w1", "w2", "w0"),), ("x",)), FEW)
    assert result.cosadd == 0.0


def test_accuracy_is_gensims(tmp_path):
    bundled = load("default")
    words = 3_000
    small = Embedding("small", list(bundled.words[:words]), np.array(bundled.vectors[:words]))
    google = bundled_benchmarks()[-1]
    assert isinstance(google, AnalogyBenchmark)
    result = analogy(small, google, EvaluationSettings(most_words=2_500, resamples=5))
    path = tmp_path / "google.txt"
    lines, last = [], None
    for section, question in zip(google.sections, google.questions, strict=True):
        lines += [f": {section}"] if section != last else []
        lines.append(" ".join(question))
        last = section
    path.write_text("\n".join(lines))
    score, sections = small.to_gensim().evaluate_word_analogies(str(path), restrict_vocab=2_500)
    assert result.cosadd == score
    theirs = {one["section"]: (len(one["correct"]), len(one["correct"]) + len(one["incorrect"])) for one in sections}
    del theirs["Total accuracy"]
    assert {one.name: (one.right_3cosadd, one.found) for one in result.sections} == theirs
    assert result.found > 500
    assert result.n_words == 2_500


def test_sections_add_up():
    one = random_embedding()
    names = [f"w{row}" for row in range(40)]
    questions = tuple(tuple(np.random.default_rng(row).choice([*names, "zebra"], 4)) for row in range(60))
    result = analogy(one, AnalogyBenchmark("mine", questions, ("x",) * 20 + ("y",) * 40), FEW)
    assert [section.asked for section in result.sections] == [20, 40]
    assert sum(section.found for section in result.sections) == result.found < 60
    for method in METHODS:
        right = sum(getattr(section, f"right_{method}") for section in result.sections)
        assert result.measured(method)[0] == pytest.approx(right / result.found)


def test_two_embeddings_answer_the_questions_both_have():
    one, other = random_embedding(0), random_embedding(1, words=30, name="other")
    names = [f"w{row}" for row in range(60)]
    questions = tuple(tuple(np.random.default_rng(row).choice(names, 4)) for row in range(100))
    asked = AnalogyBenchmark("mine", questions, ("x",) * 100)
    row = analogy(other, asked, EvaluationSettings(resamples=20), against=one)
    kept = tuple(question for question in questions if all(int(word[1:]) < 30 for word in question))
    shared = AnalogyBenchmark("mine", kept, ("x",) * len(kept))
    before, after = (analogy(side, shared, EvaluationSettings(resamples=20)) for side in (one, other))
    assert row.found == len(kept) > 2
    for method in METHODS:
        assert row.measured(method) == after.measured(method)
        assert row.measured(method, "against_") == before.measured(method)
        assert row.measured(method, "change_")[0] == after.measured(method)[0] - before.measured(method)[0]
    assert (row.effect_size, row.n_words, row.against_n_words) == (row.cosadd, 30, 300)
    assert row.to_dict()["change_3cosmul"] == row.change_3cosmul
    assert row.in_part("benchmarks").own_field("effect_size") == "against_3cosadd"
    assert read_row(row.to_dict(), row_type) == row
    nothing = analogy(one, asked, EvaluationSettings(resamples=20), against=one)
    assert {nothing.measured(method, "change_") for method in METHODS} == {(0, 0, 0)}


def test_a_benchmark_without_a_question_is_refused():
    asked = AnalogyBenchmark("mine", (("zebra", "w1", "w2", "w3"),), ("x",))
    with refuses(VocabularyError, "random", where="mine", words=("zebra",)):
        analogy(random_embedding(), asked)


def test_damaged_vectors_and_no_words_are_refused():
    asked = AnalogyBenchmark("mine", (("w0", "w1", "w2", "w3"),), ("x",))
    one = random_embedding()
    with refuses(SettingError, option="most_words", got=0):
        analogy(one, asked, EvaluationSettings(most_words=0))
    one.vectors[7, 0] = np.nan
    with refuses(EmbeddingFileError, words=("w7",)):
        analogy(one, asked)


def test_progress_ends_with_all_of_it():
    one, seen = random_embedding(words=analogy_module._BLOCK * 2 + 5), []
    asked = AnalogyBenchmark("mine", (("w0", "w1", "w2", "w3"),), ("x",))
    analogy(one, asked, FEW, against=one, progress=lambda *at: seen.append(at))
    assert seen[-1] == (2 * len(one), 2 * len(one))
    assert seen == sorted(seen)


def test_intervals_resample_the_pairs_on_both_sides_of_a_question():
    # Every pair is first in some questions and second in others; a jackknife over pairs gives the standard error.
    rng = np.random.default_rng(5)
    pairs = [(f"w{2 * row}", f"w{2 * row + 1}") for row in range(40)]
    questions = [(*one, *other) for one in pairs for other in pairs if one != other]
    # Whether a question is answered hangs on both its pairs, which the same few words decide.
    easy = dict(zip(pairs, rng.random(len(pairs)), strict=True))
    right = np.array([easy[q[:2]] + easy[q[2:]] > 1 for q in questions])
    ((measured,), _) = analogy_module._accuracies(questions, [dict.fromkeys(METHODS, right)], 4_000, 0)
    without = [
        np.mean([r for q, r in zip(questions, right, strict=True) if pair not in (q[:2], q[2:])]) for pair in pairs
    ]
    error = np.sqrt((len(pairs) - 1) * np.var(without))
    one = measured[METHODS[0]]
    assert one.value == right.mean()
    assert (one.high - one.low) / (2 * 1.96) == pytest.approx(error, rel=0.15)
