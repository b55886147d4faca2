"""The assertion that others' tests use: it passes only where a whole interval lies within the margin."""

import subprocess
import sys
from dataclasses import replace

import numpy as np
import pytest
from made_rows import make_row

from imprint.association.seat import seat
from imprint.association.weat import weat
from imprint.errors import SettingError, VocabularyError
from imprint.evaluation.controls import controls
from imprint.policy.policy import FILE
from imprint.subjects.opening import load, open_encoder
from imprint.testing import assert_association_below, assert_policy


@pytest.fixture(scope="module")
def embedding():
    return load("default")


@pytest.fixture(scope="module")
def result(embedding):
    """Males with careers: a difference of 0.217, its interval over words from 0.125 to 0.308."""
    return weat(embedding, "caliskan-6")


@pytest.fixture(scope="module")
def known(embedding):
    return controls(embedding)


def with_interval(result, low, high):
    return replace(result, checks=replace(result.checks, words_low=low, words_high=high))


def test_the_margin_has_to_hold_all_of_the_interval(result, known):
    low, high = result.checks.words_low, result.checks.words_high
    assert_association_below(result, margin=np.nextafter(high, 1), controls=known)
    with pytest.raises(AssertionError, match=r"^cannot tell: caliskan-6 on glove.6B.100d reaches outside the margin"):
        assert_association_below(result, margin=high, controls=known)
    with pytest.raises(AssertionError, match=r"^cannot tell: "):
        assert_association_below(result, margin=np.nextafter(low, 1), controls=known)
    with pytest.raises(AssertionError, match=r"^above: caliskan-6 on glove.6B.100d lies outside the margin of 0.12"):
        assert_association_below(result, margin=0.12, controls=known)


def test_the_message_is_one_line_with_the_numbers(result, known):
    with pytest.raises(AssertionError) as error:
        assert_association_below(result, margin=0.05, controls=known)
    assert str(error.value) == (
        "above: caliskan-6 on glove.6B.100d lies outside the margin of 0.05; the mean difference is 0.2165, with an "
        "interval over words of 0.1255 to 0.3076"
    )


@pytest.mark.parametrize(
    ("low", "high", "verdict"),
    [
        (-0.01, 0.02, None),
        (-0.02, -0.01, None),
        (-0.06, 0.01, "cannot tell"),
        (-0.06, 0.06, "cannot tell"),
        (-0.07, -0.06, "above"),
        (-np.inf, np.inf, "cannot tell"),
        (np.nan, np.nan, "cannot tell"),
    ],
)
def test_both_directions_count_and_no_interval_is_no_pass(result, known, low, high, verdict):
    made_up = with_interval(result, low, high)
    if verdict is None:
        assert_association_below(made_up, margin=0.05, controls=known)
    else:
        with pytest.raises(AssertionError, match=f"^{verdict}: "):
            assert_association_below(made_up, margin=0.05, controls=known)


def test_an_embedding_is_asked_the_test(embedding):
    assert_association_below(embedding, "caliskan-6", margin=0.31)
    with pytest.raises(AssertionError, match=r"^above: caliskan-6"):
        assert_association_below(embedding, "caliskan-6", margin=0.1)


def test_missing_words_are_an_error_not_a_pass(embedding):
    with pytest.raises(VocabularyError, match="missing"):
        assert_association_below(embedding, "seat-3b", margin=0.3)


def test_sentences_are_held_against_the_margin_by_words(embedding):
    known = controls(open_encoder(embedding))
    by_words = seat(embedding, "caliskan-6")
    assert_association_below(by_words, margin=by_words.checks.words_high + 1e-9, controls=known)
    with pytest.raises(AssertionError, match=r"^(above|cannot tell): caliskan-6"):
        assert_association_below(by_words, margin=by_words.mean_difference, controls=known)
    with pytest.raises(AssertionError, match=r"^cannot tell: .* no interval of mean_difference$"):
        assert_association_below(seat(embedding, "caliskan-6", unit="sentence"), margin=10, controls=known)


@pytest.mark.parametrize("margin", [0, -1, float("nan"), float("inf"), "0.05", True, None])
def test_a_margin_that_is_none_is_refused(result, known, margin):
    with pytest.raises(SettingError, match="margin"):
        assert_association_below(result, margin=margin, controls=known)


def test_what_cannot_be_measured_is_refused(embedding, result):
    with pytest.raises(SettingError, match="got dict of length 0"):
        assert_association_below({}, "caliskan-6", margin=0.1)
    with pytest.raises(SettingError, match="test"):
        assert_association_below(embedding, margin=0.1)
    with pytest.raises(SettingError, match="give the result alone"):
        assert_association_below(result, "caliskan-7", margin=0.1)


def test_pytest_is_not_needed():
    code = "import imprint.testing, sys; print('pytest' in sys.modules, 'scipy' in sys.modules)"
    ran = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert ran.stdout == "False False\n"


def policy(folder, margin, name=FILE):
    path = folder / name
    path.write_text(f'[[require]]\ntest = "caliskan-6"\nmargin = {margin}\n')
    return path


@pytest.mark.parametrize(("margin", "verdict"), [(0.31, None), (0.2, "cannot tell"), (0.12, "failed")])
def test_a_policy_is_asserted_of_findings(result, known, tmp_path, margin, verdict):
    path = policy(tmp_path, margin)
    rows = [*result.findings(), *known.findings()]
    for measured in (rows, tuple(rows)):
        if verdict is None:
            assert_policy(measured, path)
        else:
            with pytest.raises(AssertionError) as error:
                assert_policy(measured, path)
            first, *others = str(error.value).splitlines()
            assert first == f"{verdict}: glove.6B.100d and {path}"
            assert all(line.startswith(verdict.capitalize()) for line in others)
            assert "between 0.1255 and 0.3076" in others[-1]


def test_an_embedding_is_measured_by_the_policy_of_the_folder(embedding, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    with pytest.raises(SettingError) as error:
        assert_policy(embedding)
    assert error.value.option == "policy"
    policy(tmp_path, 0.31)
    assert_policy(embedding)


def test_a_subject_that_cannot_be_judged_meets_no_policy(result, tmp_path):
    audit = make_row("audit", judged=False, embedding_sha256=result.embedding_sha256)
    with pytest.raises(AssertionError, match=r"^cannot tell: vectors and .*\n.*cannot be judged"):
        assert_policy([audit, *result.findings()], policy(tmp_path, 10))
    with pytest.raises(SettingError):
        assert_policy([], policy(tmp_path, 10))


def test_noise_meets_no_policy_although_it_shows_no_bias(embedding, tmp_path):
    words = embedding.words[:8_000]
    vectors = np.random.default_rng(0).standard_normal((len(words), 20), dtype=np.float32)
    with pytest.raises(AssertionError, match=r"^cannot tell: tuple and .*\ntuple cannot be judged"):
        assert_policy((words, vectors), policy(tmp_path, 10))


def test_a_result_without_controls_passes_nothing(embedding, result, tmp_path):
    with pytest.raises(AssertionError, match=r"^cannot tell: caliskan-6 .* no controls"):
        assert_association_below(result, margin=10)
    for measured in (result, result.findings()):
        with pytest.raises(AssertionError, match=r"^cannot tell: .*\n.* no controls"):
            assert_policy(measured, policy(tmp_path, 10))
    other = replace(controls(embedding), embedding_sha256="0" * 64)  # of another subject
    with pytest.raises(AssertionError, match=r"^cannot tell: caliskan-6 .* no controls"):
        assert_association_below(result, margin=10, controls=other)


def test_noise_has_no_association_below_any_margin(embedding):
    words = embedding.words[:8_000]
    vectors = np.random.default_rng(0).standard_normal((len(words), 20), dtype=np.float32)
    with pytest.raises(AssertionError, match=r"^cannot tell: caliskan-6 .* cannot be judged"):
        assert_association_below((words, vectors), "caliskan-6", margin=10)
