"""The file: only ours is opened, every table keeps its rules, and deleting leaves nothing."""

import contextlib
import os
import sqlite3
import stat
from dataclasses import replace
from pathlib import Path

import pytest
from refusals import refuses
from systems import posix

from imprint.errors import ImprintError, SettingError
from imprint.study.analysis import score
from imprint.study.database import connect, recognise, remove
from imprint.study.design import CANNOT_TELL, AnswerError, StudyError
from imprint.study.protocols import analogy_design, ube_design
from imprint.study.records import create_study
from imprint.study.store import Store


@pytest.fixture
def path(tmp_path, findings):
    created = tmp_path / "study.db"
    create_study(created, ube_design(findings))
    return created


@pytest.fixture
def raw(path):
    """The study's database, with one participant and one page given."""
    with contextlib.closing(connect(path)) as connection:
        connection.execute("INSERT INTO participants (token_hash, consented) VALUES (zeroblob(32), 1)")
        connection.execute("INSERT INTO assignments VALUES (1, 2, 'open', 0)")
        yield connection


MAIN = "(SELECT min(item) FROM items WHERE block = 2)"


@pytest.mark.parametrize(
    "statement",
    [
        "INSERT INTO study SELECT 2, id, parent, protocol, embedding, embedding_sha256, seed, quota, least, "
        "n_found, notes, consent, completion_code, screen_out_code, return_url, admin_hash, secret FROM study",
        "UPDATE study SET id = 'short'",
        "UPDATE study SET id = NULL",
        "UPDATE study SET parent = id",
        "UPDATE study SET protocol = 'offense', parent = 'short'",
        "UPDATE study SET protocol = 'other'",
        "UPDATE study SET seed = -1",
        "UPDATE study SET quota = 0",
        "UPDATE study SET least = 0",
        "UPDATE study SET n_found = -1",
        "UPDATE study SET notes = '{}'",
        "UPDATE study SET consent = 'we agree'",
        "UPDATE study SET consent = NULL",
        "UPDATE study SET completion_code = 'not a code'",
        "UPDATE study SET admin_hash = x'00'",
        "UPDATE study SET secret = x'00'",
        "UPDATE study SET embedding = NULL",
        "INSERT INTO name_groups VALUES ('A', 9, '[]', '[]')",
        "INSERT INTO name_groups VALUES ('', 9, '[]', '[]')",
        "INSERT INTO name_groups VALUES ('Z', 0, '[]', '[]')",
        "INSERT INTO name_groups VALUES ('Z', 9, '1', '[]')",
        "INSERT INTO blocks VALUES (99, 'other', '[]', '[]')",
        "INSERT INTO blocks VALUES (99, 'main', '{}', '[]')",
        "INSERT INTO blocks VALUES (99, 'main', '[]', 'no json')",
        "INSERT INTO items VALUES (999, 77, 'triple', '[]', 'A')",
        "INSERT INTO items VALUES (999, 2, 'other', '[]', 'A')",
        "INSERT INTO items VALUES (999, 2, 'triple', '3', 'A')",
        "INSERT INTO items VALUES (999, 2, 'triple', '[]', 'Z')",
        "INSERT INTO participants (token_hash) VALUES (zeroblob(32))",
        "INSERT INTO participants (token_hash) VALUES (zeroblob(31))",
        "INSERT INTO participants (token_hash, consented) VALUES (randomblob(32), 2)",
        "INSERT INTO participants (token_hash, familiar) VALUES (randomblob(32), 1)",
        "INSERT INTO participants (token_hash, away) VALUES (randomblob(32), 2)",
        "INSERT INTO participants (token_hash, panel_id) VALUES (randomblob(32), 'a'), (randomblob(32), 'a')",
        "INSERT INTO participants (token_hash, panel_id) VALUES (randomblob(32), 'not a number')",
        "INSERT INTO assignments VALUES (1, 2, 'answered', 0)",
        "INSERT INTO assignments VALUES (1, 3, 'open', 0)",
        "INSERT INTO assignments VALUES (1, 3, 'other', 0)",
        "INSERT INTO assignments VALUES (1, 99, 'freed', 0)",
        "INSERT INTO assignments VALUES (9, 2, 'freed', 0)",
        "INSERT INTO assignments VALUES (1, 3, 'freed', 'soon')",
        f"INSERT INTO answers VALUES (1, {MAIN}, 2, '')",
        f"INSERT INTO answers VALUES (1, {MAIN}, 2, hex(zeroblob(501)))",
        f"INSERT INTO answers VALUES (1, {MAIN}, 2, NULL)",
        f"INSERT INTO answers VALUES (1, {MAIN}, 3, 'A')",
        f"INSERT INTO answers VALUES (2, {MAIN}, 2, 'A')",
        "INSERT INTO answers SELECT 1, min(item), 3, 'A' FROM items WHERE block = 3",
        "INSERT INTO participants (token_hash, panel_id) VALUES (zeroblob(31) || x'01', 'x')",
        "UPDATE participants SET finished = 2",
        "UPDATE study SET return_url = 'javascript:alert(1)'",
        "INSERT INTO withdrawn VALUES (x'00')",
        "INSERT INTO withdrawn VALUES (NULL)",
        "DELETE FROM participants",
        "DELETE FROM blocks",
    ],
)
def test_every_table_keeps_its_rules(raw, statement):
    with pytest.raises(sqlite3.IntegrityError):
        raw.execute(statement)


def test_an_answer_is_there_once_and_final(raw):
    raw.execute(f"INSERT INTO answers VALUES (1, {MAIN}, 2, 'A')")
    for again in (f"INSERT INTO answers VALUES (1, {MAIN}, 2, 'B')", "UPDATE answers SET value = 'B'"):
        with pytest.raises(sqlite3.IntegrityError, match=r"UNIQUE|final"):
            raw.execute(again)
    assert raw.execute("SELECT value FROM answers").fetchall() == [("A",)]


def test_what_is_committed_is_flushed_and_a_files_schema_is_not_trusted(raw):
    assert raw.execute("PRAGMA trusted_schema").fetchone() == (0,)
    assert raw.execute("PRAGMA synchronous").fetchone() == (2,)
    assert raw.execute("PRAGMA journal_mode").fetchone() == ("wal",)


def test_a_new_study_is_private_and_has_no_companions(path):
    assert stat.S_IMODE(path.stat().st_mode) == 0o600
    assert [file.name for file in path.parent.iterdir()] == ["study.db"]


def test_a_new_study_is_private_before_it_comes_to_its_place(tmp_path, findings, monkeypatch):
    modes = []
    monkeypatch.setattr(Path, "replace", lambda part, target: modes.append(part.stat().st_mode) or part.rename(target))
    create_study(tmp_path / "study.db", ube_design(findings))
    assert [stat.S_IMODE(mode) for mode in modes] == [0o600]


@pytest.mark.parametrize("there", ["study.db", "study.db-wal", "study.db-shm"])
def test_nothing_that_is_there_is_overwritten(tmp_path, findings, there):
    (tmp_path / there).write_bytes(b"precious")
    with refuses(StudyError, where=tmp_path / there):
        create_study(tmp_path / "study.db", analogy_design(findings))
    assert [file.read_bytes() for file in tmp_path.iterdir()] == [b"precious"]


def test_a_study_that_cannot_be_written_leaves_nothing(tmp_path, findings):
    with refuses(ImprintError, where=tmp_path / "missing" / "study.db"):
        create_study(tmp_path / "missing" / "study.db", analogy_design(findings))
    for seed in (-1, 2**63):
        with refuses(SettingError, option="seed", got=seed):
            create_study(tmp_path / "study.db", analogy_design(findings), seed=seed)
    design = ube_design(findings)
    for broken in (replace(design, groups=design.groups * 2), replace(design, embedding="\ud800")):
        with refuses(StudyError, where=tmp_path / "study.db"):
            create_study(tmp_path / "study.db", broken)
    assert list(tmp_path.iterdir()) == []


def foreign(path):
    with contextlib.closing(sqlite3.connect(path)) as connection:
        connection.execute("CREATE TABLE study (only INTEGER)")


def change(statement):
    def act(path):
        with contextlib.closing(sqlite3.connect(path)) as connection:
            connection.executescript(statement)

    return act


@contextlib.contextmanager
def files_of_at_most(size):
    """Let no file grow beyond a size, as a full disk does."""
    import resource  # of POSIX alone

    before = resource.getrlimit(resource.RLIMIT_FSIZE)
    resource.setrlimit(resource.RLIMIT_FSIZE, (size, before[1]))
    try:
        yield
    finally:
        resource.setrlimit(resource.RLIMIT_FSIZE, before)


def spoil(text, damaged):
    """Change bytes of the file, of the same length."""

    def act(path):
        content = path.read_bytes()
        assert text in content
        path.write_bytes(content.replace(text, damaged, 1))

    return act


@pytest.mark.parametrize(
    ("break_it", "said"),
    [
        (lambda path: path.unlink(), "imprint study create"),
        (lambda path: path.write_bytes(b""), "imprint study create"),
        (lambda path: path.write_text("word,value"), "imprint study create"),
        (lambda path: (path.unlink(), path.mkdir()), "folder"),
        pytest.param(lambda path: (path.unlink(), os.mkfifo(path)), "folder", marks=posix),
        pytest.param(lambda path: (path.unlink(), path.symlink_to("/dev/zero")), "folder", marks=posix),
        (lambda path: (path.unlink(), foreign(path)), "database"),
        (
            change("PRAGMA user_version = 1"),
            "format 1, expected format 5 or 6",
        ),
        (change("CREATE TABLE more (x)"), "tables"),
        (change("DROP TRIGGER answers_are_final"), "tables"),
        (change("CREATE TRIGGER t AFTER INSERT ON answers BEGIN DELETE FROM answers; END"), "tables"),
        (change("DELETE FROM study"), "deleted"),
        (change("INSERT INTO assignments VALUES (77, 2, 'open', 0)"), "damaged"),
        (change("PRAGMA ignore_check_constraints = ON; UPDATE blocks SET title = 'x'"), "damaged"),
        (change("UPDATE blocks SET title = printf('%.*c', 2000, '[') || printf('%.*c', 2000, ']')"), "damaged"),
        (lambda path: path.write_bytes(path.read_bytes()[:5000]), "damaged"),
        (lambda path: path.write_bytes(path.read_bytes()[:100] + b"\xff" * 9000), "damaged"),
        pytest.param(spoil(b"CREATE TABLE study", b"CR\xc9ATE TABLE study"), "damaged", id="a schema that is no text"),
        pytest.param(spoil(b"admin_hash BLOB", b"admin_hash BL\xb0B"), "damaged", id="a type that is no text"),
        pytest.param(spoil(b"toy", b"t\xacy"), "damaged", id="a name that is no text"),
        (change("UPDATE items SET kind = 'rating'"), "question 1"),
        (change("UPDATE items SET expected = NULL"), "question 1"),
        (change("UPDATE items SET words = '[]'"), "question 1"),
        (change("""UPDATE blocks SET letters = '["A", "B", "C", "D", "Q"]'"""), "question "),
        (change("UPDATE blocks SET stage = 'main'"), "question 1"),
        (change("DELETE FROM items"), "no questions"),
        (change("DELETE FROM items WHERE kind = 'name' AND expected = 'A'"), "exam"),
        (change("DELETE FROM items WHERE kind = 'name' AND item NOT IN (1, 4, 7, 10)"), "exam"),
        (change("UPDATE name_groups SET cues = '[]' WHERE letter != 'A'"), "exam"),
        (
            change("UPDATE study SET completion_code = 'a', return_url = 'https://x/{code}\" onclick=\"x'"),
            "return_url",
        ),
        (change("UPDATE study SET completion_code = 'same', screen_out_code = 'same'"), "screen_out_code"),
        (change("UPDATE study SET protocol = 'analogy'"), "question 1"),
    ],
)
def test_a_file_that_is_not_a_sound_study_is_refused_in_one_line(path, break_it, said):
    break_it(path)
    with refuses(StudyError, said, where=path):
        Store.open(path)


def test_answers_that_nobody_could_give_are_refused(path):
    change(
        "INSERT INTO participants (token_hash) VALUES (zeroblob(32));"
        "INSERT INTO assignments VALUES (1, 2, 'open', 0);"
        f"INSERT INTO answers VALUES (1, {MAIN}, 2, 'nonsense')"
    )(path)
    with refuses(StudyError, "participant 1", "question ", where=path):
        Store.open(path)


def test_a_pair_must_be_asked_both_questions(tmp_path, findings):
    create_study(tmp_path / "study.db", analogy_design(findings))
    change("DELETE FROM items WHERE item = 2")(tmp_path / "study.db")
    with refuses(StudyError, "both questions", where=tmp_path / "study.db"):
        Store.open(tmp_path / "study.db")


def test_deleting_leaves_no_file_and_what_a_server_holds_is_empty(make_store, take_part, tmp_path):
    store, path, log = make_store("suggestion"), tmp_path / "study.db", tmp_path / "study.db-wal"
    take_part(store, lambda *_: "xylophonist")
    store.close()
    assert b"xylophonist" in path.read_bytes()
    with Store.open(path) as served:
        take_part(served, lambda *_: "trapezist")
        assert b"trapezist" in log.read_bytes()
        with path.open("rb") as held, log.open("rb") as held_log:
            remove(path)
            left = held.read() + held_log.read()
    assert b"xylophonist" not in left
    assert b"trapezist" not in left
    assert list(tmp_path.iterdir()) == []


@posix
def test_deleting_by_a_link_deletes_the_study_with_all_its_files_and_the_link(path, tmp_path):
    (tmp_path / "links").mkdir()
    link = tmp_path / "links" / "link.db"
    link.symlink_to(path)
    with Store.open(path) as store:  # keeps the log beside the study
        store.join()
        assert len(list(tmp_path.glob("study.db*"))) > 1
        remove(link)
    assert [file.name for file in tmp_path.rglob("*")] == ["links"]


def test_a_study_from_before_cannot_tell_goes_on_without_it(make_store, findings, take_part, tmp_path):
    """Format 5 has the same tables, and pages that offer groups alone."""
    made = ube_design(findings, participants=2)
    blocks = tuple(replace(block, groups=tuple(set(block.groups) - {CANNOT_TELL})) for block in made.blocks)
    make_store(design=replace(made, blocks=blocks)).close()
    change("PRAGMA user_version = 5")(tmp_path / "study.db")
    with Store.open(tmp_path / "study.db") as store:
        who, page = take_part(store, lambda *_: "", pages=0)
        assert not page.cannot_tell
        with refuses(AnswerError, got=CANNOT_TELL):
            store.answer(who, {question.number: CANNOT_TELL for question in page.questions})
        take_part(store, lambda _, question, task: task.groups[0].letter)
        assert score(store)[0].judgments == 9


@pytest.mark.parametrize("version", [1, 2, 99])
def test_a_study_of_another_format_is_deleted_too(make_store, take_part, tmp_path, version):
    store, path = make_store("suggestion"), tmp_path / "study.db"
    take_part(store, lambda *_: "xylophonist")
    store.close()
    change(f"DROP TABLE withdrawn; CREATE TABLE old (words TEXT); PRAGMA user_version = {version}")(path)
    change("INSERT INTO old VALUES ('trapezist')")(path)
    with path.open("rb") as held:
        remove(path)
        left = held.read()
    assert b"xylophonist" not in left
    assert b"trapezist" not in left
    assert list(tmp_path.iterdir()) == []


@pytest.mark.parametrize(
    "break_it",
    [
        pytest.param(spoil(b"CREATE TABLE study", b"CR\xc9ATE TABLE study"), id="a schema that is no text"),
        pytest.param(spoil(b"CREATE TABLE answers", b"CREATE TABLE answ\xffrs"), id="a table's name that is no text"),
        pytest.param(change("CREATE TABLE more (x)"), id="a table more"),
        pytest.param(change("DELETE FROM study"), id="a study that was deleted"),
        pytest.param(lambda path: path.write_bytes(path.read_bytes()[:-1_000]), id="an end that is missing"),
    ],
)
def test_a_damaged_study_is_deleted_with_all_its_answers(make_store, take_part, tmp_path, break_it):
    store, path = make_store("suggestion"), tmp_path / "study.db"
    take_part(store, lambda *_: "xylophonist")
    store.close()
    break_it(path)
    with contextlib.ExitStack() as opened:
        held = [opened.enter_context(file.open("rb")) for file in tmp_path.iterdir()]
        remove(path)
        left = b"".join(file.read() for file in held)
    assert b"xylophonist" not in left
    assert list(tmp_path.iterdir()) == []


@posix
@pytest.mark.parametrize("refuse", [recognise, Store.open])
def test_a_study_is_not_called_damaged_because_its_disk_is_full(path, refuse):
    before = path.read_bytes()
    with files_of_at_most(16_384), refuses(StudyError, "cannot be read now", where=path):  # SQLite's index is larger
        refuse(path)
    assert path.read_bytes() == before
    with Store.open(path) as store:
        store.join()


def test_a_study_that_takes_no_answers_is_not_served(path, monkeypatch):
    def only_read(file):
        return sqlite3.connect(f"{file.as_uri()}?mode=ro", uri=True, isolation_level=None)

    with Store.open(path) as store:
        store.check_writable()
        monkeypatch.setattr("imprint.study.database.connect", only_read)
        with refuses(StudyError, "readonly", where=path):
            store.check_writable()


@posix
def test_a_study_is_deleted_from_a_full_disk(path, tmp_path, monkeypatch):
    (tmp_path / "index").touch()
    os.truncate(tmp_path / "index", 1 << 20)  # of holes: to write over them needs room

    def lack_room(target):
        (tmp_path / "index").rename(target.with_name("study.db-shm"))
        raise sqlite3.OperationalError("disk I/O error")

    monkeypatch.setattr("imprint.study.database._empty", lack_room)
    with files_of_at_most(1 << 19):
        remove(path)
    assert list(tmp_path.iterdir()) == []


@posix
def test_a_link_beside_a_damaged_study_is_removed_and_not_followed(path, tmp_path):
    (tmp_path / "precious").write_bytes(b"mine")
    (tmp_path / "study.db-shm").symlink_to(tmp_path / "precious")
    spoil(b"CREATE TABLE study", b"CR\xc9ATE TABLE study")(path)
    remove(path)
    assert [file.name for file in tmp_path.iterdir()] == ["precious"]
    assert (tmp_path / "precious").read_bytes() == b"mine"


def test_a_study_that_somebody_writes_to_is_not_deleted_meanwhile(path, raw, monkeypatch):
    monkeypatch.setattr("imprint.study.database._WAIT", 0.01)
    before = path.read_bytes()
    raw.execute("BEGIN IMMEDIATE")
    with refuses(StudyError, "locked", where=path):
        remove(path)
    assert path.read_bytes() == before


def test_only_a_study_is_deleted(tmp_path):
    (tmp_path / "letter.txt").write_text("dear")
    with refuses(StudyError, where=tmp_path / "letter.txt"):
        remove(tmp_path / "letter.txt")
    assert (tmp_path / "letter.txt").read_text() == "dear"
