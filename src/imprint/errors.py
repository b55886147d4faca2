"""Everything imprint raises on purpose: fields that say what came, what was expected and what to do.

    ImprintError
    ├── SubjectError         a name that is neither an embedding nor an encoder, or is the other of the two
    ├── EmbeddingFileError   a file that is not an embedding, or a broken one
    ├── CorpusError          text that cannot be read, or in which nothing can be counted
    ├── EncoderError         an encoder that cannot be opened, or that gives no usable vectors
    ├── ScorerError          a scorer that cannot be run, or that gives no usable scores
    ├── TranslatorError      a translator that cannot be run, or that gives no usable lines
    ├── VocabularyError      words that are missing, duplicated or on both sides of a test
    ├── StimulusError        a test, word list or property table that cannot be used
    ├── SettingError         an option out of its range
    ├── MissingExtraError    an optional library that is not installed
    ├── RefusedError         a request that a served page refuses, with its status (in web/pages.py)
    └── StudyError           what a study refuses, and its children (in study/design.py)

The sentence is made here and nowhere else, in one line without what steers a terminal: names and values come from
files and servers. The fields are as they came. The command line prints the sentence and exits with 1.
"""

import contextlib
import copyreg
import numbers
from collections.abc import Iterable, Iterator, Sized
from os import PathLike
from pathlib import PurePath
from typing import Any

from imprint.masking import printable
from imprint.version import DISTRIBUTION

Place = str | PathLike[str]

_ABSENT = object()
_LONGEST = 80  # characters of a value that a sentence shows
_LONGEST_SENTENCE = 2000  # characters
_PLAIN = (str, bytes, numbers.Number, tuple, list, set, frozenset, dict, PurePath)  # what can cross to another process


class ImprintError(Exception):
    """Base of every error a user can cause and correct; the fields that were not given are None.

    Parameters
    ----------
    message
        What happened. Without it the sentence is "`option` must be `expected`, got `got`".
    option
        The parameter or command line option that is wrong.
    got
        Its value, shown in at most 80 characters.
    expected
        What it must be.
    hint
        What to do.
    where
        The file, model or test concerned, or a tuple that goes on with a line number or another place in it.
    words
        The words concerned.
    """

    def __init__(
        self,
        message: str | None = None,
        *,
        option: str | None = None,
        got: object = _ABSENT,
        expected: str | None = None,
        hint: str | None = None,
        where: Place | tuple[Place | int, ...] | None = None,
        words: Iterable[str] = (),
    ) -> None:
        self.message, self.option, self.expected, self.hint, self.where = message, option, expected, hint, where
        self.got = None if got is _ABSENT else got
        self.words = tuple(words)
        if message is None:
            said = f"{option} must be {expected}" + ("" if got is _ABSENT else f", got {brief(got)}")
        else:
            said = message + (f", expected {expected}" if expected else "")
        places = where if isinstance(where, tuple) else () if where is None else (where,)
        parts = [*(f"line {place:,}" if isinstance(place, int) else str(place) for place in places), said]
        sentence = printable(" ".join((": ".join(parts) + (f"; {hint}" if hint else "")).splitlines()))
        if len(sentence) > _LONGEST_SENTENCE:  # names from files have any length; the end says what to do
            half = _LONGEST_SENTENCE // 2
            sentence = f"{sentence[:half]} … {sentence[-half:]}"
        super().__init__(sentence)

    def __reduce__(self) -> tuple[Any, ...]:
        """Keep every field in a copy or another process; a `got` that may not travel becomes its description."""
        fields = vars(self) | {
            "got": self.got if isinstance(self.got, _PLAIN) or self.got is None else brief(self.got)
        }
        return copyreg.__newobj__, (type(self), *self.args), fields  # type: ignore[attr-defined]


class SubjectError(ImprintError):
    """A name that is neither an embedding nor an encoder, or the one where the other is needed."""


class EmbeddingFileError(ImprintError):
    """A file that is not an embedding, or is a broken one; `where` is the file, and the line if there is one."""


class CorpusError(ImprintError):
    """Text that cannot be read, or in which nothing can be counted; `where` is the file, and the line."""


class EncoderError(ImprintError):
    """An encoder that cannot be opened, or that gives no usable vectors; `where` is its name or file."""


class ScorerError(ImprintError):
    """A scorer that cannot be run, or that gives no usable scores; `scores` are those it gave before it failed."""

    def __init__(self, message: str | None = None, *, scores: Iterable[float] = (), **fields: Any) -> None:
        super().__init__(message, **fields)
        self.scores = tuple(scores)


class TranslatorError(ImprintError):
    """A translator that cannot be run, or that gives no usable lines; `where` is its name."""


class VocabularyError(ImprintError):
    """Words that are missing, duplicated or on both sides of a test; `words` are those words."""


class StimulusError(ImprintError):
    """A test, a word list or a property table that cannot be used."""


class SettingError(ImprintError):
    """An option out of its range."""


class MissingExtraError(ImprintError):
    """An optional library is needed and not installed; `extra` is what to install."""

    def __init__(self, library: str, extra: str) -> None:
        super().__init__(f"this needs {library}", hint=f"install it with {pip_install(extra)}")
        self.library, self.extra = library, extra


def pip_install(extra: str) -> str:
    """Return the command that installs an extra."""
    return f"pip install '{DISTRIBUTION}[{extra}]'"


@contextlib.contextmanager
def raising_as(
    causes: type[Exception] | tuple[type[Exception], ...], kind: type[ImprintError], message: str, **fields: Any
) -> Iterator[None]:
    """Turn what the system or a library raises into an error of ours; {} in the message becomes its reason."""
    try:
        yield
    except ImprintError:
        raise
    except causes as error:
        reason = " ".join(str(getattr(error, "strerror", None) or error).split())[:200]
        raise kind(message.replace("{}", reason or type(error).__name__), **fields) from error


def reading_file(
    kind: type[ImprintError], where: Place, hint: str = "check the path and its permissions"
) -> contextlib.AbstractContextManager[None]:
    """Turn the system's refusal to read a file into an error of ours."""
    return raising_as(OSError, kind, "cannot be read ({})", where=where, hint=hint)


@contextlib.contextmanager
def requiring(library: str, extra: str) -> Iterator[None]:
    """Refuse to go on where an optional library, imported inside, is not installed."""
    try:
        yield
    except ImportError as error:
        raise MissingExtraError(library, extra) from error


def brief(value: object) -> str:
    """Return a value for a message: text and numbers as they are but cut, anything else by its type and size."""
    if value is None or isinstance(value, str | bytes | PurePath):
        shown = repr(str(value) if isinstance(value, PurePath) else value[: _LONGEST + 1] if value else value)
    elif isinstance(value, int) and abs(value) >= 10**_LONGEST:
        shown = f"an integer of {value.bit_length():,} bits"  # Python refuses to write out the longest ones
    elif isinstance(value, numbers.Number):
        shown = str(value)
    else:
        name, shape = type(value).__name__, getattr(value, "shape", None)
        if isinstance(shape, tuple):
            shown = f"{name} of shape {shape}"
        else:
            shown = f"{name} of length {len(value):,}" if isinstance(value, Sized) else name
    return shown if len(shown) <= _LONGEST else f"{shown[: _LONGEST - 1]}…"
