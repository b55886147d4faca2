"""Every command that calls a server says first how many texts it will send: the number that arrives."""

import json
import re
import subprocess
import sys
import urllib.request
from itertools import count
from pathlib import Path

import pytest

import imprint.cli

TESTS = Path(__file__).parents[1]
NUMBERS = count()
GROUPS = ("--group", "Ann,Eve,Ida,Joan", "--group", "Karl,Neil,Hugo,Leon")
FILES = ("--queries", "q.jsonl", "--documents", "d.jsonl")
SWAP = (*GROUPS, "--templates", "texts.txt")
PROMPTS = ("--query-prompt", "query: ", "--document-prompt", "passage: ")


@pytest.fixture(scope="module")
def started():
    """Start a program that prints its port, and end it."""
    running = []

    def start(program):
        running.append(subprocess.Popen([sys.executable, TESTS / program], stdout=subprocess.PIPE, text=True))
        return f"http://127.0.0.1:{int(running[-1].stdout.readline())}"

    yield start
    for process in running:
        process.kill()
        process.communicate()


@pytest.fixture(scope="module")
def embeddings(started):
    return started("encoders/embedding_server.py")


@pytest.fixture(scope="module")
def scores(started):
    return started("scoring/score_server.py")


@pytest.fixture
def heard(monkeypatch, tmp_path):
    """Say how many texts a server has got when a note is printed, note by note."""
    monkeypatch.setenv("IMPRINT_CACHE", str(tmp_path / "cache"))
    (tmp_path / "texts.txt").write_text("I met {name}.\n{name} is here.\n")
    topics = ("cook", "poet", "chef", "maid")
    for name, text in (("q", "a {} for us"), ("d", "{{name}} is a {} here.")):
        rows = [json.dumps({"id": topic, "text": text.format(topic), "topic": topic}) for topic in topics]
        (tmp_path / f"{name}.jsonl").write_text("\n".join(rows))
    notes, printed = [], imprint.cli._announce

    def hear(arrived):
        def print_and_note(message):
            notes.append((message, arrived()))
            printed(message)

        monkeypatch.setattr(imprint.cli, "_announce", print_and_note)
        return notes

    return hear


def texts_at(url):
    with urllib.request.urlopen(f"{url}/log") as log:
        return sum(len(request["input"]) for request in json.load(log))


def check_encoder(imprint, server, heard, command, *, name="use-multilingual"):
    """Run a command; it may say one number, before the first request, and so many texts must arrive."""
    url = f"{server}/{next(NUMBERS)}"
    notes = heard(lambda: texts_at(url))
    options = ("--model", "use-multilingual", "--no-cache", "--timeout", "60", "--batch", "512")
    result = imprint(*(word.replace("URL", url) for word in command), *options)
    assert result.returncode in (0, 3), result.stderr
    ((said, arrived_before),) = notes
    assert arrived_before == 0
    assert said == f"{name}: {texts_at(url):,} texts will be sent"
    assert said in result.stderr.splitlines()


@pytest.mark.parametrize(
    "command",
    [
        ("swap", "encoder:URL", "--query", "CVs", *SWAP),
        ("retrieval", "URL", *FILES, *GROUPS),
        ("retrieval", "URL", *FILES, *GROUPS, *PROMPTS),
        ("retrieval", "URL", *FILES, *GROUPS, "--no-edits"),
    ],
    ids=["swap", "retrieval", "prompts", "without edits"],
)
def test_what_scores_by_cosines_says_how_many_texts_it_sends(in_process, embeddings, heard, command):
    check_encoder(in_process, embeddings, heard, command)


def test_a_variant_counts_the_texts_of_its_encoder(in_process, embeddings, heard):
    command = ("retrieval", "URL", *FILES, *GROUPS, "--dims", "64")
    check_encoder(in_process, embeddings, heard, command, name="use-multilingual (64 dims)")


@pytest.mark.slow
@pytest.mark.parametrize(
    "command",
    [
        ("seat", "URL", "--test", "caliskan-5"),
        ("wefat", "URL"),
        ("compare", "URL", "default", "--test", "caliskan-6"),
        ("debias", "URL", "out"),
    ],
    ids=lambda command: command[0],
)
def test_what_asks_about_words_says_how_many_texts_it_sends(in_process, embeddings, heard, command):
    check_encoder(in_process, embeddings, heard, command)


@pytest.mark.slow
def test_a_board_of_several_processes_says_it(imprint, embeddings, tmp_path):
    url = f"{embeddings}/{next(NUMBERS)}"
    options = ("--model", "use-multilingual", "--no-cache", "--timeout", "60", "--workers", "2")
    result = imprint("board", url, "cbow", "--topic", "age", *options, env=None)
    assert result.returncode == 0, result.stderr
    assert re.findall(r".* will be sent", result.stderr) == [f"use-multilingual: {texts_at(url):,} texts will be sent"]


@pytest.mark.parametrize(
    ("command", "what"),
    [
        (("swap", "URL", *SWAP), "texts"),
        (("swap", "URL", "--query", "CVs", *SWAP), "pairs"),
        (("retrieval", "scorer:URL", *FILES, *GROUPS), "pairs"),
    ],
    ids=["texts", "texts with a query", "pairs"],
)
def test_a_server_of_scores_gets_as_many_as_were_said_and_none_that_is_cached(
    in_process, scores, heard, command, what
):
    url = f"{scores}/{next(NUMBERS)}/score"

    def arrived():
        with urllib.request.urlopen(url) as answer:
            return json.load(answer)

    notes = heard(arrived)
    command = [word.replace("URL", url) for word in command]
    assert in_process(*command).returncode == 0
    sent = arrived()
    assert sent
    assert notes == [(f"{url}: {sent:,} {what} will be sent", 0)]
    assert in_process(*command).returncode == 0
    assert (len(notes), arrived()) == (1, sent)


def test_a_command_is_announced_and_a_function_is_not(in_process, heard, tmp_path):
    notes = heard(int)
    (tmp_path / "score.py").write_text("import sys\nfor text in sys.stdin: print(len(text))\n")
    command = f"command:{sys.executable} score.py"
    assert in_process("swap", command, *SWAP).returncode == 0
    assert in_process("swap", "valence:default", *SWAP).returncode == 0
    assert notes == [(f"{sys.executable} score.py: 16 texts will be sent", 0)]
