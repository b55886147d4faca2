import hashlib
import os
import stat
import subprocess
import sys
import tempfile
from pathlib import Path

import pytest
from refusals import refuses
from systems import posix

from imprint.errors import ImprintError
from imprint.files import free_folder, hash_file, new_folder, replacing


def test_a_block_that_fails_leaves_the_old_file_and_nothing_else(tmp_path):
    target = tmp_path / "out.txt"
    target.write_text("old")

    def fail_halfway():
        with replacing(target) as part:
            part.write_text("new, half")
            raise RuntimeError("halfway")

    with pytest.raises(RuntimeError, match="halfway"):
        fail_halfway()
    assert target.read_text() == "old"
    assert [path.name for path in tmp_path.iterdir()] == ["out.txt"]


def test_a_block_that_succeeds_replaces_the_file(tmp_path):
    target = tmp_path / "out.txt"
    target.write_text("old")
    with replacing(target) as part:
        part.write_text("new")
        assert target.read_text() == "old"
    assert target.read_text() == "new"
    assert [path.name for path in tmp_path.iterdir()] == ["out.txt"]


def test_a_new_file_is_as_readable_as_any_other(tmp_path):
    (tmp_path / "plain").touch()
    with replacing(tmp_path / "made") as part:
        part.touch()
    with replacing(tmp_path / "replaced") as part:  # as safetensors does
        handle, name = tempfile.mkstemp(dir=tmp_path)
        os.close(handle)
        Path(name).replace(part)
    made, replaced, plain = (stat.S_IMODE((tmp_path / name).stat().st_mode) for name in ("made", "replaced", "plain"))
    assert made == replaced == plain


@posix
def test_a_private_file_is_private_from_its_first_moment_whoever_could_read_the_old_one(tmp_path):
    (tmp_path / "made").write_text("for everybody")
    with replacing(tmp_path / "made", mode=0o600) as part:
        assert stat.S_IMODE(part.stat().st_mode) == 0o600
        part.write_text("for its owner")
    assert stat.S_IMODE((tmp_path / "made").stat().st_mode) == 0o600


def test_no_other_thread_ever_writes_under_another_umask(tmp_path, monkeypatch):
    # The umask is the process's: set for a moment in one thread, it opens or closes the files of all others.
    monkeypatch.setattr(os, "umask", lambda mask: pytest.fail(f"the umask was set to {mask:o}"))
    for mode in (0o666, 0o600):
        with replacing(tmp_path / "made", mode=mode) as part:
            part.write_text("x")


def test_a_place_that_cannot_be_written_is_one_clear_line(tmp_path):
    with (
        refuses(ImprintError, where=tmp_path / "no" / "such" / "folder"),
        replacing(tmp_path / "no" / "such" / "folder"),
    ):
        pass
    (tmp_path / "folder").mkdir()
    with refuses(ImprintError, where=tmp_path / "folder"), replacing(tmp_path / "folder"):
        pass


@posix
def test_a_pipe_or_a_device_stays_what_it_is(tmp_path):
    os.mkfifo(tmp_path / "pipe")
    (tmp_path / "link").symlink_to(tmp_path / "pipe")
    for target in (tmp_path / "pipe", tmp_path / "link", Path(os.devnull)):
        with refuses(ImprintError, where=target), replacing(target):
            pass
    assert stat.S_ISFIFO((tmp_path / "pipe").stat().st_mode)
    assert sorted(path.name for path in tmp_path.iterdir()) == ["link", "pipe"]


@posix
def test_a_link_stays_a_link_and_its_file_is_replaced(tmp_path):
    (tmp_path / "there").mkdir()
    (tmp_path / "link").symlink_to(tmp_path / "there" / "file")
    for content in ("first", "second"):
        with replacing(tmp_path / "link") as part:
            part.write_text(content)
        assert (tmp_path / "there" / "file").read_text() == content
    assert (tmp_path / "link").is_symlink()
    assert [path.name for path in (tmp_path / "there").iterdir()] == ["file"]


@posix
def test_links_in_a_circle_and_names_that_cannot_be_are_refused(tmp_path):
    (tmp_path / "one").symlink_to(tmp_path / "other")
    (tmp_path / "other").symlink_to(tmp_path / "one")
    for target in (tmp_path / "one", f"{tmp_path}/\0"):
        with refuses(ImprintError, where=target), replacing(target):
            pass


def test_a_files_hash_is_sha256_and_its_progress_reaches_the_end(tmp_path):
    content = bytes(range(256)) * 70_000
    (tmp_path / "large").write_bytes(content)
    seen = []
    assert (
        hash_file(tmp_path / "large", lambda done, total: seen.append((done, total)))
        == hashlib.sha256(content).hexdigest()
    )
    assert len(seen) > 1
    assert seen[-1] == (len(content), len(content))


def test_a_folder_appears_whole_or_not_at_all(tmp_path):
    def fail():
        with new_folder(tmp_path / "out") as part:
            (part / "half.txt").write_text("half")
            raise KeyError

    with pytest.raises(KeyError):
        fail()
    assert list(tmp_path.iterdir()) == []
    with new_folder(tmp_path / "out") as part:
        (part / "whole.txt").write_text("whole")
        assert not (tmp_path / "out").exists()
    assert [path.name for path in tmp_path.rglob("*")] == ["out", "whole.txt"]


def test_a_folder_with_something_in_it_or_no_parent_is_refused(tmp_path):
    (tmp_path / "taken").mkdir()
    (tmp_path / "taken" / "mine.txt").write_text("mine")
    for place in (tmp_path / "taken", tmp_path / "taken" / "mine.txt", tmp_path / "no" / "where"):
        with refuses(ImprintError, where=place):
            free_folder(place)


def test_what_a_killed_writer_left_is_removed_by_the_next(tmp_path):
    left, fresh, other = (tmp_path / f".{name}.part" for name in ("out.1.0123abcd", "out.1.89abcdef", "out.1.mine"))
    for path in (left, fresh, other):
        path.write_text("half")
    for path in (left, other):
        os.utime(path, (0, 0))
    with replacing(tmp_path / "out.1") as part:
        part.write_text("whole")
    assert sorted(tmp_path.iterdir()) == sorted([fresh, other, tmp_path / "out.1"])


@posix
def test_folders_that_a_killed_writer_left_are_removed_by_the_next(tmp_path):
    left, fresh, writing, other = (
        tmp_path / f".out.{name}.part" for name in ("0123abcd", "89abcdef", "00000000", "mine")
    )
    for path in (left, fresh, writing, other):
        (path / "inner").mkdir(parents=True)
        (path / "inner" / "half.txt").write_text("half")
    for path in (left, writing, other):
        for one in (path / "inner" / "half.txt", path / "inner", path):
            os.utime(one, (0, 0))
    os.utime(writing / "inner" / "half.txt")
    (tmp_path / ".out.11111111.part").symlink_to(other)
    with new_folder(tmp_path / "out"):
        pass
    assert {path.name for path in tmp_path.iterdir()} == {
        fresh.name,
        writing.name,
        other.name,
        ".out.11111111.part",
        "out",
    }
    assert (other / "inner" / "half.txt").exists()


@pytest.fixture
def settled(tmp_path, monkeypatch):
    """A file of a megabyte, changed long ago, and a cache folder of its own."""
    monkeypatch.setenv("IMPRINT_CACHE", str(tmp_path / "cache"))
    monkeypatch.setattr("imprint.files._SETTLED", -(10**18))
    path = tmp_path / "large"
    path.write_bytes(bytes(1 << 20))
    return path


def read_count(path):
    """Hash a file; return the hash and whether it was read for it."""
    seen = []
    found = hash_file(path, lambda *counts: seen.append(counts))
    assert found == hashlib.sha256(path.read_bytes()).hexdigest()
    assert seen[-1] == (path.stat().st_size,) * 2
    return found


def kept_hashes(tmp_path):
    return (tmp_path / "cache" / "hashes.txt").read_text().splitlines()


def test_the_hash_of_a_large_file_is_kept_until_the_file_changes(settled, tmp_path, monkeypatch):
    first = read_count(settled)
    assert len(kept_hashes(tmp_path)) == 1
    with monkeypatch.context() as unread:
        unread.setattr("imprint.files._BLOCK", 0)  # whoever reads, reads nothing
        assert hash_file(settled) == first
    times = settled.stat()
    settled.write_bytes(bytes((1 << 20) - 1) + b"x")
    os.utime(settled, ns=(times.st_atime_ns, times.st_mtime_ns))  # same path, size and time of change
    assert read_count(settled) != first
    assert len(kept_hashes(tmp_path)) == 2


def test_a_renamed_or_grown_file_is_hashed_again(settled, tmp_path):
    first = read_count(settled)
    other = settled.rename(tmp_path / "other")
    assert read_count(other) == first
    other.write_bytes(bytes(2 << 20))
    assert read_count(other) != first


def test_small_files_and_files_changed_this_moment_are_not_kept(settled, tmp_path, monkeypatch):
    small = tmp_path / "small"
    small.write_bytes(b"x")
    read_count(small)
    monkeypatch.setattr("imprint.files._SETTLED", 10**18)
    read_count(settled)
    assert not (tmp_path / "cache").exists()


@pytest.mark.parametrize("damage", [b"", b"\xff\xfe", b"a b\n", b"one two three four\n", None])
def test_a_damaged_file_of_hashes_is_not_believed(settled, tmp_path, damage):
    read_count(settled)
    kept = tmp_path / "cache" / "hashes.txt"
    (line,) = kept_hashes(tmp_path)
    key, digest, check = line.split()
    flipped = ("0" if digest[0] != "0" else "1") + digest[1:]
    kept.write_bytes(f"{key} {flipped} {check}\n".encode() if damage is None else damage)
    read_count(settled)
    assert kept_hashes(tmp_path) == [line]


@posix
@pytest.mark.parametrize("place", ["pipe", "large"])
def test_a_file_of_hashes_that_is_none_or_far_too_large_is_not_read(settled, tmp_path, place, monkeypatch):
    kept = tmp_path / "cache" / "hashes.txt"
    kept.parent.mkdir()
    if place == "pipe":
        os.mkfifo(kept)
    else:
        with kept.open("wb") as file:
            file.truncate(1 << 40)  # takes no room on the disk
    read_text = Path.read_text

    def read_other(path, *arguments, **options):
        assert path != kept
        return read_text(path, *arguments, **options)

    monkeypatch.setattr(Path, "read_text", read_other)
    assert hash_file(settled) == hashlib.sha256(settled.read_bytes()).hexdigest()


def test_only_the_latest_hashes_are_kept(settled, tmp_path, monkeypatch):
    monkeypatch.setattr("imprint.files._MOST_KEPT", 2)
    for size in range(1, 5):
        settled.write_bytes(bytes(size << 20))
        read_count(settled)
    assert len(kept_hashes(tmp_path)) == 2


def test_without_a_place_for_caches_files_are_hashed_all_the_same(settled, tmp_path, monkeypatch):
    (tmp_path / "cache").write_text("a file, not a folder")
    read_count(settled)
    monkeypatch.delenv("IMPRINT_CACHE")
    monkeypatch.delenv("XDG_CACHE_HOME", raising=False)
    monkeypatch.setattr(Path, "home", lambda: (_ for _ in ()).throw(RuntimeError))
    read_count(settled)


def test_commands_started_by_tests_cache_in_a_folder_of_the_run(tmp_path_factory):
    program = "from imprint.files import cache_folder; print(cache_folder())"
    printed = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, check=True).stdout
    run = tmp_path_factory.getbasetemp()
    assert Path(printed.strip()).parent in (run, run.parent)
