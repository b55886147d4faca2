"""`imprint swap` as a person runs it."""

import sys

import pytest
from command_results import lines

TEXTS = "# ours\nI met {name}.\n{name} is here.\nCall {name}!\n{name} won the prize.\n"
GROUPS = ["--group", "Ann,Eve,Ida,Joan,Kate", "--group", "Karl,Neil,Hugo,Leon,Kurt"]


@pytest.fixture
def scorer(tmp_path, monkeypatch):
    """A command that scores the second group lower; it writes down what it was asked."""
    monkeypatch.setenv("IMPRINT_CACHE", str(tmp_path / "cache"))
    (tmp_path / "texts.txt").write_text(TEXTS)
    (tmp_path / "score.py").write_text(
        "import sys\nasked = open('asked.txt', 'a')\nfor line in sys.stdin:\n    asked.write(line)\n"
        "    print(len(line) / 100 - any(name in line for name in ('Karl', 'Neil', 'Hugo', 'Leon', 'Kurt')))\n"
    )
    return f"command:{sys.executable} score.py"


def test_a_command_is_scored_kept_and_judged(imprint, scorer, tmp_path):
    options = (*GROUPS, "--templates", "texts.txt")
    (row,) = lines(imprint("swap", scorer, *options, "--json"), "swap")
    assert (row["test"], row["n_x"], row["n_y"], row["n_texts"], row["share_lower"]) == ("groups", 5, 5, 4, 1.0)
    assert (row["outcome"], row["p_value"]) == ("present", 2 / 252)
    asked = (tmp_path / "asked.txt").read_text()
    assert len(asked.splitlines()) == 40
    again = imprint("swap", scorer, *options)
    assert (again.returncode, (tmp_path / "asked.txt").read_text()) == (0, asked)
    assert "100.0" in again.stdout


@pytest.mark.parametrize(("margin", "code"), [("2", 0), ("0.5", 2)])
def test_a_requirement_decides_the_exit_code(imprint, scorer, margin, code):
    options = (*GROUPS, "--templates", "texts.txt", "--require", f"swap:|mean_difference|<{margin}")
    assert imprint("swap", scorer, *options).returncode == code


def test_findings_become_a_page_and_a_card(imprint, scorer, tmp_path):
    rows = imprint("swap", scorer, *GROUPS, "--templates", "texts.txt", "--json").stdout
    (tmp_path / "swap.jsonl").write_text(rows)
    assert imprint("report", "swap.jsonl").returncode == 0
    assert "100.0" in (tmp_path / "report.html").read_text()
    assert "100.0" in imprint("card", "swap.jsonl").stdout


@pytest.mark.parametrize(
    "arguments",
    [
        ["nothing"],
        ["valence:nowhere"],
        ["encoder:cbow"],
        ["valence:default", "--query", "CVs"],
        ["valence:default", "--names", "raec"],
        ["valence:default", "--group", "Ann,Eve"],
        ["valence:default", *GROUPS, "--names", "race"],
        ["valence:default", "--templates", "none.txt"],
        ["valence:default", "--require", "swap:p<0.05"],
        ["valence:default", "--require", "swap:p_label<0.05"],
        ["valence:default", "--alpha", "0.05"],
        ["valence:default", "--pooling", "mean"],
        ["no_such_module_here:score"],
        ["command:no-such-program-here"],
    ],
    ids=lambda arguments: " ".join(arguments[-2:]),
)
def test_what_cannot_be_asked_is_one_line(imprint, arguments):
    result = imprint("swap", *arguments)
    assert (result.returncode, result.stdout, len(result.stderr.splitlines())) == (1, "", 1)
