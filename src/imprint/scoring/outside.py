"""Scorers outside this process: a command that reads lines and writes numbers, and an endpoint over HTTP.

Neither is trusted to answer, in time, or with numbers. The command runs without a shell, and only what was named runs.
"""

import contextlib
import hashlib
import json
import os
import shlex
import signal
import subprocess
import threading
from collections import deque
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from imprint.checks import check_between, check_whole
from imprint.encoders.address import check_key, key_from_environment
from imprint.encoders.base import identify
from imprint.encoders.http import HttpReply, exchange
from imprint.encoders.server import ServerEncoder
from imprint.errors import EncoderError, ScorerError, SettingError, raising_as
from imprint.printable import printable
from imprint.scoring.scorers import Scorer, as_scores
from imprint.types import Floats

_LINE = 1_000  # characters of a line that is a number
_BYTES_ASIDE = 1024 * 1024
_BYTES_PER_SCORE = 1_024
_QUOTED = 200  # characters of what a command said that a message repeats
_LARGEST_SCRIPT = 16 * 1024 * 1024
_LONGEST_TIMEOUT = 86_400.0  # seconds


class CommandScorer(Scorer):
    """A command that reads one text per line and writes one number per line; it is started once per batch.

    `timeout` is for one batch. Files that the command names are part of its identity.
    """

    def __init__(self, command: str, *, batch: int = 512, timeout: float = 600.0) -> None:
        with raising_as(ValueError, SettingError, "the command cannot be split into words ({})", option="command"):
            self._arguments = shlex.split(command)
        if not self._arguments:
            raise SettingError(option="command", got=command, expected="a program with its arguments")
        self.name = command
        self.batch = check_whole("batch", batch)
        self._timeout = check_between("timeout", timeout, 0.0, _LONGEST_TIMEOUT)
        self.identity = identify(adapter="command", arguments=self._arguments, files=_hashes(self._arguments))

    def score(self, texts: Sequence[str]) -> Floats:
        """Run the command on the texts; what it wrote before it failed is kept with the error."""
        lines, code, said, late = self._run("".join(f"{' '.join(text.split())}\n" for text in texts), len(texts))
        numbers: list[float] = []
        odd = None
        for line in lines:
            try:
                numbers.append(float(line))
            except ValueError:
                odd = line
                break
        if odd is None and code == 0 and not late:
            return as_scores(self.name, numbers, texts)
        kept = tuple(numbers) if len(numbers) < len(texts) else ()
        if late:
            problem, hint = f"gave no complete answer within {self._timeout:g} s", "raise --timeout, or lower --batch"
        elif odd is not None:
            problem = f"wrote {odd[:_QUOTED]!r} in line {len(numbers) + 1:,}"
            hint, kept = "write one number per line and nothing else", ()
        else:
            problem = f"ended with exit code {code} after {len(numbers):,} of {len(texts):,} scores"
            hint = f"it said: {said}" if said else "run it by itself to see why"
        raise ScorerError(problem, where=self.name, hint=hint, scores=kept)

    def _run(self, written: str, count: int) -> tuple[list[str], int, str, bool]:
        """Return the lines written, the exit code, the end of what was said on stderr, and whether time ran out."""
        problem = "cannot be run ({})"
        with raising_as((OSError, ValueError), ScorerError, problem, where=self.name, hint="check the program's name"):
            process = subprocess.Popen(  # noqa: S603 - what the user named, and without a shell
                self._arguments,
                stdin=subprocess.PIPE,
                stdout=subprocess.PIPE,
                stderr=subprocess.PIPE,
                start_new_session=True,
            )
        assert process.stdout
        assert process.stderr
        late = threading.Event()
        said: deque[bytes] = deque(maxlen=20)

        def stop() -> None:
            late.set()
            _kill(process)

        def feed(stream: Any) -> None:
            with contextlib.suppress(OSError, ValueError):  # a command may end before it has read everything
                stream.write(written.encode("utf-8", "surrogatepass"))
                stream.close()

        def drain(stream: Any) -> None:
            with contextlib.suppress(OSError, ValueError):
                said.extend(iter(lambda: stream.read1(4096), b""))

        timer = threading.Timer(self._timeout, stop)
        threads = [
            threading.Thread(target=work, args=(stream,), daemon=True)
            for work, stream in ((feed, process.stdin), (drain, process.stderr))
        ]
        try:
            for thread in (timer, *threads):
                thread.start()
            limit = count * _LINE + _BYTES_ASIDE
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
        words = " ".join(printable(b"".join(said).decode(errors="replace")).split())[-_QUOTED:]
        lines = output.decode(errors="replace").splitlines(keepends=True)
        if lines and not lines[-1].endswith("\n") and (late.is_set() or process.returncode):
            lines.pop()  # half a number
        return [line.strip() for line in lines], process.returncode, words, late.is_set()


class EndpointScorer(Scorer):
    """An endpoint that gets {"texts": [...]} and answers {"scores": [...]}, asked as embeddings servers are."""

    def __init__(
        self,
        url: str,
        *,
        batch: int = 64,
        timeout: float = 10.0,
        retries: int = 4,
        max_texts: int | None = 20_000,
        **timing: float,
    ) -> None:
        self._client = _Client(
            url,
            key_from_environment(url),
            batch=batch,
            timeout=timeout,
            retries=retries,
            max_texts=max_texts,
            **timing,
        )
        self.name, self.batch, self.max_texts = url, batch, max_texts
        self.identity = identify(adapter="endpoint", url=url)

    def score(self, texts: Sequence[str]) -> Floats:
        """Ask the endpoint for the scores of the texts."""
        request = json.dumps({"texts": list(texts)}).encode()
        try:
            body = self._client.ask(request, len(texts) * _BYTES_PER_SCORE + _BYTES_ASIDE)
        except EncoderError as error:
            raise ScorerError(error.message, where=error.where, hint=error.hint) from error
        try:
            document = json.loads(body)
            answer = document["scores"]
        except (ValueError, RecursionError, KeyError, TypeError) as error:
            begins = printable(body[:_QUOTED].decode(errors="replace"))
            raise ScorerError(
                f"its answer has no list under 'scores', it begins: {begins}",
                where=self.name,
                hint='answer {"scores": [...]} to {"texts": [...]}',
            ) from error
        return as_scores(self.name, answer, texts)


class _Client(ServerEncoder):
    """The client of embeddings servers, with its limits, retries and rules for keys, at one address as it is."""

    def __init__(self, url: str, key: str | None, **settings: Any) -> None:
        super().__init__(url, model="scores", key=key, **settings)
        self._base = url
        check_key(key, url)

    def ask(self, request: bytes, limit: int) -> bytes:
        """Return the body of a success, sending the request again while that may help."""
        return self._ask(request, limit=limit)

    def _exchange(self, endpoint: str, *, body: bytes | None = None, timeout: float, limit: int) -> HttpReply:
        return exchange(self._opener, self._base, body=body, key=self._key, timeout=timeout, limit=limit)


def _kill(process: "subprocess.Popen[bytes]") -> None:
    """End the command and what it started."""
    with contextlib.suppress(OSError):
        if hasattr(os, "killpg"):
            os.killpg(process.pid, signal.SIGKILL)
        else:
            process.kill()


def _hashes(arguments: Sequence[str]) -> list[str]:
    """Return the hashes of the files that a command names, its script for example."""
    found = []
    for argument in arguments[1:]:
        with contextlib.suppress(OSError, ValueError):
            path = Path(argument)
            if path.is_file() and path.stat().st_size <= _LARGEST_SCRIPT:
                found.append(hashlib.sha256(path.read_bytes()).hexdigest())
    return found
