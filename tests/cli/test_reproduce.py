"""`imprint reproduce` and `imprint neighbours` as commands."""

import pytest
from command_results import lines
from typer.main import get_command

from imprint.cli.app import make_app
from imprint.kinds.findings import read_findings


def test_a_work_prints_json_lines_and_a_page_that_is_drawn_again_from_them(imprint, tmp_path):
    result = imprint("reproduce", "talk", "--json", "--page", tmp_path / "page.html")
    rows = lines(result, "reproduction")
    assert {row["paper"] for row in rows} == {"talk"}
    assert {row["outcome"] for row in rows} == {"equal", "differs", "other model"}
    assert None not in {row["ours"] for row in rows}

    page = (tmp_path / "page.html").read_text()
    assert "<title>Published figures beside ours" in page
    (tmp_path / "findings.jsonl").write_text(result.stdout)
    assert len(read_findings(tmp_path / "findings.jsonl")) == len(result.stdout.splitlines())
    assert imprint("report", tmp_path / "findings.jsonl", "--out", tmp_path / "again.html").returncode == 0
    assert (tmp_path / "again.html").read_text() == page


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        (["reproduce", "caliskan-1"], "caliskan"),
        (["reproduce", "talk", "--model", "word2vec"], "--model"),
        (["reproduce", "talk", "--model", "bert-base=x"], "word2vec"),
        (["reproduce", "talk", "--page", "no/such/folder/page.html"], "no/such/folder"),
        (["neighbours", "default", "qqqqzz"], "qqqqzz"),
        (["neighbours", "default", "nurse", "--x", "John,Paul"], "--swap"),
        (["neighbours", "default", "nurse", "--count", "0"], "--count"),
    ],
)
def test_what_is_wrong_is_said_in_a_line(imprint, arguments, said):
    result = imprint(*arguments)
    assert (result.returncode, result.stdout) == (1, "")
    assert said in result.stderr
    assert len(result.stderr.strip().splitlines()) == 1


def test_neighbours_of_words_and_queries(imprint):
    rows = lines(imprint("neighbours", "default", "nurse", "black male", "--count", "3", "--json"), "neighbours")
    assert [row["word"] for row in rows] == ["nurse", "black male"]
    assert [one["word"] for one in rows[0]["nearest"]] == ["doctor", "nurses", "physician"]


def test_names_are_swapped_in_a_query(imprint):
    query = "graduate student machine learning neural networks"
    (row,) = lines(imprint("neighbours", "default", query, "--swap", "--json"), "name-ranking")
    assert row["scores"][0]["word"] == "John"
    assert 0.5 < row["share_higher"] < 1.0
    options = ("--swap", "--x", "John,", "--y", "Mary,", "--document", "graduate student", "--json")
    (row,) = lines(imprint("neighbours", "default", query, *options), "name-ranking")
    assert (row["names_x"], row["names_y"], row["document"]) == (["John"], ["Mary"], "graduate student")


def test_both_commands_are_listed():
    assert {"reproduce", "neighbours"} <= set(get_command(make_app()).commands)
