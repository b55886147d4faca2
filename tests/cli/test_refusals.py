"""What cannot work is refused while options are read, before any large library is loaded."""

import json
import os
import subprocess
import sys

import pytest
from command_results import lines

import imprint as package
from imprint.stimuli.catalog import about, catalogue
from imprint.stimuli.files import is_list, read_words

HEAVY = ("altair", "numba", "numpy", "pandas", "scipy", "sklearn")
SCRIPT = f"""
import json, sys
from imprint.cli import main
for arguments in json.load(sys.stdin):
    sys.argv = ["imprint", *arguments]
    try:
        main()
    except SystemExit as end:
        print(json.dumps([arguments, end.code, sorted(set(sys.modules) & set({HEAVY}))]))
"""
MISSING = "no-such-file.txt"
REFUSED = [
    *([command, MISSING] for command in (
        "analogies", "audit", "calibrate", "card", "enumerate", "evaluate", "gate", "project", "report", "seat",
        "serve", "weat", "wefat",
    )),
    ["compare", "default", MISSING],
    ["convert", MISSING, "out.safetensors"],
    ["debias", MISSING, "out.safetensors"],
    ["debias", "default", "out.safetensors", "--apply", MISSING],
    ["debias", "default", "out.safetensors", "--method", "liner"],
    ["debias", "default", "out.safetensors", "--seeds", MISSING],
    ["metric", MISSING, "--metric", "weat", "--test", "caliskan-1"],
    ["metric", "default", "--metric", "weat", "--test", "calliskan-1"],
    ["audit", "default", "--against", MISSING],
    ["audit", "default", "--debias", "liner"],
    ["audit", "default", "--encoder", MISSING],
    ["audit", "default", "--language", "xx"],
    ["audit", "default", "--policy", MISSING],
    ["audit", "default", "--topic", "gendre"],
    ["audit", "default", "--quik"],
    ["calibrate", "default", "--test", "calliskan-1"],
    ["compare", "default", "default", "--test", "calliskan-1"],
    ["enumerate", "default", "--groups", "many"],
    ["enumerate", "default", "--names", MISSING],
    ["evaluate", "default", "--benchmarks", MISSING],
    ["gate", os.devnull],
    ["project", "default", "--pairs", MISSING],
    ["project", "default", "--sets", "he,him", MISSING],
    ["project", "default", "--words", MISSING],
    ["report", "."],
    ["seat", "default", "--templates", MISSING],
    ["seat", "default", "--test", "calliskan-1"],
    ["stimuli", "--tests", MISSING],
    ["study", "score", MISSING],
    ["weat", "default", "--test", "calliskan-1"],
    ["weat", "default", "--tests", MISSING],
    ["weat", "default", "--topic", "gendre"],
    ["weat", "default", "--x", "rose,lily", "--y", MISSING, "--a", "love,peace", "--b", "filth,grief"],
    ["wefat", "default", "--property", MISSING],
]  # fmt: skip


def test_files_tests_and_options_are_refused_before_large_libraries_are_loaded(tmp_path):
    asked = json.dumps(REFUSED)
    ended = subprocess.run(
        [sys.executable, "-c", SCRIPT], input=asked, capture_output=True, text=True, cwd=tmp_path, check=True
    )
    assert [json.loads(line) for line in ended.stdout.splitlines()] == [[one, 1, []] for one in REFUSED]
    assert len(ended.stderr.splitlines()) == len(REFUSED)
    assert list(tmp_path.iterdir()) == []


@pytest.mark.skipif(not hasattr(os, "geteuid") or os.geteuid() == 0, reason="root may read every file")
def test_a_file_that_may_not_be_read_is_refused(imprint, vectors):
    vectors.chmod(0)
    assert imprint("weat", vectors).returncode == 1


def test_words_are_given_as_files_or_lists(imprint, vectors, word_files):
    lists = ["--x", "rose, lily,iris", "--y", "ant,flea,wasp", "--a", "love,peace", "--b", "filth,grief"]
    (listed,) = lines(imprint("weat", vectors, *lists, "--json"), "weat")
    (filed,) = lines(imprint("weat", vectors, *word_files, "--json"), "weat")
    own = {"test", "title", "source", "sets"}
    assert {key: value for key, value in listed.items() if key not in own} == {
        key: value for key, value in filed.items() if key not in own
    }
    assert [one["words"] for one in listed["sets"]] == [one["words"] for one in filed["sets"]]
    assert listed["sets"][0]["name"] == "rose, lily, iris"


def test_a_file_goes_before_a_list_and_one_word_needs_a_comma(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    assert read_words("nurse,teacher") == ("nurse", "teacher")
    assert read_words("nurse,") == ("nurse",)
    (tmp_path / "nurse,teacher").write_text("rose\nlily\n")
    assert read_words("nurse,teacher") == ("rose", "lily")
    assert not is_list("nurse")
    assert package.read_seeds("cook,nurse").fitted == ("cook", "nurse")


def test_a_topic_takes_its_tests(imprint):
    told = imprint("weat", "default", "--topic", "age", "--topic", "gender", "--json")
    rows = [row for row in lines(told) if row["kind"] == "weat"]
    assert {topic for row in rows for topic in row["topics"]} == {"age", "gender", "race"}
    assert all({"age", "gender"} & set(row["topics"]) for row in rows)
    narrowed = lines(imprint("weat", "default", "--topic", "gender", "--test", "caliskan-*", "--json"))
    assert [row["test"] for row in narrowed if row["kind"] == "weat"] == ["caliskan-6", "caliskan-7", "caliskan-8"]


def test_a_plan_of_topics_runs_their_tests_and_your_own():
    own = next(test for test in catalogue() if test.id == "talk-de-career")
    plan = package.Plan(topics=("health",), tests=(own,))
    assert [test.id for test in plan.asked] == ["caliskan-9", "talk-disease-controllable", "talk-de-career"]
    assert plan.topics == ("health",)
    for refused in (("healt",), "health"):
        with pytest.raises(package.ImprintError) as caught:
            about(catalogue(), refused)
        assert caught.value.got in ("healt", "health")


@pytest.mark.parametrize("browser", [True, False])
def test_open_opens_the_page_or_says_where_it_is(imprint, vectors, word_files, tmp_path, monkeypatch, browser):
    opened = []
    monkeypatch.setattr("webbrowser.open", lambda url: opened.append(url) or browser)
    (tmp_path / "found.jsonl").write_text(imprint("weat", vectors, *word_files, "--json").stdout)
    told = imprint("report", "found.jsonl", "--out", "page.html", "--open")
    assert told.returncode == 0
    assert opened == [(tmp_path / "page.html").as_uri()]
    assert (str(tmp_path / "page.html") in told.stderr) is not browser


@pytest.mark.parametrize("group", [[], ["study"], ["policy"]])
def test_summaries_of_commands_fit_their_line(imprint, group):
    told = imprint(*group, "--help", env={**os.environ, "COLUMNS": "80"})
    assert "..." not in told.stdout.partition("Commands:")[2]
    assert max(map(len, told.stdout.splitlines())) <= 80
