"""What the commands print, kept as snapshots: `pytest tests --snapshot-update` writes them anew."""

import json

import pytest

COMMANDS = {
    "weat": ["weat", "default", *(f"--test={test}" for test in ("gender-career", "caliskan-6", "talk-transgender"))],
    "weat-question": ["weat", "default", "--test", "gender-maths"],
    "calibrate": ["calibrate", "default", "--test", "gender-career", "--test", "black-pleasant", "--copies", "20"],
    "weat-json": ["weat", "default", "--test", "caliskan-6", "--json"],
    "wefat": ["wefat", "default", "--test", "caliskan-wefat-names"],
    "seat": ["seat", "cbow", "--test", "gender-career", "--test", "caliskan-6", "--no-cache"],
    "swap": ["swap", "valence:default", "--names", "caliskan-5", "--names", "pronouns", "--no-cache"],
    "translate-probe": ["translate-probe", "command:sed 's/.*a.*/She is one./; s/^[^S].*/He is one./'"],
    "project": ["project", "default"],
    "analogies": ["analogies", "default", "--k", "3", "--words", "4000", "--no-names"],
    "neighbours": ["neighbours", "default", "nurse", "--count", "3"],
    "neighbours-swap": ["neighbours", "default", "machine learning", "--swap", "--x", "John,Paul", "--y", "Mary,Lisa"],
    "reproduce": ["reproduce", "talk"],
    "enumerate": [
        "enumerate",
        "default",
        "--words",
        "5000",
        "--groups",
        "5",
        "--categories",
        "12",
        "--copies",
        "60",
        "--fdr",
        "0.2",
        "--repeats",
        "4",
    ],
    "evaluate": ["evaluate", "default", "--most-words", "3000", "--resamples", "20"],
    "stimuli": ["stimuli"],
    "schema": ["schema", "weat"],
    "help": ["--help"],
}


@pytest.mark.parametrize("name", COMMANDS)
def test_commands_print_as_before(in_process, name, snapshot):
    result = in_process(*COMMANDS[name])
    assert result.returncode == 0, result.stderr
    said = "\n".join(line.rstrip() for line in f"{result.stdout}\n--- stderr\n{result.stderr}".splitlines())
    if name.endswith("-json"):
        said = "\n".join(json.loads(result.stdout.splitlines()[0]))
    assert said == snapshot


@pytest.mark.parametrize(
    "arguments",
    [
        ["weat", "nowhere.txt"],
        ["weat", "default", "--test", "caliskan-66"],
        ["gate", "findings.jsonl", "--require", "weat:|mean_difference|<0.1"],
        ["gate", "findings.jsonl", "--fail-on", "weat:p_holm<0.05"],
        ["gate", "findings.jsonl", "--policy", "margin.toml"],
        ["gate", "nowhere.jsonl", "--fail-on", "weat:p<0.01"],
        ["audit", "default", "--fail-on", "weat:q<0.01"],
        ["debias", "default", "out.csv"],
        ["enumerate", "default", "--rotations", "0"],
        ["seat", "nowhere"],
        ["seat", "https://example.com/x.bin"],
        ["metric", "default", "--metric=rnsb"],
        ["swap", "score.py"],
        ["translate-probe", "apertium eu-en"],
    ],
    ids=lambda arguments: "-".join(arguments[:3]),
)
def test_refusals_read_as_before(in_process, arguments, snapshot, monkeypatch, tmp_path):
    (tmp_path / "findings.jsonl").write_text("{}")
    (tmp_path / "margin.toml").write_text('[[require]]\ntest = "gender-career"\nmargin = 0.1\n')
    monkeypatch.setenv("HF_HUB_CACHE", "models")  # a place that no machine's home is part of
    result = in_process(*arguments)
    assert (result.returncode, result.stdout) == (1, "")
    assert result.stderr == snapshot
