"""The cache of encodings: bit-exact, shared by real processes, whole after a kill, and never asked twice."""

import os
import signal
import sqlite3
import subprocess
import sys
import textwrap
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from hypothesis.extra.numpy import arrays
from refusals import refuses
from systems import posix

from imprint.announcing import announced_to
from imprint.debiasing.sentences import RememberingEncoder
from imprint.debiasing.transform import Card, DebiasedEncoder, LinearTransform
from imprint.encoders.base import Encoder, FunctionEncoder, identify
from imprint.encoders.cache import EncodingCache, EncodingStore, HeldEncodings, default_cache
from imprint.encoders.server import ServerEncoder
from imprint.errors import EncoderError, SettingError
from imprint.subjects.background import common_words, ranked_words
from imprint.subjects.encodings import choose_fitting, encode_texts
from imprint.subjects.framed import word_vectors

TEXTS = [f"text {number}" for number in range(20)]


def vector(text: str, width: int = 4) -> np.ndarray:
    """Some vector that depends on the text alone, in this process and in any other."""
    return np.random.default_rng(list(text.encode("utf-8", "surrogatepass"))).normal(size=width).astype(np.float32)


class Recorder:
    """A function that encodes, and remembers what it was asked."""

    def __init__(self, width: int = 4) -> None:
        self.asked: list[list[str]] = []
        self.width = width

    def __call__(self, texts):
        self.asked.append(list(texts))
        return np.array([vector(text, self.width) for text in texts])

    @property
    def texts(self) -> list[str]:
        return [text for chunk in self.asked for text in chunk]


def encoder_of(function, *, chunk: int = 4, identity: str | None = "1") -> FunctionEncoder:
    return FunctionEncoder(function, name="recorder", identity=identity, chunk=chunk)


def known(path: Path, encoder: Encoder, texts=TEXTS) -> set[str]:
    with EncodingCache(path) as cache:
        return set(cache.get(encoder.identity, texts))


@pytest.fixture
def path(tmp_path: Path) -> Path:
    return tmp_path / "encodings.sqlite"


@posix
def test_a_new_cache_is_its_owners_alone(path):
    with EncodingCache(path) as cache:
        cache.put("encoder", TEXTS, np.ones((len(TEXTS), 4), np.float32))
        modes = {file.name: file.stat().st_mode & 0o777 for file in path.parent.iterdir()}
    assert modes == {path.name + ending: 0o600 for ending in ("", "-wal", "-shm")}


@posix
def test_a_cache_that_was_shared_stays_shared(path):
    EncodingCache(path).close()
    path.chmod(0o660)
    EncodingCache(path).close()
    assert path.stat().st_mode & 0o777 == 0o660


@settings(max_examples=40, deadline=None)
@given(
    st.lists(st.text(st.characters(exclude_categories=())), unique=True, max_size=6).flatmap(
        lambda texts: st.tuples(
            st.just(texts),
            arrays(np.float32, (len(texts), 3), elements=st.floats(allow_nan=False, allow_infinity=False, width=32)),
        )
    )
)
def test_what_is_put_comes_back_bit_for_bit(tmp_path_factory, kept):
    texts, rows = kept
    path = tmp_path_factory.mktemp("cache") / "encodings.sqlite"
    with EncodingCache(path) as cache:
        cache.put("encoder", texts, rows)
    with EncodingCache(path) as cache:
        found = cache.get("encoder", texts)
    assert {text: row.tobytes() for text, row in found.items()} == {
        text: row.tobytes() for text, row in zip(texts, rows, strict=True)
    }


@pytest.mark.parametrize("kept", [True, False])
def test_encodings_are_kept_on_disk_or_held_and_looked_up_alike(path, kept):
    with EncodingCache(path) as cache:
        store: EncodingStore = cache if kept else HeldEncodings()
        store.put("one", ["a"], np.ones((1, 2), dtype=np.float32))
        store.put("two", ["a"], np.zeros((1, 2), dtype=np.float32))
        assert {text: row.tolist() for text, row in store.get("one", ["a", "b"]).items()} == {"a": [1, 1]}
        assert store.get("three", ["a"]) == {}
        # What claims to be the file's class has the file's attributes.
        assert isinstance(store, EncodingCache) == hasattr(store, "path")


def test_more_texts_than_a_query_may_hold_come_back(path):
    texts = [str(number) for number in range(2_345)]
    rows = np.arange(2_345 * 2, dtype=np.float32).reshape(-1, 2)
    with EncodingCache(path) as cache:
        cache.put("encoder", texts, rows)
        found = cache.get("encoder", [*texts, "another"])
    assert found.keys() == set(texts)
    assert all(np.array_equal(found[text], row) for text, row in zip(texts, rows, strict=True))


def test_a_text_kept_once_stays_as_it_was(path):
    with EncodingCache(path) as cache:
        cache.put("encoder", ["a"], np.ones((1, 2), dtype=np.float32))
        cache.put("encoder", ["a", "b"], np.zeros((2, 2), dtype=np.float32))
        assert {text: row.tolist() for text, row in cache.get("encoder", ["a", "b"]).items()} == {
            "a": [1, 1],
            "b": [0, 0],
        }


def test_texts_are_not_kept_in_clear(path):
    with EncodingCache(path) as cache:
        cache.put("encoder", ["a secret sentence"], np.ones((1, 2), dtype=np.float32))
    assert b"encodings" in path.read_bytes()
    assert b"secret" not in path.read_bytes()


@settings(max_examples=30, deadline=None)
@given(st.lists(st.sampled_from(TEXTS), min_size=1, max_size=60), st.integers(1, 7))
def test_each_distinct_text_is_encoded_once_and_every_row_is_its_own(texts, chunk):
    recorder = Recorder()
    encodings = encode_texts(encoder_of(recorder, chunk=chunk), texts)
    assert recorder.texts == list(dict.fromkeys(texts))
    assert max(map(len, recorder.asked)) <= chunk
    assert encodings.encoded == len(set(texts))
    assert encodings.rows(texts).tobytes() == np.array([vector(text) for text in texts]).tobytes()


def test_a_second_run_encodes_nothing_and_gives_the_same_bytes(path):
    first, second = Recorder(), Recorder()
    with EncodingCache(path) as cache:
        before = encode_texts(encoder_of(first), TEXTS, cache=cache)
    with EncodingCache(path) as cache:
        after = encode_texts(encoder_of(second), TEXTS[::-1], cache=cache)
    assert first.texts == TEXTS
    assert second.asked == []
    assert (before.encoded, after.encoded) == (len(TEXTS), 0)
    assert before.rows(TEXTS).tobytes() == after.rows(TEXTS).tobytes()


def test_a_run_that_shares_some_texts_encodes_the_others(path):
    recorder = Recorder()
    with EncodingCache(path) as cache:
        encode_texts(encoder_of(Recorder()), TEXTS[3:9], cache=cache)
        encodings = encode_texts(encoder_of(recorder), TEXTS, cache=cache)
    assert recorder.texts == TEXTS[:3] + TEXTS[9:]
    assert np.array_equal(encodings.rows(TEXTS), [vector(text) for text in TEXTS])


def test_a_function_nobody_vouches_for_is_encoded_again(path):
    recorder = Recorder()
    with EncodingCache(path) as cache:
        for _ in range(2):
            encode_texts(encoder_of(recorder, identity=None), TEXTS, cache=cache)
    assert recorder.texts == TEXTS * 2


class PooledEncoder(Encoder):
    """Gives the pooling and the prefix away in its vectors."""

    def __init__(self, pooling: str, prefix: str) -> None:
        self.name, self.settings = "pooled", {"pooling": pooling, "prefix": prefix}
        self.identity = identify(adapter="pooled", **self.settings)

    def embed(self, texts):
        return np.array([vector(f"{self.settings} {text}") for text in texts])


def test_another_pooling_or_prefix_never_shares_vectors(path):
    variants = [(pooling, prefix) for pooling in ("mean", "max", "cls") for prefix in ("", "query: ", "passage: ")]
    with EncodingCache(path) as cache:
        for _ in range(2):
            for variant in variants:
                encoder = PooledEncoder(*variant)
                kept = encode_texts(encoder, TEXTS, cache=cache).rows(TEXTS)
                assert kept.tobytes() == encoder.encode(TEXTS).tobytes()


def test_a_servers_model_url_and_prefix_are_in_its_identity():
    places = [("http://127.0.0.1:9/v1", "a", ""), ("http://127.0.0.1:9/v1", "a", "query: "),
              ("http://127.0.0.1:9/v1", "b", ""), ("http://127.0.0.1:8/v1", "a", "")]  # fmt: skip
    encoders = [ServerEncoder(url, model=model, prefix=prefix) for url, model, prefix in places]
    assert len({encoder.identity for encoder in encoders}) == len(places)


def test_progress_counts_the_texts_that_had_to_be_encoded(path):
    seen = []
    with EncodingCache(path) as cache:
        encode_texts(encoder_of(Recorder()), TEXTS[:10], cache=cache)
        encode_texts(encoder_of(Recorder()), TEXTS, cache=cache, progress=lambda done, all_: seen.append((done, all_)))
    assert seen == [(4, 10), (8, 10), (10, 10)]


def test_the_limit_on_texts_is_over_all_calls_and_counts_only_those_not_yet_known(path):
    encoder = encoder_of(recorder := Recorder())
    encoder.max_texts = 8
    with EncodingCache(path) as cache:
        with refuses(SettingError, "--max-texts", option="max_texts", got=9, where="recorder"):
            encode_texts(encoder, TEXTS[:9], cache=cache)
        assert recorder.asked == []
        encode_texts(encoder, TEXTS[:6], cache=cache)
        encode_texts(encoder, TEXTS[:8] * 2, cache=cache)
        with refuses(SettingError, option="max_texts", got=9):
            encode_texts(encoder, TEXTS[:9], cache=cache)
    assert recorder.texts == TEXTS[:8]
    assert known(path, encoder) == set(TEXTS[:8])


@given(st.lists(st.sets(st.integers(0, 19)), max_size=6), st.integers(0, 25), st.sets(st.integers(0, 19)))
def test_groups_of_texts_are_chosen_in_turn_while_they_fit(groups, limit, kept):
    encoder, store = encoder_of(Recorder()), HeldEncodings()
    if kept:
        store.put(encoder.identity, [TEXTS[number] for number in kept], np.zeros((len(kept), 4), np.float32))
    encoder.max_texts = limit
    refused, count = choose_fitting(encoder, [[TEXTS[number] for number in group] for group in groups], store)
    sent = set()
    for group, error in zip(groups, refused, strict=True):
        total = len((sent | group) - kept)
        assert (error is None) == (total <= limit)
        assert error is None or (error.option, error.got) == ("max_texts", total)
        sent |= group if error is None else set()
    assert count == len(sent - kept)


def test_how_many_texts_will_be_sent_is_said_before_the_first_and_again_only_if_there_are_more():
    encoder = encoder_of(recorder := Recorder())
    encoder.max_texts = 20
    said = []
    with announced_to(lambda line: said.append((line, len(recorder.texts)))):
        encode_texts(encoder, TEXTS[:6])
        encoder.announce(10)
        encode_texts(encoder, TEXTS[6:16])
        encode_texts(encoder, TEXTS[16:])
    assert said == [
        (f"{encoder.name}: {total} texts will be sent", sent) for total, sent in ((6, 0), (16, 6), (20, 16))
    ]


def test_nothing_is_said_of_an_encoder_that_sends_nothing(announced):
    encode_texts(encoder_of(Recorder()), TEXTS)
    assert announced == []


def test_the_frames_of_words_are_counted_together_before_any_is_sent():
    encoder = encoder_of(recorder := Recorder())
    words = [f"word{number}" for number in range(500)]
    texts = 3 * len({*words, *common_words().every(2).words, *ranked_words().every(2).words})
    encoder.max_texts = texts - 1
    with refuses(SettingError, option="max_texts", got=texts):
        word_vectors(encoder, words)
    assert recorder.asked == []
    encoder.max_texts = texts
    assert len(word_vectors(encoder, words)) == 500
    assert encoder.sent == texts


def test_what_an_encoder_that_remembers_knows_does_not_count():
    encoder = encoder_of(recorder := Recorder())
    encoder.max_texts = 10
    remembering = RememberingEncoder(encoder)
    debiased = DebiasedEncoder(remembering, LinearTransform("none", Card("", "", (), (), ()), np.eye(4), np.zeros(4)))
    for _ in range(3):
        remembering.encode(TEXTS[:8])
        debiased.encode(TEXTS[:10])
    with refuses(SettingError, option="max_texts", got=11):
        encode_texts(debiased, TEXTS[:11])
    assert recorder.texts == TEXTS[:10]


def test_no_text_at_all_is_refused():
    with refuses(SettingError, option="texts", where="recorder"):
        encode_texts(encoder_of(Recorder()), [])


def test_a_chunk_with_a_broken_row_is_not_kept_and_those_before_it_are(path):
    def breaks(texts):
        rows = np.array([vector(text) for text in texts])
        rows[[text == "text 9" for text in texts], 2] = np.nan
        return rows

    with (
        EncodingCache(path) as cache,
        refuses(EncoderError, where="recorder", words=("text 9",)),
    ):
        encode_texts(encoder_of(breaks), TEXTS, cache=cache)
    assert known(path, encoder_of(breaks)) == set(TEXTS[:8])
    recorder = Recorder()
    with EncodingCache(path) as cache:
        encode_texts(encoder_of(recorder), TEXTS, cache=cache)
    assert recorder.texts == TEXTS[8:]


@pytest.mark.parametrize("value", [0.0, 0.5])
@pytest.mark.parametrize("chunk", [1, 4, 100])
def test_an_encoder_that_gives_one_vector_for_everything_is_refused_and_not_remembered(path, chunk, value):
    constant = encoder_of(lambda texts: np.full((len(texts), 3), value), chunk=chunk)
    for _ in range(2):
        with (
            EncodingCache(path) as cache,
            refuses(EncoderError, "20 texts", where="recorder"),
        ):
            encode_texts(constant, TEXTS, cache=cache)
    assert known(path, constant) == set()


def test_an_encoder_that_was_constant_at_first_keeps_everything_once_it_tells_texts_apart(path):
    encoder = encoder_of(lambda texts: [[1.0, float(text == "text 10")] for text in texts])
    with EncodingCache(path) as cache:
        encode_texts(encoder, TEXTS, cache=cache)
        found = cache.get(encoder.identity, TEXTS)
    assert {text: row.tolist() for text, row in found.items()} == {text: [1, text == "text 10"] for text in TEXTS}


def test_a_cache_full_of_one_vector_is_refused_too(path):
    encoder = encoder_of(Recorder())
    with EncodingCache(path) as cache:
        cache.put(encoder.identity, TEXTS, np.ones((len(TEXTS), 4), dtype=np.float32))
        with refuses(EncoderError, "20 texts", where="recorder"):
            encode_texts(encoder, TEXTS, cache=cache)


def test_one_text_alone_cannot_be_told_from_another_and_is_kept(path):
    with EncodingCache(path) as cache:
        encode_texts(encoder_of(Recorder()), TEXTS[:1] * 3, cache=cache)
    assert known(path, encoder_of(Recorder())) == {TEXTS[0]}


def test_one_text_more_than_the_cache_has_is_kept(path):
    with EncodingCache(path) as cache:
        encode_texts(encoder_of(Recorder()), TEXTS[:6], cache=cache)
        encode_texts(encoder_of(Recorder()), TEXTS[:7], cache=cache)
    assert known(path, encoder_of(Recorder())) == set(TEXTS[:7])


def test_vectors_of_another_width_than_the_cache_has_are_refused_and_the_cache_stays(path):
    with EncodingCache(path) as cache:
        encode_texts(encoder_of(Recorder()), TEXTS[:6], cache=cache)
    wider = Recorder(width=5)
    with (
        EncodingCache(path) as cache,
        refuses(EncoderError, "4", "5", "cache", where="recorder"),
    ):
        encode_texts(encoder_of(wider), TEXTS, cache=cache)
    assert len(wider.asked) == 1
    assert known(path, encoder_of(wider)) == set(TEXTS[:6])


def test_a_width_that_changes_between_chunks_is_refused_and_earlier_chunks_are_kept(path):
    def widens(texts):
        return np.array([vector(text, 4 if "text 0" in texts else 5) for text in texts])

    with EncodingCache(path) as cache, refuses(EncoderError, "4", "5", where="recorder"):
        encode_texts(encoder_of(widens), TEXTS, cache=cache)
    assert known(path, encoder_of(widens)) == set(TEXTS[:4])


def test_an_interrupt_while_writing_leaves_a_cache_that_goes_on(path):
    class Interrupting(bytes):
        def __add__(self, _):
            return self

        def astype(self, _):
            return self

        def tobytes(self):
            return self

        def __conform__(self, _):
            raise KeyboardInterrupt("while binding")

    with EncodingCache(path) as cache:
        with pytest.raises(KeyboardInterrupt, match=r"^while binding$"):
            cache.put("encoder", ["a", "b"], [np.ones(2, dtype=np.float32), Interrupting()])
        assert cache.get("encoder", ["a", "b"]) == {}
        cache.put("encoder", ["b"], np.ones((1, 2), dtype=np.float32))
        assert cache.get("encoder", ["a", "b"]).keys() == {"b"}


PROLOGUE = """
import os, signal, sys
import numpy as np
from imprint.encoders.cache import EncodingCache
from imprint.subjects.encodings import encode_texts
from imprint.encoders.base import FunctionEncoder

def vector(text):
    return np.random.default_rng(list(text.encode())).normal(size=4).astype(np.float32)

def embed(texts):
    return np.array([vector(text) for text in texts])

path = sys.argv[1]
"""


def start(program: str, *arguments: object) -> subprocess.Popen:
    code = PROLOGUE + textwrap.dedent(program)
    return subprocess.Popen(
        [sys.executable, "-c", code, *map(str, arguments)],
        stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True,
    )  # fmt: skip


def test_processes_that_write_the_same_and_different_texts_at_once_lose_nothing(path):
    program = """
    name, first, last = sys.argv[2], int(sys.argv[3]), int(sys.argv[4])
    texts = [f"text {number}" for number in range(first, last)]
    print("ready", flush=True)
    sys.stdin.readline()
    with EncodingCache(path) as cache:
        encode_texts(FunctionEncoder(embed, name="recorder", identity="1", chunk=3), texts, cache=cache)
        for start in range(0, len(texts), 3):
            cache.put(name, texts[start:start + 3], embed(texts[start:start + 3]))
    """
    # The file is made by whichever comes first; texts 100-199 are everybody's.
    ranges = [(0, 200), (100, 300), (100, 200)]
    processes = [start(program, path, number, *range_) for number, range_ in enumerate(ranges)]
    for process in processes:
        assert process.stdout.readline() == "ready\n"
    for process in processes:
        process.stdin.write("go\n")
        process.stdin.flush()
    for process in processes:
        _, errors = process.communicate(timeout=120)
        assert (process.returncode, errors) == (0, "")
    texts = [f"text {number}" for number in range(300)]
    with EncodingCache(path) as cache:
        shared = cache.get(encoder_of(embedding).identity, texts)
        assert {text: row.tobytes() for text, row in shared.items()} == {
            text: vector(text).tobytes() for text in texts
        }
        for number, (first, last) in enumerate(ranges):
            assert cache.get(str(number), texts).keys() == set(texts[first:last])


def test_processes_that_make_the_same_file_at_the_same_moment_all_succeed(tmp_path):
    program = """
    print("ready", flush=True)
    for line in sys.stdin:
        with EncodingCache(line.strip()) as cache:
            cache.put(sys.argv[1], ["a", "b"], embed(["a", "b"]))
        print("done", flush=True)
    """
    processes = [start(program, number) for number in range(4)]
    for process in processes:
        assert process.stdout.readline() == "ready\n"
    for attempt in range(100):
        path = tmp_path / str(attempt)
        for process in processes:
            process.stdin.write(f"{path}\n")
            process.stdin.flush()
        if {process.stdout.readline() for process in processes} != {"done\n"}:
            break
        with EncodingCache(path) as cache:
            assert all(len(cache.get(str(number), ["a", "b"])) == 2 for number in range(len(processes)))
    assert [process.communicate(timeout=60)[1] for process in processes] == [""] * len(processes)
    assert attempt == 99


def embedding(texts):
    return np.array([vector(text) for text in texts])


@posix
@pytest.mark.parametrize("chunks", [0, 1, 3])
def test_after_a_kill_halfway_only_the_missing_texts_are_encoded(path, chunks):
    program = """
    calls = 0

    def dies(texts):
        global calls
        if calls == int(sys.argv[2]):
            os.kill(os.getpid(), signal.SIGKILL)
        calls += 1
        return embed(texts)

    with EncodingCache(path) as cache:
        texts = [f"text {number}" for number in range(20)]
        encode_texts(FunctionEncoder(dies, name="recorder", identity="1", chunk=4), texts, cache=cache)
    """
    process = start(program, path, chunks)
    process.communicate(timeout=60)
    assert process.returncode == -signal.SIGKILL
    recorder = Recorder()
    with EncodingCache(path) as cache:
        encodings = encode_texts(encoder_of(recorder), TEXTS, cache=cache)
    assert recorder.texts == TEXTS[4 * chunks :]
    assert encodings.rows(TEXTS).tobytes() == embedding(TEXTS).tobytes()


@posix
@pytest.mark.parametrize("seed", range(4))
def test_a_process_killed_while_writing_leaves_whole_chunks_and_a_usable_file(path, seed):
    # Writes as fast as it can, so that the kill falls into a transaction or just beside one.
    program = """
    with EncodingCache(path) as cache:
        for number in range(100_000):
            texts = [f"{number}/{place}" for place in range(200)]
            cache.put("encoder", texts, np.full((200, 64), number, dtype=np.float32))
            print(number, flush=True)
    """
    process = start(program, path)
    for _ in range(3 + seed):
        done = int(process.stdout.readline())
    process.kill()
    rest = process.communicate(timeout=60)[0].split()
    last = int(rest[-1]) if rest else done
    assert process.returncode == -signal.SIGKILL
    with EncodingCache(path) as cache:
        for number in range(last + 3):
            found = cache.get("encoder", [f"{number}/{place}" for place in range(200)])
            # What was reported is there; what was not is there as a whole or not at all.
            assert len(found) in ({200} if number <= last else {0, 200})
            assert all((row == number).all() for row in found.values())
        cache.put("encoder", ["after"], np.ones((1, 64), dtype=np.float32))
        assert cache.get("encoder", ["after"]).keys() == {"after"}
    with sqlite3.connect(path) as database:
        assert database.execute("PRAGMA integrity_check").fetchall() == [("ok",)]
    database.close()


@pytest.mark.skipif(sys.platform == "win32", reason="needs limits on the size of files")
def test_a_full_disk_is_one_line_and_what_was_kept_stays(path):
    program = """
    import resource
    resource.setrlimit(resource.RLIMIT_FSIZE, (400_000, 400_000))
    from imprint.errors import EncoderError
    with EncodingCache(path) as cache:
        try:
            for number in range(1_000):
                texts = [f"{number}/{place}" for place in range(20)]
                cache.put("encoder", texts, np.full((20, 64), number, dtype=np.float32))
                print(number)
        except EncoderError as error:
            print(error, file=sys.stderr)
    """
    process = start(program, path)
    written, errors = process.communicate(timeout=60)
    assert process.returncode == 0
    assert errors.startswith(f"{path}: ")
    assert errors.count("\n") == 1
    assert "rollback" not in errors
    last = int(written.split()[-1])
    with EncodingCache(path) as cache:
        for number in range(last + 1):
            assert len(cache.get("encoder", [f"{number}/{place}" for place in range(20)])) == 20
        cache.put("encoder", ["after"], np.ones((1, 64), dtype=np.float32))


def test_the_folders_of_a_cache_are_made(tmp_path):
    with EncodingCache(tmp_path / "a" / "b" / "encodings.sqlite") as cache:
        cache.put("encoder", ["a"], np.ones((1, 2), dtype=np.float32))
    assert (tmp_path / "a" / "b" / "encodings.sqlite").is_file()


@pytest.mark.skipif(sys.platform in {"win32", "darwin"}, reason="those have folders for caches of their own")
def test_the_usual_place_is_the_variable_else_the_systems_folder_for_caches(monkeypatch, tmp_path):
    monkeypatch.setenv("HOME", str(tmp_path / "home"))
    monkeypatch.delenv("XDG_CACHE_HOME", raising=False)
    monkeypatch.delenv("IMPRINT_CACHE", raising=False)
    assert default_cache() == tmp_path / "home" / ".cache" / "imprint" / "encodings.sqlite"
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "xdg"))
    assert default_cache() == tmp_path / "xdg" / "imprint" / "encodings.sqlite"
    monkeypatch.setenv("IMPRINT_CACHE", str(tmp_path / "own"))
    assert default_cache() == tmp_path / "own" / "encodings.sqlite"


@pytest.mark.skipif(os.name != "posix" or os.getuid() != 0, reason="only root may become a user without a home")
def test_a_user_without_a_home_is_told_to_name_a_folder(path):
    program = """
    from imprint.encoders.cache import default_cache
    from imprint.errors import EncoderError
    os.environ.pop("HOME", None), os.environ.pop("XDG_CACHE_HOME", None), os.environ.pop("IMPRINT_CACHE", None)
    os.setuid(54321)
    try:
        default_cache()
    except EncoderError as error:
        print(error)
    """
    output, errors = start(program, path).communicate(timeout=60)
    assert errors == ""
    assert "IMPRINT_CACHE" in output
