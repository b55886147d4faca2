"""Encoders made of another one: as they are deployed, and of words where they are in a text.

Kusupati et al. (2022, Matryoshka representations) train models whose first numbers are a vector by themselves. Search
engines keep vectors as 8-bit whole numbers or as signs. Here a text's vector alone decides what becomes of it, so it
does not depend on which other texts are encoded.

Guo and Caliskan (2021, CEAT) ask models for the vector of a word in its sentence. A text says by two marks where its
word is. A model that gives no vectors of tokens is given the sentence without the marks.
"""

import copy
from collections.abc import Iterable, Sequence
from typing import Self

import numpy as np
import numpy.typing as npt

from imprint.checks import QUANTIZATIONS, Quantization, check_choice, check_whole
from imprint.encoders.base import Encoder, identify, stated
from imprint.encoders.tokens import WordSpan
from imprint.errors import SettingError
from imprint.types import Floats32

START, END = "\x02", "\x03"

_LARGEST = 127  # of eight bits with a sign


class WrappingEncoder(Encoder):
    """Base of encoders made of another one, their `base`, which is what texts are sent to; it takes after that."""

    def __init__(self, base: Encoder) -> None:
        self.base = base
        self.name, self.identity, self.settings = base.name, base.identity, base.settings
        self.cacheable, self.chunk, self.max_texts = base.cacheable, base.chunk, base.max_texts

    def check_count(self, texts: Sequence[str]) -> None:
        """Refuse texts that the encoder may not be sent any more."""
        self.base.check_count(texts)

    def expect(self, count: int) -> int:
        """Return how many texts the encoder will be sent in all."""
        return self.base.expect(count)

    def at_most(self, count: int, *, hint: str) -> Self:
        """Return the same of an encoder with a limit of so many more texts."""
        limited = copy.copy(self)
        limited.base = self.base.at_most(count, hint=hint)
        limited.max_texts = limited.base.max_texts
        return limited

    def lacks(self, words: Iterable[str]) -> tuple[str, ...]:
        """Return the words that the encoder has no representation of."""
        return self.base.lacks(words)


class VariantEncoder(WrappingEncoder):
    """An encoder whose vectors are cut to `dims` numbers, then stored as `quantize` says; `base` gives them whole.

    The cache keeps the whole vectors, so that several variants of a model encode each text once.
    """

    def __init__(self, base: Encoder, *, dims: int | None = None, quantize: Quantization | None = None) -> None:
        check_whole("dims", 1 if dims is None else dims)
        if quantize is not None:
            check_choice("quantize", quantize, QUANTIZATIONS)
        super().__init__(base)
        self._dims, self._quantize = dims, quantize
        chosen = stated(dims=str(dims) if dims else None, quantize=quantize)
        shown = ([f"{dims} dims"] if dims else []) + ([quantize] if quantize else [])
        self.name = f"{base.name} ({', '.join(shown)})"
        self.identity = identify(adapter="variant", encoder=base.identity, **chosen)
        self.settings = {**base.settings, **chosen}

    def embed(self, texts: Sequence[str]) -> npt.ArrayLike:
        """Return the encoder's vectors as they are deployed."""
        return self.stored(self.base.encode(texts))

    def stored(self, rows: Floats32) -> Floats32:
        """Return what is stored of whole vectors; one of zeros, of a text that is not known, stays one."""
        if self._dims is not None and len(rows):
            if self._dims > rows.shape[1]:
                raise SettingError(
                    option="dims", got=self._dims, expected=f"at most {rows.shape[1]:,}", where=self.base.name
                )
            rows = rows[:, : self._dims]
        if self._quantize == "binary":
            return np.where(rows.any(axis=1, keepdims=True), np.where(rows > 0, 1, -1), 0).astype(np.float32)
        if self._quantize == "int8":
            largest = np.abs(rows).max(axis=1, keepdims=True, initial=0.0)
            return np.asarray(np.rint(rows / np.maximum(largest, np.finfo(np.float32).tiny) * _LARGEST), np.float32)
        return rows


class WordEncoder(WrappingEncoder):
    """An encoder of marked texts: the vector of the word in its sentence, else that of the whole sentence.

    Its identity is the model's: only its texts have marks.
    """

    def embed(self, texts: Sequence[str]) -> npt.ArrayLike:
        """Return one row per marked text."""
        plain = [without_marks(text) for text in texts]
        if not self.base.gives_tokens:
            return self.base.encode(plain)
        self.base.sent += len(texts)
        return self.base.embed_words(plain, [marked_span(text) for text in texts])


def words_in_context(encoder: Encoder) -> Encoder:
    """Return an encoder of marked texts."""
    if isinstance(encoder, VariantEncoder):
        variant = copy.copy(encoder)
        variant.base = words_in_context(encoder.base)
        return variant
    return WordEncoder(encoder)


def gives_tokens(encoder: Encoder) -> bool:
    """Tell whether an encoder of marked texts gives vectors of words, not of sentences."""
    base = encoder.base if isinstance(encoder, VariantEncoder) else encoder
    return isinstance(base, WordEncoder) and base.base.gives_tokens


def without_marks(text: str) -> str:
    """Return a text as it is written."""
    return text.replace(START, "").replace(END, "")


def marked_span(text: str) -> WordSpan:
    """Return where the word is in the text without its marks."""
    return text.index(START), text.index(END) - len(START)
