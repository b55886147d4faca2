"""Caches that are damaged, foreign or hostile, and places where none can be: one line each, and no file harmed."""

import contextlib
import hashlib
import os
import sqlite3
import struct
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest
from refusals import refuses

from imprint.encoders.base import FunctionEncoder
from imprint.encoders.cache import EncodingCache
from imprint.errors import EncoderError
from imprint.subjects.encodings import encode_texts

TEXTS = [f"text {number}" for number in range(300)]
IMPRINT = Path(sys.executable).with_name("imprint")


def embed(texts):
    return np.array([[float(text.split()[1]), 1.0] for text in texts])


ENCODER = FunctionEncoder(embed, name="numbers", identity="1", chunk=50)


def use(path: Path) -> None:
    """Read from a cache and write to it, as a run does."""
    with EncodingCache(path) as cache:
        encode_texts(ENCODER, [*TEXTS, "text 999"], cache=cache)


def refusal(path: Path) -> str:
    with refuses(EncoderError, where=path) as raised:
        use(path)
    return raised.value.message


@pytest.fixture
def cache(tmp_path: Path) -> Path:
    """A cache in use, closed."""
    path = tmp_path / "encodings.sqlite"
    with EncodingCache(path) as opened:
        encode_texts(ENCODER, TEXTS, cache=opened)
    return path


def change(path: Path, *statements: str, values: tuple = ()) -> None:
    database = sqlite3.connect(path, isolation_level=None)
    for statement in statements:
        database.execute(statement, values)
    database.close()


@pytest.mark.parametrize(
    "content", [b"rose 1 2\n" * 200, b"\x89PNG\r\n\x1a\n" * 200, b"SQLite format 3\0" + b"\xff" * 2_000, b"xy"]
)
def test_a_file_of_another_kind_is_refused_and_left_as_it_was(tmp_path, content):
    path = tmp_path / "notes.txt"
    path.write_bytes(content)
    assert "not a cache" in refusal(path)
    assert path.read_bytes() == content


def test_an_empty_file_becomes_a_cache(tmp_path):
    path = tmp_path / "empty"
    path.touch()
    use(path)
    use(path)


@pytest.mark.parametrize(
    "statements",
    [
        ["CREATE TABLE notes (note TEXT)"],
        ["CREATE TABLE encodings (note TEXT)"],
        ["CREATE TABLE encodings (note TEXT)", "PRAGMA user_version = 1"],
        ["CREATE TABLE encodings (encoder TEXT, text BLOB, vector BLOB)", "PRAGMA user_version = 1"],
        ["CREATE VIEW encodings AS SELECT 1 AS encoder, 2 AS text, 3 AS vector"],
        ["PRAGMA user_version = 7"],
    ],
)
def test_a_database_of_another_program_is_refused_and_left_as_it_was(tmp_path, statements):
    path = tmp_path / "other.sqlite"
    change(path, *statements)
    content = path.read_bytes()
    assert "another database" in refusal(path)
    assert path.read_bytes() == content
    assert list(tmp_path.iterdir()) == [path]


@pytest.mark.parametrize(
    "statement",
    [
        "PRAGMA user_version = 3",
        "PRAGMA user_version = 5",
        "CREATE TABLE more (a)",
        "CREATE TRIGGER more AFTER INSERT ON encodings BEGIN DELETE FROM encodings; END",
        "CREATE INDEX more ON encodings (vector)",
    ],
)
def test_a_cache_that_something_was_added_to_is_refused(cache, statement):
    change(cache, statement)
    assert "another database" in refusal(cache)


@pytest.mark.parametrize(
    "vector",
    [
        b"", b"abc", b"abcde", "text", "NaN", 3, 1.5, None,
        struct.pack("<2f", float("nan"), 1), struct.pack("<2f", 1, float("inf")),
    ],
)  # fmt: skip
def test_an_encoding_that_is_no_vector_is_refused(cache, vector):
    key = hashlib.sha256(b"text 7").digest()
    change(cache, "UPDATE encodings SET vector = ? WHERE text = ?", values=(vector, key))
    assert "damaged" in refusal(cache)


def test_an_encoding_of_another_width_is_refused_and_the_rest_stays(cache):
    change(cache, "DELETE FROM encodings WHERE text = ?", values=(hashlib.sha256(b"text 7").digest(),))
    with EncodingCache(cache) as opened:
        opened.put(ENCODER.identity, ["text 7"], np.ones((1, 3), dtype=np.float32))
    with (
        EncodingCache(cache) as opened,
        refuses(EncoderError, where="numbers"),
    ):
        encode_texts(ENCODER, TEXTS, cache=opened)
    with EncodingCache(cache) as opened:
        assert len(opened.get(ENCODER.identity, TEXTS)) == len(TEXTS)


@pytest.mark.parametrize("bit", [0, 7, 30, 63, 64, 95])
def test_a_single_flipped_bit_is_detected(cache, bit):
    key = hashlib.sha256(b"text 7").digest()
    with contextlib.closing(sqlite3.connect(cache)) as database:
        (kept,) = database.execute("SELECT vector FROM encodings WHERE text = ?", (key,)).fetchone()
    flipped = bytearray(kept)
    flipped[bit // 8] ^= 1 << bit % 8
    change(cache, "UPDATE encodings SET vector = ? WHERE text = ?", values=(bytes(flipped), key))
    assert "damaged" in refusal(cache)


def test_an_encoding_of_another_text_is_refused(cache):
    keys = [hashlib.sha256(text).digest() for text in (b"text 7", b"text 8")]
    change(
        cache,
        "UPDATE encodings SET vector = (SELECT vector FROM encodings WHERE text = ?) WHERE text = ?",
        values=keys,
    )
    assert "damaged" in refusal(cache)


@pytest.mark.parametrize("version", [1, 2, 3])
def test_a_cache_of_an_earlier_format_is_emptied_and_used(cache, version):
    columns = "encoder TEXT, text BLOB, vector BLOB, PRIMARY KEY (encoder, text)"
    change(
        cache,
        "ALTER TABLE encodings RENAME TO newer",
        f"CREATE TABLE encodings ({columns}) WITHOUT ROWID",
        "INSERT INTO encodings SELECT * FROM newer",
        "DROP TABLE newer",
        f"PRAGMA user_version = {version}",
    )
    for encoded in (len(TEXTS), 0):
        with EncodingCache(cache) as opened:
            assert encode_texts(ENCODER, TEXTS, cache=opened).encoded == encoded


def test_a_cache_damaged_anywhere_is_one_line_or_gives_what_was_kept(cache):
    expected = encode_texts(ENCODER, TEXTS).matrix
    content = cache.read_bytes()
    random = np.random.default_rng(0)
    refusals = []
    for attempt in range(120):
        for companion in cache.parent.glob("encodings.sqlite-*"):
            companion.unlink()
        if attempt % 3:
            damaged = bytearray(content)
            start, count = random.integers(len(content)), random.integers(1, 400)
            damaged[start : start + count] = random.bytes(len(damaged[start : start + count]))
        else:
            damaged = content[: random.integers(1, len(content))]
        cache.write_bytes(damaged)
        try:
            with EncodingCache(cache) as opened:
                encodings = encode_texts(ENCODER, TEXTS, cache=opened)
        except EncoderError as error:
            refusals.append(str(error))
        else:
            np.testing.assert_array_equal(encodings.matrix, expected)
    assert len(refusals) > 40
    assert not any("\n" in refusal for refusal in refusals)


def test_a_journal_of_nonsense_beside_the_cache_loses_nothing(cache):
    cache.with_name("encodings.sqlite-wal").write_bytes(b"nonsense" * 1_000)
    cache.with_name("encodings.sqlite-shm").write_bytes(b"\xff" * 32_768)
    with EncodingCache(cache) as opened:
        assert encode_texts(ENCODER, TEXTS, cache=opened).encoded == 0


def test_a_path_that_is_a_folder_is_refused(tmp_path):
    assert "folder" in refusal(tmp_path)


def test_a_path_below_a_file_is_refused(tmp_path):
    (tmp_path / "file").touch()
    refusal(tmp_path / "file" / "encodings.sqlite")
    refusal(tmp_path / "file" / "folder" / "encodings.sqlite")


def test_a_name_that_is_too_long_is_refused(tmp_path):
    refusal(tmp_path / ("x" * 300))


def test_a_name_that_holds_a_nul_is_refused():
    with refuses(EncoderError, where=r"'a\x00b'"):
        EncodingCache("a\0b")


@pytest.mark.skipif(os.name != "posix", reason="needs devices and pipes")
def test_a_device_or_a_pipe_is_refused_without_waiting(tmp_path):
    os.mkfifo(tmp_path / "pipe")
    for path in (tmp_path / "pipe", Path("/dev/null"), Path("/dev/zero")):
        refusal(path)


@pytest.fixture
def unwritable(cache: Path):
    """The cache and its folder, that nobody may write to who is not root."""
    cache.chmod(0o444)
    cache.parent.chmod(0o555)
    yield cache
    cache.parent.chmod(0o755)


@pytest.mark.skipif(os.name != "posix", reason="needs rights of files")
@pytest.mark.parametrize("name", ["encodings.sqlite", "new.sqlite", "folder/new.sqlite"])
def test_an_unwritable_folder_is_one_line(unwritable, name):
    program = (
        "import os, sys\n"
        "from imprint.encoders.cache import EncodingCache\n"
        "from imprint.errors import EncoderError\n"
        "import numpy as np\n"
        "os.chdir(sys.argv[1])\n"
        "if os.getuid() == 0: os.setuid(54321)\n"  # the folder stays the working one; root may write anywhere
        "try:\n"
        "    with EncodingCache(sys.argv[2]) as cache:\n"
        "        cache.put('e', ['a'], np.ones((1, 2), dtype=np.float32))\n"
        "except EncoderError as error:\n"
        "    print(error)\n"
    )
    command = [sys.executable, "-c", program, unwritable.parent, name]
    run = subprocess.run(command, capture_output=True, text=True, check=False)
    assert run.stderr == ""
    assert run.stdout.startswith(f"{name}: ")
    assert run.stdout.count("\n") == 1


@pytest.fixture
def seat(tmp_path: Path):
    def run(*arguments: object, source: str = "cbow", **environment: str):
        command = [
            IMPRINT,
            "seat",
            source,
            "--test",
            "caliskan-1",
            "--context",
            "word",
            "--json",
            *map(str, arguments),
        ]
        variables = {**os.environ, "IMPRINT_CACHE": str(tmp_path / "usual"), **environment}
        return subprocess.run(command, capture_output=True, text=True, cwd=tmp_path, env=variables, check=False)

    return run


def one_line(run) -> str:
    assert (run.returncode, run.stdout) == (1, "")
    assert run.stderr.startswith("imprint: ")
    assert run.stderr.count("\n") == 1
    return run.stderr


def test_a_bad_cache_that_was_asked_for_is_one_line_and_exit_code_1(seat, tmp_path):
    (tmp_path / "notes.txt").write_text("rose " * 500)
    assert "notes.txt: " in one_line(seat("--cache", "notes.txt"))
    assert (tmp_path / "notes.txt").read_text() == "rose " * 500


def test_a_usual_cache_that_cannot_be_used_is_a_note_and_the_run_goes_on(seat, tmp_path):
    (tmp_path / "file").touch()
    run = seat(IMPRINT_CACHE=str(tmp_path / "file"))
    assert run.returncode == 0
    assert run.stdout.count("\n") > 0
    note, *rest = run.stderr.splitlines()
    assert str(tmp_path / "file") in note
    assert all(line.startswith("warning: ") for line in rest)


def test_a_cache_and_none_contradict_each_other(seat):
    assert "--no-cache" in one_line(seat("--cache", "a", "--no-cache"))


def test_without_a_cache_no_encoding_is_kept(seat, tmp_path):
    assert seat("--no-cache").returncode == 0
    assert {path.name for path in tmp_path.rglob("*") if path.is_file()} <= {"hashes.txt"}  # of the embedding's file


@pytest.mark.parametrize(
    ("source", "said"),
    [
        ("nothing-of-that-name", "nothing-of-that-name: "),
        ("numpy", "numpy"),
        (".", ".: "),
        ("x" * 5_000, "File name too long"),
        ("unknown.txt", "unknown: "),
    ],
)
def test_an_encoder_that_cannot_be_used_is_one_line(seat, tmp_path, source, said):
    (tmp_path / "unknown.txt").write_text("qwxz 1 2\nplugh 3 4\n")
    assert said in one_line(seat(source=source))
