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

_TOKENS = 256  # of a batch, unless a text alone has more


def encode_in_batches(
    texts: Sequence[str],
    lengths: Sequence[int],
    encode: Callable[[list[int]], npt.ArrayLike],
    *,
    most: int,
    placed: bool = False,
) -> Floats32:
    """Return one row per text; `encode` gets the indices of a batch.

    `lengths` are the texts' numbers of tokens, and `most` is the most texts of a batch. With `placed`, a text has the
    same place in every batch.
    """
    order: list[int] = []
    found: list[Floats32] = []
    for batch in _batches(texts, lengths, most, placed):
        present = [index for index in batch if index is not None]
        rows = np.asarray(encode([present[0] if index is None else index for index in batch]), dtype=np.float32)
        found.append(rows[[index is not None for index in batch]])
        order += present
    rows = np.concatenate(found)
    return rows[np.argsort(order)]


def check_tokens(name: str, texts: Sequence[str], lengths: Sequence[int]) -> None:
    """Refuse a text without tokens."""
    if 0 in lengths:
        text = texts[lengths.index(0)]
        raise EncoderError(f"the text {text!r} has no tokens", where=name, words=[text], hint="leave it out")


def _batches(
    texts: Sequence[str], lengths: Sequence[int], most: int, placed: bool
) -> Iterator[tuple[int | None, ...]]:
    """Give batches of indices, None where a place is free."""
    by_length: dict[int, list[int]] = defaultdict(list)
    for index, length in enumerate(lengths):
        by_length[length].append(index)
    for length, indices in sorted(by_length.items()):
        places: list[list[int]] = [[] for _ in range(max(1, min(most, _TOKENS // max(1, length))))]
        for turn, index in enumerate(indices):
            place = zlib.crc32(texts[index].encode()) if placed else turn
            places[place % len(places)].append(index)
        yield from zip_longest(*places)
