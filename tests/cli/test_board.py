"""`imprint board`: what it writes, and what goes on when a subject fails."""

import json

MODELS = '[[model]]\nname = "GloVe"\nsubject = "default"\n\n[[model]]\nsubject = "missing.bin"\n'


def test_a_board_is_written_and_a_failed_subject_is_a_row(in_process, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    (tmp_path / "models.toml").write_text(MODELS)
    asked = ("board", "models.toml", "--topic", "age", "--no-cache", "--json")
    result = in_process(*asked)
    assert result.returncode == 0, result.stderr
    rows = [json.loads(line) for line in result.stdout.splitlines()]
    assert [row["kind"] for row in rows] == ["board", "board-ranking", "board-test", "skipped"]
    assert rows[0]["embedding"] == "GloVe"
    assert rows[0]["page"] == "subjects/1-glove.html"
    assert "missing.bin" in result.stderr
    written = (tmp_path / "board" / "board.jsonl").read_text()
    assert written == result.stdout
    assert (tmp_path / "board" / rows[0]["page"]).is_file()
    assert in_process(*asked).stdout == written, "nothing is measured again, and nothing changes"


def test_what_names_no_subject_is_refused_before_any_work(in_process, tmp_path):
    for asked in (["nowhere.bin"], [str(tmp_path / "models.toml")], ["default", "--pooling", "mean"]):
        result = in_process("board", *asked)
        assert result.returncode == 1
        assert len(result.stderr.splitlines()) == 1
