import copy
import math
import pickle
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from refusals import refuses

from imprint.checks import check_between, check_choice, check_list, check_whole
from imprint.errors import (
    EmbeddingFileError,
    EncoderError,
    ImprintError,
    MissingExtraError,
    SettingError,
    StimulusError,
    VocabularyError,
    brief,
)
from imprint.study.design import LateError
from imprint.web.pages import RefusedError


def test_an_option_out_of_its_range_makes_the_sentence():
    error = SettingError(option="alpha", got=2.0, expected="between 0 and 1")
    assert str(error) == "alpha must be between 0 and 1, got 2.0"
    assert (error.option, error.got, error.expected) == ("alpha", 2.0, "between 0 and 1")
    assert (error.message, error.hint, error.where, error.words) == (None, None, None, ())


def test_what_happened_comes_with_its_place_and_a_hint():
    error = EmbeddingFileError("has 4 numbers", expected="5", where=("vectors.txt", 3), hint="correct that line")
    assert str(error) == "vectors.txt: line 3: has 4 numbers, expected 5; correct that line"
    assert (error.where, error.hint) == (("vectors.txt", 3), "correct that line")


def test_none_is_shown_where_it_was_given():
    assert str(SettingError(option="k", got=None, expected="a number")) == "k must be a number, got None"
    assert str(SettingError(option="k", expected="a number")) == "k must be a number"


def test_a_message_alone_is_the_sentence():
    error = SettingError("give one of them")
    assert str(error) == error.message == "give one of them"


@given(st.text(), st.text(), st.one_of(st.text(), st.binary(), st.floats(), st.integers(), st.lists(st.integers())))
def test_every_sentence_is_one_line(text, place, got):
    said = str(SettingError(option=text, got=got, expected=text, where=place, hint=text))
    assert len(f"{said}x".splitlines()) == 1
    assert len(str(SettingError(option="o", got=got, expected="e"))) < 120


@pytest.mark.parametrize("field", ["message", "option", "expected", "hint", "where"])
def test_a_sentence_does_not_steer_a_terminal_and_the_fields_are_as_they_came(field):
    evil = "evil\x1b[2J\x1b]0;title\x07\x9b31m\u202e\0\x7f\t\udcff"
    error = ImprintError(**{"message": None if field in ("option", "expected") else "broken", field: evil})
    assert str(error).isprintable()
    assert "evil\ufffd[2J\ufffd]0;title\ufffd\ufffd31m" in str(error)
    assert getattr(error, field) == evil
    assert str(pickle.loads(pickle.dumps(error))) == str(error)


@pytest.mark.parametrize(
    ("value", "shown"),
    [
        ("word", "'word'"),
        (Path("a.txt"), "'a.txt'"),
        (np.float64(0.5), "0.5"),
        (np.int64(3), "3"),
        (True, "True"),
        ({str(n): n for n in range(1000)}, "dict of length 1,000"),
        (["a"], "list of length 1"),
        (np.zeros((2, 3)), "ndarray of shape (2, 3)"),
        (object(), "object"),
        (10**4000, "an integer of 13,288 bits"),
    ],
)
def test_a_value_is_shown_shortly(value, shown):
    assert brief(value) == shown


@pytest.mark.parametrize("value", ["x" * 10**6, b"x" * 10**6, -(10**79), "\x00" * 90])
def test_a_long_value_is_cut(value):
    assert len(brief(value)) == 80


@pytest.mark.parametrize(
    "error",
    [
        SettingError(option="alpha", got=2.0, expected="between 0 and 1"),
        VocabularyError("are missing", words=["nurse"], where="glove"),
        EncoderError("gives NaN", where=(Path("model"), 4), hint="fetch it again"),
        StimulusError("text"),
        ImprintError(option="words", got=["a", "b"], expected="text"),
        MissingExtraError("torch", "gpu"),
        RefusedError(429, headers={"retry-after": "3"}),
        LateError("too late"),
    ],
    ids=lambda error: type(error).__name__,
)
@pytest.mark.parametrize("travel", [copy.copy, copy.deepcopy, lambda error: pickle.loads(pickle.dumps(error))])
def test_errors_keep_their_fields_in_a_copy_and_in_another_process(error, travel):
    other = travel(error)
    assert type(other) is type(error)
    assert str(other) == str(error)
    assert vars(other) == vars(error)


def test_a_value_that_cannot_travel_becomes_its_description():
    error = SettingError(option="progress", got=lambda: None, expected="callable")
    assert pickle.loads(pickle.dumps(error)).got == "function"


def test_a_missing_extra_says_how_to_install_it():
    error = MissingExtraError("torch", "gpu")
    assert (error.library, error.extra) == ("torch", "gpu")
    assert "pip install 'imprint-audit[gpu]'" in str(error)


@pytest.mark.parametrize("value", [0, 11, 2.0, "3", None, math.nan])
def test_whole_numbers_are_checked(value):
    assert check_whole("k", np.int64(10), 1, 10) == 10
    with refuses(SettingError, option="k", got=pytest.approx(value, nan_ok=True) if value else value):
        check_whole("k", value, 1, 10)


@pytest.mark.parametrize("value", [0, 1, -0.1, math.nan, "0.5", None])
def test_numbers_between_limits_are_checked(value):
    assert check_between("alpha", 0.5) == 0.5
    with refuses(SettingError, option="alpha", expected="between 0 and 1"):
        check_between("alpha", value)


def test_choices_and_lists_are_checked():
    check_choice("method", "pca", ("pca", "mean"))
    check_list("words", ["a"])
    for value in ("pc", None, ["pca"]):
        with refuses(SettingError, option="method", got=value, expected="one of pca, mean"):
            check_choice("method", value, ("pca", "mean"))
    with refuses(SettingError, option="words", got="abc"):
        check_list("words", "abc")


def test_a_sentence_is_not_longer_than_a_screen_and_keeps_its_end():
    error = ImprintError(f"unknown key {'x' * 5_000}", where="file.toml", hint="correct it")
    assert len(str(error)) < 2_100
    assert str(error).startswith("file.toml: unknown key x")
    assert str(error).endswith("x; correct it")
    assert error.message.count("x") == 5_000
