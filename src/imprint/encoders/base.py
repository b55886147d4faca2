"""What every sentence encoder is to imprint: texts in, one checked float32 row per text out.

May et al. (2019, SEAT), section 2: any model that gives a text a vector of fixed size can be asked.
"""

import copy
import hashlib
import json
import re
import threading
from abc import ABC, abstractmethod
from collections.abc import Callable, Iterable, Mapping, Sequence
from pathlib import Path

import numpy as np
import numpy.typing as npt

from imprint.announcing import announce
from imprint.checks import check_list, check_whole
from imprint.errors import EncoderError, SettingError, raising_as
from imprint.types import Floats32

_COUNTING = threading.Lock()  # parts of an audit send texts from several threads
_LONE_SURROGATE = re.compile("[\ud800-\udfff]")  # what no encoding writes, and no tokenizer reads


class Encoder(ABC):
    """Base class of models that turn texts into vectors; an adapter sets the attributes and writes `embed`.

    Attributes
    ----------
    name
        The name shown in results.
    identity
        Hash of everything that decides a vector (weights, tokenizer, pooling, layers, prefix); the key of the cache.
    settings
        What a result states about the encoder: its adapter, pooling and layers.
    cacheable
        Whether the cache keeps its vectors; False if computing is as quick or the identity is not certain.
    chunk
        Texts per call of `embed`; each finished chunk is saved in the cache.
    gives_tokens
        Whether `embed_words` gives the vector of a word in its text.
    max_texts
        Refuse to encode more texts than this in all.
    sent
        Texts that it was given to encode so far.
    """

    name: str
    identity: str
    settings: Mapping[str, str]
    cacheable: bool = True
    chunk: int = 1_024  # of which one batch per length of text has free places
    gives_tokens: bool = False
    max_texts: int | None = None
    sent: int = 0
    _announced: int = 0
    _hint: str = "ask for fewer tests, or allow more with --max-texts"

    @property
    def sha256(self) -> str:
        """What results name the encoder by, as they do an embedding: its identity."""
        return self.identity

    @abstractmethod
    def embed(self, texts: Sequence[str]) -> npt.ArrayLike:
        """Return one row per text, in order."""

    def embed_words(self, texts: Sequence[str], spans: Sequence[tuple[int, int]]) -> npt.ArrayLike:
        """Return the mean of the token vectors of one word per text, whose place in characters is given.

        A row is zero where the word is behind what the model reads.
        """
        raise NotImplementedError

    def encode(self, texts: Sequence[str]) -> Floats32:
        """Return one float32 row per text, in order, refusing anything but finite numbers."""
        check_list("texts", texts, of="texts")
        for text in texts:
            if _LONE_SURROGATE.search(text):
                raise SettingError(
                    f"the text {text!r} holds a broken character",
                    option="texts",
                    got=text,
                    hint="read it from its file as UTF-8",
                )
        with _COUNTING:
            self.check_count(texts)
            self.sent += len(texts)
        rows = _as_rows(self.name, self.embed(texts), len(texts))
        broken = np.flatnonzero(~np.isfinite(rows).all(axis=1))
        if len(broken):
            text = texts[broken[0]]
            raise EncoderError(
                f"the vector of {text!r} holds NaN or an infinity",
                expected="finite numbers",
                where=self.name,
                words=[text],
                hint="the model or its weights are damaged",
            )
        return rows

    def check_count(self, texts: Sequence[str]) -> None:
        """Refuse these texts where, with those sent so far, they are more than allowed."""
        total = self.sent + len(texts)
        if self.max_texts is not None and total > self.max_texts:
            raise SettingError(
                f"{total:,} texts would be sent in all",
                expected=f"at most {self.max_texts:,}",
                option="max_texts",
                got=total,
                where=self.name,
                hint=self._hint,
            )

    def announce(self, count: int) -> None:
        """Say how many texts will be sent in all with these, unless as many were announced."""
        announce(self.name, self.expect(count))

    def expect(self, count: int) -> int:
        """Return how many texts a server will be sent in all with these; none where as many were announced."""
        total = self.sent + count
        if self.max_texts is None or total <= max(self.sent, self._announced):
            return 0
        self._announced = total
        return total

    def at_most(self, count: int, *, hint: str) -> "Encoder":
        """Return the encoder with a limit of so many more texts, and what to do about it; or its own, if lower."""
        limited, limit = copy.copy(self), self.sent + count
        if self.max_texts is None or limit < self.max_texts:
            limited.max_texts, limited._hint = limit, hint
        return limited

    def lacks(self, words: Iterable[str]) -> tuple[str, ...]:
        """Return the words this encoder has no representation of; most know every text."""
        return ()

    def export(self, folder: Path, weight: Floats32, bias: Floats32) -> str | None:
        """Write the model into a folder with an affine map as its last step; return what it became.

        None where the model is not one that can be written, such as a server.
        """
        return None

    def __repr__(self) -> str:
        return f"{type(self).__name__}({self.name!r}, {', '.join(f'{k}={v}' for k, v in self.settings.items())})"


class FunctionEncoder(Encoder):
    """An encoder made from any function from a list of texts to one row per text.

    Parameters
    ----------
    function
        Takes a list of texts and returns one row per text.
    name
        The name shown in results; by default the function's.
    identity
        Your own version of the function. Its vectors are kept on disk only if this is given.
    chunk
        Texts per call of the function.

    Examples
    --------
    >>> encoder = imprint.FunctionEncoder(lambda texts: [[len(text), 1.0] for text in texts], name="length")
    >>> encoder.encode(["a rose"])
    array([[6., 1.]], dtype=float32)
    """

    def __init__(
        self,
        function: Callable[[Sequence[str]], npt.ArrayLike],
        *,
        name: str | None = None,
        identity: str | None = None,
        chunk: int = 512,
    ) -> None:
        check_whole("chunk", chunk)
        self.name = name or str(getattr(function, "__name__", type(function).__name__))
        self.identity = identify(adapter="function", name=self.name, identity=identity)
        self.settings = {"adapter": "function", "pooling": "the function's own"}
        self.cacheable = identity is not None
        self.chunk = chunk
        self._function = function

    def embed(self, texts: Sequence[str]) -> npt.ArrayLike:
        """Return what the function returns."""
        return self._function(list(texts))


def identify(**parts: object) -> str:
    """Return a hash of what decides an encoder's vectors; parts must be plain values."""
    return hashlib.sha256(json.dumps(parts, sort_keys=True).encode()).hexdigest()


def stated(**settings: str | None) -> dict[str, str]:
    """Return what a result states about an encoder: the settings that are set."""
    return {name: value for name, value in settings.items() if value}


def _as_rows(name: str, answer: npt.ArrayLike, count: int) -> Floats32:
    odd = (TypeError, ValueError, RuntimeError)  # the last from torch, for a tensor that wants gradients
    problem = "its vectors are not a table of numbers of one length ({})"
    with (
        raising_as(odd, EncoderError, problem, expected="one row per text", where=name),
        np.errstate(over="ignore"),  # becomes an infinity, which is refused with the text it belongs to
    ):
        rows = np.asarray(answer, dtype=np.float32)
    if rows.ndim != 2 or len(rows) != count or (count and not rows.shape[1]):
        raise EncoderError(
            f"gave an array of shape {rows.shape} for {count} texts", expected="one row per text", where=name
        )
    return rows
