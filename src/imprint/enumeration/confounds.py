"""Does a group stand for people, or for word frequency, or for spelling? Both shape every model.

Common names lie near common words. A group of the commonest names therefore "associates" with the most frequent words
of every category; that is word frequency speaking, and the output has to say so.

A sentence encoder knows a rare name by its pieces, and puts Marla near marble. Groups of names then share letters
rather than bearers, and the output has to say so. Words of the names' own language are spelt like them as well.
"""

from collections.abc import Sequence
from dataclasses import replace
from itertools import chain, pairwise

import numpy as np

from imprint.checks import Centre
from imprint.embeddings.embedding import Embedding
from imprint.enumeration.groups import category_centres
from imprint.significance.ranks import midranks
from imprint.significance.rotations import Cells
from imprint.threads import single_threaded
from imprint.types import Floats, Floats32, Indices, Ints

CHECK_ROTATIONS = 1_000  # of the null without frequency: enough to see whether an association is still there
EXPLAINED = 0.5  # a group is flagged when fewer of its associations than this share survive

_NOTHING = 1e-6  # relative: what rounding leaves of directions
_LENGTHS = (1, 2, 3)  # of the pieces compared


def log_frequency(embedding: Embedding, rows: Indices) -> Floats:
    """Return a proxy for log frequency: minus the logarithm of the rank, as Zipf's law has it."""
    ranks = rows if embedding.ranks is None else embedding.ranks[rows]
    return -np.log(np.asarray(ranks, dtype=np.float64) + 1)


def frequency_direction(words: Floats32, frequency: Floats) -> Floats:
    """Return the unit direction of the covariance of words with frequency; zero where there is none.

    Across it no direction is correlated with frequency. That is not so of the regression's slope: on the bundled
    embedding, words without the slope still tell three quarters of the variance of frequency.
    """
    with single_threaded():
        covariance = (frequency - frequency.mean()) @ (words.astype(np.float64) - words.mean(axis=0, dtype=np.float64))
    length = np.linalg.norm(covariance)
    return np.asarray(covariance / length if length > 0 else covariance)


def drop_direction(vectors: Floats32 | Floats, direction: Floats) -> Floats:
    """Return the coordinates of rows in the space across a direction, which has one dimension less.

    Rows that merely lost the direction would stay in the larger space, and there a random rotation turns part of
    every name away from all words: the null would be too low.
    """
    # The reflection that takes the direction to the last axis; then that axis goes.
    mirror = direction.copy()
    mirror[-1] += np.copysign(1.0, mirror[-1])
    with single_threaded():
        reflected = vectors - np.outer(vectors @ mirror, mirror * (2 / (mirror @ mirror)))
    return np.asarray(reflected[:, :-1])


def without_direction(vectors: Floats32, direction: Floats) -> Floats32:
    """Remove a direction from unit rows and scale what is left of them to unit length again."""
    if not direction.any():
        return vectors
    rest = drop_direction(vectors, direction)
    lengths = np.maximum(np.linalg.norm(rest, axis=1, keepdims=True), 1e-12)
    return np.asarray(rest / lengths, dtype=np.float32)


def correlation_with_frequency(words: Floats32, directions: Floats, frequency: Floats) -> Floats:
    """Return, for each group's direction, the rank correlation of words' products with it and their frequency."""
    ranks = midranks(np.vstack([directions @ words.T, frequency]))
    return np.atleast_2d(np.corrcoef(ranks))[-1, :-1]


def cells_without(cells: Cells, direction: Floats, centre: Centre) -> Cells | None:
    """Return the same groups and categories in the space across a direction; None where groups differ in it alone."""
    if not direction.any():
        return cells
    directions = drop_direction(cells.directions, direction)
    if np.linalg.norm(directions) <= _NOTHING * np.linalg.norm(cells.directions):
        return None
    words = without_direction(cells.words, direction)
    centres = category_centres(words, cells.offsets, centre)
    return replace(cells, words=words, directions=directions, centres=centres)


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
