"""How two models differ: values against changes of one model, and which of planted ones is said to have less bias."""

import importlib.util
from dataclasses import replace
from pathlib import Path

import msgspec
import numpy as np
import pytest
from scipy import stats

from imprint.association.changes import change_rows
from imprint.association.rows import Measured
from imprint.association.vectors import shares_of
from imprint.association.weat import measure
from imprint.boards.comparing import differences
from imprint.boards.rows import BoardDifferenceRow, BoardTopicDifferenceRow
from imprint.embeddings.embedding import Embedding
from imprint.stimuli.definition import WeatTest, WordSet

ENDS = ("before_low", "before_high", "after_low", "after_high")
SETS = {role: tuple(f"{role}{number}" for number in range(30)) for role in "xyab"}


def asked(id_="one", topics=("gender",), *, is_question=True, **sets):
    words = (WordSet.of(role, listed) for role, listed in (SETS | sets).items())
    return WeatTest(id_, "T", "here", "en", *words, topics=topics, is_question=is_question)


def model(name, size, *, seed=0, noise=0.1):
    """Return an embedding in which X is nearer to A than Y by this share of the distance between A and B."""
    rng = np.random.default_rng(seed)
    shifts = {"x": (size / 2, 0, 1), "y": (-size / 2, 0, 1), "a": (0.5, 0, 0), "b": (-0.5, 0, 0)}
    words = [word for listed in SETS.values() for word in listed]
    rows = [(*shifts[word[0]], *noise * rng.normal(size=20)) for word in words]
    return Embedding(name, words, np.array(rows, dtype=np.float32))


def measured(subject, *tests, **fields):
    """Return what a subject says in tests, with these fields instead of its own."""
    found = [measure(subject, test) for test in tests or [asked()]]
    return [Measured(msgspec.structs.replace(row, **fields), words) for row, words in found]


def compared(first, second):
    """Return the difference in a test, and that in its topic."""
    row, topic = differences(first, second)
    assert isinstance(row, BoardDifferenceRow)
    assert isinstance(topic, BoardTopicDifferenceRow)
    return row, topic


def test_a_difference_is_the_change_from_one_model_to_the_other():
    tests = asked(), asked("two", a=SETS["a"][:20])
    first, second = (measured(subject, *tests) for subject in (model("first", 0.1), model("second", 0.4, seed=1)))
    rows = [*differences(first, second)]
    assert [row.test for row in rows] == ["one", "two", "gender"]
    for row, change in zip(rows, change_rows(first, second), strict=True):
        fields = msgspec.structs.asdict(row)
        own = {"sets", "scores", "less", "test_outcomes", *(f"size_{end}" for end in ENDS)}
        assert {name: value for name, value in fields.items() if name not in own} == {
            name: value for name, value in msgspec.structs.asdict(change).items() if name not in own
        }
        assert row.less == "first"
    assert rows[2].test_outcomes == (rows[0].outcome, rows[1].outcome)
    assert [(words.role, words.words) for words in rows[0].sets] == [(role, ()) for role in "xyab"]


def test_a_difference_has_the_intervals_of_both_models_on_the_words_of_both():
    first, second = measured(model("first", 0.1)), measured(model("second", 0.4, seed=1))
    for row in compared(first, second):
        sizes = [shares_of([side[0].words])[0].size() for side in (first, second)]
        assert [getattr(row, f"size_{end}") for end in ENDS] == [
            end for size in sizes for end in (size.low, size.high)
        ]


@pytest.mark.parametrize("sizes", [(0.1, 0.4), (0.4, 0.1)])
def test_the_words_that_move_a_difference_are_those_without_which_it_is_smaller(sizes):
    first, second = (measured(model(f"{size}", size, seed=seed)) for seed, size in enumerate(sizes))
    row, _ = compared(first, second)
    named = [score.word for score in row.scores]
    assert [word[0] for word in named] == ["x"] * 5 + ["y"] * 5
    changes = {}
    for group, words in (("x", SETS["x"]), ("y", SETS["y"])):
        for word in words:
            kept = [[w for w in side[0].words.target_words if w != word] for side in (first, second)]
            sides = [
                side[0].words.only([side[0].words.target_words.index(w) for w in rest], range(60)).share.value
                for side, rest in zip((first, second), kept, strict=True)
            ]
            changes[word] = abs(sides[1] - sides[0])
        least = sorted(words, key=changes.__getitem__)[:5]
        assert [word for word in named if word[0] == group] == least


@pytest.mark.parametrize("sizes", [(0.1, 0.5), (-0.1, -0.5), (0.1, -0.5), (0.0, 0.5)])
def test_the_smaller_size_has_less_bias_whatever_the_signs_and_the_order(sizes):
    first, second = (measured(model(name, size)) for name, size in zip(("small", "large"), sizes, strict=True))
    for pair in ((first, second), (second, first)):
        for row in compared(*pair):
            assert row.outcome == "substantial"
            assert row.less == "small"


def test_equal_sizes_of_other_sign_differ_but_neither_is_less():
    for row in compared(measured(model("one", 0.5)), measured(model("other", -0.5))):
        assert row.outcome == "substantial"
        assert row.less is None


def test_a_model_and_its_copy_are_equal():
    for row in compared(measured(model("one", 0.5)), measured(model("copy", 0.5))):
        assert (row.size, row.size_low, row.size_high, row.outcome) == (0.0, 0.0, 0.0, "small")
        assert row.less is None


def test_where_the_words_do_not_decide_neither_is_less():
    first, second = measured(model("one", 0.2, noise=0.6)), measured(model("other", 0.3, seed=1, noise=0.6))
    for row in compared(first, second):
        assert abs(row.size) > 0.1
        assert (row.outcome, row.less) == ("cannot tell", None)


def test_two_models_are_compared_on_the_words_that_both_have():
    second = model("second", 0.5)
    lacking = {"x0", "b3"}
    kept = [index for index, word in enumerate(second.words) if word not in lacking]
    second = replace(second, words=[second.words[index] for index in kept], vectors=second.vectors[kept])
    row, topic = compared(measured(model("first", 0.1)), measured(second, reason=None, obstacle=None))
    assert (row.n_x, row.n_y, row.n_a, row.n_b) == (29, 30, 30, 29)
    assert {*row.missing} == lacking
    assert (row.less, topic.less, topic.n_words) == ("first", "first", 118)


def test_lists_that_are_not_matched_need_the_frequency_check_of_the_larger_size():
    test = asked(is_question=False)
    models = model("first", 0.3), model("second", 0.6)
    first, second = (measured(one, test) for one in models)
    assert [one.row.reason for one in (*first, *second)] == ["frequency", "frequency"]
    for row in compared(first, second):
        assert (row.outcome, row.less) == ("substantial", None)
    small = {"outcome": "small", "reason": None}
    passed = {"outcome": "substantial", "reason": None, "obstacle": None}
    for fields, less in (((small, passed), "first"), ((passed, small), None), ((small, small), None)):
        for row in compared(*(measured(one, test, **own) for one, own in zip(models, fields, strict=True))):
            assert (row.outcome, row.less) == ("substantial", less), "what is small may be due to frequency"


@pytest.mark.parametrize("reason", ["frequency", "grammar", "attributes not distinguished", "few words"])
def test_neither_is_less_where_one_of_them_cannot_be_told(reason):
    unknown = {"outcome": "cannot tell", "reason": reason}
    for fields in (({}, unknown), (unknown, {})):
        pair = (
            measured(model(name, size), **own)
            for name, size, own in zip(("one", "other"), (0.1, 0.5), fields, strict=True)
        )
        for row in compared(*pair):
            assert (row.outcome, row.less) == ("substantial", None)


def test_no_model_has_less_in_a_topic_if_it_has_more_in_one_of_its_questions():
    one, two = asked(), asked("two")
    first = measured(model("first", 0.1), one) + measured(model("first", 0.4), two)
    second = measured(model("second", 0.9), one) + measured(model("second", 0.1), two)
    *rows, topic = differences(first, second)
    assert [row.less for row in rows] == ["first", "second"]
    assert (topic.outcome, topic.less) == ("substantial", None)


def test_tests_count_where_their_topic_has_no_question():
    tests = [
        asked("question"),
        asked("gender test", is_question=False),
        asked("race test", ("race",), is_question=False),
    ]
    tests.append(asked("none", (), is_question=False))
    rows = [*differences(*(measured(model(name, 0.1), *tests) for name in ("one", "other")))]
    assert [row.test for row in rows] == ["question", "race test", "none", "gender", "race"]


def test_a_topic_without_a_size_says_why():
    lost = asked(x=(*SETS["x"][:3], *(f"unknown{number}" for number in range(7))))
    row, topic = compared(*(measured(model(name, 0.1), lost) for name in ("one", "other")))
    assert (row.outcome, row.reason) == (topic.outcome, topic.reason) == ("cannot tell", "few words")
    assert (topic.size, topic.tests, topic.tests_left_out, topic.less) == (None, (), ("one",), None)


@pytest.fixture(scope="module")
def simulation():
    """Return benchmarks/board.py."""
    path = Path(__file__).parents[2] / "benchmarks" / "board.py"
    spec = importlib.util.spec_from_file_location("board_benchmark", path)
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


@pytest.mark.slow
def test_a_board_is_rarely_wrong_about_two_models_whose_sizes_are_known(simulation):
    pool = simulation.pool_of("default")
    for world in simulation.WORLDS[:-1]:
        said = simulation.simulate((pool, pool), world, 50, 20, seed=5)
        assert len(said) == 20 * 6
        of_topic = [one for one in said if one.is_topic]
        for rate, limit in (("wrong", 0.01), ("less bias, wrong", 0.01)):
            wrong = sum(map(simulation.RATES[rate], of_topic))
            assert stats.binom.sf(wrong - 1, len(of_topic), limit) > 0.01, (world.title, rate)
        assert np.mean([one.covered_finely for one in said]) > 0.95
