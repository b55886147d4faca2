"""Texts to vectors, each distinct text once, with the cache in between."""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import chain

import numpy as np

from imprint.encoders.base import Encoder
from imprint.encoders.cache import EncodingStore
from imprint.encoders.wrapping import VariantEncoder
from imprint.errors import EncoderError, SettingError
from imprint.types import Floats32, Progress


@dataclass(frozen=True, eq=False, repr=False)
class Encodings:
    """The vectors of distinct texts; `encoded` of them were computed now, the others were known."""

    index: Mapping[str, int]
    matrix: Floats32
    encoded: int

    def rows(self, texts: Sequence[str]) -> Floats32:
        """Return one row per text, in order."""
        return self.matrix[[self.index[text] for text in texts]]


def fresh_texts(encoder: Encoder, texts: Iterable[str], cache: EncodingStore | None) -> list[str]:
    """Return the distinct texts that the cache does not have."""
    if isinstance(encoder, VariantEncoder):
        return fresh_texts(encoder.base, texts, cache)
    distinct = list(dict.fromkeys(texts))
    cached = cache.get(encoder.identity, distinct) if cache is not None and encoder.cacheable else {}
    return [text for text in distinct if text not in cached]


def choose_fitting(
    encoder: Encoder, groups: Sequence[Iterable[str]], cache: EncodingStore | None
) -> tuple[list[SettingError | None], int]:
    """Say of each group of texts why it may not be sent, None where it may: the first come first.

    Returned too is how many texts would be sent; of an encoder without a limit, neither is looked up.
    """
    if encoder.max_texts is None:
        return [None] * len(groups), 0
    listed = [dict.fromkeys(group) for group in groups]
    fresh = set(fresh_texts(encoder, chain(*listed), cache))
    chosen: dict[str, None] = {}
    refused: list[SettingError | None] = []
    for group in listed:
        more = {text: None for text in group if text in fresh}
        try:
            encoder.check_count([*(chosen | more)])
        except SettingError as error:
            refused.append(error)
        else:
            chosen |= more
            refused.append(None)
    return refused, len(chosen)


def announce_texts(encoder: Encoder, groups: Sequence[Iterable[str]], cache: EncodingStore | None) -> None:
    """Have a server's encoder say how many texts it will be sent: those groups that fit, the first first."""
    _, count = choose_fitting(encoder, groups, cache)
    encoder.announce(count)


def encode_texts(
    encoder: Encoder,
    texts: Sequence[str],
    beside: Sequence[str] = (),
    *,
    cache: EncodingStore | None = None,
    progress: Progress | None = None,
) -> Encodings:
    """Encode each distinct text once, taking what the cache has and keeping there what it has not.

    An encoder has to tell the texts apart; those `beside` them are only compared with.
    """
    if isinstance(encoder, VariantEncoder):
        whole = encode_texts(encoder.base, texts, beside, cache=cache, progress=progress)
        return replace(whole, matrix=encoder.stored(whole.matrix))
    text_count = len(set(texts))
    distinct = list(dict.fromkeys((*texts, *beside)))
    if not distinct:
        raise SettingError(option="texts", got=texts, expected="at least one text", where=encoder.name)
    store = cache if encoder.cacheable else None
    cached = store.get(encoder.identity, distinct) if store is not None else {}
    wanted = [text for text in distinct if text not in cached]
    encoder.check_count(wanted)
    encoder.announce(len(wanted))
    matrix: Floats32 | None = None
    index = {text: row for row, text in enumerate(distinct)}
    for text, vector in cached.items():
        matrix = _room(matrix, len(distinct), len(vector), encoder.name)
        matrix[index[text]] = vector
    told_apart = text_count == 1
    first = 0  # of the texts that are not on disk yet
    for start in range(0, len(wanted), encoder.chunk):
        chunk = wanted[start : start + encoder.chunk]
        rows = encoder.encode(chunk)
        matrix = _room(matrix, len(distinct), rows.shape[1], encoder.name)
        matrix[[index[text] for text in chunk]] = rows
        done = start + len(chunk)
        # Vectors that are all the same are not kept: a server that is mended keeps its name, and they would stay.
        told_apart = told_apart or _differ(
            matrix[[index[text] for text in (*cached, *wanted[:done]) if index[text] < text_count]]
        )
        if store is not None and told_apart:
            fresh = wanted[first:done]
            store.put(encoder.identity, fresh, matrix[[index[text] for text in fresh]])
            first = done
        if progress is not None:
            progress(done, len(wanted))
    assert matrix is not None
    if not told_apart and not _differ(matrix[:text_count]):
        raise EncoderError(
            f"gives {'the same' if matrix[:text_count].any() else 'a zero'} vector for all {text_count:,} texts",
            where=encoder.name,
            hint="check its weights, and its tokenizer or vocabulary",
        )
    return Encodings(index, matrix, len(wanted))


def _differ(rows: Floats32) -> bool:
    return bool((rows != rows[:1]).any())


def _room(matrix: Floats32 | None, count: int, width: int, name: str) -> Floats32:
    """Return the table to fill, made when the first vector says how wide it is."""
    if matrix is None:
        return np.zeros((count, width), dtype=np.float32)
    if matrix.shape[1] != width:
        raise EncoderError(
            f"gave vectors of {matrix.shape[1]} numbers and now one of {width}",
            expected="one size",
            where=name,
            hint="if the model was changed under its name, go without the cache or remove it",
        )
    return matrix
