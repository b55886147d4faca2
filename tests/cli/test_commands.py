import gc
import json
import os
import re
import signal
import struct
import subprocess
import sys
from pathlib import Path

import pytest
from command_results import lines
from systems import linux, posix
from typer.main import get_command

from imprint.cli import main
from imprint.cli.app import COMMANDS, ORDER, make_app
from imprint.registry import Registry
from imprint.rows import Row
from imprint.significance.outcomes import OUTCOMES
from imprint.stimuli.catalog import catalogue, get, questions
from imprint.stimuli.definition import WefatTest
from imprint.subjects.opening import load

IMPRINT = Path(sys.executable).with_name("imprint")
WEAT_FIELDS = {
    "mean_difference", "d_within", "p_strict", "p_floor", "p_method", "p_low", "p_high", "log10_p", "partitions",
    "extreme", "alternative", "n_x", "n_y", "n_a", "n_b", "size", "size_low", "size_high", "outcome", "reason",
}  # fmt: skip
WEFAT_FIELDS = {"r", "words_low", "words_high", "outcome", "mirrored", "p_value", "slope", "intercept", "scores"}


def test_weat_runs_questions_and_the_ten_tests_and_prints_the_fields_of_the_design(imprint):
    every = lines(imprint("weat", "default", "--json"))
    rows = [row for row in every if row["kind"] == "weat"]
    asked, published = ([row for row in rows if row["is_question"] == is_question] for is_question in (True, False))
    assert [row["test"] for row in asked] == [test.id for test in questions()]
    assert [row["test"] for row in published] == [f"caliskan-{number}" for number in range(1, 11)]
    assert [row["topic"] for row in every if row["kind"] == "topic"] == ["gender", "race", "age", "health"]
    assert {row["p_value"] for row in asked} == {None}
    assert [row["test"] for row in every if row["kind"] not in ("weat", "topic")] == ["controls"]
    for row in rows:
        assert set(Row.__struct_fields__) | WEAT_FIELDS <= set(row)
        assert row["outcome"] in OUTCOMES
    for row in published:
        partitions = int(row["partitions"])
        if row["p_method"] == "exact":
            assert row["p_value"] == int(row["extreme"]) / partitions
        else:
            assert row["extreme"] is None
            assert row["p_value"] == row["p_high"] == int(row["extreme_high"]) / partitions


def test_the_same_seed_gives_the_same_bytes(imprint):
    first, again = (imprint("weat", "default", "--test", "caliskan-8", "--json", "--seed", 3) for _ in range(2))
    assert first.stdout == again.stdout
    assert first.stdout != imprint("weat", "default", "--test", "caliskan-8", "--json", "--seed", 4).stdout


def test_four_word_files_make_a_test(imprint, vectors, word_files):
    (row,) = lines(imprint("weat", vectors, *word_files, "--json"), "weat")
    assert (row["n_x"], row["n_y"], row["n_a"], row["n_b"]) == (3, 3, 2, 2)
    assert (row["extreme"], row["partitions"]) == ("1", "20")
    assert (row["outcome"], row["reason"], row["size"]) == ("cannot tell", "few words", None)


def test_a_users_toml_makes_tests(imprint, vectors, tmp_path):
    (tmp_path / "mine.toml").write_text(
        '[[weat]]\nid = "garden"\nx = ["rose", "lily"]\ny = ["ant", "flea"]\na = ["love", "peace"]\n'
        'b = ["filth", "grief"]\n'
    )
    (row,) = lines(imprint("weat", vectors, "--tests", "mine.toml", "--json"), "weat")
    assert row["test"] == "garden"
    assert imprint("stimuli", "--tests", "mine.toml").stdout.startswith("garden")


def test_tables_tell_what_cannot_be_reached_and_stay_free_of_markup(imprint, vectors, tmp_path):
    (tmp_path / "mine.toml").write_text(
        '[[weat]]\nid = "[red]garden[/red]"\nx = ["rose", "lily"]\ny = ["ant", "flea"]\na = ["love", "peace"]\n'
        'b = ["filth", "grief"]\n'
    )
    result = imprint("weat", vectors, "--tests", "mine.toml")
    assert "[red]garden[/red]" in result.stdout
    flat = " ".join(result.stdout.split())
    assert "0.17" in flat
    assert "too few words" in flat
    (sampled,) = lines(imprint("weat", vectors, "--tests", "mine.toml", "--sampled", "2", "--json"), "weat")
    assert (sampled["p_method"], sampled["p_floor"], sampled["reason"]) == ("sampled", 1 / 3, "few words")


def test_wefat_prints_the_fields_of_the_design(imprint):
    rows = lines(imprint("wefat", "default", "--json"), "wefat")
    assert {row["test"] for row in rows} == {
        test.id for test in catalogue() if isinstance(test, WefatTest) and test.language == "en"
    }
    for row in rows:
        assert set(Row.__struct_fields__) | WEFAT_FIELDS <= set(row)


def test_a_property_can_be_given_for_one_test(imprint, tmp_path):
    words = get("caliskan-wefat-occupations").words.words
    shares = "".join(f"{word},{number}\n" for number, word in enumerate(words))
    (tmp_path / "shares.csv").write_text(f"word,value\n{shares}")
    options = ("--test", "caliskan-wefat-occupations", "--property", "shares.csv", "--json")
    (row,) = lines(imprint("wefat", "default", *options), "wefat")
    assert row["property"] == "shares"
    assert row["n_words"] == 50
    result = imprint("wefat", "default", "--property", "shares.csv")
    assert (result.returncode, result.stdout) == (1, "")
    assert "--property" in result.stderr


def test_convert_writes_a_file_that_gives_the_same_findings(imprint, vectors, word_files, tmp_path):
    assert imprint("convert", vectors, "tiny.safetensors").returncode == 0
    before, after = (
        lines(imprint("weat", source, *word_files, "--json"))[0] for source in (vectors, "tiny.safetensors")
    )
    changed = {key for key in before if before[key] != after[key]}
    assert changed <= {"embedding", "embedding_sha256"}
    assert list(load(tmp_path / "tiny.safetensors").words) == list(load(vectors).words)


def test_stimuli_lists_questions_first(imprint):
    lines = imprint("stimuli").stdout.splitlines()
    headings = [number for number, line in enumerate(lines) if line and "+" not in line]
    assert [lines[number + 1].split()[0] for number in headings] == [
        "gender-career",
        "muslim-pleasant",
        "caliskan-1",
    ]
    assert imprint("stimuli", "gender-maths").stdout.startswith("gender-maths")


def test_stimuli_matches_long_lists(imprint, tmp_path):
    (tmp_path / "long.toml").write_text(
        '[[weat]]\nid = "long"\nx = { words = "rose tulip lily daisy orchid violet xyzzyq" }\n'
        'y = "insects"\na = "pleasant"\nb = "unpleasant"\n'
    )
    written = imprint("stimuli", "--tests", "long.toml", "--match", "matched.toml")
    assert "xyzzyq" in written.stderr
    x, y, a, b = imprint("stimuli", "--tests", "matched.toml").stdout.split()[2].split("+")
    assert x == y
    assert a == b
    assert imprint("stimuli", "--match", "matched.toml").returncode == 1


def test_stimuli_lists_and_shows(imprint):
    assert len(imprint("stimuli").stdout.splitlines()) >= 28
    shown = imprint("stimuli", "caliskan-6").stdout
    assert "John, Paul, Mike" in shown
    assert "another scale, not comparable" in shown
    assert all(json.loads(line)["id"] for line in imprint("stimuli", "--json").stdout.splitlines())


def test_sampling_is_there_on_request(imprint):
    (row,) = lines(imprint("weat", "default", "--test", "caliskan-8", "--sampled", 2000, "--json"), "weat")
    assert row["p_method"] == "sampled"
    assert row["extreme"] is None


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        (["weat", "nowhere.txt"], "nowhere.txt"),
        (["weat", "HTTP://127.0.0.1:9/v1"], "URL"),
        (["seat", "org/no-such-model"], "hf download org/no-such-model"),
        (["weat", "default", "--test", "caliskan-99"], "'caliskan-9'"),
        (["weat", "default", "--test", "caliskan-wefat-names"], "imprint wefat"),
        (["weat", "default", "--alternative", "up"], "alternative"),
        (["weat", "default", "--x", "rose,lily"], "--x --y --a --b"),
        (["weat", "default", "--test", "caliskan-1", "--x", "rose,lily"], "--tests"),
        (["wefat", "default", "--test", "caliskan-1"], "imprint weat"),
        (["audit", "default", "--out", "no/such/folder/f.jsonl"], "no/such/folder/f.jsonl"),
        (["convert", "default", "no/such/folder/f.safetensors"], "no/such/folder/f.safetensors"),
        (["convert", "default", os.devnull], os.devnull),
        (
            ["convert", "default", "out.csv"],
            "out.csv",
        ),
        (["debias", "default", "default"], ".safetensors"),
        (["seat", "default", "--cache", os.devnull], os.devnull),
        (["debias", "default", "out.safetensors", "--strength", "1e300"], "strength"),
        (["weat", "default", "--sampled", "99999999999999999999"], "draws"),
        (
            ["weat", "default", "--seed", "-1"],
            ": --seed must be greater than or equal to 0, got -1; imprint weat -",
        ),
        (["weat", "default", "--sampled", "few"], ": --sampled must be a valid integer"),
        (["weat"], "Missing argument 'EMBEDDING'; imprint weat --help explains"),
        (["study", "frobnicate"], "No such command 'frobnicate'; imprint study --help explains"),
        (["aduit", "default"], "No such command 'aduit'. Did you mean 'audit'? imprint --help explains"),
    ],
)
def test_errors_are_one_line_on_stderr_with_exit_code_one(imprint, arguments, said):
    result = imprint(*arguments)
    assert result.returncode == 1
    assert result.stdout == ""
    assert len(result.stderr.splitlines()) == 1, result.stderr
    assert result.stderr.startswith("imprint: ")
    assert said in result.stderr


def test_where_no_test_of_the_default_can_run_the_error_says_what_else_there_is(in_process, tmp_path):
    (tmp_path / "tiny.txt").write_text("he 1 0\nshe 0 1\n")
    result = in_process("weat", "tiny.txt")
    assert (result.returncode, result.stdout) == (1, "")
    assert "tiny: " in result.stderr
    assert result.stderr.endswith("--x --y --a --b\n")
    result = in_process("wefat", "tiny.txt")
    assert result.stderr.endswith("--tests FILE\n")


def test_a_pattern_runs_what_can_run_and_a_name_has_to(in_process):
    rows = lines(in_process("weat", "default", "--test", "seat-*", "--json"))
    assert {"weat", "topic", "controls", "skipped"} == {row["kind"] for row in rows}
    assert "seat-3b" in {row["test"] for row in rows if row["kind"] == "skipped"}
    result = in_process("weat", "default", "--test", "seat-3b")
    assert (result.returncode, result.stdout) == (1, "")
    assert result.stderr.startswith("imprint: European American terms: 15 of 15 ")


def test_a_named_test_that_cannot_run_is_an_error_after_the_others_are_printed(in_process):
    result = in_process("weat", "default", "--test", "seat-3b", "--test", "caliskan-6", "--json")
    assert result.returncode == 1
    assert result.stderr.splitlines()[-1] == "imprint: seat-3b could not be run"
    rows = [json.loads(line) for line in result.stdout.splitlines()]
    assert "caliskan-6" in {row["test"] for row in rows if row["kind"] == "weat"}


def test_python_runs_the_package_as_the_command(tmp_path):
    module, script = (
        subprocess.run([*command, "weat", "--help"], capture_output=True, text=True, cwd=tmp_path, check=True)
        for command in ([sys.executable, "-m", "imprint"], [str(IMPRINT)])
    )
    assert (module.stdout, module.stderr) == (script.stdout, "")
    assert "imprint weat" in module.stdout


@posix
def test_a_reader_that_leaves_early_is_no_error_message(imprint, tmp_path):
    # More JSON than a pipe holds, read by something that stops after one line.
    result = subprocess.run(
        ["bash", "-c", f"set -o pipefail; '{IMPRINT}' stimuli --json | head -n 1"],
        capture_output=True, text=True, check=False,
    )  # fmt: skip
    assert result.stdout.count("\n") == 1
    assert result.stderr == ""


@linux
@pytest.mark.parametrize(
    ("sent", "code", "said"),
    [(signal.SIGINT, 130, "imprint: stopped; nothing half-written is left\n"), (signal.SIGTERM, 143, "")],
)
def test_whoever_ends_it_gets_a_code_and_no_leftovers(tmp_path, sent, code, said):
    command = [str(IMPRINT), "weat", "default", "--test", "caliskan-8", "--sampled", "50000000", "--json"]
    process = subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True, cwd=tmp_path)
    # Sampling so much takes minutes; the module that does it is loaded when the kernel's files are mapped.
    while "_multiarray_umath" not in Path(f"/proc/{process.pid}/maps").read_text():
        assert process.poll() is None
    process.send_signal(sent)
    output, errors = process.communicate(timeout=60)
    assert (output, errors, process.returncode) == ("", said, code)
    assert list(tmp_path.iterdir()) == []


@posix
@pytest.mark.parametrize("closed", [">&-", "2>&-", ">&- 2>&-"])
def test_a_closed_stream_is_no_obstacle(closed, vectors, tmp_path):
    script = f"'{IMPRINT}' convert tiny.txt out.safetensors {closed}"
    result = subprocess.run(["bash", "-c", script], capture_output=True, text=True, cwd=tmp_path, check=False)
    assert (result.returncode, "Traceback" in result.stderr) == (0, False)
    assert load(tmp_path / "out.safetensors").words == load(vectors).words


@posix
@pytest.mark.parametrize("arguments", ["stimuli --json", "--version", "metrics"])
def test_output_that_cannot_be_written_is_an_error(arguments, tmp_path):
    script = f"'{IMPRINT}' {arguments} >&-"
    result = subprocess.run(["bash", "-c", script], capture_output=True, text=True, cwd=tmp_path, check=False)
    assert result.returncode == 1
    assert result.stderr.splitlines() == [
        "imprint: cannot write or read (Bad file descriptor); check the disk and the output"
    ]


def test_a_file_is_never_written_over_while_it_is_read(imprint, vectors):
    before = vectors.read_bytes()
    for arguments in (("convert", vectors, vectors), ("audit", vectors, "--out", vectors)):
        result = imprint(*arguments)
        assert result.returncode == 1
        assert str(vectors) in result.stderr
    assert vectors.read_bytes() == before


@pytest.mark.parametrize("encoding", ["ascii", "latin-1"])
def test_an_encoding_without_the_characters_is_no_obstacle(imprint, encoding):
    result = imprint(
        "weat", "default", "--test", "caliskan-3", env={**os.environ, "PYTHONIOENCODING": encoding}, encoding=encoding
    )
    assert result.returncode == 0
    assert "caliskan-3" in result.stdout


@linux
def test_a_full_disk_is_one_line():
    with Path("/dev/full").open("w") as full:
        result = subprocess.run(
            [str(IMPRINT), "stimuli", "--json"], stdout=full, stderr=subprocess.PIPE, text=True, check=False
        )
    assert result.returncode == 1
    assert result.stderr.splitlines() == [
        "imprint: cannot write or read (No space left on device); check the disk and the output"
    ]


@posix
def test_narrow_terminals_get_blocks_that_break_no_word(vectors, word_files, tmp_path):
    # A real terminal of 60 columns: the width is asked of it.
    import fcntl
    import pty
    import termios

    parent, child = pty.openpty()
    fcntl.ioctl(child, termios.TIOCSWINSZ, struct.pack("HHHH", 40, 60, 0, 0))
    subprocess.run(
        [str(IMPRINT), "weat", str(vectors), *word_files],
        stdout=child,
        stderr=subprocess.DEVNULL,
        cwd=tmp_path,
        check=True,
        # These would override what the terminal says of itself.
        env={name: value for name, value in os.environ.items() if name not in ("COLUMNS", "LINES")},
    )
    os.close(child)
    text = b""
    while chunk := _read(parent):
        text += chunk
    os.close(parent)
    shown = re.sub(r"\x1b\[\d*m", "", text.decode().replace("\r", ""))
    assert max(map(len, shown.splitlines())) <= 60
    words = shown.split()
    assert {"x-y-a-b:", "few"} <= {*words}
    assert all(word in words for word in ("Outcome", "one-sided", "Missing"))


def _read(descriptor):
    try:
        return os.read(descriptor, 4096)
    except OSError:  # how Linux says that the other end has gone
        return b""


def test_missing_words_and_sparse_sets_are_told(imprint):
    result = imprint("weat", "default", "--test", "talk-transgender", "--test", "caliskan-1")
    said = " ".join(result.stderr.split())
    assert "caliskan-1: gladiola" in said
    assert "talk-transgender keeps 2 of 6 words of cisgender" in said


def test_missing_words_are_told_beside_json_as_well(imprint, vectors, word_files, tmp_path):
    (tmp_path / "x.txt").write_text("rose\nlily\nunknown\nunheard\nunseen\n")
    result = imprint("weat", vectors, *word_files, "--json")
    (row,) = lines(result, "weat")
    assert row["missing"] == ["unknown", "unheard", "unseen"]
    assert row["sets"][0] == {"role": "x", "name": "x", "words": ["rose", "lily", "unknown", "unheard", "unseen"]}
    assert "x-y-a-b: unknown, unheard, unseen" in result.stderr
    assert "x-y-a-b keeps 2 of 5 words of x" in result.stderr


def test_a_property_for_some_of_the_words_leaves_the_others_out(imprint, tmp_path):
    (tmp_path / "some.csv").write_text(
        "occupation;percent\nnurse;89,6\nengineer;10,7\nteacher;71\nlawyer;34,5\nbaker;60\n"
    )
    options = ("--test", "caliskan-wefat-occupations", "--property", "some.csv", "--json")
    result = imprint("wefat", "default", *options)
    (row,) = lines(result, "wefat")
    values = {one["word"]: one["value"] for one in row["values"]}
    assert values == {"engineer": 10.7, "nurse": 89.6, "teacher": 71.0, "lawyer": 34.5, "baker": 60.0}
    assert "values for 5 of 50 words" in result.stderr


def test_every_command_and_option_explains_itself(imprint):
    listed = get_command(make_app()).commands
    for command in listed.values():
        text = imprint(command.name, "--help").stdout
        assert command.help.split()[0] in text
        options = re.findall(r"^  (--\S+).*?(?:  (\S.*))?$", text, flags=re.MULTILINE)
        assert options or command.name in ("schema", "metrics", "policy", "study")
    assert re.fullmatch(r"\d+\.\d+\.\d+\n", imprint("--version").stdout)


def test_the_help_lists_the_commands_of_imprint_in_their_order(imprint):
    names = [name for name in COMMANDS.names() if COMMANDS.is_own(name)]
    assert sorted(ORDER) == sorted(names)
    listed = re.findall(r"^  ([a-z-]+)  ", imprint("--help").stdout.partition("Commands:")[2], flags=re.MULTILINE)
    assert tuple(listed) == ORDER


GREETING = """
import typer

def greet(name: str, loud: bool = False) -> None:
    'Greet someone.'
    print(name.upper() if loud else name)

several = typer.Typer(help="Greet several.")
several.command("all")(greet)
several.command("none")(lambda: None)

def unreadable(name: str | int) -> None:
    'Cannot be read.'

VALUE = 7
"""


def test_plug_ins_add_commands_which_come_last(imprint, plug_in):
    plug_in("imprint.commands", "zeal = toy_plugin_code:greet", "apt = toy_plugin_code:several", code=GREETING)
    *_, last, zeal = imprint("--help").stdout.splitlines()
    assert (last.split(), zeal.split()) == (["apt", "Greet", "several."], ["zeal", "Greet", "someone."])
    assert imprint("zeal", "me", "--loud").stdout == "ME\n"
    assert imprint("apt", "all", "you").stdout == "you\n"
    refused = imprint("zeal", "me", "--lout").stderr
    assert refused.startswith("imprint: No such option: --lout")
    assert refused.count("\n") == 1


@pytest.mark.parametrize(
    ("value", "code"),
    [
        ("greet", "1 / 0"),
        ("greet", "import no_such_module_here"),
        ("missing", GREETING),
        ("VALUE", GREETING),
        ("unreadable", GREETING),
    ],
)
def test_a_broken_command_of_a_plug_in_is_one_line_and_leaves_the_others(imprint, plug_in, value, code):
    plug_in("imprint.commands", f"zeal = toy_plugin_code:{value}", code=code)
    listed = imprint("--help")
    assert (listed.returncode, listed.stderr) == (0, "")
    assert " ".join(listed.stdout.splitlines()[-1].split()) == "zeal Broken plug-in: `imprint zeal` says why."
    for arguments in (("zeal",), ("zeal", "--help")):
        refused = imprint(*arguments)
        assert refused.returncode == 1
        assert f"'zeal' (toy_plugin_code:{value}, group imprint.commands)" in refused.stderr
        assert refused.stderr.count("\n") == 1
    assert imprint("schema", "board").returncode == 0


def test_the_schema_says_what_each_field_is(imprint):
    schema = json.loads(imprint("schema", "translation").stdout)
    fields = schema["$defs"]["TranslationRow"]["properties"]
    assert (fields["n_he"]["title"], fields["n_he"]["type"]) == ("He", "integer")
    assert fields["n_he"]["description"] == "Sentences that came out with a pronoun for a man: he, him or his."
    assert fields["seed"]["description"] == "Seed of everything random."
    nested = schema["$defs"]["TranslatedSentence"]["properties"]
    assert all(field["description"] for field in nested.values())


def test_a_plug_in_cannot_replace_a_command(imprint, plug_in):
    lines = [f"{name} = toy_plugin_code:greet" for name in ("weat", "board")]
    plug_in("imprint.commands", *lines, code=GREETING)
    assert "Greet" not in imprint("--help").stdout
    assert "Compare two word sets" in imprint("weat", "--help").stdout
    assert "Compare many models" in imprint("board", "--help").stdout


def test_commands_of_imprint_do_not_look_for_plug_ins(imprint, monkeypatch):
    def refuse(*_):
        raise AssertionError

    monkeypatch.setattr(Registry, "plugins", refuse)
    assert imprint("board", "--help").returncode == 0
    monkeypatch.setattr("imprint.registry._entry_points", refuse)
    assert imprint("weat", "--help").returncode == 0


class _Raising:
    """Stands for the module of the commands, and fails when it is asked for them."""

    def __init__(self, error):
        self.error = error

    @property
    def make_app(self):
        raise self.error


def test_ctrl_c_while_modules_are_imported_is_one_line(monkeypatch, capsys):
    monkeypatch.setitem(sys.modules, "imprint.cli.app", _Raising(KeyboardInterrupt()))
    with pytest.raises(SystemExit) as ended:
        main()
    assert ended.value.code == 130
    assert len(capsys.readouterr().err.splitlines()) == 1


@pytest.mark.parametrize("error", [MemoryError(), EOFError()])
def test_too_little_memory_or_a_file_that_ends_is_one_line_and_not_ctrl_c(imprint, monkeypatch, error):
    def fail(*_, **__):
        raise error

    monkeypatch.setattr("imprint.cli.stimuli._sizes", fail)
    failed = imprint("stimuli")
    assert failed.returncode == 1
    assert len(failed.stderr.strip().splitlines()) == 1


def limited(gigabytes):
    """Return what limits the address space of a process that is about to begin."""

    def limit():
        import resource

        resource.setrlimit(resource.RLIMIT_AS, (gigabytes << 30, gigabytes << 30))
        resource.setrlimit(resource.RLIMIT_CORE, (0, 0))

    return limit


@linux
def test_a_page_is_written_without_its_charts_where_memory_is_limited(imprint, tmp_path):
    (tmp_path / "found.jsonl").write_text(imprint("weat", "default", "--test", "caliskan-6", "--json").stdout)
    told = imprint("report", "found.jsonl", preexec_fn=limited(8))
    assert (told.returncode, told.stdout, len(told.stderr.splitlines())) == (0, "report: report.html\n", 1)
    page = (tmp_path / "report.html").read_text()
    assert "<svg" not in page.partition("<script>")[0]
    assert "Show the numbers" in page


@linux
@pytest.mark.slow
@pytest.mark.parametrize("gigabytes", [4, 40])
def test_a_whole_audit_is_gated_and_written_where_memory_is_limited(imprint, tmp_path, gigabytes):
    told = imprint("audit", "default", "--quick", "--fail-on", "weat:p<0.05", preexec_fn=limited(gigabytes))
    assert told.returncode == 2, told.stderr
    assert told.stdout.splitlines()[-1] == "report: report.html"
    assert sum("ulimit -v" in line for line in told.stderr.splitlines()) == 1
    page = (tmp_path / "report.html").read_text()
    assert "<svg" not in page.partition("<script>")[0]
    assert "Show the numbers" in page
    assert len((tmp_path / "findings.jsonl").read_text().splitlines()) > 400


def test_who_calls_the_command_keeps_the_collectors_threshold(in_process, vectors, monkeypatch):
    usual, within = gc.get_threshold(), []
    monkeypatch.setattr("imprint.cli._run", lambda: within.append(gc.get_threshold()) or 0)
    in_process("neighbours", vectors, "rose")
    assert within[0] > usual
    assert gc.get_threshold() == usual


READER = """
import atexit
from pathlib import Path
from tempfile import NamedTemporaryFile
import numpy as np
from imprint.embeddings.embedding import Embedding

class Notes:
    def __init__(self):
        self.file, self.itself = NamedTemporaryFile(dir=".", suffix=".part"), self

notes = Notes()

def recognises(head, path):
    return head.startswith(b"#odd")

def read(path, only, progress):
    atexit.register(Path("told.txt").write_text, "ended")
    return Embedding("odd", ["a", "b", "c"], np.eye(3, dtype=np.float32))
"""


def test_what_a_plug_in_leaves_for_the_end_is_done(imprint, plug_in, tmp_path):
    plug_in("imprint.readers", "odd = toy_plugin_code", code=READER)
    (tmp_path / "odd.txt").write_text("#odd, and nothing else\n")
    done = imprint("neighbours", "odd.txt", "a", env={**os.environ, "PYTHONPATH": os.pathsep.join(sys.path)})
    assert done.returncode == 0, done.stderr
    assert (tmp_path / "told.txt").read_text() == "ended"
    assert not list(tmp_path.glob("*.part"))
