"""What names and words from files may do to a terminal: nothing."""

import os
import select

import numpy as np
import pytest
from safetensors.numpy import save_file
from systems import linux, posix

from imprint.cli import console
from imprint.cli.console import _open_bar, print_answer, print_note, show_blocks, time_left
from imprint.kinds.findings import read_findings
from imprint.view import Column, Given, Prose, Table, title

EVIL = "evil\x1b[2J\x1b]0;title\x07\x9b31m\u202e"
SHOWN = "evil\ufffd[2J\ufffd]0;title\ufffd\ufffd31m\ufffd"
STEERING = set("\x1b\x07\x9b\u202e\r")


@pytest.fixture
def evil(tmp_path, vectors):
    """The tiny embedding, in a file that gives itself a name with escape sequences."""
    rows = [line.split() for line in vectors.read_text().splitlines()]
    words = np.frombuffer("\n".join(word for word, *_ in rows).encode(), np.uint8)
    matrix = np.array([row for _, *row in rows], np.float32)
    save_file({"vectors": matrix, "words": words}, tmp_path / "evil.safetensors", metadata={"name": EVIL})
    return tmp_path / "evil.safetensors"


def test_a_tables_title_headings_and_cells_do_not_steer(capsys):
    odd = "[red]:cat:[/red]\x1b[31m"
    table = Table(title(EVIL), (Column(title(EVIL)), Column(EVIL)), ((Given(odd), odd),))
    show_blocks([table, Prose(title(EVIL), "note", ("terminal",)), Prose(EVIL, "note", ("terminal",))])
    shown = capsys.readouterr()
    assert not STEERING & set(shown.out + shown.err)
    assert shown.out.count("[red]:cat:[/red]") == 2


def test_lines_do_not_steer(capsys):
    print_answer(EVIL)
    print_note(EVIL)
    shown = capsys.readouterr()
    assert (shown.out, shown.err) == (f"{SHOWN}\n", f"{SHOWN}\n")


def test_the_commands_do_not_repeat_escape_sequences(imprint, evil, word_files):
    told = imprint("weat", evil, *word_files)
    assert told.returncode == 0
    assert "evil" in told.stdout
    assert not STEERING & set(told.stdout + told.stderr)
    data = imprint("weat", evil, *word_files, "--json")
    assert not STEERING & set(data.stdout)
    (evil.parent / "found.jsonl").write_text(data.stdout)
    assert read_findings(evil.parent / "found.jsonl")[0].embedding == EVIL


@pytest.mark.parametrize("name", ["none\x1b[2J.txt", "none\x9b2J\u202e.txt"])
def test_an_error_is_one_line_that_does_not_steer(imprint, name):
    failed = imprint("weat", name)
    assert (failed.returncode, len(failed.stderr.splitlines())) == (1, 1)
    assert failed.stderr.rstrip("\n").isprintable()


@linux  # macOS and Windows refuse such names
def test_a_file_whose_name_is_no_text_is_measured_and_told(imprint, vectors, word_files):
    source = vectors.rename(vectors.parent / os.fsdecode(b"caf\xe9.txt"))
    told = imprint("weat", source, *word_files)
    assert (told.returncode, "caf" in told.stdout) == (0, True)
    data = imprint("weat", source, *word_files, "--json")
    (source.parent / "found.jsonl").write_text(data.stdout)
    assert read_findings(source.parent / "found.jsonl")[0].embedding == os.fsdecode(b"caf\xe9")


@posix
def test_a_bar_names_a_file_with_brackets_and_braces(monkeypatch):
    import pty

    ours, theirs = pty.openpty()
    with os.fdopen(theirs, "w") as terminal:
        monkeypatch.setattr("sys.stderr", terminal)
        bar = _open_bar("reading {x} [red]\x1b]0;t\x07")
        bar.stop()
        terminal.flush()
        data = b""
        while select.select([ours], [], [], 0.2)[0]:  # what is written may come in parts
            data += os.read(ours, 10_000)
    os.close(ours)
    shown = data.decode()
    assert "{x}" in shown
    assert "[red]\ufffd]0;t\ufffd" in shown


@pytest.mark.parametrize(
    ("share", "elapsed", "expected", "told"),
    [
        (0.0, 0.0, None, ""),
        (0.5, 10.0, None, "10 s left"),
        (0.0, 0.0, 20.0, "20 s left"),
        (0.0, 5.0, 20.0, "25 s left"),
        (0.5, 10.0, 20.0, "10 s left"),
        (0.5, 40.0, 20.0, "20 s left"),
        (0.9, 18.0, 20.0, "2 s left"),
        (0.0, 0.0, 600.0, "10 min left"),
        (1.0, 10.0, 20.0, ""),
    ],
)
def test_the_time_left_begins_with_what_is_expected_and_follows_what_is_seen(share, elapsed, expected, told):
    assert time_left(share, elapsed, expected) == told


@posix
def test_a_file_name_with_line_breaks_is_told_in_one_line(imprint, vectors, word_files):
    found = imprint("weat", vectors, *word_files, "--json").stdout
    (vectors.parent / "found.jsonl").write_text(found)
    told = imprint("card", "found.jsonl", "--out", "odd\nimprint: \u202ename.md")
    assert told.stdout == "card: odd imprint: \ufffdname.md\n"


def test_without_a_terminal_long_work_writes_a_line_now_and_then(monkeypatch, capsys):
    clock = iter(range(0, 1_000, 10))
    monkeypatch.setattr(console.time, "monotonic", lambda: float(next(clock)))
    with console.steps(1) as report:
        for done in range(10):
            report("counting", done, 10)
    lines = capsys.readouterr().err.splitlines()
    assert [line.split(":")[0] for line in lines] == ["counting"] * 3
    assert [int(line.split()[1].rstrip("%,")) for line in lines] == [20, 50, 80]
