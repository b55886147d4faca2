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
from imprint.finding import COMMON_FIELDS

IMPRINT = Path(sys.executable).with_name("imprint")
SERVER = Path(__file__).parents[1] / "encoders" / "embedding_server.py"
FIELDS = {
    "mean_difference", "d_within", "p_strict", "p_floor", "p_method", "p_low", "p_high", "log10_p", "partitions",
    "extreme", "alternative", "n_x", "n_y", "n_a", "n_b", "context", "unit", "encoder", "p_holm", "stars",
}  # fmt: skip
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
    for shown in ("d_word", "p, by words", "p, by sentences", "caliskan-6", "seat-double-bind-likable", "unbleached"):
        assert shown in first.stdout
    assert first.stdout.startswith("SEAT on USE multilingual v3 (adapter universal, package fast-universal")
    assert re.search(r"d_word without\s+without", first.stdout)
    assert first.stderr.splitlines()[-1] == "438 texts encoded."
    assert (tmp_path / "cache" / "encodings.sqlite").exists()
    again = imprint(*options)
    assert again.stdout == first.stdout
    assert again.stderr.splitlines()[-1] == "every text was known from an earlier run."
    assert "every text was known" in imprint("default", "--test", "caliskan-6", "--context", "word").stderr


def test_json_lines_have_the_fields_of_the_design(imprint):
    rows = lines(imprint("default", "--tests", "garden.toml", "--json", "--seed", 7))
    found = [row for row in rows if row["kind"] == "seat"]
    assert [(row["context"], row["unit"]) for row in found] == [
        (context, unit) for context in ("word", "bleached") for unit in ("word", "sentence")
    ]
    for row in found:
        assert set(COMMON_FIELDS) | FIELDS <= set(row)
        assert (row["test"], row["embedding"], row["seed"]) == ("garden", "USE multilingual v3", 7)
        assert row["encoder"]["pooling"] == "the model's own"
        assert row["p_holm"] >= row["p_value"]
    assert (found[2]["effect_label"], found[2]["n_x"], found[2]["partitions"]) == ("d_word", 3, 20)
    assert (found[3]["effect_label"], found[3]["n_x"], found[3]["partitions"]) == ("d", 12, 2_704_156)
    assert set(found[2]["effect_without_word"]) == {"rose", "lily", "iris", "ant", "flea", "wasp"}
    assert [row["context"] for row in rows if row["kind"] == "seat-anisotropy"] == ["word", "bleached"]


def test_a_users_templates_are_used(imprint, tmp_path):
    (tmp_path / "mine.toml").write_text('language = "en"\n[templates]\nunknown = ["Behold {word}!", "{word}?"]\n')
    options = ("cbow", "--tests", "garden.toml", "--templates", "mine.toml", "--context", "bleached", "--json")
    words, by_sentences, *_ = lines(imprint(*options))
    assert set(words["effect_by_template"]) == {"Behold {word}!", "{word}?"}
    assert (by_sentences["n_x"], by_sentences["n_a"]) == (6, 4)


def test_several_encoders_are_one_family(imprint):
    options = ("--tests", "garden.toml", "--context", "word")
    rows = [row for row in lines(imprint("default", "cbow", *options, "--json")) if row["kind"] == "seat"]
    assert [row["unit"] for row in rows] == ["word", "sentence"] * 2
    assert len({row["embedding"] for row in rows}) == 2
    by_words = sorted((row for row in rows if row["unit"] == "word"), key=lambda row: row["p_value"])
    assert by_words[0]["p_holm"] == pytest.approx(2 * by_words[0]["p_value"])
    shown = imprint("default", "cbow", *options)
    assert shown.stdout.count("SEAT on ") == 2
    assert "all encoders together" in shown.stderr
    assert "all encoders together" not in imprint("cbow", *options).stderr
    assert "was given twice; give every encoder once" in refused(imprint("cbow", "cbow", *options))


def test_a_narrow_terminal_gets_blocks_that_fit(imprint, monkeypatch):
    monkeypatch.setattr(sys.stdout, "isatty", lambda: True, raising=False)
    monkeypatch.setenv("COLUMNS", "60")
    shown = imprint("cbow", "--tests", "garden.toml").stdout
    assert max(len(line) for line in shown.splitlines()) <= 60
    text = " ".join(shown.split())
    assert "garden, bleached: Flowers and insects by words: d_word = " in text
    assert "by sentences: d = " in text
    assert "cannot reach" in text


def test_tables_tell_what_cannot_be_reached_what_is_missing_and_what_could_not_be_run(imprint, tmp_path):
    foreign = GARDEN.replace('"garden"', '"[red]garden[/red]"').replace('"rose"', '"rose", "qqqq"')
    (tmp_path / "more.toml").write_text(foreign)
    result = imprint("cbow", "--tests", "more.toml")
    assert "[red]garden[/red]" in result.stdout
    assert "cannot reach" in result.stdout
    assert re.search(r"missing words of \[red\]garden\[/red\] in \S+: qqqq", result.stderr)
    skipping = imprint("cbow", "--context", "unbleached")
    assert "caliskan-1" in skipping.stdout
    assert "has no sentences of its own" in " ".join(skipping.stdout.split())


@pytest.mark.parametrize(
    ("options", "message"),
    [
        (("--context", "boiled"), "--context must be one of word, bleached, unbleached, got 'boiled'"),
        (("--context", "unbleached"), "test 'garden' has no sentences of its own"),
        (("--alternative", "more"), "--alternative must be one of greater, less, two-sided, got 'more'"),
        (("--alpha", 2), "alpha is 2"),
        (("--pooling", "max"), "pooling has no meaning for this kind of encoder"),
        (("--model", "m"), "model has no meaning for this kind of encoder"),
        (("--templates", "nowhere.toml"), "nowhere.toml"),
        (("--tests", "nowhere.toml"), "nowhere.toml"),
        (("--test", "garden", "--test", "nowhere"), "nowhere"),
        (("--cache", "garden.toml"), "garden.toml: is no cache of encodings, or cannot be used"),
        (("--cache", "c", "--no-cache"), "--cache and --no-cache contradict each other"),
        (("--max-texts", 0), "--max-texts"),
    ],
)
def test_bad_settings_are_one_line(imprint, options, message):
    assert message in refused(imprint("cbow", "--tests", "garden.toml", *options))


def test_pooling_has_no_meaning_for_the_default_encoder(imprint):
    line = refused(imprint("default", "--tests", "garden.toml", "--pooling", "cls"))
    assert "pooling has no meaning for this kind of encoder (universal)" in line


def test_wefats_are_not_asked_of_sentences(imprint):
    assert "all WEFATs" in refused(imprint("cbow", "--test", "caliskan-wefat-names"))


@pytest.fixture
def server():
    process = subprocess.Popen([sys.executable, SERVER], stdout=subprocess.PIPE, text=True)
    yield f"http://127.0.0.1:{int(process.stdout.readline())}/killed"
    process.kill()
    process.communicate()


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
    assert result.stderr.splitlines()[-1] == f"{total - kept} texts encoded."
    # What came twice is the batch that was never answered.
    assert len(asked) == total + 16
    assert imprint(*options).stderr.splitlines()[-1] == "every text was known from an earlier run."
