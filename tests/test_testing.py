"""The assertion that others' tests use: it passes only where a whole interval lies within the margin."""

import subprocess
import sys

import numpy as np
import pytest
from made_rows import make_row
from msgspec.structs import replace

from imprint.association.seat import seat
from imprint.association.weat import weat
from imprint.errors import SettingError, VocabularyError
from imprint.evaluation.controls import controls
from imprint.policies.policy import FILE
from imprint.subjects.opening import load, open_encoder
from imprint.testing import assert_association_below, assert_policy


@pytest.fixture(scope="module")
def embedding():
    return load("default")


@pytest.fixture(scope="module")
def result(embedding):
    """Men's names with career words: a size that lies beyond a tenth with its whole interval."""
    return weat(embedding, "gender-career")


@pytest.fixture(scope="module")
def known(embedding):
    return controls(embedding)


def test_the_margin_has_to_hold_all_of_the_interval(result, known):
    low, high = result.size_low, result.size_high
    assert_association_below(result, margin=np.nextafter(high, 1), controls=known)
    with pytest.raises(AssertionError, match=r"^cannot tell: gender-career on glove.6B.100d reaches outside"):
        assert_association_below(result, margin=high, controls=known)
    with pytest.raises(AssertionError, match=r"^cannot tell: "):
        assert_association_below(result, margin=np.nextafter(low, 1), controls=known)
    with pytest.raises(
        AssertionError, match=r"^above: gender-career on glove.6B.100d lies outside the margin of 0.1;"
    ):
        assert_association_below(result, controls=known)


def test_the_message_is_one_line_with_the_numbers(result, known):
    made_up = replace(result, size=0.25, size_low=0.125, size_high=0.375)
    with pytest.raises(AssertionError) as error:
        assert_association_below(made_up, margin=0.05, controls=known)
    assert str(error.value) == (
        "above: gender-career on glove.6B.100d lies outside the margin of 0.05; the size is 0.25, with an interval "
        "over words of 0.125 to 0.375"
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
    made_up = replace(result, size_low=low, size_high=high)
    if verdict is None:
        assert_association_below(made_up, margin=0.05, controls=known)
    else:
        with pytest.raises(AssertionError, match=f"^{verdict}: "):
            assert_association_below(made_up, margin=0.05, controls=known)


def test_an_embedding_is_asked_the_test(embedding, result):
    assert_association_below(embedding, "gender-career", margin=result.size_high + 0.01)
    with pytest.raises(AssertionError, match=r"^above: gender-career"):
        assert_association_below(embedding, "gender-career", margin=0.1)


def test_what_frequency_may_explain_is_not_above_a_margin_and_can_be_within_one(embedding, known):
    frequent = weat(embedding, "caliskan-6")
    assert frequent.reason == "frequency"
    assert_association_below(frequent, margin=frequent.size_high + 0.01, controls=known)
    with pytest.raises(AssertionError, match=r"^cannot tell: caliskan-6 .* frequency"):
        assert_association_below(frequent, controls=known)


def test_missing_words_are_an_error_not_a_pass(embedding):
    with pytest.raises(VocabularyError, match="missing"):
        assert_association_below(embedding, "seat-3b", margin=0.3)


def test_sentences_are_held_against_the_margin_by_words(embedding):
    encoder = open_encoder(embedding)
    known = controls(encoder)
    framed = seat(encoder, "gender-career")
    assert_association_below(framed, margin=framed.size_high + 1e-9, controls=known)
    with pytest.raises(AssertionError, match=r"^cannot tell: gender-career .* reaches outside"):
        assert_association_below(framed, margin=framed.size, controls=known)
    as_published = seat(encoder, "caliskan-6", context="bleached")
    with pytest.raises(AssertionError, match=r"^cannot tell: .* it has no size$"):
        assert_association_below(as_published, margin=10, controls=known)


@pytest.mark.parametrize("margin", [0, -1, float("nan"), float("inf"), "0.05", True, None])
def test_a_margin_that_is_none_is_refused(result, known, margin):
    with pytest.raises(SettingError, match="margin"):
        assert_association_below(result, margin=margin, controls=known)


def test_what_cannot_be_measured_is_refused(embedding, result):
    with pytest.raises(SettingError, match="got dict of length 0"):
        assert_association_below({}, "caliskan-6", margin=0.1)
    with pytest.raises(SettingError, match="test"):
        assert_association_below(embedding, margin=0.1)
    with pytest.raises(SettingError, match="give the row alone"):
        assert_association_below(result, "caliskan-7", margin=0.1)


def test_pytest_is_not_needed():
    code = "import imprint.testing, sys; print('pytest' in sys.modules, 'scipy' in sys.modules)"
    ran = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert ran.stdout == "False False\n"


def policy(folder, margin):
    path = folder / FILE
    path.write_text(f'[[require]]\ntest = "gender-career"\nsize = {margin}\n')
    return path


@pytest.mark.parametrize(("margin", "verdict"), [(0.4, None), (0.2, "cannot tell"), (0.1, "failed")])
def test_a_policy_is_asserted_of_findings(result, known, tmp_path, margin, verdict):
    path = policy(tmp_path, margin)
    rows = [*result.findings(), *known.findings()]
    for measured in (rows, tuple(rows)):
        if verdict is None:
            assert_policy(measured, path)
        else:
            with pytest.raises(AssertionError) as error:
                assert_policy(measured, path)
            first, *others, note = str(error.value).splitlines()
            assert first == f"{verdict}: glove.6B.100d and {path}"
            assert note == "Note: the policy has no owner and no reason."
            assert all(line.startswith(verdict.capitalize()) for line in others)
            assert f"[{100 * result.size_low:.0f} to {100 * result.size_high:.0f}]" in others[-1]


def test_what_a_policy_only_warns_of_is_a_warning_and_a_failure_is_none(result, known, tmp_path):
    for margin, raised in (
        (0.2, pytest.warns(UserWarning, match="^cannot tell: ")),
        (0.1, pytest.raises(AssertionError)),
    ):
        path = policy(tmp_path, margin)
        path.write_text('on_cannot_tell = "warn"\n' + path.read_text())
        with raised:
            assert_policy([*result.findings(), *known.findings()], path)


def test_an_embedding_is_measured_by_the_policy_of_the_folder(embedding, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    with pytest.raises(SettingError) as error:
        assert_policy(embedding)
    assert error.value.option == "policy"
    policy(tmp_path, 0.4)
    assert_policy(embedding)


def test_a_subject_that_cannot_be_judged_meets_no_policy(result, tmp_path):
    audit = make_row("audit", judged=False, embedding_sha256=result.embedding_sha256)
    with pytest.raises(AssertionError, match=r"^cannot tell: vectors and .*\n.*cannot be judged"):
        assert_policy([audit, *result.findings()], policy(tmp_path, 1))
    with pytest.raises(SettingError):
        assert_policy([], policy(tmp_path, 1))


def test_noise_meets_no_policy_although_it_shows_no_bias(embedding, tmp_path):
    words = embedding.words[:8_000]
    vectors = np.random.default_rng(0).standard_normal((len(words), 20), dtype=np.float32)
    with pytest.raises(AssertionError, match=r"^cannot tell: tuple and .*\ntuple cannot be judged"):
        assert_policy((words, vectors), policy(tmp_path, 1))


def test_a_result_without_controls_passes_nothing(embedding, result, tmp_path):
    with pytest.raises(AssertionError, match=r"^cannot tell: gender-career .* no controls"):
        assert_association_below(result, margin=10)
    for measured in (result, result.findings()):
        with pytest.raises(AssertionError, match=r"^cannot tell: .*\n.* no controls"):
            assert_policy(measured, policy(tmp_path, 1))
    (own,) = controls(embedding)
    other = replace(own, embedding_sha256="0" * 64)  # of another subject
    with pytest.raises(AssertionError, match=r"^cannot tell: gender-career .* no controls"):
        assert_association_below(result, margin=10, controls=other)


def test_noise_has_no_association_below_any_margin(embedding):
    words = embedding.words[:8_000]
    vectors = np.random.default_rng(0).standard_normal((len(words), 20), dtype=np.float32)
    with pytest.raises(AssertionError, match=r"^cannot tell: caliskan-6 .* cannot be judged"):
        assert_association_below((words, vectors), "caliskan-6", margin=10)
