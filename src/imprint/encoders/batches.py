"""Batches in which a text's vector does not depend on the texts beside it.

How a matrix product rounds depends on its shape, and in some libraries on a row's place in it. So a batch has texts of
one length in tokens, without padding, and always as many of them: free places are filled with a text that is there
already. Where the place matters too, a hash of the text decides it.
"""

import zlib
from collections import defaultdict
from collections.abc import Callable, Iterator, Sequence
from itertools import zip_longest

import numpy as np
import numpy.typing as npt

from imprint.errors import EncoderError
from imprint.types import Floats32

TOKENS = 256  # of a batch, unless a text alone has more: what is quickest on a CPU


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
