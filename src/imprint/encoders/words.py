"""Words where they are in a text: the mean of a word's token vectors, where a model gives these.

Guo and Caliskan (2021, CEAT) ask models for the vector of a word in its sentence. A text says by two marks where its
word is. A model that gives no vectors of tokens is given the sentence without the marks.
"""

import copy
from collections.abc import Iterable, Sequence

import numpy as np
import numpy.typing as npt

from imprint.encoders.base import Encoder
from imprint.encoders.variants import VariantEncoder
from imprint.types import Floats32

START, END = "\x02", "\x03"

WordSpan = tuple[int, int]  # of characters


def without_marks(text: str) -> str:
    """Return a text as it is written."""
    return text.replace(START, "").replace(END, "")


def marked_span(text: str) -> WordSpan:
    """Return where the word is in the text without its marks."""
    return text.index(START), text.index(END) - len(START)


def mean_of_words(hidden: Floats32, offsets: Sequence[Sequence[WordSpan]], spans: Sequence[WordSpan]) -> Floats32:
    """Return the mean over each text's tokens that overlap its span; zeros where none does.

    A word that begins behind the last token that a model reads has none.
    """
    rows = np.zeros((len(hidden), hidden.shape[2]), dtype=np.float32)
    for row, states, tokens, (start, end) in zip(rows, hidden, offsets, spans, strict=True):
        inside = [first < end and last > start and first < last for first, last in tokens]
        if any(inside):
            row[:] = states[inside].mean(axis=0, dtype=np.float64)
    return rows


class WordEncoder(Encoder):
    """An encoder of marked texts: the vector of the word in its sentence, else that of the whole sentence.

    Its identity is the model's: only its texts have marks.
    """

    def __init__(self, base: Encoder) -> None:
        self.base = base
        self.name, self.identity, self.settings = base.name, base.identity, base.settings
        self.cacheable, self.chunk, self.max_texts = base.cacheable, base.chunk, base.max_texts

    def embed(self, texts: Sequence[str]) -> npt.ArrayLike:
        """Return one row per marked text."""
        plain = [without_marks(text) for text in texts]
        if not self.base.gives_tokens:
            return self.base.encode(plain)
        self.base.sent += len(texts)
        return self.base.embed_words(plain, [marked_span(text) for text in texts])

    def check_count(self, texts: Sequence[str]) -> None:
        """Refuse texts that the model may not be sent any more."""
        self.base.check_count(texts)

    def announce(self, count: int) -> None:
        """Say how many texts will be sent in all."""
        self.base.announce(count)

    def lacks(self, words: Iterable[str]) -> tuple[str, ...]:
        """Return the words that the model has no representation of."""
        return self.base.lacks(words)


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
