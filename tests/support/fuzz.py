"""Mutated files for every reader: each is read, or refused in one line, in little time and memory.

    python tests/support/fuzz.py 100000             # so many files, beginning with number 0
    python tests/support/fuzz.py 1 --first 4711     # file 4711 again, with its traceback
    python tests/support/fuzz.py 1000 --only reply  # of one reader

File N is the same on every machine: a seed of `fuzz_seeds/`, changed by a generator that N seeds. Files are read in
another process whose memory and time are limited, so that a crash costs one file. Exit code 1 if any file fails.
"""

import argparse
import contextlib
import io
import json
import pickletools
import random
import re
import signal
import socket
import struct
import subprocess
import sys
import tempfile
import traceback
import warnings
from collections import Counter
from collections.abc import Callable, Iterator
from functools import cache
from pathlib import Path
from typing import Any

SEEDS = Path(__file__).parent / "fuzz_seeds"
VERSION = 2  # of the mutations: another one makes other files
MEMORY = 1 << 30  # bytes beyond what the process has before the first file
SECONDS = 5  # of CPU time per file
SILENCE = 60  # seconds per file, whatever it waits for
LARGEST = 60_000  # bytes of a file
DEEP = 200  # lists around one another: few enough that four of them can be copied
KEY = "sk-a/secret-of-mine"

NUMBERS = (-1, 0, 1, 2, 127, 128, 255, 256, 32767, 65535, 2**31 - 1, 2**31, 2**32 - 1, 2**40, 2**62, 2**63 - 1, 2**63)
NUMERALS = (
    b"-1",
    b"0",
    b"-0",
    b"1e999",
    b"nan",
    b"-inf",
    b"1e-999",
    b"0x10",
    b"1_0",
    b"9" * 20,
    b"9" * 5000,
    b".",
    b"",
)
ODD = ("", "\0", "\n", "\u202e", "\ud800", "é" * 50, "<b>", "{word}", "%s", "../x", "-", " ", "🜚", "a" * 3000, "1e999")
VALUES = (None, True, -1, 0, 1, 2**31, 2**63, 2**70, 10**400, 0.5, -1e308, float("nan"), float("inf"), [], {}, [[]])


# Mutations


def mutate(rng: random.Random, name: str, content: bytes, others: list[bytes]) -> bytes:
    """Return the content with a few changes, most of them small."""
    if name.endswith((".jsonl", ".http")) and rng.random() < 0.6:
        content = mutate_json(rng, content)
        if rng.random() < 0.7:
            return content[:LARGEST]
    made = bytearray(content)
    for _ in range(rng.choice((1, 1, 1, 2, 3, 8))):
        rng.choice(_MUTATIONS)(rng, made, others)
    return bytes(made[:LARGEST])


def _flip(rng: random.Random, made: bytearray, _: list[bytes]) -> None:
    if made:
        made[rng.randrange(len(made))] ^= 1 << rng.randrange(8)


def _set(rng: random.Random, made: bytearray, _: list[bytes]) -> None:
    if made:
        made[rng.randrange(len(made))] = rng.choice((0, 1, 9, 10, 13, 32, 44, 46, 0x7F, 0x80, 0xFE, 0xFF))


def _insert(rng: random.Random, made: bytearray, _: list[bytes]) -> None:
    at = rng.randint(0, len(made))
    made[at:at] = rng.choice((rng.randbytes(rng.randint(1, 8)), rng.choice(ODD).encode(errors="surrogatepass")))


def _remove(rng: random.Random, made: bytearray, _: list[bytes]) -> None:
    at = rng.randint(0, len(made))
    del made[at : at + rng.choice((1, 1, 2, 4, 8, 64))]


def _cut(rng: random.Random, made: bytearray, _: list[bytes]) -> None:
    del made[rng.randint(0, len(made)) :]


def _repeat(rng: random.Random, made: bytearray, _: list[bytes]) -> None:
    at, size = rng.randint(0, len(made)), rng.choice((1, 2, 8, 50))
    made[at:at] = made[at : at + size] * rng.choice((1, 2, 50, 1000))


def _move(rng: random.Random, made: bytearray, _: list[bytes]) -> None:
    at, to, size = rng.randint(0, len(made)), rng.randint(0, len(made)), rng.choice((1, 4, 8, 50))
    made[to : to + size] = made[at : at + size]


def _splice(rng: random.Random, made: bytearray, others: list[bytes]) -> None:
    other = rng.choice(others)
    at, size = rng.randint(0, len(other)), rng.choice((4, 16, 100, 1000))
    made[rng.randint(0, len(made)) :] = other[at : at + size]


def _binary_number(rng: random.Random, made: bytearray, _: list[bytes]) -> None:
    layout = rng.choice(("<i", "<q", "<I", ">I", "<H"))
    size = struct.calcsize(layout)
    number = rng.choice(NUMBERS) & (256**size - 1)
    at = rng.randint(0, max(0, len(made) - size))
    made[at : at + size] = number.to_bytes(size, "little" if layout[0] == "<" else "big")


def _numeral(rng: random.Random, made: bytearray, _: list[bytes]) -> None:
    found = list(re.finditer(rb"-?[0-9]+(?:\.[0-9]+)?", made))
    if found:
        chosen = rng.choice(found)
        new = rng.choice((rng.choice(NUMERALS), str(rng.choice(NUMBERS)).encode()))
        made[chosen.start() : chosen.end()] = new


def _opcode(rng: random.Random, made: bytearray, _: list[bytes]) -> None:
    """Change a pickle into another one; in other files this is one byte like any other."""
    code = rng.choice(pickletools.opcodes).code.encode("latin1")
    at = rng.randint(0, len(made))
    made[at : at + rng.randint(0, 1)] = code


_MUTATIONS: tuple[Callable[[random.Random, bytearray, list[bytes]], None], ...] = (
    _flip, _set, _insert, _remove, _cut, _repeat, _move, _splice, _binary_number, _binary_number, _numeral, _opcode,
)  # fmt: skip


def mutate_json(rng: random.Random, content: bytes) -> bytes:
    """Change values of the JSON in a few lines, or in what follows the headers of a reply."""
    head, blank, body = content.rpartition(b"\r\n\r\n")
    lines = [line for line in body.split(b"\n") if line]
    chosen = rng.sample(lines, min(len(lines), rng.choice((1, 1, 2, 5))))
    changed = [_changed_line(rng, line) for line in chosen]
    body = b"\n".join(changed) + b"\n"
    return re.sub(rb"Length: [0-9]+", b"Length: %d" % len(body), head) + blank + body


def _changed_line(rng: random.Random, line: bytes) -> bytes:
    try:
        value = json.loads(line)
    except ValueError:
        return line
    for _ in range(rng.choice((0, 1, 1, 1, 2, 4))):
        value = _changed(rng, value)
    return json.dumps(value).encode()


def _changed(rng: random.Random, value: Any) -> Any:
    """Change one value somewhere below, or this one."""
    if isinstance(value, dict | list) and value and rng.random() < 0.9:
        places = list(value) if isinstance(value, dict) else range(len(value))
        place = rng.choice(places)
        match rng.choice(("change", "change", "change", "change", "remove", "double")):
            case "change":
                value[place] = _changed(rng, value[place])
            case "remove":
                del value[place]
            case _ if isinstance(value, dict):
                value[rng.choice(ODD)] = _copied(value[place])
            case _:
                value += _copied([value[place]]) * rng.choice((1, 3, 200))
        return value
    if rng.random() < 0.1:
        return json.loads("[" * DEEP + "]" * DEEP)
    if isinstance(value, int | float) and rng.random() < 0.5:
        return rng.choice(NUMBERS)
    return rng.choice((_copied(rng.choice(VALUES)), rng.choice(ODD)))


def _copied(value: Any) -> Any:
    return json.loads(json.dumps(value))


# Readers


def read_embedding(path: Path, rng: random.Random) -> None:
    from imprint.subjects.opening import load

    only, background = rng.choice(((None, False), (["cat", "Dog"], False), (["cat"], True)))
    embedding = load(path, only=only, background=background)
    assert len(embedding.words) == len(embedding.vectors)
    embedding.lookup(["cat", "Dog", "unseen", "x" * 50])
    assert embedding.norms.shape == (len(embedding),)
    repr(embedding.notes)


def read_beside(path: Path, rng: random.Random) -> None:
    main = path.with_name("bad.kv")
    main.write_bytes((SEEDS / "beside" / "vectors.kv").read_bytes())
    path.replace(path.with_name("bad.kv.vectors.npy"))
    read_embedding(main, rng)


def read_text(path: Path, rng: random.Random) -> None:
    from imprint.corpora.counting import count_corpus
    from imprint.stimuli.catalog import text_questions
    from imprint.subjects.settings import TextSettings

    unit = rng.choice((None, "line", "file")) if path.suffix in (".txt", ".gz", ".bz2", ".xz", ".zst") else None
    date = "date" if path.suffix in (".jsonl", ".parquet") else None
    counts = count_corpus([path], text_questions()[-5:], TextSettings(document=unit, date=date))
    assert len(counts.names) == len(counts.years) <= counts.n_documents
    assert (counts.count > 0).all()


def read_findings(path: Path, _: random.Random) -> None:
    from imprint.kinds.findings import read_findings

    draw_findings(read_findings(path), path.parent)


def draw_findings(rows: list[Any], folder: Path) -> None:
    """Draw rows in every way there is; files go into the folder."""
    from imprint.kinds.sections import blocks
    from imprint.masking import Words
    from imprint.policies.exports import append_summary, write_junit
    from imprint.policies.gate import check, parse_conditions
    from imprint.render.terminal import draw_blocks
    from imprint.reports.card import card
    from imprint.reports.conclusions import methods_paragraph
    from imprint.reports.page import render_page
    from imprint.reports.summary import brief
    from imprint.view import Chart, flat
    from imprint.writing import write_csv

    shown = list(flat(blocks(rows)))
    draw_blocks(shown, more=True)
    for chart in shown:
        if isinstance(chart, Chart):
            json.dumps(chart.draw(Words(), 600))
    card(rows)
    render_page(rows, script=str)
    brief(rows)
    methods_paragraph(rows)
    write_csv(folder / "rows.csv", rows)
    gate = check(rows, parse_conditions(["weat:p<0.05"], ["weat:gender-career:|size|<0.1"]))
    write_junit(folder / "junit.xml", gate)
    append_summary(folder / "summary.md", gate)
    assert [row.to_json() for row in rows]


def read_policy(path: Path, _: random.Random) -> None:
    from imprint.policies.policy import policy

    policy(path)


def read_tests(path: Path, _: random.Random) -> None:
    from imprint.stimuli.catalog import read_tests

    read_tests(path)


def read_words(path: Path, rng: random.Random) -> None:
    from imprint.stimuli.files import read_property, read_words
    from imprint.stimuli.seeds import read_pairs, read_seeds

    readers: tuple[Callable[[Path], object], ...] = (read_words, read_seeds, read_pairs, read_property)
    rng.choice(readers)(path)


def read_benchmark(path: Path, rng: random.Random) -> None:
    from imprint.evaluation.benchmarks import read_benchmarks

    folder = path.parent / "benchmarks"
    folder.mkdir(exist_ok=True)
    moved = path.replace(folder / f"own.{rng.choice(('tsv', 'txt', 'csv'))}")
    try:
        read_benchmarks(folder)
    finally:
        moved.unlink()


def read_terms(path: Path, _: random.Random) -> None:
    from imprint.study.settings import read_consent

    read_consent(path)


def read_transform(path: Path, _: random.Random) -> None:
    import numpy as np

    from imprint.debiasing.saved import load_transform

    load_transform(path)(np.ones((2, 4)))


class _Loopback(socket.socket):
    """One end of a pair of sockets that http.client takes for a connection."""

    def setsockopt(self, *_: Any) -> None:
        pass


def read_reply(path: Path, rng: random.Random) -> None:
    from unittest.mock import patch

    from imprint.encoders.server import ServerEncoder
    from imprint.errors import ImprintError

    ours, theirs = socket.socketpair()
    theirs.sendall(path.read_bytes())
    theirs.shutdown(socket.SHUT_WR)
    key = rng.choice((None, KEY))
    encoder = ServerEncoder("http://127.0.0.1:9", model="m", key=key, retries=0, timeout=SECONDS)
    connected = _Loopback(fileno=ours.detach())
    try:
        with patch("socket.create_connection", lambda *_, **__: connected):
            encoder.encode(["one", "two"])
    except ImprintError as error:
        if KEY in str(error):
            raise AssertionError("the key is repeated") from error
        raise
    finally:
        connected.close()
        theirs.close()


# Of so many files, how many each reader gets.
READERS: dict[str, tuple[int, Callable[[Path, random.Random], None]]] = {
    "embedding": (54, read_embedding),
    "beside": (5, read_beside),
    "findings": (6, read_findings),
    "policy": (5, read_policy),
    "tests": (8, read_tests),
    "words": (5, read_words),
    "benchmark": (3, read_benchmark),
    "terms": (1, read_terms),
    "transform": (5, read_transform),
    "reply": (8, read_reply),
    "text": (6, read_text),
}


# Running them


class _TooSlow(BaseException):
    """Not an Exception: nothing may take it for a damaged file."""


def make(number: int, only: str | None = None) -> tuple[str, str, bytes, random.Random]:
    """Return file `number`: whose it is, the name of its seed, its content, and the generator to go on with."""
    rng = random.Random(f"imprint {VERSION} {number} {only}")
    reader = only or rng.choices(list(READERS), [share for share, _ in READERS.values()])[0]
    seeds = _seeds(reader)
    name = rng.choice(list(seeds))
    return reader, name, mutate(rng, name, seeds[name], list(seeds.values())), rng


@cache
def _seeds(reader: str) -> dict[str, bytes]:
    """Return the seeds of a reader by name, without the file beside which a matrix is put."""
    return {path.name: path.read_bytes() for path in sorted((SEEDS / reader).iterdir()) if path.name != "vectors.kv"}


def read_all(first: int, count: int, only: str | None) -> None:
    """Read files one after the other; tell of each that it begins, and how it ended."""
    import resource  # of POSIX alone

    from imprint.errors import ImprintError

    warnings.simplefilter("error")
    signal.signal(signal.SIGPROF, _stop)
    signal.signal(signal.SIGALRM, _stop)
    resource.setrlimit(resource.RLIMIT_CORE, (0, 0))
    with tempfile.TemporaryDirectory() as folder:
        _warm_up(Path(folder))
        limit = int(re.search(r"VmSize:\s+(\d+) kB", Path("/proc/self/status").read_text())[1]) * 1024 + MEMORY
        resource.setrlimit(resource.RLIMIT_AS, (limit, limit))
        for number in range(first, first + count):
            reader, seed, content, rng = make(number, only)
            print(json.dumps({"begins": number, "reader": reader}), flush=True)
            path = Path(folder) / f"file{Path(seed).suffix}"
            path.write_bytes(content)
            failure = ""
            ended = "read"
            signal.setitimer(signal.ITIMER_PROF, SECONDS)
            signal.alarm(SILENCE)
            try:
                READERS[reader][1](path, rng)
            except ImprintError as error:
                ended = "refused"
                said = str(error)
                if said.splitlines() != [said] or "does not fit in memory" in said or len(said) > 2500:
                    failure = f"said: {said[:500]}"
            except (Exception, _TooSlow):  # noqa: BLE001
                failure = traceback.format_exc()
            finally:
                signal.setitimer(signal.ITIMER_PROF, 0)
                signal.alarm(0)
            ended = "failed" if failure else ended
            print(json.dumps({"ended": ended, "seed": seed, "failure": failure[-3000:]}), flush=True)


def _warm_up(folder: Path) -> None:
    """Import and compile before the limits are set."""
    from imprint.errors import ImprintError

    for reader, (_, read) in READERS.items():
        for seed in sorted((SEEDS / reader).iterdir()):
            path = folder / f"file{seed.suffix}"
            path.write_bytes(seed.read_bytes())
            for tried in range(3):
                with contextlib.suppress(ImprintError, FileNotFoundError):
                    read(path, random.Random(tried))


def _stop(number: int, _: object) -> None:
    raise _TooSlow(signal.Signals(number).name)


def run(
    count: int, first: int = 0, only: str | None = None, tell: Callable[[str], None] = lambda said: None
) -> tuple[Counter[str], list[str]]:
    """Read so many files in other processes; return how they ended, and a report of each that failed.

    `tell` gets every report at once, and how far it is.
    """
    ends: Counter[str] = Counter()
    failures: list[str] = []
    while count > 0:
        done, current = 0, {"begins": first, "reader": "?"}
        for line in _lines(first, count, only):
            if "begins" in line:
                current = line
                continue
            done += 1
            ends[f"{current['reader']} {line['ended']}"] += 1
            if line["failure"]:
                failures.append(f"file {current['begins']} ({current['reader']}, {line['seed']}): {line['failure']}")
                tell(failures[-1])
            if done % 10_000 == 0:
                tell(f"{first + done:,} files")
        if done < count:  # the process ended, in the middle of a file
            failures.append(f"file {first + done} ({current['reader']}): the process ended")
            ends[f"{current['reader']} failed"] += 1
            done += 1
        first, count = first + done, count - done
    return ends, failures


def _lines(first: int, count: int, only: str | None) -> Iterator[dict[str, Any]]:
    command = [
        sys.executable,
        "-P",
        __file__,
        str(count),
        "--first",
        str(first),
        "--child",
        *(["--only", only] if only else []),
    ]
    with subprocess.Popen(command, stdout=subprocess.PIPE, text=True) as process:
        assert process.stdout is not None
        for line in process.stdout:
            yield json.loads(line)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("count", type=int)
    parser.add_argument("--first", type=int, default=0)
    parser.add_argument("--only", choices=READERS)
    parser.add_argument("--child", action="store_true", help=argparse.SUPPRESS)
    given = parser.parse_args()
    if given.child:
        told = sys.stdout
        sys.stdout = io.TextIOWrapper(told.buffer, write_through=True)
        read_all(given.first, given.count, given.only)
        return
    ends, failures = run(given.count, given.first, given.only, lambda said: print(said, flush=True))
    print("\n".join(f"{end:20} {number:8,}" for end, number in sorted(ends.items())))
    print(f"{sum(ends.values()):,} files, {len(failures):,} failed")
    sys.exit(1 if failures else 0)


if __name__ == "__main__":
    main()
