"""Translators outside this process: a command that reads and writes lines, and a service as LibreTranslate offers it.

Neither is trusted to answer, in time, or with as many lines as it got. A Python function will do too.
"""

import json
import re
from abc import ABC, abstractmethod
from collections.abc import Callable, Iterator, Sequence

from imprint.checks import check_between, check_whole
from imprint.encoders.base import identify
from imprint.encoders.http import key_from_environment
from imprint.encoders.server import Client
from imprint.errors import EncoderError, SettingError, TranslatorError
from imprint.masking import printable
from imprint.programs import LONGEST_TIMEOUT, QUOTED, file_hashes, run_lines, split_command

Function = Callable[[Sequence[str], str], Sequence[str]]

PLACE = "{source}"  # in a command: the language translated from
TARGET_PLACE = "{target}"  # and the one translated into

_EXPECTED = "command:PROGRAM ARGUMENTS or the URL of a service such as http://127.0.0.1:5000/translate"
_URL = re.compile("https?://", re.IGNORECASE)
_PREFIX = "command:"
_LINE = 10_000  # bytes of a translated sentence
_BYTES_ASIDE = 1024 * 1024


class Translator(ABC):
    """Base of what translates: its name, a hash of what decides its answers, and the sentences it gets at once."""

    name: str
    identity: str
    batch: int

    def translate(self, sentences: Sequence[str], source: str) -> Iterator[str]:
        """Give one line per sentence, in order."""
        for start in range(0, len(sentences), self.batch):
            batch = sentences[start : start + self.batch]
            lines = self._translate(batch, source)
            if len(lines) != len(batch):
                raise TranslatorError(
                    f"gave {len(lines):,} lines for {len(batch):,} sentences ({source})",
                    where=self.name,
                    hint="write one line per line read",
                )
            yield from (" ".join(line.split()) for line in lines)

    @abstractmethod
    def _translate(self, sentences: Sequence[str], source: str) -> Sequence[str]: ...


class FunctionTranslator(Translator):
    """A Python function of sentences and the code of their language."""

    def __init__(self, function: Function) -> None:
        self.name = getattr(function, "__qualname__", type(function).__name__)
        self.identity = identify(adapter="function", name=self.name)
        self.batch = 1_000
        self._function = function

    def _translate(self, sentences: Sequence[str], source: str) -> Sequence[str]:
        lines = list(self._function(list(sentences), source))
        odd = [line for line in lines if not isinstance(line, str)]
        if odd:
            raise TranslatorError(f"gave {type(odd[0]).__name__} where text is expected", where=self.name)
        return lines


class CommandTranslator(Translator):
    """A command that reads one sentence per line and writes one line for each; {source} and {target} are languages."""

    def __init__(self, command: str, target: str, *, batch: int | None = None, timeout: float | None = None) -> None:
        self._arguments = [argument.replace(TARGET_PLACE, target) for argument in split_command(command)]
        self.name = command
        self.batch = check_whole("batch", 1_000 if batch is None else batch)
        self._timeout = check_between("timeout", 600.0 if timeout is None else timeout, 0.0, LONGEST_TIMEOUT)
        # A program whose name has the language in it is one of several: it is looked for when it is run.
        files = file_hashes(self._arguments) if PLACE not in self._arguments[0] else []
        self.identity = identify(adapter="command", arguments=self._arguments, files=files)

    def _translate(self, sentences: Sequence[str], source: str) -> Sequence[str]:
        ran = run_lines(
            [argument.replace(PLACE, source) for argument in self._arguments],
            sentences,
            timeout=self._timeout,
            limit=len(sentences) * _LINE + _BYTES_ASIDE,
            error=TranslatorError,
            name=self.name,
        )
        if ran.whole:
            return ran.lines
        problem, hint = ran.failure(self._timeout, f"{len(ran.lines):,} of {len(sentences):,} sentences")
        raise TranslatorError(f"{problem} ({source})", where=self.name, hint=hint)


class ServiceTranslator(Translator):
    """A service that gets q, source, target and format, and answers translatedText; q is one text or a list."""

    def __init__(self, url: str, target: str, *, batch: int | None = None, timeout: float | None = None) -> None:
        self._key, self._target = key_from_environment(url), target
        self.name = url
        self.batch = check_whole("batch", 25 if batch is None else batch)
        timeout = 60.0 if timeout is None else timeout
        self._client = Client(url, self._key, batch=self.batch, timeout=timeout)
        self.identity = identify(adapter="service", url=url, **({} if target == "en" else {"target": target}))

    def _translate(self, sentences: Sequence[str], source: str) -> Sequence[str]:
        texts = sentences[0] if self.batch == 1 else list(sentences)
        request = {"q": texts, "source": source, "target": self._target, "format": "text"}
        if self._key:
            request["api_key"] = self._key
        try:
            body = self._client.ask(json.dumps(request).encode(), len(sentences) * _LINE + _BYTES_ASIDE)
        except EncoderError as error:
            hint = "check the URL, and that the service has this language"
            raise TranslatorError(f"{error.message} ({source})", where=self.name, hint=hint) from error
        try:
            answer = json.loads(body)["translatedText"]
        except (ValueError, RecursionError, KeyError, TypeError):
            answer = None
        lines = [answer] if self.batch == 1 else answer
        if not isinstance(lines, list) or not all(isinstance(line, str) for line in lines):
            raise TranslatorError(
                f"has no usable 'translatedText', it begins: {printable(body[:QUOTED].decode(errors='replace'))}",
                where=self.name,
                hint="give --batch 1 if it takes one text at a time" if self.batch > 1 else "check the URL",
            )
        return lines


def find_translator(
    given: str | Function, target: str = "en", *, batch: int | None = None, timeout: float | None = None
) -> Translator:
    """Return the translator into a language that a name or a function means; nothing runs yet."""
    if callable(given):
        return FunctionTranslator(given)
    if _URL.match(given):
        return ServiceTranslator(given, target, batch=batch, timeout=timeout)
    if given.startswith(_PREFIX):
        return CommandTranslator(given.removeprefix(_PREFIX).strip(), target, batch=batch, timeout=timeout)
    raise SettingError(option="the translator", got=given, expected=_EXPECTED)
