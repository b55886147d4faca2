"""`imprint compare` as a person runs it."""

import numpy as np
import pytest
from command_results import lines

from imprint.embeddings.convert import convert
from imprint.embeddings.embedding import Embedding
from imprint.subjects.opening import load


@pytest.fixture
def imprint(in_process, tmp_path):
    """The command within this process, beside an embedding like the bundled one but smaller and noisier."""
    bundled = load("default")
    vectors = np.asarray(bundled.vectors[:20_000])
    noise = np.random.default_rng(0).normal(scale=0.2, size=vectors.shape)
    noisy = Embedding("noisy", list(bundled.words[:20_000]), (vectors + noise).astype(np.float32))
    convert(noisy, tmp_path / "noisy.safetensors")
    (tmp_path / "noisy.safetensors").rename(tmp_path / "noisy")
    return lambda *arguments: in_process("compare", *arguments)


def test_effects_agreement_and_benchmarks_are_printed(imprint):
    result = imprint("default", "noisy", "--test", "caliskan-[67]", "--most-words", "5000")
    assert result.returncode == 0, result.stderr
    for shown in (
        "glove.6B.100d", "noisy", "caliskan-6", "What changed", "Professions along he - she", "0.88, 0.86", "pooled",
        "rg-65", "3CosMul", "B - A",
    ):  # fmt: skip
        assert shown in result.stdout
    assert "5,000" not in result.stderr  # words of either are searched: nothing to warn of


def test_every_difference_is_of_b_less_a(imprint):
    options = ("--test", "caliskan-[68]", "--most-words", "2000")
    printed = imprint("default", "noisy", *options).stdout
    rows = lines(imprint("default", "noisy", *options, "--json"))
    for test in ("caliskan-6", "caliskan-8"):
        a, b, change = (row for row in rows if row["test"] == test)
        assert (change["change_from"], change["change_to"]) == ("glove.6B.100d", "noisy")
        assert change["effect_size"] == pytest.approx(b["effect_size"] - a["effect_size"])
        assert (change["size_before"], change["size_after"]) == pytest.approx((a["size"], b["size"]))
        assert change["size"] == pytest.approx(b["size"] - a["size"])
        assert f"{100 * change['size']:.0f}" in next(line for line in printed.splitlines() if test in line)
    (pairs,) = (row for row in rows if row["test"] == "men")
    assert (pairs["against"], pairs["embedding"]) == ("glove.6B.100d", "noisy")
    assert pairs["change_spearman"] == pytest.approx(pairs["spearman"] - pairs["against_spearman"])


def test_vocabularies_of_different_size_are_said_to_make_another_task(imprint):
    result = imprint("default", "noisy", "--test", "caliskan-6", "--most-words", "20001")
    for shown in ("warning", "20,001", "20,000"):
        assert shown in result.stderr


def test_json_has_a_finding_a_line(imprint):
    result = imprint("noisy", "noisy", "--test", "caliskan-6", "--json", "--most-words", "2000")
    rows = lines(result)
    assert [row["kind"] for row in rows[:2]] == ["weat", "weat"]
    assert rows[0]["effect_size"] == rows[1]["effect_size"]
    agreements = [row["pearson"] for row in rows if row["kind"] == "agreement"]
    assert agreements == pytest.approx([1] * len(agreements))
    assert agreements
    assert [row["change_3cosadd"] for row in rows if row["kind"] == "analogy_benchmark"] == [0.0]


def test_an_encoder_is_compared_with_itself_as_deployed(imprint):
    options = ("--dims", "25", "--quantize", "binary", "--test", "gender-career", "--json")
    rows = lines(imprint("cbow", "cbow", *options))
    (change,) = (row for row in rows if row["kind"] == "change")
    whole, variant = "glove.6B.100d", "glove.6B.100d (25 dims, binary)"
    assert (change["change_from"], change["change_to"]) == (f"{whole} (in sentences)", f"{variant} (in sentences)")
    assert change["size_before"] != change["size_after"]
    controls = {row["embedding"]: row["judged"] for row in rows if row["kind"] == "controls"}
    assert controls.keys() == {whole, variant}
    assert controls[whole] is True


def test_bad_input_is_one_line(imprint):
    for arguments, said in (
        (("default", "nowhere"), "nowhere"),
        (("default", "default", "--test", "caliskan-wefat-names"), "--test"),
        (("default", "default", "--alpha", "2"), "--alpha"),
        (("default", "default", "--benchmarks", "nowhere"), "nowhere: "),
    ):
        result = imprint(*arguments)
        assert (result.returncode, result.stdout) == (1, "")
        (line,) = result.stderr.splitlines()
        assert said in line
