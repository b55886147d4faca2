"""`imprint seat` as a person runs it: the default encoder, bags of words, a server in another process."""

import json
import os
import re
import signal
import sqlite3
import subprocess
import sys
import time
import urllib.request
from pathlib import Path

import pytest
from command_results import lines, refused
from systems import posix

from imprint.association.rows import SeatRow

IMPRINT = Path(sys.executable).with_name("imprint")
SERVER = Path(__file__).parents[1] / "encoders" / "embedding_server.py"
GARDEN = """
[[weat]]
id = "garden"
title = "Flowers and insects"
language = "en"
x = ["rose", "lily", "iris"]
y = ["ant", "flea", "wasp"]
a = ["love", "peace"]
b = ["filth", "grief"]
"""


@pytest.fixture
def imprint(in_process, tmp_path, monkeypatch):
    """The command with a cache of its own."""
    monkeypatch.setenv("IMPRINT_CACHE", str(tmp_path / "cache"))
    (tmp_path / "garden.toml").write_text(GARDEN)
    return lambda *arguments: in_process("seat", *arguments)


def test_both_units_are_printed_and_a_second_run_encodes_nothing(imprint, tmp_path):
    options = ("default", "--test", "caliskan-6", "--test", "seat-double-bind-likable")
    first = imprint(*options)
    assert first.returncode == 0, first.stderr
    for shown in ("USE multilingual v3", "d_word", "caliskan-6", "seat-double-bind-likable", "unbleached"):
        assert shown in first.stdout
    encoded = first.stderr.splitlines()[-1].removesuffix(" texts encoded.")
    assert int(encoded.replace(",", "")) > 438  # the tests' own, and other words in their sentences
    assert (tmp_path / "cache" / "encodings.sqlite").exists()
    again = imprint(*options)
    assert again.stdout == first.stdout
    assert again.stderr.splitlines()[-1] == "every text was known from an earlier run."
    fewer = imprint("default", "--test", "caliskan-6", "--context", "word")
    assert fewer.stderr.splitlines()[-1] == again.stderr.splitlines()[-1]


def test_json_lines_have_the_fields_of_the_design(imprint):
    rows = lines(imprint("default", "--tests", "garden.toml", "--json", "--seed", 7))
    found = [row for row in rows if row["kind"] == "seat"]
    assert [(row["context"], row["unit"]) for row in found] == [
        ("framed", "word"),
        *((context, unit) for context in ("word", "bleached") for unit in ("word", "sentence")),
    ]
    for row in found:
        assert set(row) == {"kind", *SeatRow.__struct_fields__}
        assert (row["test"], row["embedding"], row["seed"]) == ("garden", "USE multilingual v3", 7)
        assert {"name": "pooling", "value": "the model's own"} in row["encoder_settings"]
        assert row["n_unknown_kinds"] == 10
    framed, *_, by_words, by_sentences = found
    assert (framed["size"], framed["outcome"], framed["reason"]) == (None, "cannot tell", "few words")
    assert {row["outcome"] for row in found if row is not framed} == {None}
    assert (by_words["effect_label"], by_words["n_x"], by_words["partitions"]) == ("d_word", 3, "20")
    assert (by_sentences["effect_label"], by_sentences["n_x"], by_sentences["partitions"]) == ("d", 12, "2704156")
    assert {one["word"] for one in by_words["effect_without_word"]} == {"rose", "lily", "iris", "ant", "flea", "wasp"}
    assert [row["context"] for row in rows if row["kind"] == "seat-anisotropy"] == ["framed", "word", "bleached"]


def test_a_users_templates_are_used(imprint, tmp_path):
    (tmp_path / "mine.toml").write_text('language = "en"\n[templates]\nunknown = ["Behold {word}!", "{word}?"]\n')
    options = ("cbow", "--tests", "garden.toml", "--templates", "mine.toml", "--context", "bleached", "--json")
    words, by_sentences, *_ = lines(imprint(*options))
    assert {one["template"] for one in words["effect_by_template"]} == {"Behold {word}!", "{word}?"}
    assert (by_sentences["n_x"], by_sentences["n_a"]) == (6, 4)


def test_several_encoders_have_the_rows_that_each_has_alone(imprint):
    options = ("--tests", "garden.toml", "--context", "word")
    rows = [row for row in lines(imprint("default", "cbow", *options, "--json")) if row["kind"] == "seat"]
    assert [row["unit"] for row in rows] == ["word", "sentence"] * 2
    assert len({row["embedding"] for row in rows}) == 2
    alone = [row for row in lines(imprint("cbow", *options, "--json")) if row["kind"] == "seat"]
    assert [row | {"stars": ""} for row in rows[2:]] == [row | {"stars": ""} for row in alone]
    shown = imprint("default", "cbow", *options)
    assert all(shown.stdout.count(row["embedding"]) == 1 for row in rows)
    assert "duplicated" in refused(imprint("cbow", "cbow", *options))


def test_a_narrow_terminal_gets_blocks_that_fit(imprint, monkeypatch):
    monkeypatch.setattr(sys.stdout, "isatty", lambda: True, raising=False)
    monkeypatch.setenv("COLUMNS", "60")
    shown = imprint("cbow", "--tests", "garden.toml").stdout
    assert max(len(re.sub(r"\x1b\[\d*m", "", line)) for line in shown.splitlines()) <= 60
    assert "garden" in shown
    assert "d_word" in shown


def test_tables_tell_what_is_missing_and_what_could_not_be_run(imprint, tmp_path):
    foreign = GARDEN.replace('"garden"', '"[red]garden[/red]"').replace('"rose"', '"rose", "qqqq"')
    (tmp_path / "more.toml").write_text(foreign)
    result = imprint("cbow", "--tests", "more.toml")
    assert "[red]garden[/red]" in result.stdout
    assert "[red]garden[/red]: qqqq" in result.stderr
    skipping = imprint("cbow", "--context", "unbleached", "--json")
    assert "caliskan-1" in {row["test"] for row in lines(skipping) if row["kind"] == "skipped"}
    assert "caliskan-1" in skipping.stderr


@pytest.mark.parametrize(
    ("options", "message"),
    [
        (("--context", "boiled"), "context"),
        (("--context", "unbleached"), "test 'garden'"),
        (("--alternative", "more"), "alternative"),
        (("--pooling", "max"), "pooling"),
        (("--model", "m"), "model"),
        (("--templates", "nowhere.toml"), "nowhere.toml"),
        (("--tests", "nowhere.toml"), "nowhere.toml"),
        (("--test", "garden", "--test", "nowhere"), "nowhere"),
        (("--cache", "garden.toml"), "garden.toml: "),
        (("--cache", "c", "--no-cache"), "--no-cache"),
        (("--max-texts", 0), "--max-texts"),
    ],
)
def test_bad_settings_are_one_line(imprint, options, message):
    assert message in refused(imprint("cbow", "--tests", "garden.toml", *options))


def test_pooling_has_no_meaning_for_the_default_encoder(imprint):
    line = refused(imprint("default", "--tests", "garden.toml", "--pooling", "cls"))
    assert "pooling" in line
    assert "universal" in line


def test_wefats_are_not_asked_of_sentences(imprint):
    assert "--test" in refused(imprint("cbow", "--test", "caliskan-wefat-names"))


@pytest.fixture
def server():
    process = subprocess.Popen([sys.executable, SERVER], stdout=subprocess.PIPE, text=True)
    yield f"http://127.0.0.1:{int(process.stdout.readline())}/killed"
    process.kill()
    process.communicate()


@posix
def test_a_killed_run_goes_on_where_it_was(imprint, server, tmp_path):
    # Three batches are answered, and the fourth is kept waiting: the run is caught in the middle.
    model = json.dumps({"do": "be silent", "after": 3, "times": 1})
    options = (server, "--model", model, "--batch", "16", "--test", "caliskan-7")
    process = subprocess.Popen([IMPRINT, "seat", *options], stdout=subprocess.PIPE, stderr=subprocess.PIPE)
    while len(json.load(urllib.request.urlopen(f"{server}/log"))) < 4:
        assert process.poll() is None, process.communicate()
        time.sleep(0.02)
    os.kill(process.pid, signal.SIGKILL)
    assert process.communicate()[0] == b""
    with sqlite3.connect(tmp_path / "cache" / "encodings.sqlite") as database:
        ((kept,),) = database.execute("SELECT count(*) FROM encodings")
    database.close()
    assert kept == 48
    result = imprint(*options)
    assert result.returncode == 0, result.stderr
    asked = [text for request in json.load(urllib.request.urlopen(f"{server}/log")) for text in request["input"]]
    total = len(set(asked))
    assert result.stderr.splitlines()[-1] == f"{total - kept:,} texts encoded."
    # What came twice is the batch that was never answered.
    assert len(asked) == total + 16
    assert imprint(*options).stderr.splitlines()[-1] == "every text was known from an earlier run."


def test_words_are_measured_in_sentences_of_a_text(imprint, tmp_path):
    words = re.findall('"([a-z]+)"', GARDEN.split("language")[1])[1:]
    said = ("We saw the {} in town.", "Nobody spoke of {} that day.", "It was about {} again.", "I like the {} less.")
    sentences = [f"{each.format(word)} It rained {word}." for word in words for each in said]
    (tmp_path / "text.txt").write_text("\n".join(sentences))
    options = ("default", "--tests", "garden.toml", "--contexts", "text.txt", "--draws", "200")
    shown = imprint(*options)
    assert shown.returncode == 0, shown.stderr
    for expected in (
        "CEAT on USE multilingual v3 in sentences of text.txt",
        "p, CEAT",
        "no token vectors",
        "200 draws",
    ):
        assert expected in " ".join((shown.stdout + shown.stderr).split())
    (row,) = (row for row in lines(imprint(*options, "--json")) if row["kind"] == "seat")
    assert {"context": "corpus", "vectors": "sentence", "text": "text.txt", "draws": 200}.items() <= row.items()
    assert {(each["found"], each["used"]) for each in row["contexts"]} == {(8, 5)}  # one sentence is there four times
    assert {each["word"] for each in row["contexts"]} == set(words)
    assert row["p_ceat"] is not None


@pytest.mark.parametrize(
    ("content", "options"),
    [
        ("", ()),
        ("Nothing that the test asks about is here.", ()),
        ("The rose is here.", ("--context", "framed")),
        ("The rose is here.", ("--column", "body")),
    ],
)
def test_a_text_without_sentences_is_refused_in_one_line(imprint, tmp_path, content, options):
    (tmp_path / "text.txt").write_text(content)
    assert refused(imprint("default", "--tests", "garden.toml", "--contexts", "text.txt", *options))
    assert refused(imprint("default", "--tests", "garden.toml", "--context", "corpus"))


def test_help_calls_the_bundled_encoder_what_an_audit_calls_it(imprint):
    for command in ("seat", "retrieval"):
        said = " ".join(imprint(command, "--help").stdout.split())
        assert "'default-encoder' (bundled Universal Sentence Encoder)" in said
        assert "'default' (" not in said
