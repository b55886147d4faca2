"""Spelling, which shapes every model that reads words in pieces: do words go with names, or with their letters?

A sentence encoder knows a rare name by its pieces, and puts Marla near marble. Groups of names then share letters
rather than bearers, and the output has to say so. Words of the names' own language are spelt like them as well.
"""

from collections.abc import Sequence
from itertools import chain, pairwise

import numpy as np

from imprint.types import Floats, Indices, Ints

_LENGTHS = (1, 2, 3)  # of the pieces compared


def spelling_ranks(
    names: Sequence[str],
    labels: Indices,
    words: Sequence[str],
    offsets: Ints,
    chosen: Ints,
) -> Floats:
    """Return how the words chosen for each cell rank within their category by being spelt like the group's names.

    0.5 is chance, 1 the most alike. `words` go category by category from `offsets`; `chosen` holds, for each
    (category, group), the places of its words, -1 where there are too few: NaN there.
    """
    likeness = _likeness(names, labels, words)
    ranks = np.full(chosen.shape[:2], np.nan)
    for j, (start, end) in enumerate(pairwise(offsets)):
        for i in range(chosen.shape[1]):
            if chosen[j, i].min() >= 0:
                ordered = np.sort(likeness[start:end, i])
                places = [np.searchsorted(ordered, likeness[chosen[j, i], i], side) for side in ("left", "right")]
                ranks[j, i] = np.mean(places) / len(ordered)
    return ranks


def _likeness(names: Sequence[str], labels: Indices, words: Sequence[str]) -> Floats:
    """Return, for each word and group, how much commoner its pieces are in the group's names than in all."""
    index: dict[str, int] = {}
    of_names = [[index.setdefault(piece, len(index)) for piece in _pieces(name)] for name in names]
    every = list(map(_pieces, words))
    of_words = [[index[piece] for piece in pieces if piece in index] for pieces in every]
    lengths = np.array(list(map(len, every)))
    owners, pieces = _flat(of_words)
    likeness = np.empty((len(words), int(labels.max()) + 1))
    everywhere = np.bincount(_flat(of_names)[1], minlength=len(index))
    for group in range(likeness.shape[1]):
        members = np.flatnonzero(labels == group)
        within = np.bincount(_flat([of_names[i] for i in members])[1], minlength=len(index))
        commoner = within / len(members) - everywhere / len(names)
        likeness[:, group] = np.bincount(owners, weights=commoner[pieces], minlength=len(words)) / lengths
    return likeness.round(12)  # so that equal is equal


def _pieces(word: str) -> list[str]:
    ended = f"<{word.lower()}>"
    # In order: that of a set changes from run to run, and with it the last bits of sums.
    return sorted({ended[start : start + size] for size in _LENGTHS for start in range(len(ended) - size + 1)})


def _flat(lists: Sequence[Sequence[int]]) -> tuple[Indices, Indices]:
    """Return the place of the list that each item is in, and the items."""
    owners = np.repeat(np.arange(len(lists)), list(map(len, lists)))
    return owners, np.fromiter(chain.from_iterable(lists), dtype=np.intp, count=len(owners))
