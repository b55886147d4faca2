"""Lines through a program: no shell, a limit on time and on what is read, and only what was named runs."""

import contextlib
import hashlib
import os
import shlex
import signal
import subprocess
import threading
from collections import deque
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from imprint.errors import ImprintError, SettingError, raising_as
from imprint.masking import printable

LONGEST_TIMEOUT = 86_400.0  # seconds: a day
QUOTED = 200  # characters of what a command said that a message repeats

_LARGEST_SCRIPT = 16 * 1024 * 1024


@dataclass(frozen=True)
class Ran:
    """The lines a command wrote, its exit code, the end of what it said on stderr, and whether time ran out."""

    lines: list[str]
    code: int
    said: str
    late: bool

    @property
    def whole(self) -> bool:
        """Whether it ended by itself and well."""
        return self.code == 0 and not self.late

    def failure(self, timeout: float, done: str) -> tuple[str, str]:
        """Say what went wrong, and what to do; `done` is how far it came."""
        if self.late:
            return f"gave no complete answer within {timeout:g} s", "raise --timeout, or lower --batch"
        hint = f"it said: {self.said}" if self.said else "run it by itself to see why"
        return f"ended with exit code {self.code} after {done}", hint


def split_command(command: str) -> list[str]:
    """Return a program and its arguments, as a shell would split them."""
    with raising_as(ValueError, SettingError, "the command cannot be split into words ({})", option="command"):
        arguments = shlex.split(command)
    if not arguments:
        raise SettingError(option="command", got=command, expected="a program with its arguments")
    return arguments


def run_lines(
    arguments: Sequence[str], texts: Iterable[str], *, timeout: float, limit: int, error: type[ImprintError], name: str
) -> Ran:
    """Write each text as a line and return what comes back, at most `limit` bytes; `error` if it cannot be started."""
    problem = "cannot be run ({})"
    with raising_as((OSError, ValueError), error, problem, where=name, hint="check the program's name"):
        process = subprocess.Popen(  # noqa: S603 - what the user named, and without a shell
            list(arguments),
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            start_new_session=True,
        )
    assert process.stdout
    assert process.stderr
    written = "".join(f"{' '.join(text.split())}\n" for text in texts).encode("utf-8", "surrogatepass")
    late = threading.Event()
    said: deque[bytes] = deque(maxlen=20)

    def stop() -> None:
        late.set()
        _kill(process)

    def feed(stream: Any) -> None:
        with contextlib.suppress(OSError, ValueError):  # a command may end before it has read everything
            stream.write(written)
            stream.close()

    def drain(stream: Any) -> None:
        with contextlib.suppress(OSError, ValueError):
            said.extend(iter(lambda: stream.read1(4096), b""))

    timer = threading.Timer(timeout, stop)
    threads = [
        threading.Thread(target=work, args=(stream,), daemon=True)
        for work, stream in ((feed, process.stdin), (drain, process.stderr))
    ]
    try:
        for thread in (timer, *threads):
            thread.start()
        output = process.stdout.read(limit)
        if len(output) < limit:
            process.wait()
    finally:
        timer.cancel()
        _kill(process)
        process.wait()
        for thread in threads:
            thread.join(1.0)
        for stream in (process.stdout, process.stderr):
            stream.close()
    words = " ".join(printable(b"".join(said).decode(errors="replace")).split())[-QUOTED:]
    lines = output.decode(errors="replace").splitlines(keepends=True)
    if lines and not lines[-1].endswith("\n") and (late.is_set() or process.returncode):
        lines.pop()  # half a line
    return Ran([line.strip() for line in lines], process.returncode, words, late.is_set())


def file_hashes(arguments: Sequence[str]) -> list[str]:
    """Return the hashes of the files that a command names, its script for example."""
    found = []
    for argument in arguments[1:]:
        with contextlib.suppress(OSError, ValueError):
            path = Path(argument)
            if path.is_file() and path.stat().st_size <= _LARGEST_SCRIPT:
                found.append(hashlib.sha256(path.read_bytes()).hexdigest())
    return found


def _kill(process: "subprocess.Popen[bytes]") -> None:
    """End the command and what it started."""
    with contextlib.suppress(OSError):
        if hasattr(os, "killpg"):
            os.killpg(process.pid, signal.SIGKILL)
        else:
            process.kill()
