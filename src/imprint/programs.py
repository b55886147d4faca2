"""Lines through a program: no shell, a limit on time and on what is read, and only what was named runs."""

import contextlib
import os
import shlex
import shutil
import signal
import subprocess
import threading
import time
from collections import deque
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from imprint.errors import ImprintError, SettingError, raising_as
from imprint.files import hash_file
from imprint.masking import printable

LONGEST_TIMEOUT = 86_400.0  # seconds: a day
QUOTED = 200  # characters of what a command said that a message repeats

_BLOCK = 64 * 1024  # bytes read at once
_LOOK = 0.05  # seconds between two looks at whether a command has ended
_QUIET = 0.5  # seconds without a word, after which a command that has ended has said everything
_GRACE = 1.0  # seconds for pipes to end after the command was


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
    """Write each text as a line and return what comes back, at most `limit` bytes; `error` if it cannot be started.

    What a command leaves in a session of its own keeps copies of the pipes, so nothing waits for the end of a pipe
    without a limit. Each pipe has a thread that alone reads, writes and closes it.
    """
    problem = "cannot be run ({})"
    with raising_as((OSError, ValueError), error, problem, where=name, hint="check the program's name"):
        process = subprocess.Popen(  # noqa: S603 - what the user named, and without a shell
            list(arguments),
            bufsize=0,
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            start_new_session=True,
        )
    written = "".join(f"{' '.join(text.split())}\n" for text in texts).encode("utf-8", "surrogatepass")
    output = _Output(limit)
    said: deque[bytes] = deque(maxlen=20)
    stopped = threading.Event()

    def feed(stream: Any) -> None:
        left = memoryview(written)
        while left and not stopped.is_set():
            left = left[stream.write(left) :]

    def drain(stream: Any) -> None:
        while not stopped.is_set() and (block := stream.read(_BLOCK)):
            said.append(block)

    def hear(stream: Any) -> None:
        while not stopped.is_set() and output.add(stream.read(_BLOCK)):
            pass

    pipes = ((feed, process.stdin), (drain, process.stderr), (hear, process.stdout))
    threads = [threading.Thread(target=_use, args=pipe, daemon=True) for pipe in pipes]
    try:
        for thread in threads:
            thread.start()
        is_late = not _wait(process, output, time.monotonic() + timeout)
    finally:
        _kill(process)
        process.wait()
        end = time.monotonic() + _GRACE
        for thread in threads:
            thread.join(max(0.0, end - time.monotonic()))
        stopped.set()
    words = " ".join(printable(b"".join(said).decode(errors="replace")).split())[-QUOTED:]
    lines = output.content().decode(errors="replace").splitlines(keepends=True)
    is_cut = is_late or process.returncode or not output.ended.is_set()
    if lines and not lines[-1].endswith("\n") and is_cut:
        lines.pop()  # half a line
    return Ran([line.strip() for line in lines], process.returncode, words, is_late)


def file_hashes(arguments: Sequence[str]) -> list[str]:
    """Return the program's path, its hash, and those of the files it is called with, its script for example.

    Refuses a program that is missing or cannot be executed, before anyone asks for what it answered earlier.
    """
    program = shutil.which(arguments[0])
    if program is None:
        hint = "check its name, and that it may be executed (chmod +x); a file of this folder begins with ./"
        raise SettingError(option="the program", got=arguments[0], expected="an executable file", hint=hint)
    path = Path(program).absolute()  # through no links: what python runs depends on where it is called
    with raising_as(OSError, SettingError, "cannot be read ({})", where=path, option="the program"):
        hashes = [str(path), hash_file(path)]
    for argument in map(Path, arguments[1:]):
        with contextlib.suppress(OSError, ValueError):
            if argument.is_file():
                hashes.append(hash_file(argument))
    return hashes


class _Output:
    """What a command has written so far: `heard` is set when more comes, `ended` when nothing more does."""

    def __init__(self, limit: int) -> None:
        self._blocks: list[bytes] = []
        self._left = limit
        self.heard, self.ended = threading.Event(), threading.Event()

    def add(self, block: bytes) -> bool:
        """Keep a block; False where it is the last one."""
        self._blocks.append(block[: self._left])
        self._left -= len(self._blocks[-1])
        if not block or self.is_full:
            self.ended.set()
        self.heard.set()
        return not self.ended.is_set()

    @property
    def is_full(self) -> bool:
        """Whether it is as long as it may be."""
        return not self._left

    def content(self) -> bytes:
        """Return all of it."""
        return b"".join(self._blocks)


def _use(work: Callable[[Any], None], stream: Any) -> None:
    """Work on a pipe until it ends; a command may end before it has read everything."""
    with contextlib.suppress(OSError, ValueError), stream:
        work(stream)


def _wait(process: "subprocess.Popen[bytes]", output: _Output, end: float) -> bool:
    """Wait until a command has answered, or has answered too much; False where it has not in time."""
    while not output.ended.wait(_LOOK):
        if time.monotonic() > end:
            return False
        if _is_gone(process):  # whoever still holds the pipe is none of its own
            output.heard.clear()
            if not output.heard.wait(_QUIET):
                return True
    if not output.is_full:
        try:
            process.wait(max(0.0, end - time.monotonic()))
        except subprocess.TimeoutExpired:
            return False
    return True


def _is_gone(process: "subprocess.Popen[bytes]") -> bool:
    """Tell whether a command and all that it started in its own session have ended."""
    if process.poll() is None:
        return False
    if hasattr(os, "killpg"):
        with contextlib.suppress(OSError):
            os.killpg(process.pid, 0)
            return False
    return True


def _kill(process: "subprocess.Popen[bytes]") -> None:
    """End the command and what it started."""
    with contextlib.suppress(OSError):
        if hasattr(os, "killpg"):
            os.killpg(process.pid, signal.SIGKILL)
        else:
            process.kill()
