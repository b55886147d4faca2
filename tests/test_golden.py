"""Every number of version 0.1 is still the number that today's commands print."""

import os
import subprocess
import sys
from pathlib import Path

import golden
import pytest

from imprint.debiasing.leace import LeaceDebiaser

IMPRINT = Path(sys.executable).with_name("imprint")
STIMULI = "glove-840b-stimuli"
HARD = "hard.safetensors"
LEACE = "leace-transform.safetensors"  # fitted in Python: the command leaves out the words that judge
BIRTHS = golden.FOLDER / "names-women-ssa.csv"
GATE = ("--fail-on", "weat:p<0.01")

QUICK = {
    "weat-840b": ("weat", STIMULI, "--test", "*"),
    "weat-sampled": ("weat", STIMULI, "--test", "caliskan-7", "--alternative", "two-sided", "--sampled", "2000"),
    "wefat-840b": ("wefat", STIMULI, "--test", "caliskan-wefat-*"),
    "wefat-births": ("wefat", "default", "--test", "caliskan-wefat-names", "--property", BIRTHS),
    "wefat-default": ("wefat", "default"),
    "project-default": ("project", "default"),
}
LONG = {
    "weat-default": ("weat", "default", "--test", "*"),
    "seat-default": ("seat", "default", "--no-cache"),
    "analogies-default": ("analogies", "default"),
    "evaluate-default": ("evaluate", "default"),
    "debias-default": ("debias", "default", "linear.safetensors", "--strength", "10"),
    "debias-leace": ("debias", "default", "leace.safetensors", "--apply", LEACE),
}
ENUMERATION = ("enumerate", "default", "--method", "paper", "--rotations", "500")
# Those that measure what hard debiasing has written.
AFTER = {
    "compare": ("compare", "default", HARD),
    "evaluate-leakage": ("evaluate", HARD, "--against", "default", "--leakage"),
}
AUDITS = {
    "audit": ("audit", "default", "--debias", "linear"),
    "audit-quick": (
        "audit",
        "default",
        "--debias",
        "linear",
        "--quick",
        "--encoder",
        "default",
        "--against",
        HARD,
        *GATE,
    ),
}


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    return tmp_path_factory.mktemp("golden")


@pytest.fixture(scope="module")
def hard(folder):
    return imprint(folder, "debias", "default", HARD, "--method", "hard", "--json")


def imprint(folder, *arguments, code=0):
    command = [str(IMPRINT), *map(str, arguments)]
    environment = os.environ | {"IMPRINT_CACHE": str(folder / "cache")}
    done = subprocess.run(command, capture_output=True, text=True, cwd=folder, check=False, env=environment)
    assert done.returncode == code, done.stderr
    return golden.parse(done.stdout)


@pytest.mark.parametrize("name", QUICK)
def test_quick_commands_print_what_they_did(folder, name):
    assert golden.differences(golden.golden(name), imprint(folder, *QUICK[name], "--json")) == []


@pytest.mark.slow
@pytest.mark.parametrize("name", LONG)
def test_long_commands_print_what_they_did(folder, name):
    if name == "debias-leace":
        LeaceDebiaser().fit("default").save(folder / LEACE)
    assert golden.differences(golden.golden(name), imprint(folder, *LONG[name], "--json")) == []


@pytest.mark.slow
def test_hard_debiasing_prints_what_it_did(hard):
    assert golden.differences(golden.golden("debias-hard"), hard) == []


@pytest.mark.slow
@pytest.mark.usefixtures("hard")
@pytest.mark.parametrize("name", AFTER)
def test_what_is_measured_after_debiasing_is_what_it_was(folder, name):
    assert golden.differences(golden.golden(name), imprint(folder, *AFTER[name], "--json")) == []


@pytest.mark.slow
@pytest.mark.usefixtures("hard")
@pytest.mark.parametrize(("name", "code"), [("audit", 0), ("audit-quick", 2)])
def test_audits_write_the_findings_they_did(folder, name, code):
    rows = imprint(folder, *AUDITS[name], "--json", "--out", f"{name}.html", code=code)
    stored = [row for row in golden.golden(name) if not golden.is_of_strength_ten(row)]
    stored = [row for row in stored if name != "audit-quick" or not left_out(row)]
    assert golden.differences(stored, rows) == []


def left_out(row):
    """Tell whether a quick audit no longer asks this of an encoder: words alone, and sentences as the unit."""
    return row.get("part") == "seat" and (row.get("context") == "word" or row.get("unit") == "sentence")


@pytest.mark.slow
def test_the_papers_enumeration_finds_what_it_did(folder):
    """K-means ends a little elsewhere on another machine, so cells are those whose words are still the same."""
    stored, rows = golden.golden("enumerate"), imprint(folder, *ENUMERATION, "--json")
    groups, new_groups = ([row for row in some if row["kind"] == "ube-group"] for some in (stored, rows))
    assert [(row["test"], row["names"]) for row in groups] == [(row["test"], row["names"]) for row in new_groups]
    cells, new_cells = (
        {(row["group"], *row["words"]): row for row in some if row["kind"] == "ube"} for some in (stored, rows)
    )
    both = cells.keys() & new_cells.keys()
    assert len(both) >= 0.75 * len(cells)
    for key in both:
        old, new = cells[key], new_cells[key]
        assert new["score"] == pytest.approx(old["score"], rel=0.05)
        p_value, rotations = old["p_value"], old["rotations"]
        assert abs(new["p_value"] - p_value) <= 5 * (p_value * (1 - p_value) / rotations) ** 0.5


def test_every_stored_file_is_compared():
    stored = {path.name.removesuffix(".jsonl.xz") for path in golden.FOLDER.glob("*.xz")}
    assert stored == {*QUICK, *LONG, *AFTER, *AUDITS, "debias-hard", "enumerate"}


OLD = {
    "kind": "toy",
    "test": "t",
    "embedding": "e",
    "version": "0.1.0",
    "seed": 0,
    "p_value": 1e-20,
    "scores": {"a": 0.5},
}


@pytest.mark.parametrize(
    ("change", "said"),
    [
        ({}, []),
        ({"version": "9", "added": 1, "p_value": 1e-20 * (1 + 1e-10), "scores": {"a": 0.5 + 1e-13, "b": 1}}, []),
        ({"p_value": 2e-20}, ["toy / t / e: p_value was 1e-20, is 2e-20"]),
        ({"seed": False}, ["toy / t / e: seed was 0, is False"]),
        ({"scores": {"a": 0.6}}, ["toy / t / e: scores.a was 0.5, is 0.6"]),
        ({"scores": {}}, ["toy / t / e: scores.a is gone"]),
        ({"test": "u"}, ["toy / t / e: 0 rows, expected 1"]),
    ],
)
def test_every_difference_is_told_with_its_field(change, said):
    assert golden.differences([OLD], [OLD | change]) == said


@pytest.mark.parametrize(
    ("field", "old", "within", "beyond"),
    [
        ("effect_size", 1.2, 1.2 * (1 + 1e-5), 1.2 * (1 + 1e-3)),
        ("p_value", 1e-20, 1.001e-20, 1.1e-20),
        ("extreme", 10**40, str(10**40 + 10**37), str(2 * 10**40)),
    ],
)
def test_numbers_of_encoders_may_differ_by_rounding_alone(field, old, within, beyond):
    stored = {"kind": "seat", "test": "t", "embedding": "e", "unit": "word", field: old}
    assert golden.differences([stored], [stored | {field: within}]) == []
    assert len(golden.differences([stored], [stored | {field: beyond}])) == 1


def test_the_map_renames_drops_and_transforms(monkeypatch):
    changes = {
        "seed": "drawn",
        "p_value": golden.as_decimal("p_value"),
        "scores": golden.as_list("scores", "word", "value"),
    }
    monkeypatch.setitem(golden.KEY_MAP, "toy", changes)
    new = {"kind": "toy", "test": "t", "embedding": "e", "drawn": 0, "p_value": "1e-20"}
    assert golden.translate(OLD) == new | {"scores": [{"word": "a", "value": 0.5}]}
    monkeypatch.setitem(golden.RENAMED_KINDS, "toy", "association")
    assert golden.translate(OLD)["kind"] == "association"
    monkeypatch.setattr(golden, "DROPPED_KINDS", {"toy"})
    assert golden.differences([OLD], []) == []
