"""`imprint board`: what it writes, and what goes on when a subject fails."""

import json
import random
import subprocess
import sys
import time

import pytest

NAMED = "".join(f'[[model]]\nname = "{name}"\nsubject = "default"\n' for name in ("GloVe", "copy"))
MODELS = f'{NAMED}[[model]]\nsubject = "missing.bin"\n'


def test_a_board_is_written_and_a_failed_subject_is_a_row(in_process, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    (tmp_path / "models.toml").write_text(MODELS)
    asked = ("board", "models.toml", "--topic", "age", "--no-cache", "--json")
    result = in_process(*asked)
    assert result.returncode == 0, result.stderr
    rows = [json.loads(line) for line in result.stdout.splitlines()]
    assert {row["kind"] for row in rows[:-1]} == {
        "board",
        "board-test",
        "board-topic",
        "board-difference",
        "board-topic-difference",
    }
    assert [row["embedding"] for row in rows if row["kind"] == "board"] == ["GloVe", "copy"]
    assert (rows[-1]["kind"], rows[-1]["test"]) == ("skipped", "missing.bin")
    assert rows[0]["page"] == "subjects/1-glove.html"
    assert "missing.bin" in result.stderr
    written = (tmp_path / "board" / "board.jsonl").read_text()
    assert written == result.stdout
    assert (tmp_path / "board" / rows[0]["page"]).is_file()
    assert in_process(*asked).stdout == written, "nothing is measured again, and nothing changes"


def test_a_board_of_one_model_is_refused_before_any_work(in_process, tmp_path):
    (tmp_path / "models.toml").write_text('[[model]]\nsubject = "default"\n')
    for asked in ("default", tmp_path / "models.toml"):
        result = in_process("board", asked, "--out", tmp_path / "out")
        assert (result.returncode, result.stdout) == (1, "")
        assert "imprint audit" in result.stderr
        assert not (tmp_path / "out").exists()


def test_what_names_no_subject_is_refused_before_any_work(in_process, tmp_path):
    for asked in (["nowhere.bin"], [str(tmp_path / "models.toml")], ["default", "--pooling", "mean"]):
        result = in_process("board", *asked)
        assert result.returncode == 1
        assert len(result.stderr.splitlines()) == 1


def test_a_folder_that_cannot_be_made_is_refused_before_any_work(in_process, tmp_path):
    (tmp_path / "subjects").write_text("mine")
    result = in_process("board", "default", "cbow", "--out", str(tmp_path))
    assert result.returncode == 1
    assert str(tmp_path / "subjects") in result.stderr
    assert [path.name for path in tmp_path.iterdir()] == ["subjects"]


def test_a_password_in_a_url_is_not_written(in_process, tmp_path):
    result = in_process("board", "http://user:s3cret@127.0.0.1:9/v1", "--out", str(tmp_path / "out"))
    assert result.returncode == 1
    assert "s3cret" not in result.stdout + result.stderr
    assert not (tmp_path / "out").exists()


@pytest.mark.slow
def test_a_board_killed_ten_times_gives_the_same_bytes(tmp_path):
    """With kill -9, at random moments: while subjects are opened or encoded, and while pages are written."""
    command = [sys.executable, "-c", "from imprint.cli import main; main()", "board", "default", "cbow"]
    quiet = subprocess.DEVNULL

    def start(folder):
        options = ["default-encoder", "--topic", "age", "--out", folder, "--cache", f"{folder}.cache"]
        return subprocess.Popen([*command, *options], cwd=tmp_path, stdout=quiet, stderr=quiet)

    began = time.perf_counter()
    assert start("whole").wait() == 0
    taken = time.perf_counter() - began
    chance = random.Random(0)
    for _ in range(10):
        run = start("killed")
        time.sleep(chance.uniform(0, taken))
        run.kill()
        run.wait()
    assert start("killed").wait() == 0
    whole, killed = (
        {path.relative_to(tmp_path / one): path.read_bytes() for path in (tmp_path / one).rglob("*") if path.is_file()}
        for one in ("whole", "killed")
    )
    assert killed == whole
