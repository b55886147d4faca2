"""The study's commands: from findings to a file, and from a crowd's answers to tables and exports."""

import contextlib
import csv
import json
import os
import sqlite3
import stat

import pytest
from made_rows import make_row
from msgspec.structs import replace
from systems import posix

from imprint.kinds.findings import read_findings
from imprint.stimuli.seeds import read_seeds
from imprint.study.steps import Familiarise, Finish, Task
from imprint.study.store import Store
from imprint.writing import write_findings

LETTERS = "ABCD"


def finding(kind, test, **fields):
    return make_row(kind, test=test, embedding="tiny", **fields)


@pytest.fixture
def found(tmp_path):
    """An enumeration of four groups and two categories, as imprint enumerate --json prints it."""
    rows = [
        finding("ube-group", letter, group=letter, names=tuple(f"{letter}name{n}" for n in range(5)))
        for letter in LETTERS
    ]
    rows += [
        finding(
            "ube",
            f"{letter}-{category}",
            group=letter,
            category=category,
            category_words=(f"category{category}",),
            words=(f"{letter}-word{category}", "redneck"),
            names=tuple(f"{letter}name{n}" for n in range(5)),
            stands_out=True,
            score=1.0,
        )
        for category in range(2)
        for letter in LETTERS
    ]
    path = tmp_path / "found.jsonl"
    write_findings(path, rows)
    return path


def answer_all(path, people, answers, panel_id=None):
    """Let people take part; `answers` gives a question's answer."""
    with Store.open(path) as store:
        for person in range(people):
            joined = store.join(panel_id)
            number = joined.number
            store.consent(number, joined.token)
            while not isinstance(step := store.step(number), Finish):
                if isinstance(step, Familiarise):
                    store.familiarised(number)
                if isinstance(step, Task):
                    store.answer(number, {question.number: answers(question, person) for question in step.questions})


def contents(folder):
    return {path.name: path.read_bytes() if path.is_file() else None for path in folder.iterdir()}


def as_embedding(question, _person):
    return question.words[0][0]


def test_a_study_of_findings_is_created_answered_scored_exported_and_deleted(in_process, found, tmp_path):
    made = in_process("study", "create", found, "--out", "study.db", "--participants", 3)
    assert made.returncode == 0, made.stderr
    assert "2 pages for 3 people each" in made.stderr
    token = made.stdout.splitlines()[1].removeprefix("administrator's token, shown only once: ")
    with Store.open(tmp_path / "study.db") as store:
        assert store.is_admin(token)
    answer_all(tmp_path / "study.db", 3, as_embedding)

    scored = in_process("study", "score", "study.db", "--bonuses")
    assert scored.returncode == 0, scored.stderr
    row = next(line.split() for line in scored.stdout.splitlines() if line.split()[:1] == ["8"])
    assert row == [
        "8",
        "8",
        "100",
        "%",
        "[63",
        "to",
        "100]",
        "25",
        "%",
        "0.0017",
        "–",
    ]  # 1/4!² by chance
    assert "alpha is 1.00" in " ".join(scored.stderr.split())
    with Store.open(tmp_path / "study.db") as store:
        names = sorted(map(store.pseudonym, (1, 2, 3)))
    lines = [line.split() for line in scored.stdout.splitlines()]
    assert [line for line in lines if line[:1] and line[0] in names] == [[name, "8", "8", "8", "8"] for name in names]

    rows = [json.loads(line) for line in in_process("study", "score", "study.db", "--json").stdout.splitlines()]
    assert rows[0]["kind"] == "study-matching"
    assert rows[0]["share_accurate"] == 1
    more = in_process("study", "score", "study.db", "--json", "--bonuses").stdout.splitlines()
    earned = [json.loads(line) for line in more][len(rows) :]
    assert [(row["kind"], row["participant"], row["agreed"]) for row in earned] == [
        ("study-bonus", name, 8) for name in names
    ]  # fmt: skip

    for name in ("answers.csv", "scores.jsonl", "results.html"):
        assert in_process("study", "export", "study.db", "--out", name).returncode == 0
    with (tmp_path / "answers.csv").open(newline="") as file:
        assert len(list(csv.DictReader(file))) == 3 * (8 + 8)
    for platform in ("mturk", "prolific"):
        assert in_process("study", "export", "study.db", "--format", platform, "--out", "tasks.csv").returncode == 0
        with (tmp_path / "tasks.csv").open(newline="") as file:
            assert len(list(csv.DictReader(file))) == 2

    refused = in_process("study", "delete", "study.db")
    assert refused.returncode == 1
    assert "holds 48 answers of 3 people" in refused.stderr
    assert (tmp_path / "study.db").exists()
    assert in_process("study", "delete", "study.db", "--yes").stdout.startswith("deleted: study.db, 48 answers")
    assert not list(tmp_path.glob("study.db*"))


def test_the_second_study_rates_what_the_crowd_agreed_on_and_completes_the_table(in_process, found, tmp_path):
    in_process("study", "create", found, "--out", "first.db", "--participants", 2)
    answer_all(
        tmp_path / "first.db", 2, lambda question, person: "A" if question.kind == "triple" else question.words[0][0]
    )
    made = in_process(
        "study", "create", "first.db", "--out", "second.db", "--protocol", "offense", "--participants", 2
    )
    assert made.returncode == 0, made.stderr
    assert "2 of 8 associations are rated" in made.stderr
    answer_all(tmp_path / "second.db", 2, lambda question, person: "7" if "word0" in question.words[0] else "2")
    both = in_process("study", "score", "first.db", "--ratings", "second.db")
    row = next(line.split() for line in both.stdout.splitlines() if line.split()[:1] == ["8"])
    assert row[2:] == ["25", "%", "[3", "to", "65]", "25", "%", "1", "50", "%"]
    assert "A-word0, r******" in both.stdout
    assert "redneck" not in both.stdout
    assert "redneck" in in_process("study", "score", "second.db", "--unmask").stdout
    wrong = in_process("study", "score", "second.db", "--ratings", "first.db")
    assert (wrong.returncode, len(wrong.stderr.splitlines())) == (1, 1)
    in_process("study", "create", found, "--out", "other.db")
    stranger = in_process("study", "score", "other.db", "--ratings", "second.db")
    assert (stranger.returncode, stranger.stdout) == (1, "")
    assert "ratings" in stranger.stderr


def test_a_second_study_of_an_unfinished_one_says_so(in_process, found, tmp_path):
    in_process("study", "create", found, "--out", "first.db", "--participants", 3)
    answer_all(tmp_path / "first.db", 2, as_embedding)
    made = in_process("study", "create", "first.db", "--out", "second.db", "--protocol", "offense")
    scored = in_process("study", "score", "first.db", "--ratings", "second.db")
    assert scored.returncode == 0, scored.stderr
    assert "note: 8 of 8 associations" in made.stderr


def test_the_boards_text_is_kept_in_the_study_and_leaves_with_it(in_process, found, tmp_path):
    (tmp_path / "board.txt").write_text(
        "Researcher: Ada\nDuration: 5 minutes\nContact: board@example.org\n\nApproved by\nthe board.\n"
    )
    made = in_process("study", "create", found, "--out", "s.db", "--consent", "board.txt")
    assert made.returncode == 0, made.stderr
    (tmp_path / "board.txt").unlink()
    with Store.open(tmp_path / "s.db") as store:
        assert store.terms.consent == (
            "Researcher: Ada",
            "Duration: 5 minutes",
            "Contact: board@example.org",
            "Approved by the board.",
        )
    assert in_process("study", "export", "s.db", "--out", "scores.jsonl").returncode == 0
    assert "board@example.org" in (tmp_path / "scores.jsonl").read_text()
    assert in_process("report", "scores.jsonl", "--out", "report.html").returncode == 0


def test_who_came_by_a_panel_is_told_among_the_bonuses(in_process, found, tmp_path):
    made = in_process("study", "create", found, "--out", "s.db", "--completion-code", "C0FFEE")
    assert made.returncode == 0, made.stderr
    answer_all(tmp_path / "s.db", 1, as_embedding)
    assert "Panel id" not in in_process("study", "score", "s.db", "--bonuses").stdout
    answer_all(tmp_path / "s.db", 1, as_embedding, panel_id="5f2c1e9ab0d34a7788c6e001")
    with Store.open(tmp_path / "s.db") as store:
        assert store.step(2) == Finish("answered", "C0FFEE")
    shown = in_process("study", "score", "s.db", "--bonuses").stdout
    assert "– 8 8 8 8 5f2c1e9ab0d34a7788c6e001" in " ".join(shown.split())
    rows = in_process("study", "score", "s.db", "--bonuses", "--json").stdout.splitlines()
    assert [json.loads(row)["panel_id"] for row in rows[-2:]] == [None, "5f2c1e9ab0d34a7788c6e001"]
    assert in_process("study", "export", "s.db", "--format", "payments", "--out", "pay.csv").returncode == 0
    assert (tmp_path / "pay.csv").read_text().splitlines()[1:] == ['"5f2c1e9ab0d34a7788c6e001","8","2","2","yes","no"']
    assert stat.S_IMODE((tmp_path / "pay.csv").stat().st_mode) == 0o600


def test_a_study_of_an_older_format_is_deleted_after_the_same_question(in_process, found, tmp_path):
    in_process("study", "create", found, "--out", "s.db")
    with contextlib.closing(sqlite3.connect(tmp_path / "s.db")) as connection:
        connection.execute("PRAGMA user_version = 2")
    refused = in_process("study", "delete", "s.db")
    assert (refused.returncode, len(refused.stderr.splitlines())) == (1, 1)
    assert "--yes" in refused.stderr
    assert (tmp_path / "s.db").exists()
    assert in_process("study", "delete", "s.db", "--yes").returncode == 0
    assert not (tmp_path / "s.db").exists()


@pytest.mark.parametrize("arguments", [("score",), ("export", "--out", "o.csv"), ("serve", "--port", "0")])
def test_a_damaged_study_is_refused_in_one_line_and_can_be_deleted(in_process, found, tmp_path, arguments):
    in_process("study", "create", found, "--out", "study.db", "--participants", 3)
    answer_all(tmp_path / "study.db", 1, as_embedding)
    content = (tmp_path / "study.db").read_bytes()
    (tmp_path / "study.db").write_bytes(content.replace(b"CREATE TABLE study", b"CR\xc9ATE TABLE study"))
    refused = in_process("study", arguments[0], "study.db", *arguments[1:])
    assert (refused.returncode, len(refused.stderr.splitlines())) == (1, 1)
    assert "is damaged" in refused.stderr
    assert "holds answers in a file that cannot be read" in in_process("study", "delete", "study.db").stderr
    deleted = in_process("study", "delete", "study.db", "--yes")
    assert deleted.stdout == "deleted: study.db, answers in a file that cannot be read\n"
    assert not list(tmp_path.glob("study.db*"))


def test_an_embeddings_name_does_not_steer_the_terminal(in_process, found, tmp_path):
    rows = [replace(one, embedding="evil\x1b]0;title\x07\u202e") for one in read_findings(found)]
    write_findings(tmp_path / "evil.jsonl", rows)
    assert in_process("study", "create", "evil.jsonl", "--out", "s.db").returncode == 0
    shown = in_process("study", "score", "s.db").stdout
    assert "evil" in shown
    assert not {"\x1b", "\x07", "\u202e"} & set(shown)


@posix
@pytest.mark.parametrize("ending", ["-wal", "-shm"])
def test_an_export_does_not_replace_what_the_database_keeps_beside_the_study(in_process, found, tmp_path, ending):
    in_process("study", "create", found, "--out", "s.db")
    (tmp_path / "link.db").symlink_to(tmp_path / "s.db")
    for study in ("s.db", "link.db"):
        refused = in_process("study", "export", study, "--out", f"s.db{ending}", "--format", "csv")
        assert (refused.returncode, len(refused.stderr.splitlines())) == (1, 1)
        assert f"s.db{ending}: " in refused.stderr
    assert not (tmp_path / f"s.db{ending}").exists()


def test_seeds_of_another_protocol_are_refused_in_one_line(in_process, found, tmp_path):
    in_process("study", "create", found, "--out", "s.db")
    refused = in_process("study", "export", "s.db", "--format", "seeds", "--out", "seeds.csv")
    assert "protocol" in refused.stderr
    assert not (tmp_path / "seeds.csv").exists()


def test_analogies_of_an_embedding_are_asked_about_and_counted_by_votes(in_process, tmp_path):
    rows = {
        "he": (0.4, 0, 0, 1), "she": (-0.4, 0, 0, 1), "surgeon": (0.5, 1, 0.1, 0), "nurse": (-0.5, 1, 0.1, 0),
        "waiter": (0.4, 0, 1, 0), "waitress": (-0.4, 0, 1, 0),
    }  # fmt: skip
    lines = [f"{word} {' '.join(map(str, row))}\n" for word, row in rows.items()]
    (tmp_path / "tiny.txt").write_text("".join(lines))
    made = in_process(
        "study", "create", "tiny.txt", "--out", "study.db", "--protocol", "analogy", "--participants", 4, "--pages", 2
    )
    assert made.returncode == 0, made.stderr
    assert "2 pages for 4 people each" in made.stderr  # he : she, close as well, takes no page

    def judge(question, person):
        return "yes" if question.kind == "sense" or ("nurse" in question.words and person < 3) else "no"

    answer_all(tmp_path / "study.db", 4, judge)
    scored = in_process("study", "score", "study.db")
    shown = " ".join(scored.stdout.split())
    assert "4 0 3 1 2 0 1 0 0 1" in shown
    assert "he : she :: surgeon : nurse 3 4 4" in shown
    row = json.loads(in_process("study", "score", "study.db", "--json").stdout.splitlines()[0])
    assert (row["stereotype_shares"]["of_judgments"], row["stereotype_shares"]["of_analogies"]) == (0.375, 0.5)


def test_suggested_words_become_seeds(in_process, tmp_path):
    assert in_process("study", "create", "gender", "--out", "s.db", "--protocol", "suggestion").returncode == 0
    answer_all(tmp_path / "s.db", 5, lambda question, person: f"nurse, {'word' * (person + 1)}")
    scored = in_process("study", "score", "s.db")
    assert "nurse 5" in " ".join(scored.stdout.split())
    assert in_process("study", "export", "s.db", "--format", "seeds", "--out", "seeds.csv").returncode == 0
    seeds = read_seeds(tmp_path / "seeds.csv")
    assert len(seeds.words) == 6
    assert len(seeds.held_out) == 1


def test_scores_of_a_study_that_nobody_answered_are_dashes_not_errors(in_process, found, tmp_path):
    rows = [finding("analogy", "t", first="a", second="b", positive=("he",), negative=("she",))]
    write_findings(tmp_path / "pairs.jsonl", rows)
    sources = {"ube": found, "analogy": "pairs.jsonl", "suggestion": "gender"}
    for protocol, source in sources.items():
        made = in_process("study", "create", source, "--out", f"{protocol}.db", "--protocol", protocol)
        assert made.returncode == 0, made.stderr
        scored = in_process("study", "score", f"{protocol}.db")
        assert (scored.returncode, "nan" in scored.stdout) == (0, False), scored.stderr


@pytest.mark.slow
@pytest.mark.parametrize(("seed", "pages", "questions"), [(0, 9, 10), (3, 4, 4)])
def test_a_study_of_the_bundled_embedding_is_one_command(in_process, tmp_path, seed, pages, questions):
    made = in_process("study", "create", "default", "--out", "study.db", "--seed", seed)
    assert made.returncode == 0, made.stderr
    with Store.open(tmp_path / "study.db") as store:
        assert (store.study.protocol, store.study.seed, store.study.quota) == ("ube", seed, 18)
        # Categories with a stable association that is not one of family names.
        assert len(store.overview().blocks) == pages
        assert sum(item.stage == "main" for item in store.items()) == questions
        groups = store.study.groups  # those that common names point to
        assert {"Mary", "James", "Jose", "Ahmad"} == {group.names[0] for group in groups}
        # The exam draws on ten clear names of each of them.
        assert store.study.exam.groups == len(groups)
        assert sum(item.stage == "exam" for item in store.items()) == 10 * len(groups)
        assert not any("census" in note for note in store.study.notes)


@posix
@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["create", "default", "--out", "no/such/study.db"], "no/such/study.db"),
        (["create", "found.jsonl", "--out", "found.jsonl"], "found.jsonl"),
        (["create", "gender", "--out", "there.db", "--protocol", "suggestion"], "there.db: "),
        (["create", "found.jsonl", "--out", "s.db", "--protocol", "survey"], "ube, offense, analogy, suggestion"),
        (["create", "found.jsonl", "--out", "s.db", "--protocol", "analogy"], "analog"),
        (["create", "found.jsonl", "--out", "s.db", "--participants", "0"], "participants|people"),
        (["create", "gender", "--out", "s.db", "--protocol", "suggestion", "--pages", "3"], "pages cannot"),
        (["create", "nowhere.jsonl", "--out", "s.db"], "cannot be read"),
        (["create", "default", "--out", "s.db", "--completion-code", "no code"], "'no code'"),
        (["create", "default", "--out", "s.db", "--consent", "nowhere.txt"], "nowhere.txt: "),
        (["create", "default", "--out", "s.db", "--consent", "."], ".: "),
        (["serve", "nowhere.db"], "nowhere.db: "),
        (["serve", "found.jsonl"], "found.jsonl: "),
        (["serve", "."], ".: "),
        *((command.split(), "a pipe or a device") for command in (
            "serve pipe", "score pipe", "delete pipe --yes", "export pipe --out x.csv",
            "create pipe --protocol offense --out s.db", "create found.jsonl --out s.db --consent pipe",
        )),
        (["serve", "there.db"], "there.db: "),
        (["score", "found.jsonl"], "found.jsonl: "),
        (["export", "found.jsonl", "--out", "x.xlsx"], "'xlsx'"),
        (["delete", "found.jsonl", "--yes"], "found.jsonl: "),
    ],
)  # fmt: skip
def test_errors_are_one_line_with_exit_code_one_and_change_nothing(in_process, found, tmp_path, arguments, message):
    (tmp_path / "there.db").write_bytes(b"not a database")
    os.mkfifo(tmp_path / "pipe")
    before = contents(tmp_path)
    result = in_process("study", *arguments)
    assert (result.returncode, result.stdout) == (1, "")
    assert len(result.stderr.splitlines()) == 1, result.stderr
    assert any(part in result.stderr for part in message.split("|")), result.stderr
    assert contents(tmp_path) == before


@pytest.mark.parametrize(
    ("options", "message"),
    [
        (["--url", "study.example.org"], "study.example.org"),
        (["--url", "https://study.example.org/path"], "study.example.org"),
        (["--url", "ftp://study.example.org"], "study.example.org"),
        (["--host", "256.256.256.256"], "256.256.256.256"),
    ],
)
def test_a_server_that_cannot_start_says_why(in_process, found, options, message):
    assert in_process("study", "create", found, "--out", "s.db").returncode == 0
    result = in_process("study", "serve", "s.db", *options)
    assert (result.returncode, len(result.stderr.splitlines())) == (1, 1)
    assert message in result.stderr


def test_without_the_servers_libraries_one_line_says_what_to_install(in_process, found, monkeypatch):
    monkeypatch.setattr("importlib.util.find_spec", lambda name: None)
    result = in_process("study", "serve", found)
    assert "pip install 'imprint-audit[study]'" in result.stderr
