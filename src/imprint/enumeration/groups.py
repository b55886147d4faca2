"""Groups of names and categories of words, by K-means++ with the settings of the paper, and what groups stand for.

Who bears the names is described; but a group can also stand for spelling. A sentence encoder knows a rare name by its
pieces, and puts Marla near marble. Its groups share first letters rather than bearers. So each group is compared with
names of like spelling from other groups: if the group's words are near to those too, its associations tell of letters.
"""

from collections.abc import Sequence
from dataclasses import replace
from itertools import pairwise
from string import ascii_uppercase
from typing import Any

import numpy as np

from imprint.checks import Centre
from imprint.enumeration.rows import Races
from imprint.enumeration.targets import Targets
from imprint.errors import SettingError
from imprint.significance.learners import k_means
from imprint.significance.ranks import midranks
from imprint.significance.rotations import Cells, scores_of
from imprint.stimuli.names import NameTable
from imprint.types import Flags, Floats, Floats32, Indices, Ints

ILLUSTRATIVE = 5
# Share of a group's scores that names of like spelling reach: from here on the group is left out. Of 6 or 12 groups of
# the default encoder, those with many first letters have at most .23, others at least .42, for each of three seeds.
EXPLAINED = 1 / 3


def letters(count: int) -> list[str]:
    """Return A, B, ..., Z, AA, AB, ..."""
    names = []
    for number in range(count):
        name, rest = "", number
        while rest >= 0:
            name = ascii_uppercase[rest % 26] + name
            rest = rest // 26 - 1
        names.append(name)
    return names


def order_groups(targets: Targets, labels: Indices, count: int) -> list[int]:
    """Return cluster numbers in the order shown: by share of women as in the paper, else by size."""
    sizes = np.bincount(labels, minlength=count)
    table = targets.table
    if table is not None and not np.all(np.isnan(table.share_women)):
        shares = [_average(table.share_women[_rows_of(targets, table, labels == label)]) for label in range(count)]
        return sorted(range(count), key=lambda label: (-(shares[label] or 0.0), -sizes[label], label))
    return sorted(range(count), key=lambda label: (-sizes[label], label))


def describe(targets: Targets, members: Flags) -> dict[str, Any]:
    """Average the table's columns over the chosen names, each counted once: nothing of it formed the group."""
    table = targets.table
    if table is None:
        return dict.fromkeys(("share_women", "mean_birth_year", "races"))
    rows = _rows_of(targets, table, members)
    return {
        "share_women": _average(table.share_women[rows]),
        "mean_birth_year": _average(table.mean_birth_year[rows]),
        "races": Races(**{name: _average(column[rows]) for name, column in table.races.items()}),
    }


def illustrate(vectors: Floats32, count: int = ILLUSTRATIVE) -> list[int]:
    """Choose names whose mean is as similar as possible to the group's, greedily one by one (section 4)."""
    centre = vectors.astype(np.float64).mean(axis=0)
    chosen: list[int] = []
    total = np.zeros(vectors.shape[1])
    for _ in range(min(count, len(vectors))):
        sums = total + vectors
        # Mean similarity of the chosen with the whole group: their summed vector against the centre, at unit length.
        similarity = sums @ centre / np.maximum(np.linalg.norm(sums, axis=1), 1e-12)
        similarity[chosen] = -np.inf
        best = int(np.argmax(similarity))
        chosen.append(best)
        total += vectors[best]
    return chosen


def cluster(
    vectors: Floats32, count: int, *, what: str, seed: np.random.SeedSequence, weights: Floats32 | None = None
) -> Indices:
    """Label each row with its cluster; `what` is clustered is named in errors."""
    if len(vectors) < count:
        raise SettingError(
            f"{len(vectors):,} {what} cannot make {count} clusters",
            got=count,
            hint=f"ask for fewer, or give more {what}",
        )
    different = set()
    for row in vectors:
        different.add(row.tobytes())
        if len(different) == count:
            break
    else:
        raise SettingError(
            f"the {what} have only {len(different)} different vectors, so {count} clusters cannot be made",
            got=count,
            hint="check that this is a real embedding",
        )
    state = int(np.random.default_rng(seed).integers(2**31))
    return k_means(vectors, count, seed=state, weights=weights)


def category_centres(words: Floats32, offsets: Ints, centre: Centre) -> Floats32:
    """Return what each category's scores are measured from: its own mean, or that of all words."""
    if centre == "all":
        return np.repeat(words.mean(axis=0)[None], len(offsets) - 1, axis=0)
    return np.stack([words[start:end].mean(axis=0) for start, end in pairwise(offsets)])


def cluster_means(vectors: Floats32, labels: Indices, count: int, weights: Floats32 | None = None) -> Floats:
    """Return each cluster's mean vector, one row a cluster."""
    means = np.empty((count, vectors.shape[1]))
    for label in range(count):
        members = labels == label
        means[label] = np.average(
            vectors[members].astype(np.float64), axis=0, weights=None if weights is None else weights[members]
        )
    return means


def correlation_with_frequency(words: Floats32, directions: Floats, frequency: Floats) -> Floats:
    """Return, for each group's direction, the rank correlation of words' products with it and their frequency."""
    ranks = midranks(np.vstack([directions @ words.T, frequency]))
    return np.atleast_2d(np.corrcoef(ranks))[-1, :-1]


def spelling_shares(
    cells: Cells, rows: Ints, names: Sequence[str], labels: Indices, vectors: Floats32, weights: Floats32 | None
) -> Floats:
    """Return, for each group, the share of its scores that names of like spelling from other groups reach.

    `rows` are the words of each cell; only cells with enough of them count. On an embedding of whole words the share
    is near zero; letters alone would make it one.
    """
    each = np.ones(len(names)) if weights is None else weights.astype(np.float64)
    sums = _sums(vectors * each[:, None], labels)
    centre = (sums / np.bincount(labels, weights=each)[:, None]).mean(axis=0)
    alike = replace(cells, directions=_directions_of_like_spelling(names, labels, vectors, each, centre))
    scores, reached = (np.nansum(scores_of(side, rows), axis=0) for side in (cells, alike))
    return np.asarray(np.where(scores > 0, np.maximum(reached, 0.0) / np.where(scores > 0, scores, 1.0), 0.0))


def _rows_of(targets: Targets, table: NameTable, members: Flags) -> list[int]:
    """Return the rows of the chosen names in their table."""
    return [table.index[targets.names[name]] for name in np.flatnonzero(members)]


def _average(values: Floats) -> float | None:
    stated = values[~np.isnan(values)]
    return float(stated.mean()) if len(stated) else None


def _directions_of_like_spelling(
    names: Sequence[str], labels: Indices, vectors: Floats32, each: Floats, centre: Floats
) -> Floats:
    """Return each group's direction with its names replaced by other groups' names that are spelt like them.

    These begin with the same two letters and are as long; where there are none, they begin with the same two letters,
    or the same first one. A group without any has no direction.
    """
    weighted = (vectors - centre) * each[:, None]
    sums, sizes = np.zeros((labels.max() + 1, weighted.shape[1])), np.zeros(labels.max() + 1)
    is_left = np.ones(len(names), dtype=np.bool_)
    lower = [name.lower() for name in names]
    for spellings in (
        [f"{name[:2]}{len(name)}" for name in lower],
        [name[:2] for name in lower],
        [name[0] for name in lower],
    ):
        spelling = np.unique(spellings, return_inverse=True)[1]
        pairs, pair = np.unique(np.column_stack([spelling, labels]), axis=0, return_inverse=True)
        pair = pair.ravel()
        others = _sums(weighted, spelling)[pairs[:, 0]] - _sums(weighted, pair)
        weights = np.bincount(spelling, weights=each)[pairs[:, 0]] - np.bincount(pair, weights=each)
        has_others = (np.bincount(spelling)[pairs[:, 0]] > np.bincount(pair))[pair]
        replaced = is_left & has_others
        shares = np.bincount(pair[replaced], weights=each[replaced], minlength=len(pairs))
        np.add.at(sums, pairs[:, 1], others * (shares / np.where(shares > 0, weights, 1.0))[:, None])
        np.add.at(sizes, pairs[:, 1], shares)
        is_left &= ~has_others
    return sums / np.where(sizes > 0, sizes, 1.0)[:, None]


def _sums(rows: Floats, labels: Indices) -> Floats:
    sums = np.zeros((labels.max() + 1, rows.shape[1]))
    np.add.at(sums, labels, rows)
    return sums
