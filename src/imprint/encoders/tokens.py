"""Texts as tokens, alike in all adapters that run a model here: in batches, and pooled to a vector per text or word.

How a matrix product rounds depends on its shape, and in some libraries on a row's place in it. So a batch has texts of
one length in tokens, without padding, and always as many of them: free places are filled with a text that is there
already. Where the place matters too, a hash of the text decides it. A text's vector then does not depend on the texts
beside it.

May et al. (2019, SEAT), Table 3, pool so: a mean over ELMo's tokens summed over its layers, BERT's first token, GPT's
last.
"""

import zlib
from abc import abstractmethod
from collections import defaultdict
from collections.abc import Callable, Iterator, Sequence
from itertools import zip_longest
from typing import get_args

import numpy as np
import numpy.typing as npt

from imprint.checks import Layers, Pooling
from imprint.encoders.base import Encoder
from imprint.errors import EncoderError
from imprint.types import Floats, Floats32

TOKENS = 256  # of a batch, unless a text alone has more: what is quickest on a CPU
POOLINGS: tuple[Pooling, ...] = get_args(Pooling)
LAYERS: tuple[Layers, ...] = get_args(Layers)

WordSpan = tuple[int, int]  # of characters


class TokenEncoder(Encoder):
    """Base of adapters that split texts into tokens; a subclass sets the prefix and writes `_encode`."""

    _prefix: str  # put before every text

    def embed(self, texts: Sequence[str]) -> npt.ArrayLike:
        """Return one row per text."""
        return self._prefixed(texts, None)

    def embed_words(self, texts: Sequence[str], spans: Sequence[WordSpan]) -> npt.ArrayLike:
        """Return one row per word in its text."""
        shift = len(self._prefix)
        return self._prefixed(texts, [(start + shift, end + shift) for start, end in spans])

    def _prefixed(self, texts: Sequence[str], spans: list[WordSpan] | None) -> npt.ArrayLike:
        return self._encode([self._prefix + text for text in texts], spans) if texts else np.empty((0, 0), np.float32)

    @abstractmethod
    def _encode(self, texts: list[str], spans: list[WordSpan] | None) -> npt.ArrayLike:
        """Return one row per text that has its prefix, or one per word at a place in it."""


def encode_in_batches(
    texts: Sequence[str],
    lengths: Sequence[int],
    encode: Callable[[list[int]], npt.ArrayLike],
    *,
    most: int,
    tokens: int = TOKENS,
    placed: bool = False,
) -> Floats32:
    """Return one row per text; `encode` gets the indices of a batch.

    `lengths` are the texts' numbers of tokens, `most` is the most texts of a batch, and `tokens` the most tokens. With
    `placed`, a text has the same place in every batch. All batches are begun before the first one's rows are read.
    """
    order: list[int] = []
    begun: list[tuple[npt.ArrayLike, list[bool]]] = []
    for batch in _batches(texts, lengths, most, tokens, placed):
        present = [index for index in batch if index is not None]
        rows = encode([present[0] if index is None else index for index in batch])
        begun.append((rows, [index is not None for index in batch]))
        order += present
    encoded = np.concatenate([np.asarray(rows, dtype=np.float32)[is_text] for rows, is_text in begun])
    return encoded[np.argsort(order)]


def check_tokens(name: str, texts: Sequence[str], lengths: Sequence[int]) -> None:
    """Refuse a text without tokens."""
    if 0 in lengths:
        text = texts[lengths.index(0)]
        raise EncoderError(f"the text {text!r} has no tokens", where=name, words=[text], hint="leave it out")


def pool(hidden: Floats32, pooling: Pooling) -> Floats32:
    """Reduce hidden states of shape (texts, tokens, width) to (texts, width).

    "cls" is a text's first token, whatever it is called, and "last" its last.
    """
    match pooling:
        case "cls":
            return hidden[:, 0]
        case "last":
            return hidden[:, -1]
        case "max":
            return np.asarray(hidden.max(axis=1), dtype=np.float32)
        case "mean":
            return np.asarray(hidden.mean(axis=1, dtype=np.float64), dtype=np.float32)


def combine(layers: Sequence[Floats32], how: Layers) -> Floats32:
    """Reduce the hidden states of all layers to one array of their shape.

    The layers run from the embedding layer's output, which counts as one in sum and mean, to the last block's.
    """
    if how == "last":
        return layers[-1]
    total: Floats = np.sum(layers, axis=0, dtype=np.float64)
    return (total / len(layers) if how == "mean" else total).astype(np.float32)


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


def _batches(
    texts: Sequence[str], lengths: Sequence[int], most: int, tokens: int, placed: bool
) -> Iterator[tuple[int | None, ...]]:
    """Give batches of indices, None where a place is free."""
    by_length: dict[int, list[int]] = defaultdict(list)
    for index, length in enumerate(lengths):
        by_length[length].append(index)
    for length, indices in sorted(by_length.items()):
        places: list[list[int]] = [[] for _ in range(max(1, min(most, tokens // max(1, length))))]
        for turn, index in enumerate(indices):
            place = zlib.crc32(texts[index].encode()) if placed else turn
            places[place % len(places)].append(index)
        yield from zip_longest(*places)
